// Extended resources that devices serve, from the API and back.
#include <optional>
#include <string>

#include "plugins/predicates/extended_claims.h"
#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

using model::ContainerRequests;
using plugins::predicates::ExtendedClaimOf;

struct ExtendedBed : ClaimBed {
  ExtendedBed() {
    Create("/apis/resource.k8s.io/v1/deviceclasses",
           R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"card"},)"
           R"("spec":{"extendedResourceName":"example.com/card"}})");
  }
  void PodAsking(const std::string& name, const std::string& group, int cards) {
    const std::string amounts = StrCat(R"({"example.com/card":")", cards, "\"}");
    Create(kPods, StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                         R"(","annotations":{"scheduling.k8s.io/group-name":")", group,
                         R"("}},"spec":{"schedulerName":"volcano","containers":[{"name":"main",)",
                         R"("image":"i","resources":{"requests":)", amounts, R"(,"limits":)",
                         amounts, "}}]}}"));
  }
  // The claim that the pod's status names; empty: none.
  std::string ExtendedOf(const std::string& pod) {
    const Json object = Get(StrCat(kPods, "/", pod));
    return std::string(
        object.At({"status", "extendedResourceClaimStatus", "resourceClaimName"}).AsString());
  }
};

std::string Said(const model::ExtendedClaimFacts& claim) {
  std::string out;
  for (const model::DeviceRequestFacts& request : claim.requests) {
    StrAppend(&out, request.name, "=", request.demands.front().device_class, "*",
              request.demands.front().count, " ");
  }
  for (const auto& mapping : claim.mappings) {
    StrAppend(&out, mapping.container, ":", mapping.resource, ">", mapping.request, " ");
  }
  return out;
}

TEST_CASE("extended claims: a request for each container, and for what init containers lack",
          "[claims]") {
  struct Case {
    std::vector<ContainerRequests> containers;
    std::string expect;
  };
  const auto container = [](const std::string& name, bool ends_first, int64_t cards) {
    ContainerRequests out{.name = name, .ends_first = ends_first, .names = {"cpu"}, .extended = {}};
    if (cards > 0) {
      out.names.emplace_back("x.io/card");
      out.extended.emplace_back("x.io/card", cards);
    }
    return out;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {{container("a", false, 2), container("b", false, 0), container("c", false, 1)},
       "container-0-request-1=gpu*2 container-2-request-1=gpu*1 a:x.io/card>container-0-request-1 "
       "c:x.io/card>container-2-request-1 "},
      // The init container has enough in what comes later.
      {{container("i", true, 1), container("a", false, 2)},
       "container-1-request-1=gpu*2 a:x.io/card>container-1-request-1 "
       "i:x.io/card>container-1-request-1 "},
      // It lacks some.
      {{container("i", true, 3), container("a", false, 2)},
       "container-0-request-1=gpu*1 container-1-request-1=gpu*2 a:x.io/card>container-1-request-1 "
       "i:x.io/card>container-1-request-1 i:x.io/card>container-0-request-1 "},
      // Of two, the larger need serves both.
      {{container("i", true, 1), container("j", true, 2)},
       "container-1-request-1=gpu*2 i:x.io/card>container-1-request-1 "
       "j:x.io/card>container-1-request-1 "},
      // A sidecar lasts.
      {{container("s", false, 1), container("i", true, 1), container("a", false, 1)},
       "container-0-request-1=gpu*1 container-2-request-1=gpu*1 s:x.io/card>container-0-request-1 "
       "a:x.io/card>container-2-request-1 i:x.io/card>container-2-request-1 "},
  }));
  CHECK(Said(ExtendedClaimOf(c.containers, {{"x.io/card", "gpu"}})) == c.expect);
}

TEST_CASE("extended claims: a pod gets a claim, and is told of it, before it is bound",
          "[claims]") {
  ExtendedBed bed;
  bed.Slice("n1", R"({"name":"d0"},{"name":"d1"})");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 1);
  bed.PodAsking("p", "g", 2);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
  const std::string name = bed.ExtendedOf("p");
  REQUIRE(absl::StartsWith(name, "p-extended-resources-"));
  CHECK(bed.DevicesOf(name) == "n1/d0 n1/d1");
  CHECK(bed.UsersOf(name) == "p");
  const Json claim = bed.ClaimNamed(name);
  CHECK(claim.At({"metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"})
            .AsString() == "true");
  CHECK(claim.At({"metadata", "ownerReferences"})[0]["name"].AsString() == "p");
  const Json pod = bed.Get(StrCat(kPods, "/p"));
  CHECK(pod.At({"status", "extendedResourceClaimStatus", "requestMappings"}).Dump() ==
        R"([{"containerName":"main","resourceName":"example.com/card","requestName":)"
        R"("container-0-request-0"}])");
  // Nothing is left for another one, until the first one goes.
  bed.Group("h", 1);
  bed.PodAsking("q", "h", 1);
  bed.Settle();
  CHECK(bed.NodeOf("q").empty());
  bed.DeletePod("p");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("q") == "n1");
}

TEST_CASE("extended claims: what was made for a pod that could not be bound goes", "[claims]") {
  ExtendedBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Begin();
  bool refuse = true;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!refuse || !absl::EndsWith(request.target, "/p/binding")) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Group("g", 1);
  bed.PodAsking("p", "g", 1);
  bed.OneCycle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.Get(kDeviceClaims)["items"].size() == 0);
  refuse = false;
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.Get(kDeviceClaims)["items"].size() == 1);
}

TEST_CASE("extended claims: devices that come later are used", "[claims]") {
  ExtendedBed bed;
  bed.Begin();
  bed.Group("g", 1);
  bed.PodAsking("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n2");
}

TEST_CASE("extended claims: without the feature the resource is nobody's", "[claims]") {
  ExtendedBed bed;
  bed.options.extended_devices = false;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodAsking("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
}

}  // namespace
}  // namespace bth::scheduler::testing
