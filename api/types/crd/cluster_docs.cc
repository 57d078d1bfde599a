// Docs of the kinds about nodes, networks and settings.
#include "api/types/colocation.h"
#include "api/types/crd/kind_docs.h"
#include "api/types/hyper_node.h"
#include "api/types/node_shard.h"
#include "api/types/numa_topology.h"

namespace bth::types::crd {
namespace {

constexpr std::string_view kMemberTypes[] = {"Node", "HyperNode"};

constexpr Rule kSelectorRules[] = {
    {"has(self.exactMatch) || has(self.regexMatch) || has(self.labelMatch)",
     "Either ExactMatch or RegexMatch or LabelMatch must be specified"},
    {"(has(self.exactMatch) ? 1 : 0) + (has(self.regexMatch) ? 1 : 0) + "
     "(has(self.labelMatch) ? 1 : 0) <= 1",
     "Only one of ExactMatch, RegexMatch, or LabelMatch can be specified"},
};

constexpr FieldDoc kMemberFields[] = {
    {"type", "What the selector selects.", {.required = true, .words = kMemberTypes}},
    {"selector", "Selects members in exactly one way.", {.rules = kSelectorRules}},
    {"selector.exactMatch", "One member by its name."},
    {"selector.exactMatch.name",
     "The name.",
     {.required = true, .length_min = 1, .length_max = kDnsSubdomainMax, .pattern = kDnsSubdomain}},
    {"selector.regexMatch", "Every member whose name matches."},
    {"selector.regexMatch.pattern",
     "A regular expression in RE2 syntax.",
     {.required = true, .length_min = 1}},
    {"selector.labelMatch",
     "Every member with these labels.",
     {.map_type = "atomic"},
     &kLabelSelectorDocs},
};
constexpr FieldDocs kMemberDocs = {kMemberFields};

constexpr FieldDoc kHyperNodeFields[] = {
    {"spec", "Where the domain stands and what belongs to it."},
    {"spec.tier",
     "Level of the domain; members of a lower tier are closer to each other.",
     {.required = true, .any_width = true, .min = 0}},
    {"spec.tierName", "A name for that level.", {.length_max = kDnsSubdomainMax}},
    {"spec.members",
     "The nodes of the domain, or the domains inside it.",
     {.items_min = 1},
     &kMemberDocs},
    {"status", "What was found. Written by the controllers."},
    {"status.conditions", "Findings about the domain.", {}, &kConditionDocs},
    {"status.nodeCount", "How many nodes the domain has.", {.min = 0}},
};
constexpr FieldDocs kHyperNodeDocs = {kHyperNodeFields};

constexpr FieldDoc kNumatopologyFields[] = {
    {"spec", "The layout of the node."},
    {"spec.policies",
     "How the kubelet hands out CPUs and aligns devices, under CPUManagerPolicy and "
     "TopologyManagerPolicy."},
    {"spec.resReserved", "What the kubelet keeps for the system, per resource."},
    {"spec.numares", "What is there to hand out, per resource."},
    {"spec.numares{}.allocatable", "What is free: a list of CPU numbers such as 0-3,8 for cpu."},
    {"spec.numares{}.capacity", "How much there is.", {.any_width = true}},
    {"spec.cpuDetail", "Where each CPU sits, by its number."},
    {"spec.cpuDetail{}.numa", "Its NUMA node.", {.any_width = true, .min = 0}},
    {"spec.cpuDetail{}.socket", "Its socket.", {.any_width = true, .min = 0}},
    {"spec.cpuDetail{}.core", "Its core.", {.any_width = true, .min = 0}},
    {"spec.podAllocations", "What pods were given."},
    {"spec.podAllocations[].uid", "UID of the pod."},
    {"spec.podAllocations[].name", "Name of the pod."},
    {"spec.podAllocations[].namespace", "Namespace of the pod."},
    {"spec.podAllocations[].containerAllocations", "What its containers were given."},
    {"spec.podAllocations[].containerAllocations[].name", "Name of the container."},
    {"spec.podAllocations[].containerAllocations[].allocations",
     "What it was given, per resource: a list of CPU numbers for cpu."},
};
constexpr FieldDocs kNumatopologyDocs = {kNumatopologyFields};

constexpr FieldDoc kNodeShardFields[] = {
    {"spec", "Which nodes the scheduler is to have.", {.required = true}},
    {"spec.nodesDesired", "Names of the nodes.", {.required = true}},
    {"status", "How far the scheduler has followed. Written by the scheduler and a controller."},
    {"status.lastUpdateTime", "When the desired nodes changed last."},
    {"status.nodesInUse", "Nodes the scheduler places pods on."},
    {"status.nodesToRemove", "Nodes it is to give up."},
    {"status.nodesToAdd", "Nodes it is to take over."},
};
constexpr FieldDocs kNodeShardDocs = {kNodeShardFields};

constexpr FieldDoc kColocationFields[] = {
    {"spec", "The settings and the pods they are for.", {.required = true}},
    {"spec.selector",
     "The pods. Left out it selects none; empty, every pod of the namespace.",
     {.map_type = "atomic"},
     &kLabelSelectorDocs},
    {"spec.memoryQos", "Protection and throttling of memory, in percent."},
    {"spec.memoryQos.highRatio",
     "Share of the limit from which on memory is reclaimed early.",
     {.any_width = true, .min = 0, .max = 100, .fallback = "100"}},
    {"spec.memoryQos.lowRatio",
     "Share of the request that is reclaimed only when nothing else is left.",
     {.any_width = true, .min = 0, .max = 100, .fallback = "0"}},
    {"spec.memoryQos.minRatio",
     "Share of the request that is never reclaimed.",
     {.any_width = true, .min = 0, .max = 100, .fallback = "0"}},
    {"status", "What became of the settings. Written by the controllers."},
    {"status.conditions",
     "The latest findings, one of each type.",
     {.list_type = "map", .list_key = "type"},
     &kConditionDocs},
};
constexpr FieldDocs kColocationDocs = {kColocationFields};

constexpr std::string_view kHyperNodeNames[] = {"hn"};
constexpr std::string_view kNumatopologyNames[] = {"numatopo"};
constexpr std::string_view kNodeShardNames[] = {"nsh"};

constexpr Column kHyperNodeColumns[] = {
    {"Tier", "string", ".spec.tier"},
    {"TierName", "string", ".spec.tierName"},
    {"NodeCount", "integer", ".status.nodeCount"},
    {"Age", "date", ".metadata.creationTimestamp"},
};
constexpr Column kNodeShardColumns[] = {{"AGE", "date", ".metadata.creationTimestamp"}};

constexpr KindDoc kClusterKinds[] = {
    {&codec_internal::ResourceOf<ColocationConfiguration>,
     "colocationconfiguration",
     {},
     Subresources::kStatus,
     {},
     "Settings for pods that share their nodes with more important ones.",
     &kColocationDocs},
    {&codec_internal::ResourceOf<Numatopology>,
     "numatopology",
     kNumatopologyNames,
     Subresources::kAbsent,
     {},
     "The NUMA layout of the node of the same name.",
     &kNumatopologyDocs},
    {&codec_internal::ResourceOf<NodeShard>, "nodeshard", kNodeShardNames, Subresources::kStatus,
     kNodeShardColumns, "The nodes that belong to the scheduler of the same name.",
     &kNodeShardDocs},
    {&codec_internal::ResourceOf<HyperNode>, "hypernode", kHyperNodeNames, Subresources::kStatus,
     kHyperNodeColumns,
     "A domain of the network - a switch, a rack, a block - with what hangs below it.",
     &kHyperNodeDocs},
};

}  // namespace

std::span<const KindDoc> ClusterKinds() {
  return kClusterKinds;
}

}  // namespace bth::types::crd
