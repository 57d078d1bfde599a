// Neighbours in rank become neighbours in the network.
#pragma once

#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions {

// Of what the statement placed since `mark` for a job that asks for it: pods of one role that are
// alike keep the nodes that they got together, handed out in order of their ranks along the tree of
// HyperNodes. Nothing changes for those that filters beyond single nodes concern, that hold devices
// or CPUs of their own, or that have no rank. Cost: what was placed, times the depth and the
// logarithm.
void OrderByRank(const framework::Session& session, model::JobId job,
                 framework::Statement& statement, framework::Statement::Mark mark);

}  // namespace bth::actions
