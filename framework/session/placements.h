// Where the tasks are now, and what follows from it.
#pragma once

#include <cstdint>
#include <vector>

#include "api/model/ids.h"
#include "api/model/snapshot.h"
#include "framework/hooks/hooks.h"
#include "framework/session/culprit.h"
#include "framework/session/pod_move.h"
#include "framework/session/statement_key.h"
#include "framework/session/touched_jobs.h"

namespace bth::framework {

// The columns of a snapshot that a session changes, with the changes in order, so that indexes can
// follow them. Thread: scheduling.
class Placements {
 public:
  Placements(const model::Snapshot& base, const HookTable& hooks, TouchedJobs& touched,
             Culprit& culprit);

  const model::Usage& usage() const { return usage_; }
  void SetPhase(model::JobId job, model::PodGroupPhase phase);

  // Names the present values: equal versions mean equal usage. Rolling back brings it back.
  uint64_t version() const { return version_; }
  uint64_t Digest() const { return usage_.DigestOf(); }
  // Nodes whose usage changed, in order, one entry per change.
  const std::vector<model::NodeId>& node_changes() const { return node_changes_; }
  // Jobs whose tasks changed their state, in order, one entry per change.
  const std::vector<model::JobId>& job_changes() const { return job_changes_; }

  // Every placement, pipelining, eviction and their undoing since the session opened, in order.
  const std::vector<PodMove>& pod_moves() const { return pod_moves_; }
  // From now on moves tell what is tentative of others than this job: tasks that are not committed.
  // They may never come, so nobody can rely on them. Cost: the tasks of this job and of the one
  // before, where they have any that are not committed.
  void BeholdAs(model::JobId job) const;

  // Set moves every sum and runs the event handlers; Restore does the same back to a value that Set
  // replaced, with the version of that moment.
  void Set(StatementKey, model::TaskId task, const model::TaskState& to);
  void Restore(StatementKey, model::TaskId task, const model::TaskState& to, uint64_t version);

  // A statement that ended freed room that jobs refused before it did not see.
  bool room_grew() const { return room_grew_; }
  void NoteRoomGrew(StatementKey) { room_grew_ = true; }

 private:
  void Apply(model::TaskId task, const model::TaskState& to);
  bool IsTentative(model::TaskId task, const model::TaskState& state) const;
  void NotePodMove(model::TaskId task, const model::TaskState& state, bool tentative,
                   int32_t sign) const;
  void NoteTentative(model::JobId job, bool tentative) const;

  const model::Snapshot& base_;
  const HookTable& hooks_;
  TouchedJobs& touched_;
  Culprit& culprit_;
  model::Usage usage_;
  uint64_t version_ = 0;
  uint64_t last_version_ = 0;
  std::vector<model::NodeId> node_changes_;
  std::vector<model::JobId> job_changes_;
  mutable std::vector<PodMove> pod_moves_;
  mutable bool tells_tentative_ = false;  // Since somebody asked.
  mutable model::JobId beholder_;
  bool room_grew_ = false;
};

}  // namespace bth::framework
