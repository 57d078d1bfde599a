#include "cmd/common/yaml_objects.h"

#include <filesystem>

#include "cmd/common/embedded_crds.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

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

TEST_CASE("embedded CRDs: they are what the files of deploy/crds say", "[cmd][unit]") {
  const auto crds = EmbeddedCrds();
  REQUIRE(crds.status().ToString() == "OK");
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::SourceRoot() / "deploy/crds")) {
    CAPTURE(entry.path().filename());
    ++files;
    const auto objects = ObjectsFromYaml(test::ReadFile(entry.path()), "file");
    REQUIRE(objects.status().ToString() == "OK");
    REQUIRE(objects->size() == 1);
    CHECK_THAT(*crds, Catch::VectorContains(objects->front()));
  }
  CHECK(files == crds->size());
}

}  // namespace
}  // namespace bth::cmd
