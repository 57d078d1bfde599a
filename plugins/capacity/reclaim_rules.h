// Who gives room back to whom.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "plugins/capacity/queue_ledger.h"

namespace bth::plugins::capacity {

// Answers on the present accounts. Lives for one session. Thread: scheduling.
class ReclaimRules {
 public:
  // `levels`: how many levels of ancestors also decide, counted from the parent; only with
  // hierarchy.
  ReclaimRules(const framework::Session& session, const QueueLedger& ledger, int64_t levels);

  // True when the queue, with `asked` on top, stays within what it can ever have, and within what
  // it or one of its ancestors deserves in some asked dimension.
  bool MayDemand(model::QueueId queue, const model::ResourceVec& asked) const;

  // Of `candidates`, in their order, those that hold something the reclaimer asks for, that their
  // queue is not guaranteed, and that goes beyond what it (and its ancestors) deserve. None of a
  // queue that is cut off from the tree: it could not demand anything back.
  std::vector<model::TaskId> Victims(model::TaskId reclaimer,
                                     absl::Span<const model::TaskId> candidates);
  // The same by the queues' own quotas alone, whoever asks.
  std::vector<model::TaskId> VictimsForAnybody(absl::Span<const model::TaskId> candidates);
  // False: neither of the two names anybody of the holding, whoever asks.
  bool MayGive(const framework::QueueHolding& holding) const;

 private:
  struct Party {
    model::QueueId queue;
    const model::ResourceVec& request;
  };

  // What is left to a queue as victims are named, until Forget.
  model::ResourceVec& Running(model::QueueId queue);
  void Forget();
  // Something may be taken from the queue's tasks.
  bool IsGiver(model::QueueId queue) const { return queue.valid() && !ledger_.IsCutOff(queue); }
  bool KeepsGuarantee(const Party& victim);
  bool IsBeyondDeserved(model::QueueId queue, const model::ResourceVec& request);
  bool LeafGives(const Party& reclaimer, const Party& victim);
  bool AncestorsGive(const Party& reclaimer, const Party& victim);
  bool ShareAncestor(model::QueueId left, model::QueueId right) const;
  // The ancestor `level` steps above, without the root.
  model::QueueId AncestorBelowRoot(model::QueueId queue, int64_t level) const;

  const framework::Session& session_;
  const QueueLedger& ledger_;
  const int64_t levels_;
  IdVector<model::QueueId, model::ResourceVec> running_;
  IdVector<model::QueueId, uint8_t> is_running_;
  std::vector<model::QueueId> running_queues_;
  std::vector<model::QueueId> examined_;  // Ancestors of the present candidate.
};

}  // namespace bth::plugins::capacity
