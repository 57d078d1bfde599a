#include "api/manifests/yaml_json.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "conf/value.h"

namespace bth::manifests {
namespace {

using types::Json;

constexpr conf::YamlLimits kFileLimits = {.bytes_max = size_t{16} << 20,
                                          .depth_max = 64,
                                          .values_max = 200'000,
                                          .text_bytes_max = size_t{32} << 20};

// A key as JSON spells it: 80 and true are keys as good as any other.
std::string KeyText(const conf::Value::Member& member) {
  if (member.string_key) return member.key;
  const conf::Value key = conf::ResolvePlainScalar(member.key);
  if (key.is_bool()) return key.AsBool() ? "true" : "false";
  if (key.is_int()) return StrCat(key.AsInt());
  return member.key;
}

}  // namespace

// Depth is bounded by the reader's limits.
Json JsonOf(const conf::Value& value) {
  using Kind = conf::Value::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return Json();
    case Kind::kBool:
      return Json(value.AsBool());
    case Kind::kInt:
      return Json(value.AsInt());
    case Kind::kDouble:
      return Json(value.AsDouble());
    case Kind::kString:
      return Json(value.text());
    case Kind::kList: {
      Json out = Json::MakeArray();
      for (const conf::Value& item : value.items()) out.MutableItems().push_back(JsonOf(item));
      return out;
    }
    case Kind::kMap: {
      Json out = Json::MakeObject();
      for (const conf::Value::Member& member : value.members()) {
        out.MutableMembers().emplace_back(KeyText(member), JsonOf(member.value));
      }
      return out;
    }
  }
  return Json();
}

absl::StatusOr<Json> JsonFromYaml(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const conf::YamlDocument document, conf::ParseYaml(text, kFileLimits));
  return JsonOf(document.root);
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

}  // namespace bth::manifests
