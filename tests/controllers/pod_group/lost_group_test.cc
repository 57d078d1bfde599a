// PodGroups that go while pods of their set live, and those that are to change.
#include "absl/strings/match.h"
#include "tests/controllers/pod_group/group_bed.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

constexpr const char* kGroups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";
constexpr const char* kSets = "/apis/apps/v1/namespaces/default/replicasets";

struct SetBed : GroupBed {
  // A set of one pod, which is bound.
  void MakeSetOfOne() {
    owner = MakeSet("ReplicaSet", "rs", 1);
    MakePod("a", owner);
    Settle();
    REQUIRE(Groups().size() == 1);
    group = Groups()[0];
    line->on_answer = [this](const std::string& asked, int code) {
      if (absl::StartsWith(asked, StrCat("POST ", kGroups)) && code == 201) ++made;
    };
  }
  ~SetBed() { line->on_answer = nullptr; }
  void Scale(int replicas) {
    Patch(StrCat(kSets, "/rs"), StrCat(R"({"spec":{"replicas":)", replicas, "}}"));
  }
  void DeleteGroup() {
    Call("DELETE", StrCat(kGroups, "/", group));
    Settle();
  }

  std::string owner;
  std::string group;
  int made = 0;  // Groups since then.
};

std::optional<Fault> SlowDelete(const net::Request& request) {
  if (request.method != "DELETE") return std::nullopt;
  Fault fault;
  fault.delay = absl::Seconds(5);
  return fault;
}

TEST_CASE("pod groups: a set that grows again while its group goes gets another one",
          "[controllers][pod_group]") {
  SetBed bed;
  bed.StartGroups();
  bed.MakeSetOfOne();
  bed.line->script = SlowDelete;
  bed.Scale(0);
  bed.Settle();
  bed.Call("DELETE", bed.PodPath("a"));
  bed.Scale(1);
  bed.MakePod("b", bed.owner);
  bed.Settle();
  REQUIRE(bed.GroupOf("b") == bed.group);
  const bool dies = GENERATE(false, true);
  CAPTURE(dies);
  if (dies) bed.Kill();
  if (dies) bed.Call("DELETE", StrCat(kGroups, "/", bed.group));
  bed.line->script = nullptr;
  bed.Wait(absl::Seconds(5));
  if (dies) bed.StartGroups();
  CHECK(bed.Groups() == std::vector<std::string>{bed.group});
  // That was all.
  const size_t writes = bed.writes;
  bed.Wait(absl::Minutes(10));
  CHECK(bed.writes == writes);
}

TEST_CASE("pod groups: one that goes again and again is made anew with pauses",
          "[controllers][pod_group]") {
  SetBed bed;
  bed.StartGroups();
  bed.MakeSetOfOne();
  for (int i = 0; i < 200; ++i) {
    bed.Call("DELETE", StrCat(kGroups, "/", bed.group));
    bed.Wait(absl::Milliseconds(100));
  }
  CHECK(bed.made > 3);
  CHECK(bed.made < 20);
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Groups() == std::vector<std::string>{bed.group});
}

TEST_CASE("pod groups: one that nobody needs any more stays gone", "[controllers][pod_group]") {
  SetBed bed;
  SECTION("its pods have ended") {
    bed.StartGroups();
    bed.MakeSetOfOne();
    bed.SetPodPhase("a", "Succeeded");
  }
  SECTION("its set has no replicas") {
    bed.StartGroups();
    bed.MakeSetOfOne();
    bed.Scale(0);
    bed.Settle();
  }
  SECTION("its set is going") {
    bed.StartGroups();
    bed.MakeSetOfOne();
    bed.Patch(StrCat(kSets, "/rs"), R"({"metadata":{"finalizers":["test/hold"]}})");
    bed.Call("DELETE", StrCat(kSets, "/rs"));
    bed.Settle();
  }
  SECTION("its set is gone, and the watches of sets and pods are late") {
    bed.StartGroups();
    bed.MakeSetOfOne();
    bed.Kill();
    bed.line->script = [](const net::Request& request) {
      std::optional<Fault> fault;
      const bool is_of_groups = absl::StrContains(request.target, "/podgroups");
      if (!absl::StrContains(request.target, "watch=") || is_of_groups) return fault;
      fault.emplace().piece_delay = absl::Seconds(30);
      return fault;
    };
    bed.StartGroups();
    bed.Call("DELETE", StrCat(kSets, "/rs"));
  }
  bed.DeleteGroup();
  bed.Wait(absl::Minutes(2));
  CHECK(bed.Groups().empty());
  CHECK(bed.made == 0);
}

TEST_CASE("pod groups: what the pods of a new revision ask for no more goes from their group",
          "[controllers][pod_group]") {
  GroupBed bed;
  bed.StartGroups();
  const std::string owner = bed.MakeSet("ReplicaSet", "rs", 1);
  const auto make_pod = [&bed, &owner](const std::string& annotations,
                                       const std::string& requests) {
    bed.Create("/api/v1/namespaces/default/pods",
               StrCat(R"({"metadata":{"name":"a","annotations":)", annotations,
                      R"(,"ownerReferences":[)", owner, R"(]},"spec":{"schedulerName":"volcano",)",
                      R"("containers":[{"name":"c","image":"i","resources":{"requests":)", requests,
                      "}}]}}"));
  };
  make_pod(R"({"volcano.sh/network-topology-mode":"soft","scheduling.volcano.sh/queue-name":"q"})",
           R"({"cpu":"2","memory":"1Gi"})");
  bed.Settle();
  REQUIRE(bed.Groups().size() == 1);
  CHECK(bed.Group(bed.Groups()[0]).At({"spec", "networkTopology", "mode"}).AsString() == "soft");
  // Made while nobody looks, so that the set is looked at before the pod is bound.
  bed.Kill();
  bed.Call("DELETE", bed.PodPath("a"));
  make_pod("{}", R"({"cpu":"1"})");
  bed.StartGroups();
  const types::Json spec = bed.Group(bed.Groups()[0])["spec"];
  CHECK(spec["networkTopology"].is_null());
  CHECK(spec["minResources"]["cpu"].AsString() == "1");
  CHECK(spec["minResources"]["memory"].is_null());
  CHECK(spec["minMember"].AsInt() == 1);
  CHECK(spec["queue"].AsString() == "q");
}

}  // namespace
}  // namespace bth::test
