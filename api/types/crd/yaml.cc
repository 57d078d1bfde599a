#include "api/types/crd/yaml.h"

#include <algorithm>
#include <string_view>

namespace bth::types::crd {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Starts with a letter or a dot and a letter, holds nothing that YAML gives a meaning to, and is
// none of its words. Narrower than what YAML allows, so that no reader disagrees.
bool IsPlain(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on",
                                         "off",  "null",  "y",   "n",  "~"};
  constexpr std::string_view kSafe = " .,;-_/()'*+|$%<>=^";
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (std::find(std::begin(kWords), std::end(kWords), lower) != std::end(kWords)) return false;
  std::string_view head = text;
  if (!head.empty() && head.front() == '.') head.remove_prefix(1);
  if (head.empty() || !IsLetter(head.front()) || text.back() == ' ') return false;
  return std::all_of(text.begin(), text.end(), [kSafe](char c) {
    return IsLetter(c) || (c >= '0' && c <= '9') || kSafe.find(c) != std::string_view::npos;
  });
}

std::string ScalarText(std::string_view text) {
  return IsPlain(text) ? std::string(text) : Json(text).Dump();
}

void Append(const Json& json, int indent, std::string* out);

// What follows "key:" or "-": on the same line when it is short, else on lines of its own.
void AppendBelow(const Json& json, int indent, std::string* out) {
  if ((json.is_object() || json.is_array()) && !json.empty()) {
    out->push_back('\n');
    Append(json, indent, out);
    return;
  }
  out->push_back(' ');
  out->append(json.is_string() ? ScalarText(json.AsString()) : json.Dump()).push_back('\n');
}

void Append(const Json& json, int indent, std::string* out) {
  const std::string blanks(static_cast<size_t>(indent), ' ');
  for (const Json::Member& member : json.members()) {
    out->append(blanks).append(ScalarText(member.first)).push_back(':');
    // Lists stand under their key, as kubectl prints them.
    AppendBelow(member.second, member.second.is_array() ? indent : indent + 2, out);
  }
  for (const Json& item : json.items()) {
    if (item.is_object() && !item.empty()) {
      std::string below;
      Append(item, indent + 2, &below);
      out->append(blanks).append("- ").append(below, static_cast<size_t>(indent) + 2);
    } else {
      out->append(blanks).push_back('-');
      AppendBelow(item, indent + 2, out);
    }
  }
}

}  // namespace

std::string ToYaml(const Json& json) {
  std::string out;
  if ((json.is_object() || json.is_array()) && !json.empty()) {
    Append(json, 0, &out);
  } else {
    out.append(json.is_string() ? ScalarText(json.AsString()) : json.Dump()).push_back('\n');
  }
  return out;
}

}  // namespace bth::types::crd
