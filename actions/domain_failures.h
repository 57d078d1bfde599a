// What the best HyperNodes of each tier lack for a job, for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"
#include "framework/topology/job_demand.h"

namespace bth::actions {

// Of one job at a time. Thread: scheduling. Cost: the HyperNodes, when somebody asks.
class DomainFailures {
 public:
  explicit DomainFailures(const framework::Session& session) : session_(session) {}

  void Clear() { by_tier_.clear(); }
  // A trial in it has failed; what was planned of the gang before it was let go tells how near it
  // came.
  void Note(model::JobId job, model::HyperNodeId inside);
  // The one that came nearest; invalid: none was tried.
  model::HyperNodeId best() const;

  // The best of each tier, the lowest tiers first and the highest last; as much as people read. Of
  // tiers in which nothing was tried, what the one with the most room has room for, or what it has
  // too little of. `minimum`: what sums must hold for the job as a whole.
  std::string ByTier(model::JobId job, const framework::JobDemand& demand,
                     const model::ResourceVec& minimum) const;

 private:
  // The best that failed at one tier.
  struct Failure {
    model::HyperNodeId inside;
    int32_t placed = 0;    // Pods,
    int32_t whole = 0;     // and sub-jobs of which nothing is left,
    int32_t sub_jobs = 0;  // of so many.
    std::string why;
  };
  std::string NameOf(model::HyperNodeId id) const;
  std::string LackAt(int32_t tier, const framework::JobDemand& demand,
                     const model::ResourceVec& minimum) const;
  std::string RoomText(model::HyperNodeId id, const framework::JobDemand& demand) const;
  std::string SumText(model::HyperNodeId id, const framework::JobDemand& demand,
                      const model::ResourceVec& minimum) const;
  std::string ShortText(model::HyperNodeId id, const model::ResourceVec& minimum,
                        std::string_view whose) const;
  std::string Text(int32_t tier, const Failure& failure) const;

  const framework::Session& session_;
  std::map<int32_t, Failure> by_tier_;
};

}  // namespace bth::actions
