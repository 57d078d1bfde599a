#include <string>

#include "admission/rules/semantic_equal.h"
#include "base/strings.h"
#include "tests/admission_rules/bed.h"

namespace bth::admission::testing {
namespace {

TEST_CASE("semantic equality: what makes a difference to Kubernetes", "[admission]") {
  struct Case {
    std::string a, b;
    bool equal;
  };
  const Case c = GENERATE(values<Case>({
      {"{}", "{}", true},
      {R"({"a":1,"b":"x"})", R"({"b":"x","a":1})", true},
      {R"({"a":1})", R"({"a":2})", false},
      {R"({"a":1})", R"({"a":"1"})", false},
      {R"({"a":{"b":[1,2]}})", R"({"a":{"b":[2,1]}})", false},
      // Absent, null, empty.
      {R"({"volumes":[]})", "{}", true},
      {R"({"volumes":null})", R"({"volumes":[]})", true},
      {R"({"volumes":[{}]})", "{}", false},
      {R"({"labels":{}})", "{}", true},
      {R"({"labels":{"a":""}})", R"({"labels":{}})", false},
      {R"({"labels":{"a":""}})", R"({"labels":{"b":""}})", false},
      {R"({"resources":{}})", "{}", true},
      {R"({"resources":{"limits":{}}})", "{}", true},
      {R"({"metadata":{"creationTimestamp":null}})", "{}", true},
      {R"({"queue":""})", "{}", true},
      {R"({"maxRetry":0})", "{}", true},
      {R"({"hostNetwork":false})", "{}", true},
      // Where absence is a value of its own.
      {R"({"securityContext":{}})", "{}", false},
      {R"({"emptyDir":{}})", "{}", false},
      {R"({"emptyDir":{}})", R"({"emptyDir":null})", false},
      {R"({"labelSelector":{}})", "{}", false},
      {R"({"hostUsers":false})", "{}", false},
      {R"({"terminationGracePeriodSeconds":0})", "{}", false},
      {R"({"ttlSecondsAfterFinished":0})", "{}", false},
      {R"({"runAsUser":0})", R"({"runAsUser":null})", false},
      // By value.
      {R"({"limits":{"cpu":"1"}})", R"({"limits":{"cpu":"1000m"}})", true},
      {R"({"limits":{"cpu":1}})", R"({"limits":{"cpu":"1"}})", true},
      {R"({"requests":{"cpu":"1"}})", R"({"requests":{"cpu":"2"}})", false},
      {R"({"requests":{"cpu":"0"}})", R"({"requests":{}})", false},
      {R"({"sizeLimit":"1Gi"})", R"({"sizeLimit":"1024Mi"})", true},
      {R"({"timeout":"1h"})", R"({"timeout":"60m"})", true},
      {R"({"timeout":"1h"})", R"({"timeout":"61m"})", false},
      {R"({"timeout":"0s"})", "{}", false},
      {R"({"name":"1h"})", R"({"name":"60m"})", false},
      // Arguments of plugins.
      {R"({"plugins":{"svc":[]}})", R"({"plugins":{"svc":null}})", true},
      {R"({"plugins":{"svc":[]}})", R"({"plugins":{}})", false},
      {R"({"plugins":{"svc":["a"]}})", R"({"plugins":{"svc":["b"]}})", false},
  }));
  CAPTURE(c.a, c.b);
  CHECK(SemanticallyEqual(ReadJson(c.a), ReadJson(c.b)) == c.equal);
  CHECK(SemanticallyEqual(ReadJson(c.b), ReadJson(c.a)) == c.equal);
  // As deep inside of lists.
  const auto inside = [](const std::string& one) {
    return ReadJson(StrCat(R"({"tasks":[{"template":{"spec":{"x":[)", one, "]}}}]}"));
  };
  CHECK(SemanticallyEqual(inside(c.a), inside(c.b)) == c.equal);
}

}  // namespace
}  // namespace bth::admission::testing
