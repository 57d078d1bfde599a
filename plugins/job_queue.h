// Which jobs take part, and whose queue a task's use counts in.
#pragma once

#include "algo/gang_rules.h"
#include "framework/session/session.h"

namespace bth::plugins {

// False for tasks without a job, too.
inline bool TakesPart(const framework::Session& session, model::JobId job) {
  return job.valid() && algo::TakesPart(session.job(job));
}

// The queue of a task whose job takes part in sessions; invalid for others.
inline model::QueueId QueueOf(const framework::Session& session, model::TaskId task) {
  const model::JobId job = session.task(task).job;
  if (!TakesPart(session, job)) return {};
  return session.job(job).queue;
}

}  // namespace bth::plugins
