#include "cmd/common/yaml_objects.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "conf/value.h"

namespace bth::cmd {
namespace {

using conf::Value;
using types::Json;

constexpr conf::YamlLimits kLimits = {.bytes_max = size_t{4} << 20,
                                      .depth_max = 64,
                                      .values_max = 200'000,
                                      .text_bytes_max = size_t{8} << 20};

// Depth is bounded by the reader's limits.
Json ToJson(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return Json();
    case Value::Kind::kBool:
      return value.AsBool();
    case Value::Kind::kInt:
      return value.AsInt();
    case Value::Kind::kDouble:
      return value.AsDouble();
    case Value::Kind::kString:
      return value.text();
    case Value::Kind::kList:
      break;
    case Value::Kind::kMap: {
      Json out = Json::MakeObject();
      for (const Value::Member& member : value.members()) {
        out.MutableMembers().emplace_back(member.key, ToJson(member.value));
      }
      return out;
    }
  }
  Json out = Json::MakeArray();
  for (const Value& item : value.items()) out.MutableItems().push_back(ToJson(item));
  return out;
}

// Cuts off and returns the text up to the next line that begins with "---".
std::string_view TakeDocument(std::string_view* text) {
  size_t at = 0;
  while (at < text->size()) {
    const size_t line = at;
    at = std::min(text->find('\n', line), text->size() - 1) + 1;
    if (text->substr(line, 3) != "---") continue;
    const std::string_view document = text->substr(0, line);
    text->remove_prefix(at);
    return document;
  }
  return std::exchange(*text, std::string_view());
}

}  // namespace

absl::StatusOr<std::vector<Json>> ObjectsFromYaml(std::string_view text, std::string_view origin) {
  std::vector<Json> out;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view document = TakeDocument(&text);
    const absl::StatusOr<conf::YamlDocument> read = conf::ParseYaml(document, kLimits);
    if (!read.ok()) {
      return Annotate(read.status(), StrCat(origin, ": document ", number));
    }
    if (read->root.is_null()) continue;
    if (!read->root.is_map()) {
      return absl::InvalidArgumentError(
          StrCat(origin, ": document ", number, ": must be a map, not a ", read->root.KindName()));
    }
    out.push_back(ToJson(read->root));
  }
  return out;
}

}  // namespace bth::cmd
