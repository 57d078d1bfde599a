// Devices of which several claims have a part, as they are written.
#include <set>
#include <string>

#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

struct SharedBed : ClaimBed {
  // `capacity`: a map of what the device has.
  explicit SharedBed(const std::string& capacity) {
    Slice("n1",
          StrCat(R"({"name":"d0","allowMultipleAllocations":true,"capacity":)", capacity, "}"));
  }
  void ClaimOfMemory(const std::string& name, const std::string& memory) {
    Create(kDeviceClaims,
           StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":)",
                  R"({"name":")", name,
                  R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":)",
                  R"("gpu","capacity":{"requests":{"memory":")", memory, R"("}}}}]}}})"));
  }
  Json ResultOf(const std::string& claim) {
    return ClaimNamed(claim).At({"status", "allocation", "devices", "results"})[0];
  }
};

TEST_CASE("shared devices: parts have names of their own, and amounts those of the slice",
          "[claims]") {
  SharedBed bed(R"({"memory":{"value":"10Gi"},"x.io/cores":{"value":"8","requestPolicy":)"
                R"({"default":"2"}},"y.io/links":{"value":"4","requestPolicy":{"default":"1"}}})");
  for (const char* claim : {"a", "b"}) bed.ClaimOfMemory(claim, "4Gi");
  bed.ClaimOfMemory("c", "3Gi");
  bed.ClaimOfMemory("d", "2Gi");
  bed.Begin();
  bed.Group("g", 1);
  std::set<std::string> parts;
  for (const char* claim : {"a", "b", "d"}) {
    bed.PodOf(StrCat("p-", claim), "g", claim);
    bed.Settle();
    CAPTURE(claim);
    CHECK(bed.NodeOf(StrCat("p-", claim)) == "n1");
    CHECK(bed.DevicesOf(claim) == "n1/d0");
    const Json result = bed.ResultOf(claim);
    CHECK(parts.insert(std::string(result["shareID"].AsString())).second);
    const std::string memory = claim == std::string("d") ? "2Gi" : "4Gi";
    CHECK(
        result["consumedCapacity"] ==
        *Json::Parse(StrCat(R"({"memory":")", memory, R"(","x.io/cores":"2","y.io/links":"1"})")));
  }
  // What others wrote by these names counts as well, also for a scheduler that begins anew.
  bed.scheduler.reset();
  bed.Begin();
  bed.PodOf("p-c", "g", "c");
  bed.Settle();
  CHECK(bed.NodeOf("p-c").empty());
  bed.Serve();
  bed.DeletePod("p-a");
  bed.Settle();
  CHECK(bed.NodeOf("p-c") == "n1");
}

}  // namespace
}  // namespace bth::scheduler::testing
