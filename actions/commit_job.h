// How an action hands over what a job got.
#pragma once

#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions {

// Some task of the job is allocated and not handed over: a statement was kept whose gang stood by
// what is pipelined. To be asked before another one places anything of the job.
bool HasAllocated(const framework::Session& session, model::JobId job);

// Commits what `statement` has of a job that is ready; with `adopts`, together with all that were
// allocated before it: without them less than the gang's minimum might be bound. False: the sink
// refused it all, and the job's report says so. Cost: linear in the job's tasks if it adopts.
bool CommitJob(framework::Session& session, model::JobId job, bool adopts,
               framework::Statement& statement);

}  // namespace bth::actions
