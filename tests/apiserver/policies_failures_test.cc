// Admission policies whose expressions cannot be told: what comes of the write, and of the rest of
// the policy.
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "apiserver/matching/outside.h"
#include "tests/apiserver/policies_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

constexpr char kHolds[] = R"("expression":"true")";
constexpr char kFindsHm[] = R"("expression":"false","message":"hm")";
constexpr char kTwoNotes[] = R"j("auditAnnotations":[
    {"key":"a","valueExpression":"string(object.none.x)"},
    {"key":"b","valueExpression":"'told'"}])j";
constexpr char kUntold[] =
    "expression 'string(object.none.x)' resulted in error: no such key: none";
// Of a large object: more than all expressions of a policy together may cost.
constexpr char kDear[] = "object.data.k.contains(object.data.k)";

std::string LargeConfig() {
  return StrCat(R"({"metadata":{"name":"c"},"data":{"k":")", std::string(40'000, 'x'), R"("}})");
}
// "p/KEY" of what was kept for the audit.
std::vector<std::string> NoteKeys(Bed& bed) {
  std::vector<std::string> keys;
  for (const AuditTrail::Note& note : bed.server->outside().audit.notes()) keys.push_back(note.key);
  return keys;
}
std::vector<std::string> WarningsOf(const Answer& answer) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : answer.headers.fields()) {
    if (absl::EqualsIgnoreCase(name, "warning")) warnings.push_back(value);
  }
  return warnings;
}

TEST_CASE("policies: an annotation that cannot be told is a refusal, whatever the actions are",
          "[apiserver][policies]") {
  const std::string action = GENERATE(as<std::string>{}, "Deny", "Warn", "Audit");
  CAPTURE(action);
  HookBed bed;
  Validate(bed, kHolds, kTwoNotes, StrCat(R"("validationActions":[")", action, R"("])"));
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == 422);
  CHECK(answer.reason() == "Invalid");
  CHECK(answer.message() == StrCat(kDenied, kUntold));
  CHECK(NoteKeys(bed) == std::vector<std::string>{"p/b"});
  CHECK_THAT(bed.Get("/metrics").text,
             Catch::Contains("apiserver_validating_admission_policy_check_total{policy=\"p\","
                             "policy_binding=\"b-p\",error_type=\"invalid_error\","
                             "enforcement_action=\"deny\"} 1"));
}

TEST_CASE("policies: what validations find is told before annotations that cannot be told",
          "[apiserver][policies]") {
  HookBed bed;
  SECTION("where it denies") {
    Validate(bed, kFindsHm, kTwoNotes);
    CHECK(bed.Post(kConfigs, ConfigJson("c")).message() == StrCat(kDenied, "hm"));
  }
  SECTION("unless it does not deny") {
    Validate(bed, kFindsHm, kTwoNotes, R"("validationActions":["Audit"])");
    CHECK(bed.Post(kConfigs, ConfigJson("c")).message() == StrCat(kDenied, kUntold));
    CHECK(NoteKeys(bed).size() == 2);  // With that of the validation.
  }
}

TEST_CASE("policies: annotations that cannot be told can be ignored", "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, kHolds, StrCat(R"("failurePolicy":"Ignore",)", kTwoNotes));
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  CHECK(NoteKeys(bed) == std::vector<std::string>{"p/b"});
}

TEST_CASE("policies: validations that cost too much leave no annotations",
          "[apiserver][policies]") {
  HookBed bed;
  Validate(bed, StrCat(R"("expression":")", kDear, R"(")"), kTwoNotes,
           R"("validationActions":["Warn"])");
  const Answer answer = bed.Post(kConfigs, LargeConfig());
  CHECK(answer.code == 201);
  CHECK_THAT(std::string(answer.headers.Get("warning")), Catch::Contains("cost limit exceeded"));
  CHECK(NoteKeys(bed).empty());
}

