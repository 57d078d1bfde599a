// What makes the compiled-in plugins from their arguments; docs/plugins tells more of each.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::plugins {

// Prefers the nodes that end up fullest.
// Arguments: `binpack.weight`, `binpack.cpu`, `binpack.memory`, `binpack.resources` (names) and
// `binpack.resources.<name>`; whole numbers.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateBinPack(const conf::Arguments& args);

// Explicit quotas per queue (guarantee, deserved, capability), alone or along a tree of queues.
// Arguments: `ancestorReclaimLevel`. Those for quotas of devices are known, and refused when on.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCapacity(const conf::Arguments& args);

// Cooldown protection: pods that were placed a short while ago are not evicted.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCdp(const conf::Arguments& args);

// System pods are never evicted.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateConformance(const conf::Arguments& args);

// Shared accelerators: virtual GPUs, shares of cards, and who gets which.
// Arguments: `deviceshare.<Family>Enable` and others; see deviceshare/arguments.h.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateDeviceShare(const conf::Arguments& args);

// Dominant-resource fairness between jobs and, with `enableHierarchy`, between queues.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateDrf(const conf::Arguments& args);

// Lets a service outside take part in decisions.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateExtender(const conf::Arguments& args);

// All or nothing: when a job is valid, ready, pipelined or starving, and who may leave it.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateGang(const conf::Arguments& args);

// Keeps the pods of a gang near to one another in the network, by HyperNodes.
// Arguments: `weight`, `hypernode.binpack.cpu`, `.memory`, `.resources` (names),
// `.resources.<name>`, `.normal-pod.enable` (true), `.normal-pod.fading` (0.8),
// `hypernode.gradient.evict.max-hypernodes` (8).
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNetworkTopologyAware(
    const conf::Arguments& args);

// Ties queues to groups of nodes, and limits what they use of each.
// Arguments: `strict` (true), `enablePreferredOrder` (false).
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeGroup(const conf::Arguments& args);

// Which node is the better one: kube-scheduler's scores.
// Arguments: `<scorer>.weight`, whole numbers; 0 takes a scorer out.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeOrder(const conf::Arguments& args);

// Predicts which CPUs the kubelet gives to pods that have some to themselves, and where it would
// refuse them. Argument: `weight`, a whole number.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNumaAware(const conf::Arguments& args);

// Admits jobs only while the cluster, stretched by a factor, has room for their minimums.
// Argument: `overcommit-factor`, at least 1; 1.2 when absent or smaller.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateOvercommit(const conf::Arguments& args);

// Evictions stay inside PodDisruptionBudgets.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePdb(const conf::Arguments& args);

// Which nodes can take a pod at all: kube-scheduler's filters.
// Arguments: the switches `predicate.<Filter>Enable`; see predicates/arguments.h.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePredicates(const conf::Arguments& args);

// Higher priority first, and only lower priorities are preempted.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePriority(const conf::Arguments& args);

// Divides the cluster among the queues that have jobs, by weight.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateProportion(const conf::Arguments& args);

// Names pods for action shuffle to move from busy nodes to idle ones.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateRescheduling(const conf::Arguments& args);

// Fills or spreads nodes by resource, keeps scarce resources free.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceStrategyFit(
    const conf::Arguments& args);

// Admits jobs only while their minimum fits into the ResourceQuotas of their namespace.
// Takes no arguments.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceQuota(const conf::Arguments& args);

// No job waits longer than its deadline, as far as other plugins allow.
// Argument: `sla-waiting-time`, a duration above zero; none when absent.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateSla(const conf::Arguments& args);

// Puts tasks of a job together or apart by role, as annotations of its PodGroup say.
// Argument: `task-topology.weight`, a whole number.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateTaskTopology(const conf::Arguments& args);

// Time-division multiplexing: nodes that are lent to preemptable pods in windows of the day.
// Arguments: `tdm.revocable-zone.<zone>`, a window such as 22:00-6:00; `tdm.evict.period` (1m).
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateTdm(const conf::Arguments& args);

// Keeps pods off nodes that are busy, by measured load.
absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateUsage(const conf::Arguments& args);

}  // namespace bth::plugins
