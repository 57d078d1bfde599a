#include "cli/text/ordered_json.h"

#include <algorithm>
#include <string_view>

namespace bth::cli {
namespace {

using types::Json;

void BreakLine(size_t depth, std::string* out) {
  *out += '\n';
  out->append(depth * 2, ' ');
}

// Depth is bounded by the parser that made the value.
void WriteOrdered(const Json& value, size_t depth, std::string* out) {
  if (value.empty() || !(value.is_object() || value.is_array())) {
    value.DumpTo(out);
    return;
  }
  *out += value.is_object() ? '{' : '[';
  std::string_view separator;
  for (const auto& [key, member] : value.members()) {
    *out += separator;
    separator = ",";
    BreakLine(depth + 1, out);
    Json(key).DumpTo(out);
    *out += ": ";
    WriteOrdered(member, depth + 1, out);
  }
  for (const Json& item : value.items()) {
    *out += separator;
    separator = ",";
    BreakLine(depth + 1, out);
    WriteOrdered(item, depth + 1, out);
  }
  BreakLine(depth, out);
  *out += value.is_object() ? '}' : ']';
}

// Go escapes what a web page could mistake. These characters stand in texts only.
std::string HtmlSafe(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string OrderedJson(const Json& value) {
  std::string out;
  WriteOrdered(value, 0, &out);
  return HtmlSafe(out);
}

std::string SortedJson(const Json& map) {
  Json sorted = map;
  Json::Object& members = sorted.MutableMembers();
  std::sort(members.begin(), members.end(),
            [](const Json::Member& a, const Json::Member& b) { return a.first < b.first; });
  return HtmlSafe(sorted.Dump());
}

}  // namespace bth::cli
