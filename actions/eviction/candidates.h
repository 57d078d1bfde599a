// Who may be evicted for whom, and who goes first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "actions/eviction/node_tasks.h"
#include "actions/eviction/tally.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/session/victim_votes.h"

namespace bth::actions::eviction {

// Where an evictor looks for victims.
enum class Reach : uint8_t {
  kOtherJobs,    // Preempt: other jobs of its queue.
  kOwnJob,       // Preempt: its own job.
  kOtherQueues,  // Reclaim: queues that may be reclaimed from.
};

// One question: room for `task`.
struct Ask {
  model::TaskId task;
  Reach reach = Reach::kOtherJobs;
};

// True when `left` is evicted before `right`: of one job the later task; of one queue the job that
// is ordered last; of two queues as the plugins say, else the one ordered last.
bool EvictedBefore(const framework::Session& session, model::TaskId evictor, model::TaskId left,
                   model::TaskId right);

// Tasks on `node` about which plugins are asked, in the order in which they would be evicted, so
// that whoever grants only some of a job's or queue's tasks grants the first to go. The others
// there are counted by what spares them.
std::vector<model::TaskId> CandidatesOn(const framework::Session& session, const NodeTasks& tasks,
                                        const Ask& ask, model::NodeId node, SparedCounts* spared);

// The request of all that could ever be candidates there: never less than CandidatesOn requests.
model::ResourceVec MostToGain(const framework::Session& session, const NodeTasks& tasks,
                              const Ask& ask, model::NodeId node);
// Counts of a node where not even that is enough; true when some of it is within reach.
bool CountOutOfReach(const framework::Session& session, const NodeTasks& tasks, const Ask& ask,
                     model::NodeId node, SparedCounts* spared);

// Whom the plugins are asked for.
framework::VictimAsker AskerOf(const Ask& ask);

// True when, as things stand now, the victim, or its gang where an action for gangs is configured,
// could demand the room back from the one who got it, by a tier that ranks no later than `tier`:
// the two would take turns for ever. The evictor must be
// placed and the victim evicted when this is asked.
bool CouldStrikeBack(const framework::Session& session, const Ask& ask, model::TaskId victim,
                     int tier);

}  // namespace bth::actions::eviction
