// x-kubernetes-validations. schema/rules.jsonl holds what Kubernetes' own code makes of schemas
// with rules and of objects: the reason, field and message of each cause, and warnings.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/schema/property_names.h"
#include "apiserver/schema/rule_run.h"
#include "apiserver/schema/structural_rules.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::apiserver::testing {
namespace {

const char kRulesField[] = "spec.validation.openAPIV3Schema";

std::vector<std::string> RuleLines(const std::vector<Cause>& causes) {
  std::vector<std::string> lines;
  for (const Cause& cause : causes) {
    lines.push_back(StrCat(cause.reason, " ", cause.field, " ", cause.message));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> TableLines(const Json& rows) {
  std::vector<std::string> lines;
  for (const Json& row : rows.items()) {
    lines.push_back(
        StrCat(row[size_t{0}].AsString(), " ", row[1].AsString(), " ", row[2].AsString()));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Json RuledDefinition(const std::string& spec) {
  return Parse(StrCat(
      R"({"metadata":{"name":"things.rules.example.com"},"spec":{"group":"rules.example.com",
          "scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
          "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
            "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)",
      spec, R"(,"status":{"type":"object","properties":{"n":{"type":"integer",
          "x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"n grows"}]}}}}}}}]}})"));
}

const char kThings[] = "/apis/rules.example.com/v1/namespaces/default/things";

std::string Thing(const char* name, const char* rest) {
  return StrCat(R"({"metadata":{"name":")", name, "\"},", rest, "}");
}

}  // namespace

TEST_CASE("rules: schemas and objects are judged as the real server does it", "[apiserver]") {
  const std::string table =
      test::ReadFile(test::SourceRoot() / "tests/apiserver/schema/rules.jsonl");
  size_t count = 0;
  for (absl::string_view line : SplitText(table, '\n', absl::SkipEmpty())) {
    const Json row = Parse(ToStd(line));
    INFO(row["about"].AsString());
    CHECK(RuleLines(CheckStructural(row["schema"], kRulesField)) == TableLines(row["refused"]));
    ++count;
    if (!row["refused"].empty() || row.Find("object") == nullptr) continue;
    const auto schema = StructuralSchema::Compile(row["schema"]);
    REQUIRE(schema.ok());
    const RuleVerdict verdict = RunRules(**schema, row["object"], row.Find("old"));
    CHECK(RuleLines(verdict.causes) == TableLines(row["causes"]));
    std::vector<std::string> warnings;
    for (const Json& text : row["warnings"].items()) warnings.emplace_back(text.AsString());
    CHECK(verdict.warnings == warnings);
  }
  CHECK(count > 50);
}

TEST_CASE("rules: names of properties are escaped and back", "[apiserver]") {
  struct Row {
    const char* property;
    const char* escaped;  // Null: there is none.
  };
  static constexpr Row kRows[] = {{"a", "a"},
                                  {"a-b", "a__dash__b"},
                                  {"a.b/c", "a__dot__b__slash__c"},
                                  {"in", "__in__"},
                                  {"int", "int"},
                                  {"a__b", "a__underscores__b"},
                                  {"_a", "_a"},
                                  {"1a", nullptr},
                                  {"a b", nullptr},
                                  {"", nullptr},
                                  {"namespace", "__namespace__"}};
  for (const Row& row : kRows) {
    INFO(row.property);
    const auto escaped = EscapeProperty(row.property);
    REQUIRE(escaped.has_value() == (row.escaped != nullptr));
    if (row.escaped == nullptr) continue;
    CHECK(*escaped == row.escaped);
    CHECK(UnescapeProperty(row.escaped) == row.property);
  }
}

TEST_CASE("rules: hold for creations, updates and statuses", "[apiserver]") {
  Options options;
  options.crds = {RuledDefinition(
      R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
          "x-kubernetes-validations":[{"rule":"self.a <= self.b","message":"a is above b"}]})")};
  Bed bed(std::move(options));
  const Answer refused = bed.Post(kThings, Thing("t", R"("spec":{"a":2,"b":1})"));
  CHECK(refused.code == 422);
  CHECK(refused.message() ==
        "Thing.rules.example.com \"t\" is invalid: spec: Invalid value: a is above b");
  CHECK(
      refused.body["details"]["causes"].Dump() ==
      R"([{"reason":"FieldValueInvalid","message":"Invalid value: a is above b","field":"spec"}])");
  CHECK(bed.Post(kThings, Thing("t", R"("spec":{"a":1,"b":1},"status":{"n":1})")).code == 201);
  const std::string path = StrCat(kThings, "/t");
  CHECK(bed.Merge(path, R"({"spec":{"a":3}})").code == 422);
  CHECK(bed.Merge(path, R"({"spec":{"b":3}})").code == 200);
  const std::string status = path + "/status";
  CHECK(bed.Merge(status, R"({"status":{"n":5}})").code == 200);
  CHECK(bed.Merge(status, R"({"status":{"n":4}})").message() ==
        "Thing.rules.example.com \"t\" is invalid: status.n: Invalid value: 4: n grows");
}

TEST_CASE("rules: are asked once types and bounds are kept", "[apiserver]") {
  Options options;
  options.crds = {RuledDefinition(
      R"({"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":0}},
          "x-kubernetes-validations":[{"rule":"self.a > 5"}]})")};
  Bed bed(std::move(options));
  const Answer missing = bed.Post(kThings, Thing("t", R"("spec":{})"));
  CHECK(
      missing.body["details"]["causes"].Dump() ==
      R"([{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"},)"
      R"({"reason":"FieldValueInvalid","message":"Invalid value: null: some validation rules )"
      R"(were not checked because the object was invalid; correct the existing errors to complete )"
      R"(validation","field":"<nil>"}])");
  // A bound that is broken is no reason not to ask.
  const Answer below = bed.Post(kThings, Thing("t", R"("spec":{"a":-1})"));
  CHECK(below.body["details"]["causes"].size() == 2);
}

TEST_CASE("rules: what was there before a rule may stay", "[apiserver]") {
  Options options;
  options.crds = {RuledDefinition(
      R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}})")};
  Bed bed(std::move(options));
  REQUIRE(bed.Post(kThings, Thing("t", R"("spec":{"a":1})")).code == 201);
  const Json stricter = RuledDefinition(
      R"({"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer",
          "x-kubernetes-validations":[{"rule":"self > 3"}]}}})");
  REQUIRE(bed.Merge(StrCat(kDefinitions, "/things.rules.example.com"),
                    Json::MakeObject({{"spec", stricter["spec"]}}).Dump())
              .code == 200);
  const std::string path = StrCat(kThings, "/t");
  const Answer other = bed.Merge(path, R"({"spec":{"b":2}})");
  CHECK(other.code == 200);
  CHECK(
      StrContains(other.headers.Get("warning"), "spec.a: Invalid value: 1: failed rule: self > 3"));
  CHECK(bed.Merge(path, R"({"spec":{"a":2}})").code == 422);
  CHECK(bed.Merge(path, R"({"spec":{"a":4}})").code == 200);
}

}  // namespace bth::apiserver::testing
