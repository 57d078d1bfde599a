#include "api/manifests/yaml_json.h"

#include "tests/support/catch.h"

namespace bth::manifests {
namespace {

using types::Json;

TEST_CASE("yaml: the first document counts", "[manifests][yaml]") {
  CHECK(*JsonFromYaml(FirstDocument("a: 1\n---\na: 2\n")) == Json::MakeObject({{"a", 1}}));
  CHECK(*JsonFromYaml(FirstDocument("# note\n\n---\na: 1\n---\nb: 2\n")) ==
        Json::MakeObject({{"a", 1}}));
  CHECK(*JsonFromYaml(FirstDocument("{\"a\": [1]}")) == *Json::Parse(R"({"a":[1]})"));
  CHECK(JsonFromYaml(FirstDocument(""))->is_null());
  CHECK_FALSE(JsonFromYaml("a: [").ok());
}

TEST_CASE("yaml: of a key that comes twice the last one counts, keys are texts",
          "[manifests][yaml]") {
  CHECK(JsonFromYaml("a: 1\na: 2\n80: x\n")->Dump() == R"({"a":2,"80":"x"})");
}

}  // namespace
}  // namespace bth::manifests
