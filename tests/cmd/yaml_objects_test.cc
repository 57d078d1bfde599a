#include "cmd/common/yaml_objects.h"

#include "api/types/crd/generate.h"
#include "cmd/common/embedded_crds.h"
#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

TEST_CASE("yaml objects: documents become JSON", "[cmd][unit]") {
  const auto objects = ObjectsFromYaml(
      "# comment\n---\na: 1\nb: [x, 1.5, true, ~]\n---\n---\nc: &anchor {d: '1'}\ne: *anchor\n",
      "file");
  REQUIRE(objects.ok());
  REQUIRE(objects->size() == 2);
  CHECK((*objects)[0].Dump() == R"({"a":1,"b":["x",1.5,true,null]})");
  CHECK((*objects)[1].Dump() == R"({"c":{"d":"1"},"e":{"d":"1"}})");
}

TEST_CASE("yaml objects: mistakes name file and document", "[cmd][unit]") {
  const auto [text, message] = GENERATE(table<const char*, const char*>({
      {"a: 1\n---\nb: [\n", "file: document 2"},
      {"- a\n", "file: document 1: must be a map, not a list"},
      {"text", "must be a map, not a string"},
  }));
  const auto objects = ObjectsFromYaml(text, "file");
  REQUIRE_FALSE(objects.ok());
  CHECK_THAT(std::string(objects.status().message()), Catch::Contains(message));
}

TEST_CASE("embedded CRDs: every file of deploy/crds is there", "[cmd][unit]") {
  const auto crds = EmbeddedCrds();
  REQUIRE(crds.status().ToString() == "OK");
  std::vector<std::string> names;
  for (const types::Json& crd : *crds) {
    CHECK(crd["kind"].AsString() == "CustomResourceDefinition");
    names.emplace_back(crd.At({"metadata", "name"}).AsString());
  }
  CHECK(names.size() == EmbeddedCrdFiles().size());
  CHECK_THAT(names, Catch::VectorContains(std::string("podgroups.scheduling.volcano.sh")));
  CHECK_THAT(names, Catch::VectorContains(std::string("queues.scheduling.volcano.sh")));
}

TEST_CASE("embedded CRDs: they are read as they were generated", "[cmd][unit]") {
  const auto crds = EmbeddedCrds();
  const auto definitions = types::crd::GenerateDefinitions();
  REQUIRE(crds.ok());
  REQUIRE(definitions.ok());
  REQUIRE(crds->size() == definitions->size());
  for (const types::crd::Definition& definition : *definitions) {
    CAPTURE(definition.file);
    CHECK_THAT(*crds, Catch::VectorContains(definition.object));
  }
}

}  // namespace
}  // namespace bth::cmd
