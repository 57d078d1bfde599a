// What nodes answer to pods with CPUs of their own, as reasons and numbers.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "framework/hooks/hook_types.h"
#include "framework/session/session.h"
#include "plugins/numa_aware/cpu_ledger.h"

namespace bth::plugins::numa_aware {

// Asks each node once per kind of pod until its free CPUs change. Lives for one session, and is
// made while it opens. Thread: scheduling.
class NodeAnswers {
 public:
  NodeAnswers(framework::Session& session, const CpuLedger& ledger);

  // Writes why nodes are none for the pods.
  void Refuse(model::ConstraintsId pods, model::NodeRange block,
              absl::Span<framework::ReasonId> out);
  // Adds `weight` times 0 … 100: most where the pod's CPUs lie on the fewest NUMA nodes. Nothing to
  // pods without a policy.
  void AddScores(model::ConstraintsId pods, absl::Span<const model::NodeId> nodes, double weight,
                 absl::Span<double> sums);

 private:
  struct Known {
    uint32_t version = 0;  // Of the node; 0: not asked yet.
    framework::ReasonId reason = framework::kFits;
    uint8_t numa_nodes = 0;
  };
  using Column = IdVector<model::NodeId, Known>;

  Known AskNode(const model::PodNuma& pod, model::NodeId node);
  const Known& KnownOf(const model::PodNuma& pod, Column& column, model::NodeId node);
  Column& ColumnOf(model::ConstraintsId pods);
  framework::ReasonId ReasonOf(const model::PodNuma& pod, model::NodeId node,
                               const CpuAnswer& answer);

  framework::Session& session_;
  const CpuLedger& ledger_;
  framework::ReasonId no_report_;
  framework::ReasonId not_static_;
  framework::ReasonId other_policy_;
  framework::ReasonId no_layout_;
  framework::ReasonId no_cpus_;
  framework::ReasonId refused_;
  absl::flat_hash_map<model::ConstraintsId, Column> columns_;
};

}  // namespace bth::plugins::numa_aware
