// YAML reads back as what was printed, by the reader of conf/.
#include "cli/print/yaml_text.h"

#include <string>
#include <vector>

#include "api/types/json.h"
#include "base/rng.h"
#include "conf/value.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace {

using bth::Rng;
using bth::cli::YamlText;
using bth::types::Json;

// The same tree, as far as YAML 1.1 can tell: true when every scalar has its type and text.
bool SameValue(const Json& json, const bth::conf::Value& yaml) {
  if (json.is_object()) {
    if (!yaml.is_map() || yaml.members().size() != json.size()) return false;
    for (const Json::Member& member : json.members()) {
      const bth::conf::Value* const found = yaml.Find(member.first);
      if (found == nullptr || !SameValue(member.second, *found)) return false;
    }
    return true;
  }
  if (json.is_array()) {
    if (!yaml.is_list() || yaml.items().size() != json.size()) return false;
    for (size_t i = 0; i < json.size(); ++i) {
      if (!SameValue(json[i], yaml.items()[i])) return false;
    }
    return true;
  }
  if (json.is_string()) return yaml.is_string() && yaml.text() == json.AsString();
  if (json.is_bool()) return yaml.is_bool() && yaml.AsBool() == json.AsBool();
  if (json.is_null()) return yaml.is_null();
  return (yaml.is_int() || yaml.is_double()) && yaml.AsDouble() == json.AsDouble();
}

std::string RandomText(Rng& rng) {
  static const std::vector<std::string> kPieces = {
      "a",  "b",  "1",  "0x", "2026-01-02", ":",  ": ", "#",    " #", "'",
      "\"", "\\", "\n", " ",  "  ",         "- ", "? ", "null", "y",  "{",
      "[",  ",",  "%",  "é",  "日",         ".",  "e3", "=",    "|",  "words and more"};
  std::string text;
  for (uint64_t count = rng.Below(12); count > 0; --count)
    text += kPieces[rng.Below(kPieces.size())];
  return text;
}

Json RandomValue(Rng& rng, int depth) {
  const uint64_t kind = rng.Below(depth > 0 ? 8 : 6);
  if (kind == 0) return Json(rng.Below(2) == 0);
  if (kind == 1) return Json(static_cast<int64_t>(rng.Below(1000)) - 500);
  if (kind == 2) return Json();
  if (kind < 6) return Json(RandomText(rng));
  Json value = kind == 6 ? Json::MakeArray() : Json::MakeObject();
  for (uint64_t count = rng.Below(5); count > 0; --count) {
    if (kind == 6) {
      value.MutableItems().push_back(RandomValue(rng, depth - 1));
    } else {
      value[RandomText(rng)] = RandomValue(rng, depth - 1);
    }
  }
  return value;
}

TEST_CASE("yaml: what is printed reads back equal", "[cli][property]") {
  bth::test::ForEachSeed(400, [](uint64_t seed) {
    Rng rng(seed);
    const Json value = Json::MakeObject({{"root", RandomValue(rng, 4)}});
    const std::string text = YamlText(value);
    CAPTURE(value.Dump(), text);
    const auto read = bth::conf::ParseYaml(text);
    REQUIRE(read.ok());
    CHECK(SameValue(value, read->root));
  });
}

TEST_CASE("yaml: scalars alone are documents", "[cli][unit]") {
  CHECK(YamlText(Json("text")) == "text\n");
  CHECK(YamlText(Json("1")) == "\"1\"\n");
  CHECK(YamlText(Json(1)) == "1\n");
  CHECK(YamlText(Json()) == "null\n");
  CHECK(YamlText(Json::MakeObject()) == "{}\n");
  CHECK(YamlText(Json::MakeArray()) == "[]\n");
  CHECK(YamlText(Json::MakeArray({1, "a"})) == "- 1\n- a\n");
}

TEST_CASE("yaml: keys of an odd order come in one and the same", "[cli][property]") {
  bth::test::ForEachSeed(50, [](uint64_t seed) {
    Rng rng(seed);
    Json::Object members;
    for (int i = 0; i < 40; ++i) members.emplace_back(RandomText(rng), Json(1));
    Json forward = Json::MakeObject(), backward = Json::MakeObject();
    for (const auto& [key, value] : members) forward[key] = value;
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      backward[member->first] = member->second;
    }
    CHECK(YamlText(forward) == YamlText(backward));
  });
}

}  // namespace
