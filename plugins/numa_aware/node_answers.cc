#include "plugins/numa_aware/node_answers.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::plugins::numa_aware {

using framework::FitCode;
using framework::ReasonId;
using model::ConstraintsId;
using model::NodeId;
using model::PodNuma;

NodeAnswers::NodeAnswers(framework::Session& session, const CpuLedger& ledger)
    : session_(session), ledger_(ledger) {
  framework::ReasonTable& reasons = session.reasons();
  no_report_ = reasons.Register(FitCode::kError, "numa info is empty");
  not_static_ = reasons.Register(FitCode::kError, "cpu manager policy isn't static");
  other_policy_ =
      reasons.Register(FitCode::kError, "task topology policy is different with that of the node");
  no_layout_ = reasons.Register(FitCode::kError, "no topo information");
  no_cpus_ = reasons.Register(FitCode::kError, "cpu allocatable map is empty");
  refused_ = reasons.Register(FitCode::kUnresolvable, "a container cannot be assigned by numa");
}

ReasonId NodeAnswers::ReasonOf(const PodNuma& pod, NodeId node, const CpuAnswer& answer) {
  switch (answer.verdict) {
    case CpuVerdict::kPasses:
    case CpuVerdict::kFits:
      return framework::kFits;
    case CpuVerdict::kNoReport:
      return no_report_;
    case CpuVerdict::kNotStatic:
      return not_static_;
    case CpuVerdict::kNoLayout:
      return no_layout_;
    case CpuVerdict::kNoCpus:
      return no_cpus_;
    case CpuVerdict::kOtherPolicy: {
      const model::NumaFacts& facts = *session_.base().nodes[node].numa->facts;
      return session_.reasons().Describe(
          FitCode::kError,
          StrCat("task topology policy[", pod.policy, "] is different with node[",
                 facts.topology_policy, "]"),
          other_policy_);
    }
    case CpuVerdict::kRefused:
      return session_.reasons().Describe(
          FitCode::kUnresolvable,
          StrCat("container ", pod.containers[answer.fit.refused], " cannot be assigned by numa"),
          refused_);
  }
  return framework::kFits;
}

NodeAnswers::Known NodeAnswers::AskNode(const PodNuma& pod, NodeId node) {
  const CpuAnswer answer = ledger_.AnswerOf(pod, node);
  Known known{.version = ledger_.VersionOf(node), .reason = ReasonOf(pod, node, answer)};
  if (answer.verdict == CpuVerdict::kFits) {
    const model::NodeNuma& numa = *session_.base().nodes[node].numa;
    known.numa_nodes =
        static_cast<uint8_t>(algo::CountNumaNodes(numa.facts->layout, answer.fit.cpus));
  }
  return known;
}

// Beyond the limit kinds share a column, which forgets the one before.
NodeAnswers::Column& NodeAnswers::ColumnOf(ConstraintsId pods) {
  constexpr size_t kColumnsMax = 256;
  const auto known = columns_.find(pods);
  if (known != columns_.end()) return known->second;
  if (columns_.size() >= kColumnsMax) columns_.clear();
  return columns_[pods] = Column(session_.base().nodes.size());
}

const NodeAnswers::Known& NodeAnswers::KnownOf(const PodNuma& pod, Column& column, NodeId node) {
  Known& known = column[node];
  if (known.version != ledger_.VersionOf(node)) known = AskNode(pod, node);
  return known;
}

void NodeAnswers::Refuse(ConstraintsId pods, model::NodeRange block, absl::Span<ReasonId> out) {
  const PodNuma* pod = ledger_.PodOf(pods);
  if (pod == nullptr) return;
  // Nothing is given out anywhere.
  if (pod->policy.empty() && session_.base().numa_reports == 0) return;
  Column& column = ColumnOf(pods);
  for (NodeId node : block) out[block.Offset(node)] = KnownOf(*pod, column, node).reason;
}

void NodeAnswers::AddScores(ConstraintsId pods, absl::Span<const NodeId> nodes, double weight,
                            absl::Span<double> sums) {
  constexpr int kTop = 100;
  const PodNuma* pod = ledger_.PodOf(pods);
  if (pod == nullptr || pod->policy.empty()) return;
  Column& column = ColumnOf(pods);
  int most = 0;
  for (NodeId node : nodes) most = std::max<int>(most, KnownOf(*pod, column, node).numa_nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int share = most == 0 ? 0 : kTop * KnownOf(*pod, column, nodes[i]).numa_nodes / most;
    sums[i] += weight * (kTop - share);
  }
}

}  // namespace bth::plugins::numa_aware
