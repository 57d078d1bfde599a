#include "controllers/pod_group/pod_group_controller.h"

#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/core/keys.h"
#include "controllers/pod_group/build.h"
#include "tests/controllers/pod_group/group_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using test::GroupBed;
using types::Json;
using types::LabelMap;
using types::Pod;
using types::PodGroup;
using types::Quantity;

Pod SmallPod() {
  Pod pod;
  pod.meta.ns = "test";
  pod.meta.name = "p";
  pod.meta.uid = "pod-uid";
  pod.spec.containers.resize(1);
  pod.spec.containers[0].resources.requests = {{"cpu", Quantity::FromValue(1)}};
  return pod;
}

PodGroup Built(const Pod& pod, const LabelMap& inherited = {}) {
  absl::StatusOr<PodGroup> group = BuildPodGroup(pod, inherited);
  REQUIRE(group.ok());
  return *std::move(group);
}

TEST_CASE("pod group: of a pod with a controller", "[controllers][pod_group]") {
  Pod pod = SmallPod();
  pod.meta.owner_references = {{"apps/v1", "ReplicaSet", "rs1", "7a09885b", true, std::nullopt}};
  pod.spec.priority_class_name = "test-pc";
  const PodGroup group = Built(pod);
  CHECK(group.meta.name == "podgroup-7a09885b");
  CHECK(group.meta.owner_references == pod.meta.owner_references);
  CHECK(group.spec.min_member == 1);
  CHECK(group.spec.priority_class_name == "test-pc");
}

TEST_CASE("pod group: holds up the deletion of none of its pod's owners",
          "[controllers][pod_group]") {
  const std::optional<bool> absent;
  const std::optional<bool> blocks = GENERATE_COPY(absent, true, false);
  Pod pod = SmallPod();
  pod.meta.owner_references = {
      {"example.com/v1", "Cluster", "c", "uid-c", true, blocks},
      {"example.com/v1", "Watcher", "w", "uid-w", std::nullopt, blocks},
  };
  std::vector<types::OwnerReference> wanted = pod.meta.owner_references;
  for (types::OwnerReference& owner : wanted) {
    if (blocks.has_value()) owner.block_owner_deletion = false;
  }
  CHECK(Built(pod).meta.owner_references == wanted);
}

TEST_CASE("pod group: of a bare pod belongs to the pod", "[controllers][pod_group]") {
  const PodGroup group = Built(SmallPod());
  CHECK(group.meta.name == "podgroup-pod-uid");
  REQUIRE(group.meta.owner_references.size() == 1);
  CHECK(group.meta.owner_references[0].kind == "Pod");
  CHECK(group.meta.owner_references[0].uid == "pod-uid");
  CHECK(group.spec.min_resources.Find("cpu")->Value() == 1);
  CHECK(group.spec.queue.empty());
  CHECK(group.status.phase == "Pending");
}

TEST_CASE("pod group: the owner says how many start together", "[controllers][pod_group]") {
  struct Case {
    std::string text;
    int32_t members;
  };
  const Case c =
      GENERATE(values<Case>({{"2", 2}, {"0", 0}, {"-1", 1}, {"many", 1}, {"3.5", 1}, {"", 1}}));
  CAPTURE(c.text);
  Pod pod = SmallPod();
  pod.spec.containers[0].resources.requests = {{"nvidia.com/gpu", Quantity::FromValue(1)}};
  const PodGroup group = Built(pod, {{"scheduling.volcano.sh/group-min-member", c.text}});
  CHECK(group.spec.min_member == c.members);
  const Quantity* gpus = group.spec.min_resources.Find("nvidia.com/gpu");
  CHECK((gpus == nullptr ? 0 : gpus->Value()) == c.members);
}

TEST_CASE("pod group: what is taken over from pod and owners", "[controllers][pod_group]") {
  Pod pod = SmallPod();
  pod.meta.annotations = {{"scheduling.volcano.sh/queue-name", "q1"},
                          {"volcano.sh/preemptable", "true"},
                          {"volcano.sh/jdb-min-available", "1"},
                          {"volcano.sh/jdb-max-unavailable", "2"},
                          {"other/key", "x"}};
  pod.meta.labels = {{"volcano.sh/cooldown-time", "10s"}, {"app", "a"}};
  const PodGroup group =
      Built(pod, {{"volcano.sh/custom", "c"}, {"volcano.sh/preemptable", "false"}, {"z", "z"}});
  CHECK(group.spec.queue == "q1");
  CHECK(group.meta.labels == LabelMap{{"volcano.sh/cooldown-time", "10s"}});
  CHECK(group.meta.annotations == LabelMap{{"volcano.sh/custom", "c"},
                                           {"volcano.sh/jdb-min-available", "1"},
                                           {"volcano.sh/preemptable", "true"}});
  // An inherited budget stays when the pod has none of its own.
  Pod plain = SmallPod();
  CHECK(Built(plain, {{"volcano.sh/jdb-max-unavailable", "20%"}}).meta.annotations ==
        LabelMap{{"volcano.sh/jdb-max-unavailable", "20%"}});
}

