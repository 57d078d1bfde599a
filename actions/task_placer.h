// Gives the tasks of jobs the best nodes that there are, as far as their gangs come about.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions {

// What the jobs of one run of `allocate` share. Thread: scheduling.
class TaskPlacer {
 public:
  // With the first task that found no node.
  using FailedRoles = absl::flat_hash_map<model::RoleId, model::TaskId>;
  // Places tasks of one sub-job; false: nothing of it stays placed.
  using PlaceSubJob = absl::FunctionRef<bool(SubJobWorksheet&)>;

  explicit TaskPlacer(framework::Session& session) : session_(session) {}

  // Places tasks of one sub-job until it is ready. True when it is, or when it would be once
  // the room of pipelined tasks is free; else nothing of it stays placed.
  bool PlaceTasks(model::JobId job, SubJobWorksheet& worksheet, framework::Statement& statement);
  // Sub-jobs in their order, until the job is ready; one that fails is left out. False: the job
  // neither is nor will be ready, and nothing of it stays placed.
  bool PlaceSubJobs(model::JobId job, Worksheet& worksheet, framework::Statement& statement) {
    return PlaceSubJobs(job, worksheet, statement, [&](SubJobWorksheet& sub_job) {
      return PlaceTasks(job, sub_job, statement);
    });
  }
  bool PlaceSubJobs(model::JobId job, Worksheet& worksheet, framework::Statement& statement,
                    PlaceSubJob place);

  // What the last job had placed that did not stand, before it was let go.
  const std::vector<framework::Statement::Placed>& let_go() const { return let_go_; }

  // Tasks that found no node, or no place beside one like them that found none.
  int64_t refusals() const { return refusals_; }

  // Tasks whose role has failed are passed over.
  const FailedRoles& failed_roles() const { return failed_roles_; }
  void SetFailedRoles(FailedRoles roles) { failed_roles_ = std::move(roles); }

  // The sub-job is ready, or will be once the room of pipelined tasks is free.
  bool Stands(model::JobId job, model::SubJobId sub_job) const;

 private:
  void AddBestEffort(SubJobWorksheet& worksheet, framework::Statement& statement,
                     absl::FunctionRef<bool()> enough);
  bool MayTry(model::JobId job, model::TaskId task);
  void SkipLike(model::TaskId task, model::TaskId first);
  void WaitForGate(model::JobId job, model::TaskId task);
  bool WorthGoingOn(model::JobId job, model::SubJobId sub_job) const;

  framework::Session& session_;
  FailedRoles failed_roles_;
  std::vector<framework::Statement::Placed> let_go_;
  int64_t refusals_ = 0;
};

}  // namespace bth::actions
