#include "api/types/pod_requests.h"

#include <string>

#include "api/types/codec.h"
#include "tests/support/catch.h"

using namespace bth::types;

namespace {

std::string Text(const absl::StatusOr<ResourceList>& list) {
  if (!list.ok()) return std::string(list.status().message());
  std::string text;
  for (const auto& [name, quantity] : *list) {
    text += (text.empty() ? "" : " ") + name + "=" + quantity.ToString();
  }
  return text;
}

// A container with cpu and memory; `status` members are spliced in.
std::string C(const std::string& name, const std::string& requests, const std::string& more = "") {
  return R"({"name":")" + name + R"(","resources":{"requests":{)" + requests + "}}" + more + "}";
}

}  // namespace

TEST_CASE("pod requests: containers, sidecars, init containers, pod level, overhead",
          "[types][unit]") {
  const std::string sidecar = R"(,"restartPolicy":"Always")";
  struct Case {
    std::string name, spec, status, requests;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"none", R"("containers":[{"name":"a"}])", "", "pods=1"},
      {"sum",
       R"("containers":[)" + C("a", R"("cpu":"500m","memory":"1Gi")") + "," +
           C("b", R"("cpu":"1","nvidia.com/gpu":2)") + "]",
       "", "cpu=1500m memory=1Gi nvidia.com/gpu=2 pods=1"},
      {"a larger init container counts alone",
       R"("containers":[)" + C("a", R"("cpu":"1","memory":"1Gi")") + R"(],"initContainers":[)" +
           C("i", R"("cpu":"3")") + "," + C("j", R"("cpu":"2","memory":"3Gi")") + "]",
       "", "cpu=3 memory=3Gi pods=1"},
      {"sidecars add to containers and to later init containers",
       R"("containers":[)" + C("a", R"("cpu":"1")") + R"(],"initContainers":[)" +
           C("i", R"("cpu":"2")") + "," + C("s", R"("cpu":"2")", sidecar) + "," +
           C("j", R"("cpu":"4")") + "]",
       "", "cpu=6 pods=1"},
      {"sidecars with small init containers",
       R"("containers":[)" + C("a", R"("cpu":"2")") + R"(],"initContainers":[)" +
           C("s", R"("cpu":"1")", sidecar) + "," + C("t", R"("cpu":"1")", sidecar) + "]",
       "", "cpu=4 pods=1"},
      {"pod level replaces known dimensions, overhead adds",
       R"("containers":[)" + C("a", R"("cpu":"1","example.com/x":1)") +
           R"(],"resources":{"requests":{"cpu":"5","memory":"2Gi","example.com/x":7}},)"
           R"("overhead":{"cpu":"250m","memory":"64Mi"})",
       "", "cpu=5250m example.com/x=1 memory=2112Mi pods=1"},
      {"a resize in progress counts with the largest",
       R"("containers":[)" + C("a", R"("cpu":"1","memory":"4Gi")") + "]",
       R"("containerStatuses":[{"name":"a","resources":{"requests":{"cpu":"2","memory":"1Gi"}},)"
       R"("allocatedResources":{"cpu":"3"}}])",
       "cpu=3 memory=4Gi pods=1"},
      {"an infeasible resize does not count", R"("containers":[)" + C("a", R"("cpu":"100")") + "]",
       R"("conditions":[{"type":"PodResizePending","status":"True","reason":"Infeasible"}],)"
       R"("containerStatuses":[{"name":"a","resources":{"requests":{"cpu":"2"}},)"
       R"("allocatedResources":{"cpu":"1"}}])",
       "cpu=2 pods=1"},
      {"a status without resources is ignored", R"("containers":[)" + C("a", R"("cpu":"1")") + "]",
       R"("containerStatuses":[{"name":"a","allocatedResources":{"cpu":"3"}}])", "cpu=1 pods=1"},
      {"a sum beyond the range is an error",
       R"("containers":[)" + C("a", R"("memory":"9E")") + "," + C("b", R"("memory":"9E")") + "]",
       "", "memory: quantity \"9E\" plus \"9E\": beyond the maximum of 9223372036854775807"},
  }));
  CAPTURE(c.name);
  const auto pod = Decode<Pod>(R"({"metadata":{"name":"p"},"spec":{)" + c.spec + R"(},"status":{)" +
                               c.status + "}}");
  CAPTURE(pod.status().ToString());
  REQUIRE(pod.ok());
  CHECK(Text(PodRequests(*pod)) == c.requests);
}

TEST_CASE("pod requests: scoring counts silent containers with defaults", "[types][unit]") {
  struct Case {
    std::string containers, requests;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {R"({"name":"a"})", "cpu=100m memory=200Mi"},
      {R"({"name":"a"},{"name":"b"})", "cpu=200m memory=400Mi"},
      {C("a", R"("cpu":"1")"), "cpu=1 memory=200Mi"},
      {C("a", R"("cpu":"0","memory":"0")"), "cpu=0 memory=0"},
  }));
  CAPTURE(c.containers);
  const auto pod =
      Decode<Pod>(R"({"metadata":{"name":"p"},"spec":{"containers":[)" + c.containers + "]}}");
  REQUIRE(pod.ok());
  CHECK(Text(NonZeroPodRequests(*pod)) == c.requests);
}

TEST_CASE("pod requests: features can be turned off", "[types][unit]") {
  const auto pod = Decode<Pod>(
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","resources":{"requests":)"
      R"({"cpu":"1"}}}],"resources":{"requests":{"cpu":"5"}}},"status":{"containerStatuses":)"
      R"([{"name":"a","resources":{"requests":{"cpu":"3"}}}]}})");
  REQUIRE(pod.ok());
  CHECK(Text(PodRequests(*pod, {.pod_level = false, .count_pod = false})) == "cpu=3");
  CHECK(Text(PodRequests(*pod, {.use_status = false, .pod_level = false})) == "cpu=1 pods=1");
}
