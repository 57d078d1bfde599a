#include <string>

#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

TEST_CASE("queues mutate: what is added", "[admission_rules][queues]") {
  struct Case {
    std::string name, object, patch;
  };
  const std::string reclaimable = R"({"op":"add","path":"/spec/reclaimable","value":true})";
  const Case c = GENERATE_COPY(values<Case>({
      {"nothing is missing", R"({"spec":{"weight":2,"reclaimable":false}})", "null"},
      {"reclaimable", R"({"spec":{"weight":1}})", StrCat("[", reclaimable, "]")},
      {"weight", R"({"spec":{"weight":0,"reclaimable":true}})",
       R"([{"op":"add","path":"/spec/weight","value":1}])"},
      {"both", R"({"spec":{}})",
       StrCat("[", reclaimable, R"(,{"op":"add","path":"/spec/weight","value":1}])")},
      {"no spec to add to", R"({"metadata":{"name":"q"}})",
       StrCat(R"([{"op":"add","path":"/spec","value":{}},)", reclaimable,
              R"(,{"op":"add","path":"/spec/weight","value":1}])")},
      {"a path without root",
       R"({"metadata":{"annotations":{"volcano.sh/hierarchy":"a/b/c",)"
       R"("volcano.sh/hierarchy-weights":"2/3/4"}},"spec":{"weight":1,"reclaimable":true}})",
       R"([{"op":"add","path":"/metadata/annotations/volcano.sh~1hierarchy","value":"root/a/b/c"},)"
       R"({"op":"add","path":"/metadata/annotations/volcano.sh~1hierarchy-weights",)"
       R"("value":"1/2/3/4"}])"},
      {"a path that begins like root is left alone",
       R"({"metadata":{"annotations":{"volcano.sh/hierarchy":"rootless/a",)"
       R"("volcano.sh/hierarchy-weights":"2/3"}},"spec":{"weight":1,"reclaimable":true}})",
       "null"},
      {"a path without weights",
       R"({"metadata":{"annotations":{"volcano.sh/hierarchy":"a/b"}},)"
       R"("spec":{"weight":1,"reclaimable":true}})",
       "null"},
  }));
  CAPTURE(c.name);
  const Verdict verdict =
      test::Ask({.path = "/queues/mutate", .object = c.object}, test::PlainKnown());
  CHECK(verdict.allowed);
  CHECK(test::PatchText(verdict) == c.patch);
}

TEST_CASE("queues mutate: other operations are refused", "[admission_rules][queues]") {
  const std::string operation = GENERATE("UPDATE", "DELETE", "Invalid", "");
  const Verdict verdict =
      test::Ask({.path = "/queues/mutate", .operation = operation}, test::PlainKnown());
  CHECK(test::Told(verdict) ==
        StrCat("invalid operation `", operation, "`, expect operation to be `CREATE`"));
  CHECK(test::PatchText(verdict) == "none");
}

}  // namespace
}  // namespace bth::admission
