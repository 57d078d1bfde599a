// How many pods of a kind stand on each node and in each topology domain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "api/model/snapshot.h"
#include "base/ids.h"
#include "base/row_at.h"
#include "framework/peers/label_index.h"
#include "framework/peers/topology_column.h"
#include "framework/session/session.h"

namespace bth::framework {

// Which pods are counted, and on which nodes.
struct CountedPods {
  // Null: whatever its labels.
  std::function<bool(const model::Snapshot&, const model::PodLabels&)> selects;
  // Pods that it selects hold all of these; may be empty.
  std::vector<LabelIndex::Anchor> anchors;
  // By its constraints with affinity terms. Null: whatever its terms, and without any.
  std::function<bool(const std::shared_ptr<const model::PodConstraints>&)> carries;
  // Null: every node.
  std::function<bool(const model::NodeFacts&)> counts_node;
  bool skips_terminating = false;
  bool asks_namespaces = false;  // `selects` depends on the labels of namespaces.
};

// Verdicts on labels and terms while one counter counts; shared, so that nothing is allocated.
class MatchMemo {
 public:
  // Forgets all verdicts.
  void Start(const model::Snapshot& snapshot);
  // `judge` is asked once per id.
  template <typename Judge>
  bool Selects(model::LabelsId labels, const Judge& judge) {
    return Ask(by_labels_, labels, judge);
  }
  template <typename Judge>
  bool Carries(model::ConstraintsId terms, const Judge& judge) {
    return Ask(by_terms_, terms, judge);
  }

 private:
  template <typename Column, typename Id, typename Judge>
  bool Ask(Column& column, Id id, const Judge& judge) {
    uint32_t& known = column[id];
    if (known / 2 != epoch_) known = epoch_ * 2 + static_cast<uint32_t>(judge());
    return (known & 1u) != 0;
  }

  uint32_t epoch_ = 0;
  IdVector<model::LabelsId, uint32_t> by_labels_;
  IdVector<model::ConstraintsId, uint32_t> by_terms_;
};

// In step with a session after CatchUp, and brought along from session to session. Lives with
// whoever asks the question. Thread: scheduling.
class DomainCounter {
 public:
  // `id` tells it from others.
  DomainCounter(uint64_t id, CountedPods question, std::shared_ptr<TopologyColumn> topology)
      : id_(id), question_(std::move(question)), topology_(std::move(topology)) {}

  // `serial` names the session. Cost: in a new session the nodes on which pods changed, then the
  // moves since the last call, or those of pods that the anchors leave.
  void CatchUp(const Session& session, uint64_t serial, MatchMemo& memo, LabelIndex& labels);

  uint64_t id() const { return id_; }
  // The node has the topology key.
  bool HasDomain(model::NodeId node) const { return topology_->of(node) != TopologyColumn::kNone; }
  // 0 without the key.
  int32_t InDomainOf(model::NodeId node) const { return in_domain_[topology_->of(node)]; }
  // Of these, those that stay whatever becomes of other jobs: without what is tentative to them.
  int32_t SettledInDomainOf(model::NodeId node) const {
    return InDomainOf(node) - TentativeIn(topology_->of(node));
  }
  int32_t OnNode(model::NodeId node) const { return RowAt(on_node_, node); }
  // All nodes with such pods, each once, and some that had them.
  const std::vector<model::NodeId>& nodes_with_pods() const { return with_pods_; }
  // Over all domains.
  int64_t settled() const { return total_ - tentative_total_; }
  // Domains with a counted node, and the fewest settled pods in any of them.
  int32_t domains() const;
  int32_t LeastSettledInDomain() const;
  const TopologyColumn& topology() const { return *topology_; }
  // The session it was last in step with.
  uint64_t serial() const { return serial_; }

 private:
  bool Counts(const model::Snapshot& snapshot, const model::LabelledPods& pods,
              MatchMemo& memo) const;
  bool Selects(const model::Snapshot& snapshot, model::LabelsId labels, MatchMemo& memo) const;
  bool SelectsAnybody(const model::Snapshot& snapshot, MatchMemo& memo,
                      const LabelIndex& labels) const;
  void Refresh(const model::Snapshot& snapshot, MatchMemo& memo, const LabelIndex& labels);
  void TakeMoves(const Session& session, MatchMemo& memo, const LabelIndex& labels);
  void Take(const model::Snapshot& snapshot, const PodMove& move, MatchMemo& memo);
  void Recount(const model::Snapshot& snapshot, model::NodeId node, MatchMemo& memo);
  bool RefreshNodes(const model::Snapshot& snapshot);
  void SumUp();
  void Add(model::NodeId node, int32_t pods, bool tentative);
  void ForgetTentative();
  int32_t TentativeIn(size_t domain) const {
    return domain < tentative_in_domain_.size() ? tentative_in_domain_[domain] : 0;
  }
  void SetOnNode(model::NodeId node, int32_t pods);
  bool IsCounted(model::NodeId node) const {
    return HasDomain(node) && (counted_.empty() || RowAt(counted_, node) != 0);
  }
  void FindDomains() const;

  const uint64_t id_;
  const CountedPods question_;
  const std::shared_ptr<TopologyColumn> topology_;

  // What the counts are up to date with: a session, and moves in it.
  uint64_t serial_ = 0;
  size_t moves_seen_ = 0;
  std::vector<model::NodeId> moved_;  // Nodes that moves of the session changed.
  decltype(model::Snapshot::pods_on_nodes) pods_on_nodes_;
  decltype(model::Snapshot::nodes) nodes_;
  std::shared_ptr<const model::NamespaceTable> namespaces_;
  uint64_t topology_version_ = 0;

  std::vector<int32_t> on_node_;    // By node index.
  std::vector<uint8_t> counted_;    // By node index; empty: every node is.
  std::vector<int32_t> in_domain_;  // By domain.
  int64_t total_ = 0;
  // Of these, tentative to others in this session; shorter than that: 0 beyond.
  std::vector<int32_t> tentative_in_domain_;
  int64_t tentative_total_ = 0;
  std::vector<model::NodeId> with_pods_;
  std::vector<uint8_t> listed_;  // By node index: it is in `with_pods_`.

  // Found when first asked for.
  mutable bool domains_known_ = false;
  mutable std::vector<uint8_t> exists_;  // By domain: some counted node is in it.
  mutable int32_t domains_ = 0;          // Of these.
  mutable bool least_known_ = false;
  mutable int32_t least_ = 0;
};

}  // namespace bth::framework
