// Jobs that were refused and would be refused again: cycles leave them alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/report/gate_counts.h"
#include "framework/session/session.h"
#include "framework/unschedulable/answer_rules.h"
#include "framework/unschedulable/job_answer.h"
#include "framework/unschedulable/refusal.h"
#include "framework/unschedulable/room_watch.h"
#include "framework/unschedulable/victim_waiters.h"

namespace bth::framework {

// As kube-scheduler keeps unschedulable pods apart until an event may help them: a job enters at
// the close of a session that gave it nothing, together with what was said about it, and leaves
// when something changed that could turn the refusal into consent. When in doubt it leaves; a
// session that looks at every job decides the same. Lives with its policy, from session to session.
// Thread: scheduling. Cost of a session: the changes, and one look per waiting job.
class UnschedulableJobs {
 public:
  explicit UnschedulableJobs(const AnswerRules& rules) : rules_(rules) {}

  // What is to be looked at in `session`, which is frozen.
  void Open(Session& session);
  // Takes in who was refused.
  void Close(Session& session);
  // Room grew: whoever some room may help is looked at for the rest of the session; what was said
  // about them stands.
  void ActivateHelpable(Session& session);
  // Before an action that evicts: where somebody may be evicted for any job that waits, what it
  // answers follows everything that happened, and all are looked at.
  void PrepareEviction(Session& session);

  size_t size() const { return records_.size(); }
  // Of them, the ones whose PodGroup counts as unschedulable.
  int64_t unschedulable() const { return unschedulable_; }
  // Of all of them. Follows who enters and leaves.
  const GateCounts& gate_counts() const { return gate_counts_; }
  // Null: the job is active.
  const JobAnswer* AnswerOf(model::JobId job) const;

 private:
  struct Record {
    JobAnswer answer;
    Refusal refusal;
    model::QueueId queue;  // Invalid: it does not exist.
    bool unschedulable = false;
    JobAtGate at_gate;
  };
  using Jobs = absl::flat_hash_set<model::JobId>;

  bool MayKeep(const Session& session) const;
  // Evictions could find other victims than in the last session.
  bool IsDisturbed(const Session& session, const NodeRoomWatch::Changes& changes) const;
  // All, where somebody could be evicted for one who waits; else those who may get free room.
  void ActivateForEvictions(Session& session, const NodeRoomWatch::Changes& changes);
  void Rejoin(Session& session, const std::vector<model::JobId>& jobs);
  std::vector<model::JobId> Helpable() const;
  void ActivateChanged(const Session& session);
  void ActivateByQueueRoom(const Session& session);
  void ActivateByNodes(Session& session, const NodeRoomWatch::Changes& changes);
  void ActivateBySize(const Session& session, const std::vector<model::NodeId>& other);
  // Adds those of `jobs`, whose pods are of one kind and ask for the same devices, that a node
  // takes which grew.
  void ServeClaimants(Session& session, std::vector<model::JobId> jobs,
                      const std::vector<model::NodeId>& grown,
                      std::vector<model::JobId>* served) const;
  void ActivateByDevices(const Session& session);
  void ActivateByChoice(const Session& session);
  void ActivateByDomains(Session& session, const std::vector<model::NodeId>& grown);
  void ActivateStrictQueues(const Session& session);
  bool MayBeServed(const Session& session, model::JobId job, const Record& record,
                   const QueueRoomWatch::Change& change) const;
  void Add(model::JobId job, Record record);
  void Activate(const Session& session, model::JobId job);
  void ActivateWhole(model::QueueId queue);
  void Remove(model::JobId job);
  std::vector<model::JobId> KeptOf(model::QueueId queue) const;
  // A queue that keeps strict order is looked at as a whole, or not at all.
  std::vector<model::JobId> LookedAtWith(const Session& session, model::JobId job) const;
  void Clear();
  std::vector<model::JobId> Active(const std::vector<model::JobId>& jobs) const;

  const AnswerRules rules_;
  // The last session that closed; null: none, or nothing of it holds.
  std::shared_ptr<const model::Snapshot> last_;
  bool doubtful_ = false;  // Room grew after some were refused in it.
  NodeRoomWatch nodes_;
  QueueRoomWatch queues_;
  absl::flat_hash_map<model::JobId, Record> records_;
  IdVector<model::JobId, uint8_t> kept_;  // 1: has a record.
  absl::flat_hash_map<model::QueueId, Jobs> by_queue_;
  absl::flat_hash_map<model::QueueId, Jobs> by_queue_room_;  // Of them, who waits for its queue.
  absl::flat_hash_map<TaskKind, Jobs> by_kind_;
  Jobs by_choice_;
  Jobs beyond_any_node_;
  absl::flat_hash_map<DomainLack, Jobs> by_domain_lack_;
  Jobs by_devices_;
  absl::flat_hash_map<std::string, Jobs> by_claim_;  // By key.
  // Not kept, of queues that keep strict order: with one that goes, it is another one's turn.
  absl::flat_hash_map<model::JobId, model::QueueId> turns_;
  VictimWaiters victim_waiters_{rules_};  // Those whom evictions may help.
  int64_t unschedulable_ = 0;
  GateCounts gate_counts_;
};

}  // namespace bth::framework
