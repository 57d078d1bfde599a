// The parts of jobs: sub-jobs by a PodGroup's policies, and roles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/job_record.h"
#include "cache/cluster/slots.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// The PodGroup gives tasks that name no role a minimum of their own.
bool HasUnnamedRole(const CompiledPodGroup& group);

// Finds and makes the part that a pod belongs to. A JobRecord knows the parts of its job; each call
// that may change their list marks it. Thread: I/O.
class GroupParts {
 public:
  // Where a policy of the job's PodGroup puts the pod; without one, the default sub-job.
  model::SubJobId SubJobFor(model::JobId job, JobRecord& record, const PodIdentity& pod,
                            model::Snapshot* now);
  // Of all tasks that no policy claims.
  model::SubJobId DefaultSubJob(model::JobId job, JobRecord& record, model::Snapshot* now);
  // The role of a task that comes. Tasks without one have the empty one where the PodGroup gives
  // that a minimum; else it is invalid.
  model::RoleId EnterRole(model::JobId job, JobRecord& record, const std::string& role,
                          model::Snapshot* now);
  // Of a task that goes, or invalid. A role without tasks goes as well, unless the PodGroup names
  // it.
  void LeaveRole(model::RoleId role, JobRecord& record, model::Snapshot* now);
  // Those that the PodGroup names, with the minimums that it gives them: others have none.
  std::shared_ptr<std::vector<model::RoleId>> NamedRoles(model::JobId job, JobRecord& record,
                                                         model::Snapshot* now);
  // A sub-job has the highest priority of its tasks, and at least 0.
  void CountPriority(model::SubJobId sub_job, int32_t priority, int32_t sign, model::Snapshot* now);
  // But for the default one, a sub-job is what its tasks make it: without tasks it would count as
  // valid, and goes.
  void DropIfEmpty(model::SubJobId sub_job, JobRecord& record, model::Snapshot* now);
  void Clear(JobRecord& record, model::Snapshot* now);
  // After a snapshot was published.
  void Recycle();

 private:
  struct SubJob {
    int32_t tasks = 0;
    // Tasks by priority, the lowest first; mostly there is one.
    absl::InlinedVector<std::pair<int32_t, int32_t>, 1> priorities;
  };

  // Of a policy, that is; null: the default one.
  struct Origin {
    std::string key;
    const SubGroup* group = nullptr;
    int64_t match_index = 0;
  };
  model::SubJobId Make(model::JobId job, JobRecord& record, const Origin& origin,
                       model::Snapshot* now);

  model::RoleId RoleFor(model::JobId job, JobRecord& record, const std::string& role,
                        model::Snapshot* now);
  // It has no tasks, and the PodGroup does not name it.
  bool IsIdle(const std::string& name, model::RoleId role, const JobRecord& record) const;
  void DropRole(model::RoleId role, JobRecord& record, model::Snapshot* now);
  void FreeRole(model::RoleId role, model::Snapshot* now);

  IdVector<model::SubJobId, SubJob> records_;
  IdVector<model::RoleId, int32_t> role_tasks_;  // How many each has.
  Slots<model::SubJobId> sub_job_slots_;
  Slots<model::RoleId> role_slots_;
};

}  // namespace bth::cache
