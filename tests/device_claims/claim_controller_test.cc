// Who makes claims from templates where there is no kube-controller-manager.
#include "absl/strings/match.h"
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

// News of pods come late by a time; all else is at once.
std::optional<test::Fault> LateNewsOfPods(const net::Request& request) {
  if (!absl::StartsWith(request.target, "/api/v1/pods?") ||
      !absl::StrContains(request.target, "watch=")) {
    return std::nullopt;
  }
  test::Fault fault;
  fault.piece_delay = absl::Seconds(20);
  return fault;
}

// As one is left behind when the answer to its creation is lost.
void MakeSecondClaim(ClaimBed& bed, const std::string& name, const std::string& pod) {
  const Json object = bed.Get(StrCat(kPods, "/", pod));
  bed.Create(kDeviceClaims,
             StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":)",
                    R"({"name":")", name, R"(","annotations":{)",
                    R"("resource.kubernetes.io/pod-claim-name":"d"},"ownerReferences":[)",
                    R"({"apiVersion":"v1","kind":"Pod","name":")", pod, R"(","uid":")",
                    object["metadata"]["uid"].AsString(), R"(","controller":true}]},"spec":)",
                    ClaimBed::SpecFor(1), "}"));
}

TEST_CASE("claim controller: a pod keeps the claim that it was told of", "[nodesim][claims]") {
  ClaimBed bed;
  bed.Template("t");
  bed.Serve(LateNewsOfPods);
  bed.PodFrom("p", "g", "t");
  const auto is_told = [&bed] { return !bed.ClaimOf("p").empty(); };
  REQUIRE(bed.executor.RunUntil(is_told, absl::Seconds(60)));
  const std::string name = bed.ClaimOf("p");
  // The controller does not know yet what it has told, finds another claim, and looks again.
  MakeSecondClaim(bed, "a", "p");
  CHECK(bed.Patch("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates/t",
                  R"({"metadata":{"labels":{"a":"b"}}})") == 200);
  bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.ClaimOf("p") == name);
  bed.executor.Advance(absl::Seconds(120));
  CHECK(bed.ClaimOf("p") == name);
}

TEST_CASE("claim controller: no claim of a pod that is gone stays, named by it or not",
          "[nodesim][claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Template("t");
  bed.Begin();
  bed.Serve(LateNewsOfPods);
  bed.Group("g", 1);
  bed.PodFrom("p", "g", "t");
  bed.executor.Advance(absl::Seconds(120));
  const std::string name = bed.ClaimOf("p");
  REQUIRE(bed.UsersOf(name) == "p");
  MakeSecondClaim(bed, "a", "p");
  CHECK(
      bed.Patch(StrCat(kPods, "/p/status"),
                R"({"status":{"resourceClaimStatuses":[{"name":"d","resourceClaimName":"a"}]}})") ==
      200);
  bed.executor.Advance(absl::Seconds(120));
  bed.DeletePod("p");
  bed.executor.Advance(absl::Seconds(120));
  CHECK(bed.Get(kDeviceClaims)["items"].size() == 0);
}

}  // namespace
}  // namespace bth::scheduler::testing
