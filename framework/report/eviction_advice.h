// Why a policy evicts nobody for a job that waits, and what would change that.
#pragma once

#include <string>
#include <string_view>

#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::framework {

// "; evictions (preempt, reclaim) are only for admitted jobs: raise overcommit-factor, or take
// enqueue out of the policy's actions". Empty when the policy has no action that evicts for jobs.
// `remedy`: what else helps, with a trailing comma and `or`; may be empty. `in_queue`: only room in
// the job's own queue helps, so that actions between queues are not named.
std::string EvictionsWaitForAdmission(const Session& session, std::string_view remedy,
                                      bool in_queue);

// What the policy lacks to give the job room that others hold; empty: nothing, or the job does not
// wait for such room. For pages about one job.
std::string MissingEvictions(const Session& session, model::JobId job);

}  // namespace bth::framework