TEST_CASE("pod group: network topology of its pod", "[controllers][pod_group]") {
  struct Case {
    LabelMap annotations;
    std::string mode;  // Empty: none.
    std::optional<int32_t> tier;
  };
  const std::string mode = "volcano.sh/network-topology-mode";
  const std::string tier = "volcano.sh/network-topology-highest-tier";
  const Case c = GENERATE_COPY(values<Case>({
      {{}, "", std::nullopt},
      {{{mode, "hard"}, {tier, "2"}}, "hard", 2},
      {{{mode, "Soft"}}, "soft", std::nullopt},
      {{{tier, "1"}}, "hard", 1},
      {{{mode, "invalid"}, {tier, "3"}}, "hard", 3},
      {{{mode, "soft"}, {tier, "x"}}, "soft", std::nullopt},
  }));
  Pod pod = SmallPod();
  pod.meta.annotations = c.annotations;
  const PodGroup group = Built(pod);
  REQUIRE(group.spec.network_topology.has_value() == !c.mode.empty());
  if (c.mode.empty()) return;
  CHECK(group.spec.network_topology->mode == c.mode);
  CHECK(group.spec.network_topology->highest_tier_allowed == c.tier);
}

TEST_CASE("pod group: what others filled in is no reason to write", "[controllers][pod_group]") {
  const PodGroup built = Built(SmallPod());
  PodGroup existing = built;
  existing.spec.queue = "default";
  existing.meta.labels.Set("someone", "else");
  existing.status.phase = "Running";
  CHECK_FALSE(NeedsUpdate(existing, built));
  existing.spec.min_member = 3;
  CHECK(NeedsUpdate(existing, built));
}

TEST_CASE("pod group: what the pods ask for no more is taken away", "[controllers][pod_group]") {
  Pod pod = SmallPod();
  pod.meta.annotations = {{"volcano.sh/network-topology-mode", "hard"}};
  pod.spec.priority_class_name = "high";
  PodGroup existing = Built(pod);
  existing.spec.queue = "default";
  existing.spec.min_task_member.Set("role", 1);
  const PodGroup built = Built(SmallPod());
  REQUIRE(NeedsUpdate(existing, built));
  existing.spec = UpdatedSpec(existing.spec, built.spec);
  CHECK_FALSE(NeedsUpdate(existing, built));
  CHECK_FALSE(existing.spec.network_topology.has_value());
  CHECK(existing.spec.priority_class_name.empty());
  // Not the pods' to say.
  CHECK(existing.spec.queue == "default");
  CHECK(existing.spec.min_task_member.size() == 1);
}

TEST_CASE("pod groups: one for a bare pod, none for others' pods", "[controllers][pod_group]") {
  GroupBed bed;
  bed.StartGroups();
  bed.MakePod("a");
  bed.MakePod("foreign", "", "default-scheduler");
  bed.Settle();
  REQUIRE(bed.Groups().size() == 1);
  CHECK(bed.GroupOf("a") == bed.Groups()[0]);
  CHECK(bed.GroupOf("foreign").empty());
}

TEST_CASE("pod groups: pods of one owner share one", "[controllers][pod_group]") {
  GroupBed bed;
  bed.StartGroups();
  const std::string owner = bed.MakeSet("ReplicaSet", "rs", 3,
                                        R"({"scheduling.volcano.sh/group-min-member":"3",)"
                                        R"("volcano.sh/custom":"c"})");
  const size_t writes = bed.writes;
  for (const char* pod : {"a", "b", "c"}) bed.MakePod(pod, owner);
  bed.Settle();
  REQUIRE(bed.Groups().size() == 1);
  const Json group = bed.Group(bed.Groups()[0]);
  CHECK(group.At({"spec", "minMember"}).AsInt() == 3);
  CHECK(group.At({"metadata", "annotations", "volcano.sh/custom"}).AsString() == "c");
  for (const char* pod : {"a", "b", "c"}) CHECK(bed.GroupOf(pod) == bed.Groups()[0]);
  CHECK(bed.writes - writes == 4);  // The group, and each pod once.
}

TEST_CASE("pod groups: gone with the last replica", "[controllers][pod_group]") {
  GroupBed bed;
  bed.StartGroups();
  const std::string owner = bed.MakeSet("ReplicaSet", "rs", 1);
  bed.MakePod("a", owner);
  bed.Settle();
  REQUIRE(bed.Groups().size() == 1);
  bed.Patch("/apis/apps/v1/namespaces/default/replicasets/rs", R"({"spec":{"replicas":0}})");
  bed.Settle();
  CHECK(bed.Groups().empty());
}

TEST_CASE("pod groups: a restart writes nothing anew", "[controllers][pod_group]") {
  GroupBed bed;
  bed.StartGroups();
  bed.MakePod("a", bed.MakeSet("StatefulSet", "s", 1));
  bed.MakePod("b");
  bed.Settle();
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartGroups();
  CHECK(bed.writes == writes);
  CHECK(bed.Groups().size() == 2);
}

TEST_CASE("pod groups: a pod made while nobody looked gets its own", "[controllers][pod_group]") {
  GroupBed bed;
  bed.MakePod("a");
  bed.StartGroups();
  CHECK(bed.Groups().size() == 1);
  CHECK_FALSE(bed.GroupOf("a").empty());
}

TEST_CASE("pod groups: without inheritance owners pass nothing on", "[controllers][pod_group]") {
  GroupBed bed;
  bed.options.inherit_owner_annotations = false;
  bed.StartGroups();
  bed.MakePod(
      "a", bed.MakeSet("ReplicaSet", "rs", 3, R"({"scheduling.volcano.sh/group-min-member":"3"})"));
  bed.Settle();
  REQUIRE(bed.Groups().size() == 1);
  CHECK(bed.Group(bed.Groups()[0]).At({"spec", "minMember"}).AsInt() == 1);
}

}  // namespace
}  // namespace bth::controllers
