#include "nodesim/printed.h"

#include <cstddef>
#include <utility>

namespace bth::nodesim {
namespace {

using Words = std::vector<std::string>;

// Of one printf, whose format is used for many words.
constexpr size_t kPrintedBytesMax = 64 << 10;

// "2>&1" and the like stay in the log, files do not.
enum class Redirection { kNone, kToLog, kToFile };

Redirection RedirectionOf(std::string_view word) {
  const size_t sign = word.find('>');
  if (sign > 1 || (sign == 1 && word[0] != '1' && word[0] != '2')) return Redirection::kNone;
  const std::string_view to = word.substr(sign + 1);
  if (to == "&1" || to == "&2") return Redirection::kToLog;
  // What only errors are sent to gets nothing of this.
  return sign == 1 && word[0] == '2' ? Redirection::kToLog : Redirection::kToFile;
}

// The words without redirections; false: they go to a file.
bool WithoutRedirections(const Words& words, Words* rest) {
  for (size_t i = 1; i < words.size(); ++i) {
    const Redirection redirection = RedirectionOf(words[i]);
    if (redirection == Redirection::kToFile) return false;
    if (redirection == Redirection::kNone) rest->push_back(words[i]);
    if (words[i] == "2>") ++i;  // The file's name follows.
  }
  return true;
}

std::string Unescaped(std::string_view text) {
  constexpr std::pair<char, char> kEscapes[] = {
      {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'\\', '\\'}};
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_known = false;
    for (const auto& [letter, meant] : kEscapes) {
      if (text[i] != '\\' || i + 1 >= text.size() || text[i + 1] != letter) continue;
      out.push_back(meant);
      is_known = true;
    }
    if (is_known) {
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string Echoed(const Words& words) {
  bool ends_line = true;
  bool escapes = false;
  size_t first = 0;
  for (; first < words.size(); ++first) {
    const std::string& word = words[first];
    if (word != "-n" && word != "-e" && word != "-ne" && word != "-en") break;
    ends_line = ends_line && word.find('n') == std::string::npos;
    escapes = escapes || word.find('e') != std::string::npos;
  }
  std::string out;
  for (size_t i = first; i < words.size(); ++i) {
    if (i > first) out.push_back(' ');
    out += escapes ? Unescaped(words[i]) : words[i];
  }
  if (ends_line) out.push_back('\n');
  return out;
}

std::string Formatted(const Words& words) {
  if (words.empty()) return "";
  const std::string format = Unescaped(words[0]);
  std::string out;
  size_t next = 1;
  for (;;) {
    const size_t before = next;
    for (size_t i = 0; i < format.size(); ++i) {
      const char kind = format[i] == '%' && i + 1 < format.size() ? format[i + 1] : '\0';
      if (kind == 's' || kind == 'd') {
        if (next < words.size()) out += words[next];
        ++next;
      } else {
        out.push_back(format[i]);
      }
      if (kind == 's' || kind == 'd' || kind == '%') ++i;
    }
    if (next == before || next >= words.size() || out.size() > kPrintedBytesMax) return out;
  }
}

}  // namespace

std::string PrintedBy(std::string_view program, const Words& words) {
  Words rest;
  if (!WithoutRedirections(words, &rest)) return "";
  if (program == "echo") return Echoed(rest);
  return program == "printf" ? Formatted(rest) : "";
}

}  // namespace bth::nodesim
