#include "api/manifests/manifest.h"

#include <string>

#include "tests/support/catch.h"

namespace bth::manifests {
namespace {

std::string One(std::string_view text) {
  const auto documents = ParseManifest(text);
  if (!documents.ok()) return std::string(documents.status().message());
  return documents->size() == 1 ? documents->front().json.Dump() : "not one document";
}

TEST_CASE("manifest: plain scalars have the types of YAML 1.1", "[manifests][yaml]") {
  CHECK(One("a: 1") == R"({"a":1})");
  CHECK(One("a: '1'") == R"({"a":"1"})");
  CHECK(One("a: \"1\"") == R"({"a":"1"})");
  CHECK(One("a: 1.5") == R"({"a":1.5})");
  CHECK(One("a: 500m") == R"({"a":"500m"})");
  CHECK(One("a: yes") == R"({"a":true})");
  CHECK(One("a: 'yes'") == R"({"a":"yes"})");
  CHECK(One("a: 010") == R"({"a":8})");
  CHECK(One("a: ~") == R"({"a":null})");
  CHECK(One("a: 2026-01-01T00:00:00Z") == R"({"a":"2026-01-01T00:00:00Z"})");
  CHECK(One("80: x") == R"({"80":"x"})");
  CHECK(One("on: x") == R"({"true":"x"})");
}

TEST_CASE("manifest: aliases and merge keys are expanded", "[manifests][yaml]") {
  CHECK(One("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}") ==
        R"({"a":{"b":1},"c":{"b":1},"d":{"e":2,"b":1}})");
}

TEST_CASE("manifest: documents are counted with their lines", "[manifests][yaml]") {
  const auto documents = ParseManifest("# head\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[0].line == 2);
  CHECK((*documents)[1].json.Dump() == R"({"b":2})");
  CHECK((*documents)[1].line == 6);
  CHECK(ParseManifest("")->empty());
  CHECK(ParseManifest("---\n---\n")->empty());
}

TEST_CASE("manifest: JSON values may follow one another", "[manifests][yaml]") {
  const auto documents = ParseManifest("{\"a\": \"}\"}\n{\"b\": [1, 2]}");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[1].line == 2);
  CHECK(One("{a: b}") == R"({"a":"b"})");
}

TEST_CASE("manifest: errors name document and line of the file", "[manifests][yaml]") {
  CHECK(One("a: 1\n---\nb: [1\nc: 2\n").starts_with("document 2: line "));
  CHECK(One("a: 1\n---\nb: 1\nb: 2\n") == "document 2: line 4: b: given twice, first in line 3");
  CHECK(One("{\"a\": }").starts_with("document 1: line 1: "));
}

TEST_CASE("manifest: limits are refused by name", "[manifests][yaml]") {
  ManifestLimits limits;
  limits.depth_max = 8;
  limits.documents_max = 2;
  limits.values_max = 50;
  limits.bytes_max = 1000;
  const auto message = [&limits](const std::string& text) {
    const auto documents = ParseManifest(text, limits);
    return documents.ok() ? "accepted" : std::string(documents.status().message());
  };
  CHECK(message("a: 1\n---\nb: 1\n---\nc: 1\n").find("at most 2") != std::string::npos);
  CHECK(message("a: [[[[[[[[[[1]]]]]]]]]]\n").find("deeper than 8") != std::string::npos);
  CHECK(message(std::string(2000, '#')).find("at most 1000") != std::string::npos);
  std::string bomb = "a: &a [1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a]\nc: [*b,*b,*b]\n";
  CHECK(message(bomb).find("more than 50 values") != std::string::npos);
}

TEST_CASE("yaml objects: documents become JSON", "[manifests][yaml]") {
  const auto objects = ObjectsFromYaml(
      "# comment\n---\na: 1\nb: [x, 1.5, true, ~]\n---\n---\nc: &anchor {d: '1'}\ne: *anchor\n",
      "file");
  REQUIRE(objects.ok());
  REQUIRE(objects->size() == 2);
  CHECK((*objects)[0].Dump() == R"({"a":1,"b":["x",1.5,true,null]})");
  CHECK((*objects)[1].Dump() == R"({"c":{"d":"1"},"e":{"d":"1"}})");
}

TEST_CASE("yaml objects: mistakes name file and document", "[manifests][yaml]") {
  const auto [text, message] = GENERATE(table<const char*, const char*>({
      {"a: 1\n---\nb: [\n", "file: document 2"},
      {"- a\n", "file: document 1: line 1: must be a map"},
      {"text", "document 1: line 1: must be a map"},
  }));
  const auto objects = ObjectsFromYaml(text, "file");
  REQUIRE_FALSE(objects.ok());
  CHECK_THAT(std::string(objects.status().message()), Catch::Contains(message));
}

}  // namespace
}  // namespace bth::manifests
