#include "cli/text/yaml.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"
#include "conf/value.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr conf::YamlLimits kFileLimits = {.bytes_max = size_t{16} << 20,
                                          .depth_max = 64,
                                          .values_max = 200'000,
                                          .text_bytes_max = size_t{32} << 20};

// Depth is bounded by the reader's limits.
Json FromValue(const conf::Value& value) {
  using Kind = conf::Value::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return Json();
    case Kind::kBool:
      return value.AsBool();
    case Kind::kInt:
      return value.AsInt();
    case Kind::kDouble:
      return value.AsDouble();
    case Kind::kString:
      return value.text();
    case Kind::kList: {
      Json out = Json::MakeArray();
      for (const conf::Value& item : value.items()) out.MutableItems().push_back(FromValue(item));
      return out;
    }
    case Kind::kMap:
      break;
  }
  Json out = Json::MakeObject();
  for (const conf::Value::Member& member : value.members()) {
    out.MutableMembers().emplace_back(member.key, FromValue(member.value));
  }
  return out;
}

}  // namespace

absl::StatusOr<Json> JsonFromYaml(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const conf::YamlDocument document, conf::ParseYaml(text, kFileLimits));
  return FromValue(document.root);
}

std::string_view FirstDocument(std::string_view text) {
  // The marker of the first document itself may stand below comments and directives.
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t first = line.find_first_not_of(" \t\r");
    const bool is_content = first != std::string_view::npos && line[first] != '#' && line[0] != '%';
    at = std::min(end + 1, text.size());
    if (is_content) break;
  }
  const size_t next = text.find("\n---", at == 0 ? 0 : at - 1);
  return text.substr(0, next);
}

}  // namespace bth::cli
