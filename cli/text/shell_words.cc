#include "cli/text/shell_words.h"

#include "base/status.h"

namespace bth::cli {
namespace {

absl::Status EndedIn(const char* what) {
  return absl::InvalidArgumentError(what);
}

// Takes the text up to the closing quote, which is taken too.
absl::Status TakeQuoted(char quote, std::string_view* text, std::string* word) {
  while (!text->empty()) {
    char c = text->front();
    text->remove_prefix(1);
    if (c == quote) return absl::OkStatus();
    if (c == '\\' && quote == '"') {
      if (text->empty()) return EndedIn("EOF found after escape character");
      c = text->front();
      text->remove_prefix(1);
    }
    *word += c;
  }
  return EndedIn("EOF found when expecting closing quote");
}

// Takes a word up to the blank behind it.
absl::Status TakeWord(std::string_view* text, std::string* word) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (!text->empty() && kBlanks.find(text->front()) == std::string_view::npos) {
    const char c = text->front();
    text->remove_prefix(1);
    if (c == '\'' || c == '"') {
      BTH_RETURN_IF_ERROR(TakeQuoted(c, text, word));
    } else if (c == '\\') {
      if (text->empty()) return EndedIn("EOF found after escape character");
      *word += text->front();
      text->remove_prefix(1);
    } else {
      *word += c;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitShellWords(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    if (text.front() == '#') {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) return words;
      text.remove_prefix(end);
      continue;
    }
    BTH_RETURN_IF_ERROR(TakeWord(&text, &words.emplace_back()));
  }
}

}  // namespace bth::cli
