// HyperNodes from the API server to bindings and back.
#include <string>
#include <vector>

#include "tests/scheduler/short_bed.h"

namespace bth::scheduler::testing {
namespace {

using Told = std::vector<std::string>;

constexpr char kPolicy[] = R"(actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins: [{name: predicates}, {name: network-topology-aware}]
)";

std::string AnnotationOf(ShortBed& bed, const std::string& job) {
  const Json group = bed.Get(ShortBed::GroupPath(job));
  return std::string(
      group.At({"metadata", "annotations", "volcano.sh/job-allocated-hypernode"}).AsString());
}

std::string VersionOf(ShortBed& bed, const std::string& job) {
  return std::string(
      bed.Get(ShortBed::GroupPath(job)).At({"metadata", "resourceVersion"}).AsString());
}

// Of the two racks of the tests. Which of equal ones is taken is up to the UIDs of the nodes.
std::string RackOf(const std::string& node) {
  if (node == "n1" || node == "n2") return "r0";
  return node == "n3" || node == "n4" ? "r1" : "";
}

TEST_CASE("hyper nodes: a gang is bound inside one, and its PodGroup says where",
          "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1,n2,n3,n4 cpu=2 mem=8Gi", "hypernode r0 tier=1 nodes=n1|n2",
             "hypernode r1 tier=1 nodes=n3|n4", "hypernode s tier=2 above=r0|r1",
             "job a min=2 tasks=2 cpu=2 topology=hard:1",
             "job b min=3 tasks=3 cpu=2 topology=hard:1", "job free min=1 tasks=1 cpu=1"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  REQUIRE(bed.Bound("a-0"));
  CHECK(bed.NodeOf("a-0") != bed.NodeOf("a-1"));
  CHECK(RackOf(bed.NodeOf("a-1")) == RackOf(bed.NodeOf("a-0")));
  CHECK(AnnotationOf(bed, "a") == RackOf(bed.NodeOf("a-0")));
  CHECK_FALSE(bed.Bound("b-0"));
  CHECK(AnnotationOf(bed, "b").empty());
  CHECK(bed.Bound("free-0"));
  CHECK(AnnotationOf(bed, "free").empty());
  const Json page = bed.Explain("b");
  CHECK(page["gate"].AsString() == "Topology");
  const std::string message(page["message"].AsString());
  CHECK(absl::StrContains(message, "no HyperNode takes all that the gang needs: at tier 1 r"));
  CHECK(absl::StrContains(message, " of 3 pods"));
  // What is written already is not written again, by nobody.
  const std::string version = VersionOf(bed, "a");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(VersionOf(bed, "a") == version);
  bed.scheduler.reset();
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(VersionOf(bed, "a") == version);
}

TEST_CASE("hyper nodes: a pod that comes again goes to its gang, also after a restart",
          "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1,n2,n3,n4 cpu=2 mem=8Gi", "hypernode r0 tier=1 nodes=n1|n2",
             "hypernode r1 tier=1 nodes=n3|n4", "job a min=2 tasks=2 cpu=2 topology=hard:1"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  const std::string node = bed.NodeOf("a-1");
  REQUIRE(RackOf(node) == RackOf(bed.NodeOf("a-0")));
  bed.Delete("/api/v1/namespaces/default/pods/a-1");
  bed.Given({"pod other cpu=2 node=" + node});
  bed.executor.Advance(absl::Minutes(1));
  bed.scheduler.reset();
  bed.Begin(kPolicy);
  bed.Given({"pod a-1 job=a cpu=2"});
  bed.executor.Advance(absl::Minutes(1));
  CHECK_FALSE(bed.Bound("a-1"));
  bed.Delete("/api/v1/namespaces/default/pods/other");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("a-1") == node);
}

TEST_CASE("hyper nodes: a waiting gang is looked at again when they change",
          "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1,n2 cpu=2 mem=8Gi", "hypernode r0 tier=1 nodes=n1",
             "job a min=2 tasks=2 cpu=2 topology=hard:1"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  CHECK_FALSE(bed.Bound("a-0"));
  bed.Given({"hypernode r1 tier=1 nodes=n1|n2"});
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Bound("a-1"));
}

TEST_CASE("hyper nodes: a gang that names a tier waits until one of them has the name",
          "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1,n2,n3,n4,n5 cpu=2 mem=8Gi", "hypernode r0 tier=1 tiername=rack nodes=n1|n2",
             "job a min=3 tasks=3 cpu=2 topology=hard:row"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  CHECK_FALSE(bed.Bound("a-0"));
  const Json page = bed.Explain("a");
  CHECK(page["gate"].AsString() == "Topology");
  CHECK(page["message"].AsString() ==
        "no HyperNode has the tierName row that highestTierName asks for; there is rack (tier 1): "
        "ask for one of these, or give HyperNodes that tierName");
  bed.Given({"hypernode x tier=1 tiername=row nodes=n3|n4|n5"});
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Bound("a-2"));
  CHECK(AnnotationOf(bed, "a") == "x");
  // It is deleted: the gang stays, and does not grow, also after a restart.
  bed.Delete("/apis/topology.volcano.sh/v1alpha1/hypernodes/x");
  bed.Given({"pod a-3 job=a cpu=2"});
  bed.executor.Advance(absl::Minutes(1));
  bed.scheduler.reset();
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Bound("a-0"));
  CHECK_FALSE(bed.Bound("a-3"));
}

TEST_CASE("hyper nodes: what is wrong with them is told once", "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1,n2 cpu=2 mem=8Gi", "hypernode r0 tier=1 nodes=n1|n2",
             "hypernode s tier=2 above=r0|nobody", "hypernode t tier=3 above=r0",
             "job a min=2 tasks=2 cpu=2 topology=hard:1"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Events("HyperNodeFaulty") == Told{"HyperNode/s x1", "HyperNode/t x1"});
  CHECK(absl::StrContains(bed.EventMessage("HyperNodeFaulty", "s"),
                          "its member HyperNode nobody does not exist"));
  CHECK(absl::StrContains(bed.EventMessage("HyperNodeFaulty", "t"),
                          "HyperNode r0 already has a parent s"));
}

TEST_CASE("hyper nodes: what is wrong is told though nothing else happens",
          "[scheduler][topology]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=2 mem=8Gi"});
  bed.Begin(kPolicy);
  bed.executor.Advance(absl::Minutes(1));
  bed.Given({"hypernode s tier=2 above=nobody"});
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.Events("HyperNodeFaulty") == Told{"HyperNode/s x1"});
}

}  // namespace
}  // namespace bth::scheduler::testing
