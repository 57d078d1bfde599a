// How good HyperNodes are for a job at most.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"
#include "framework/topology/job_demand.h"

namespace bth::actions {

// A job scores what its sub-jobs score, placed one after the other: each no more than in the best
// HyperNode that it may be tried in, once those before it are there. That holds if each of them is
// placed once, whole or not at all, which no policy guarantees: it is known when the first trial
// has shown it, and beforehand only of a job without policies of sub-jobs. Sub-jobs that have got
// nothing keep their order whatever others got. Thread: scheduling. Cost: sub-jobs times
// HyperNodes.
class MostScores {
 public:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  // All of them outlive it; of a job with policies, the demand has looked where sums would do.
  MostScores(const framework::Session& session, model::JobId job, const Worksheet& worksheet,
             const framework::JobDemand& demand);

  // Of each HyperNode of the row. Before hold(), a guess of which to try first.
  std::vector<double> Of(const std::vector<model::HyperNodeId>& row) const;
  bool hold() const { return hold_; }

  // A trial begins; a sub-job was placed, and `rest` is left of it; the job stands.
  void Begin();
  void NotePlaced(const SubJobWorksheet& rest);
  void NoteStands();

 private:
  struct Part {
    model::SubJobId sub_job;
    std::vector<model::TaskId> tasks;
    model::ResourceVec before;  // What those before it ask for.
  };
  size_t CallsOf(model::JobId job) const;
  std::vector<double> Scores(const Part& part, absl::Span<const model::HyperNodeId> ids) const;

  const framework::Session& session_;
  const framework::JobDemand& demand_;
  const bool has_policy_;
  std::vector<Part> parts_;  // Those with tasks that ask for something, in order.
  bool may_hold_ = false;    // Nothing of the job has a place, and all of it asks
                             // for something.
  size_t calls_ = 0;         // So many of them make the job ready.
  bool hold_ = false;
  bool shown_ = false;     // Some trial succeeded.
  bool all_whole_ = true;  // In the trial at hand.
  absl::flat_hash_set<model::SubJobId> placed_;
  absl::flat_hash_set<const framework::GangDemand*> kinds_placed_;
};

}  // namespace bth::actions
