#include "apiserver/schema/property_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Words of the language that cannot be fields.
constexpr std::string_view kReserved[] = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"__", "__underscores__"}, {".", "__dot__"}, {"-", "__dash__"}, {"/", "__slash__"}};

bool IsReserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

bool IsWordCharacter(char c) {
  return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c));
}

}  // namespace

std::optional<std::string> EscapeProperty(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return std::nullopt;
  if (IsReserved(name)) return StrCat("__", name, "__");
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const auto* escape =
        std::find_if(std::begin(kEscapes), std::end(kEscapes),
                     [&](const auto& known) { return name.substr(i).starts_with(known.first); });
    if (escape != std::end(kEscapes)) {
      out += escape->second;
      i += escape->first.size();
    } else if (IsWordCharacter(name[i])) {
      out.push_back(name[i++]);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> UnescapeProperty(std::string_view name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    const std::string_view inner = name.substr(2, name.size() - 4);
    if (IsReserved(inner)) return std::string(inner);
  }
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    const auto* escape =
        std::find_if(std::begin(kEscapes), std::end(kEscapes),
                     [&](const auto& known) { return rest.starts_with(known.second); });
    if (escape != std::end(kEscapes)) {
      out += escape->first;
      i += escape->second.size();
    } else if (rest.starts_with("__")) {
      return std::nullopt;
    } else {
      out.push_back(name[i++]);
    }
  }
  return out;
}

}  // namespace bth::apiserver
