#include "actions/gang_eviction/pending.h"

#include <utility>

#include "actions/worksheet.h"

namespace bth::actions::gang_eviction {

using framework::Session;
using model::JobId;
using model::TaskId;

std::vector<PendingPart> PendingPartsOf(const Session& session, JobId job) {
  const bool grows = session.votes().JobReady(job);
  Worksheet worksheet = MakeWorksheet(session, job);
  std::vector<PendingPart> parts;
  for (SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    PendingPart part{.sub_job = sub_job.sub_job};
    while (!sub_job.tasks.empty()) {
      const TaskId task = sub_job.tasks.Pop();
      if (!session.task(task).gated) part.tasks.push_back(task);
    }
    while (!sub_job.best_effort.empty()) part.best_effort.push_back(sub_job.best_effort.Pop());
    // Whoever asks for nothing but a place gains nothing from what others hold.
    if (part.tasks.empty()) continue;
    parts.push_back(std::move(part));
    if (grows) break;
  }
  return parts;
}

model::ResourceVec NeedOf(const Session& session, const std::vector<PendingPart>& parts) {
  model::ResourceVec need;
  for (const PendingPart& part : parts) {
    for (TaskId task : part.tasks) need += session.request(task);
  }
  return need;
}

}  // namespace bth::actions::gang_eviction
