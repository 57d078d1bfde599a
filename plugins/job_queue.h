// Whose queue a task's use counts in.
#pragma once

#include "algo/gang_rules.h"
#include "framework/session.h"

namespace bth::plugins {

// The queue of a task whose job takes part in sessions; invalid for others.
inline model::QueueId QueueOf(const framework::Session& session, model::TaskId task) {
  const model::JobId job = session.task(task).job;
  if (!job.valid() || !algo::TakesPart(session.job(job))) return {};
  return session.job(job).queue;
}

}  // namespace bth::plugins
