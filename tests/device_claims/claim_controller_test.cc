// Who makes claims from templates where there is no kube-controller-manager.
#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

TEST_CASE("claim controller: one claim for each entry, told in the pod's status",
          "[nodesim][claims]") {
  ClaimBed bed;
  bed.Serve();
  bed.PodFrom("p", "g", "t");
  bed.Settle();
  CHECK(bed.ClaimOf("p").empty());  // There is no such template.
  bed.Template("t");
  bed.Settle();
  const Json claim = bed.ClaimNamed(bed.ClaimOf("p"));
  CHECK(claim.At({"metadata", "annotations", "resource.kubernetes.io/pod-claim-name"}).AsString() ==
        "d");
  const Json& owner = claim.At({"metadata", "ownerReferences"})[0];
  CHECK(owner["name"].AsString() == "p");
  CHECK(owner["controller"].AsBool());
  // One that starts anew makes no other.
  bed.Serve();
  CHECK(bed.controller->counters().made == 0);
  CHECK(bed.Get(kDeviceClaims)["items"].size() == 1);
}

TEST_CASE("claim controller: a claim that the pod was not told of is told", "[nodesim][claims]") {
  ClaimBed bed;
  bed.Template("t");
  bed.Serve();
  bed.PodFrom("p", "g", "t");
  bed.Settle();
  const std::string name = bed.ClaimOf("p");
  bed.controller.reset();
  CHECK(bed.Patch(StrCat(kPods, "/p/status"), R"({"status":{"resourceClaimStatuses":null}})") ==
        200);
  REQUIRE(bed.ClaimOf("p").empty());
  bed.Serve();
  CHECK(bed.ClaimOf("p") == name);
}

TEST_CASE("claim controller: claims of pods that have ended go", "[nodesim][claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Template("t");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 1);
  bed.PodFrom("p", "g", "t");
  bed.Settle();
  const std::string name = bed.ClaimOf("p");
  REQUIRE(bed.UsersOf(name) == "p");
  CHECK(bed.Patch(StrCat(kPods, "/p/status"), R"({"status":{"phase":"Succeeded"}})") == 200);
  bed.Settle();
  CHECK(bed.Call("GET", StrCat(kDeviceClaims, "/", name)).code == 404);
  CHECK(bed.controller->counters().released == 1);
}

TEST_CASE("claim controller: a claim that is deleted goes when its users do", "[nodesim][claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.Settle();
  REQUIRE(bed.UsersOf("c") == "p");
  bed.Call("DELETE", StrCat(kDeviceClaims, "/c"));
  bed.Settle();
  CHECK(bed.UsersOf("c") == "p");  // Its finalizer holds it.
  bed.DeletePod("p");
  CHECK(bed.Call("GET", StrCat(kDeviceClaims, "/c")).code == 404);
}

}  // namespace
}  // namespace bth::scheduler::testing
