// Pods with device claims where plugin predicates does not filter nodes: they have their devices,
// or hear why not.
#include <string>

#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

struct UnfilteredBed : ClaimBed {
  UnfilteredBed() {
    options.policy.path = folder.Write(
        "unfiltered.conf",
        "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: "
        "predicates\n    enablePredicate: false\n  - name: nodeorder\n");
  }
  // In the group "g".
  void PodClaiming(const std::string& name, const std::string& claim) {
    Create(kPods, StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                         R"(","annotations":{"scheduling.k8s.io/group-name":"g"}},"spec":{)",
                         R"("schedulerName":"volcano","resourceClaims":[{"name":"d",)",
                         R"("resourceClaimName":")", claim,
                         R"("}],"containers":[{"name":"c","image":"i","resources":{"requests":)",
                         R"({"cpu":"1"}}}]}})"));
  }
  double Dropped() const {
    return Metric(R"(batholith_effects_total{kind="bind",outcome="skipped"})");
  }
};

constexpr char kNotFound[] = R"(resourceclaim.resource.k8s.io "c" not found)";
constexpr char kNone[] =
    "cannot allocate all claims; a node with the devices is looked for unless enablePredicate of "
    "plugin predicates is false";

TEST_CASE("unfiltered claims: a pod gets devices of the node that it was placed on", "[claims]") {
  UnfilteredBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodClaiming("p", "c");
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.DevicesOf("c") == "n1/d0");
  CHECK(bed.UsersOf("c") == "p");
  CHECK(bed.Dropped() == 0);
}

TEST_CASE("unfiltered claims: a pod that cannot have them hears why, and waits ever longer",
          "[claims]") {
  UnfilteredBed bed;
  const bool is_made = GENERATE(false, true);
  CAPTURE(is_made);
  if (is_made) bed.Claim("c");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodClaiming("p", "c");
  bed.executor.Advance(absl::Seconds(4));
  CHECK(bed.PodCondition("p") ==
        StrCat("False Unschedulable: cannot be bound to node n1: ", is_made ? kNone : kNotFound));
  CHECK(bed.Dropped() == 1);
  int told = 0;
  bed.line->on_request = [&](const net::Request& request) {
    told += absl::EndsWith(request.target, "/pods/p/status") ? 1 : 0;
  };
  bed.executor.Advance(absl::Minutes(10));
  CHECK(told == 0);
  CHECK(bed.Dropped() >= 5);
  CHECK(bed.Dropped() <= 8);
  CHECK(bed.NodeOf("p").empty());
  // It is tried again by itself.
  if (!is_made) bed.Claim("c");
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.DevicesOf("c") == "n1/d0");
}

TEST_CASE("unfiltered claims: what cannot be had is told to the whole gang", "[claims]") {
  UnfilteredBed bed;
  bed.Begin();
  bed.Group("g", 2);
  bed.PodClaiming("p-0", "c");
  bed.Pod("p-1", "g", 1);
  bed.executor.Advance(absl::Seconds(20));
  CHECK(bed.NodeOf("p-0").empty());
  CHECK(bed.NodeOf("p-1").empty());
  const std::string why = bed.PodCondition("p-0");
  CHECK(why.starts_with("False Unschedulable: cannot be bound to node n"));
  CHECK(why.ends_with(StrCat(": ", kNotFound)));
  CHECK(bed.PodCondition("p-1").starts_with(
      "False Unschedulable: was to be bound with others of its job: pod default/p-0 cannot be "
      "bound to node n"));
}

}  // namespace
}  // namespace bth::scheduler::testing
