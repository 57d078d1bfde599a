// Docs of scheduling.volcano.sh: PodGroup and Queue.
#include "api/types/crd/kind_docs.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"

namespace bth::types::crd {
namespace {

constexpr FieldDoc kSubGroupFields[] = {
    {"name", "Name of this rule.", {.length_max = kDnsSubdomainMax}},
    {"networkTopology",
     "How close to each other in the network the pods of a subgroup have to be.",
     {.rules = kTopologyRules},
     &kTopologyDocs},
    {"subGroupSize", "Pods in each subgroup.", {.min = 1, .fallback = "1"}},
    {"minSubGroups",
     "How many complete subgroups the group needs to start.",
     {.min = 0, .fallback = "0"}},
    {"labelSelector", "The pods this rule is about.", {.map_type = "atomic"}, &kLabelSelectorDocs},
    {"matchLabelKeys",
     "Pods with equal values of these labels form one subgroup.",
     {.list_type = "atomic"}},
};
constexpr FieldDocs kSubGroupDocs = {kSubGroupFields};

// Written by every session: shorter and looser than what the conventions of Kubernetes ask for.
constexpr FieldDoc kGroupConditionFields[] = {
    {"type", "Scheduled or Unschedulable."},
    {"status", "True, False or Unknown."},
    {"reason", "One word for programs."},
    {"message", "A sentence for people."},
    {"transitionID", "The scheduling session that wrote it."},
    {"lastTransitionTime", "When it was written."},
};
constexpr FieldDocs kGroupConditionDocs = {kGroupConditionFields, /*partial=*/true};

constexpr FieldDoc kPodGroupFields[] = {
    {"spec", "What the group asks for."},
    {"spec.minMember",
     "How many pods must find a place before any of them is started.",
     {.min = 0}},
    {"spec.minTaskMember", "The same per role of the job, by the role's name."},
    {"spec.queue",
     "The queue whose share the group uses.",
     {.length_max = kDnsSubdomainMax, .pattern = kDnsSubdomain, .fallback = R"("default")"}},
    {"spec.priorityClassName",
     "Priority class of the group as a whole; decides the order among groups.",
     {.length_max = kDnsSubdomainMax}},
    {"spec.minResources",
     "Resources that must be in sight before the group is admitted. Without it the group is "
     "admitted unasked."},
    {"spec.networkTopology",
     "How close to each other in the network the pods have to be.",
     {.rules = kTopologyRules},
     &kTopologyDocs},
    {"spec.subGroupPolicy", "Splits the group into smaller gangs.", {}, &kSubGroupDocs},
    {"status", "What became of the group. Written by the scheduler."},
    {"status.phase", "Pending, Inqueue, Running, Unknown or Completed."},
    {"status.conditions",
     "The latest findings about the group, one of each type.",
     {},
     &kGroupConditionDocs},
    {"status.running", "Pods that run."},
    {"status.succeeded", "Pods that ended well."},
    {"status.failed", "Pods that ended badly."},
};
constexpr FieldDocs kPodGroupDocs = {kPodGroupFields};

constexpr FieldDoc kNodeGroupFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", "Names of node groups; binding."},
    {"preferredDuringSchedulingIgnoredDuringExecution",
     "Names of node groups; preferred, not required."},
};
constexpr FieldDocs kNodeGroupDocs = {kNodeGroupFields};

constexpr std::string_view kDequeueStrategies[] = {"fifo", "traverse"};

constexpr FieldDoc kQueueFields[] = {
    {"spec", "What the queue is entitled to."},
    {"spec.weight",
     "Size of the share, relative to the queues beside it.",
     {.min = 1, .max = 65535, .fallback = "1"}},
    {"spec.capability", "The most the queue may ever hold, per resource."},
    {"spec.deserved", "What the queue should hold when others want resources too."},
    {"spec.guarantee", "What is kept free for the queue at all times."},
    {"spec.guarantee.resource", "The amount per resource."},
    {"spec.reclaimable", "Whether others may take back what the queue holds beyond its share."},
    {"spec.priority", "Queues with a higher number are served first.", {.min = 0, .fallback = "0"}},
    {"spec.parent",
     "The queue above this one; root when left out.",
     {.length_max = kDnsSubdomainMax, .pattern = kDnsSubdomain}},
    {"spec.dequeueStrategy",
     "fifo stops at the first job that does not fit, traverse goes on.",
     {.words = kDequeueStrategies, .fallback = R"("traverse")"}},
    {"spec.type", "A word of the administrator's choice.", {.length_max = kDnsSubdomainMax}},
    {"spec.affinity", "Which groups of nodes the queue's pods go to."},
    {"spec.affinity.nodeGroupAffinity", "The groups to go to.", {}, &kNodeGroupDocs},
    {"spec.affinity.nodeGroupAntiAffinity", "The groups to stay away from.", {}, &kNodeGroupDocs},
    {"spec.extendClusters", "Other clusters that jobs of this queue may be forwarded to."},
    {"spec.extendClusters[].name", "The cluster."},
    {"spec.extendClusters[].weight", "Its part, relative to the others."},
    {"spec.extendClusters[].capacity", "What it can take."},
    {"status", "What the queue holds. Written by the scheduler and the controllers."},
    {"status.state", "Open, Closed, Closing or Unknown; empty counts as Open."},
    {"status.unknown", "Groups in phase Unknown.", {.min = 0}},
    {"status.pending", "Groups in phase Pending.", {.min = 0}},
    {"status.running", "Groups in phase Running.", {.min = 0}},
    {"status.inqueue", "Groups in phase Inqueue.", {.min = 0}},
    {"status.completed", "Groups in phase Completed.", {.min = 0}},
    {"status.reservation", "What is held back for the queue."},
    {"status.reservation.nodes", "Nodes set aside."},
    {"status.reservation.resource", "Resources set aside."},
    {"status.allocated", "What the pods of the queue hold at present.", {.nullable = true}},
};
constexpr FieldDocs kQueueDocs = {kQueueFields};

constexpr std::string_view kPodGroupNames[] = {"pg", "podgroup-v1beta1"};
constexpr std::string_view kQueueNames[] = {"q", "queue-v1beta1"};

constexpr Column kPodGroupColumns[] = {
    {"STATUS", "string", ".status.phase"},      {"minMember", "integer", ".spec.minMember"},
    {"RUNNINGS", "integer", ".status.running"}, {"AGE", "date", ".metadata.creationTimestamp"},
    {"QUEUE", "string", ".spec.queue", 1},
};
// The first as Volcano's. The counts are those of the queue's own groups, not of queues below it.
constexpr Column kQueueColumns[] = {
    {"PARENT", "string", ".spec.parent"},
    {"STATE", "string", ".status.state"},
    {"WEIGHT", "integer", ".spec.weight"},
    {"CPU", "string", ".status.allocated.cpu"},
    {"MEMORY", "string", ".status.allocated.memory"},
    {"PENDING", "integer", ".status.pending"},
    {"INQUEUE", "integer", ".status.inqueue"},
    {"RUNNING", "integer", ".status.running"},
    {"AGE", "date", ".metadata.creationTimestamp"},
    {"ALLOCATED", "string", ".status.allocated", 1},
};

// PodGroup has no status subresource: one write changes spec and status together, as existing
// clients expect.
constexpr KindDoc kSchedulingKinds[] = {
    {&codec_internal::ResourceOf<PodGroup>, "podgroup", kPodGroupNames, Subresources::kEmpty,
     kPodGroupColumns,
     "A group of pods that start together or not at all. Pods join it by annotation.",
     &kPodGroupDocs},
    {&codec_internal::ResourceOf<Queue>, "queue", kQueueNames, Subresources::kStatus, kQueueColumns,
     "A share of the cluster that groups of pods are charged to.", &kQueueDocs},
};

}  // namespace

std::span<const KindDoc> SchedulingKinds() {
  return kSchedulingKinds;
}

}  // namespace bth::types::crd
