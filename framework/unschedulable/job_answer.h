// What a session found out about a job that waits.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "api/model/ids.h"
#include "api/model/job.h"
#include "framework/report/fit_report.h"
#include "framework/session/effects.h"

namespace bth::framework {

struct JobNotes {
  std::vector<ConditionReport> conditions;
  std::vector<EventReport> events;
  std::vector<VictimSearch> victim_searches;
  JobFit hold;
};

// Ids are of the session's snapshot, and stay good while the job's objects do not change.
struct JobAnswer {
  JobNotes notes;
  std::vector<std::pair<model::TaskId, std::shared_ptr<const TaskFit>>> fits;
  std::vector<std::pair<model::TaskId, model::TaskState>> plans;
};

}  // namespace bth::framework
