#include "framework/session/session.h"

#include <utility>

#include "framework/nodes/node_picker.h"
#include "framework/peers/term_counters.h"
#include "framework/prospects/victim_prospects.h"
#include "framework/topology/topology.h"

namespace bth::framework {

Session::Session(SessionContext context)
    : context_(std::move(context)),
      placements_(*context_.snapshot, hooks_, touched_, culprit_),
      notes_(*context_.snapshot, context_.unschedulable, touched_),
      votes_(*context_.snapshot, hooks_, culprit_),
      topology_(std::make_unique<Topology>(*context_.snapshot, hooks_, placements_)),
      shard_(*context_.snapshot) {
  term_counters_ = context_.term_counters;
  if (term_counters_ == nullptr) {
    own_term_counters_ = std::make_unique<TermCounters>();
    term_counters_ = own_term_counters_.get();
  }
  prospects_ = context_.prospects;
  if (prospects_ == nullptr) {
    own_prospects_ = std::make_unique<VictimProspects>();
    prospects_ = own_prospects_.get();
  }
  term_counters_->Begin(*this);
  SetActiveJobs(*context_.snapshot->active_jobs, *context_.snapshot->jobs_without_queue);
  if (context_.reasons != nullptr) context_.reasons->BeginSession();
}

Session::~Session() = default;

void Session::Freeze() {
  topology_->Follow(hooks_);
  shard_.Register(reasons());
  picker_ = std::make_unique<NodePicker>(*this);
}

bool Session::HasAction(std::string_view name) const {
  return context_.policy->HasAction(name);
}

bool Session::IsPendingPhase(model::JobId id) const {
  const model::PodGroupPhase phase = counts(id).phase;
  return phase == model::PodGroupPhase::kNone || phase == model::PodGroupPhase::kPending;
}

}  // namespace bth::framework