TEST_CASE("policies: annotations that cost too much come behind what validations find",
          "[apiserver][policies]") {
  const std::string notes = StrCat(R"("auditAnnotations":[{"key":"a","valueExpression":")", kDear,
                                   R"( ? 'a' : 'b'"},{"key":"b","valueExpression":"'told'"}])");
  HookBed bed;
  SECTION("and are for the actions to judge") {
    Validate(bed, kFindsHm, notes, R"("validationActions":["Warn"])");
    const Answer answer = bed.Post(kConfigs, LargeConfig());
    CHECK(answer.code == 201);
    const std::vector<std::string> warnings = WarningsOf(answer);
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], Catch::Contains("'b-p': hm"));
    CHECK_THAT(warnings[1], Catch::Contains("cost limit exceeded"));
    CHECK(NoteKeys(bed).empty());
  }
  SECTION("and can be ignored") {
    Validate(bed, kFindsHm, StrCat(R"("failurePolicy":"Ignore",)", notes));
    CHECK(bed.Post(kConfigs, LargeConfig()).message() == StrCat(kDenied, "hm"));
  }
}

std::string Applying(std::string_view fields) {
  return StrCat(R"({"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{)",
                fields, R"(}"}})");
}
std::string ApplyingData(std::string_view data) {
  return Applying(StrCat("data: Object.data{", data, "}"));
}
// A policy "m" with these mutations.
void Mutate(Bed& bed, std::string_view mutations) {
  const Answer made = AddPolicy(bed, true, "m", mutations);
  CAPTURE(made.text);
  REQUIRE(made.code == 201);
  REQUIRE(Bind(bed, true, "m").code == 201);
}

TEST_CASE("policies: where failures are ignored, the others hold beside a mutation that fails",
          "[apiserver][policies]") {
  struct Case {
    std::string why;
    std::string mutation;
  };
  const Case c = GENERATE(values<Case>({
      {"its expression cannot be told", ApplyingData("n: string(object.none.x)")},
      {"it cannot be applied",
       R"({"patchType":"JSONPatch","jsonPatch":{"expression":
           "[JSONPatch{op: 'remove', path: '/data/none'}]"}})"},
      {"it leaves no object of the kind", ApplyingData("n: 1")},
      {"it costs too much", ApplyingData(StrCat("n: ", kDear, " ? 'a' : 'b'"))},
  }));
  CAPTURE(c.why);
  HookBed bed;
  Mutate(bed, StrCat(R"("failurePolicy":"Ignore","mutations":[)", ApplyingData("before: 'x'"), ",",
                     c.mutation, ",", ApplyingData("after: object.data.before"), "]"));
  const Answer made = bed.Post(kConfigs, LargeConfig());
  CHECK(made.code == 201);
  CHECK(made.at({"data", "before"}) == "x");
  CHECK(made.at({"data", "after"}) == "x");
  CHECK(made.body["data"]["n"].is_null());
  CHECK_THAT(bed.Get("/metrics").text,
             Catch::Contains("apiserver_mutating_admission_policy_check_total{policy=\"m\","
                             "policy_binding=\"b-m\",error_type=\"invalid_error\""));
}

TEST_CASE("policies: of mutations that fail the first is told", "[apiserver][policies]") {
  HookBed bed;
  Mutate(bed, StrCat(R"("mutations":[)", ApplyingData("n: string(object.one.x)"), ",",
                     ApplyingData("n: string(object.two.x)"), "]"));
  const Answer refused = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(refused.code == 403);
  CHECK_THAT(refused.message(), Catch::Contains("no such key: one"));
}

TEST_CASE("policies: a mutation that fails leaves the name that the server made up",
          "[apiserver][policies]") {
  HookBed bed;
  REQUIRE(bed.Post(kConfigs, ConfigJson("x")).code == 201);
  Mutate(bed,
         StrCat(R"("failurePolicy":"Ignore","mutations":[)",
                Applying("metadata: Object.metadata{name: 'x'}, data: Object.data{n: 1}"), "]"));
  const Answer made = bed.Post(kConfigs, R"({"metadata":{"generateName":"g-"}})");
  CAPTURE(made.text);
  CHECK(made.code == 201);
  CHECK(made.at({"metadata", "name"}).starts_with("g-"));
}

}  // namespace
}  // namespace bth::apiserver::testing
