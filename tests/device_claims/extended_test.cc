// Extended resources that devices serve, from the API and back.
#include <optional>
#include <string>
#include <utility>

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
  // A claim for one card of the node, as another scheduler makes it and tells the pod of it; when
  // `binds`, the pod has that node then.
  void MakeElsewhere(const std::string& pod, const std::string& node, bool binds) {
    const std::string uid(Get(StrCat(kPods, "/", pod)).At({"metadata", "uid"}).AsString());
    Create(
        kDeviceClaims,
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":)",
               R"("theirs","annotations":{")", cache::kExtendedClaim,
               R"(":"true"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":")", pod,
               R"(","uid":")", uid, R"(","controller":true}]},"spec":{"devices":{"requests":)",
               R"([{"name":"container-0-request-0","exactly":{"deviceClassName":"card",)",
               R"("count":1}}]}}})"));
    Lend("theirs", pod, node, true, "container-0-request-0");
    CHECK(Patch(StrCat(kPods, "/", pod, "/status"),
                R"({"status":{"extendedResourceClaimStatus":{"resourceClaimName":"theirs",)"
                R"("requestMappings":[{"containerName":"main","resourceName":"example.com/card",)"
                R"("requestName":"container-0-request-0"}]}}})") == 200);
    if (binds) Bind(pod, node);
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

// Our watches are late.
TEST_CASE("extended claims: a pod that another one has told of its claim keeps that", "[claims]") {
  ExtendedBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Begin();
  const bool binds = GENERATE(true, false);
  // Before anything of ours is written, or between our claim and the pod's status.
  const std::string before = GENERATE("GET /p", "PATCH /p/status");
  bool is_done = false;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (absl::StrContains(request.target, "watch=")) return Fault{.piece_delay = absl::Minutes(1)};
    const std::string what = before.substr(before.find(' ') + 1);
    const bool is_it = absl::StartsWith(before, request.method) &&
                       absl::StrContains(request.target, "/pods/") &&
                       absl::EndsWith(request.target, what);
    if (!std::exchange(is_done, is_done || is_it) && is_it) bed.MakeElsewhere("p", "n2", binds);
    return std::nullopt;
  };
  bed.Group("g", 1);
  bed.PodAsking("p", "g", 1);
  bed.executor.Advance(absl::Minutes(20));
  REQUIRE(is_done);
  if (binds) CHECK(bed.NodeOf("p") == "n2");
  CHECK(bed.ExtendedOf("p") == "theirs");
  CHECK(bed.DevicesOf("theirs") == StrCat(bed.NodeOf("p"), "/d0"));
  CHECK(bed.UsersOf("theirs") == "p");
  CHECK(bed.Get(kDeviceClaims)["items"].size() == 1);
  CHECK(bed.PodCondition("p").starts_with("True"));
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
