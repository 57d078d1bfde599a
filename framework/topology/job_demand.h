// What a job has to place, sub-job by sub-job, and what of it was not enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/model/hyper_nodes.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "base/ids.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "framework/topology/gang_demand.h"

namespace bth::framework {

// Tells beforehand in which HyperNodes trying is in vain. A sub-job finds room in one of those that
// its own bound allows: each of these takes so many that are alike and no more, and what all below
// a HyperNode take together is what it takes. In vain is one that takes no more sub-jobs of any
// kind, with no more tasks each, than were placed somewhere and were not enough. This holds as long
// as whoever is not ready with some tasks is not ready with fewer of them either, and as long as
// sub-jobs that are alike count alike. Thread: scheduling. Cost of a question: sub-jobs times
// failures, and the HyperNodes below that bounds of sub-jobs allow.
class JobDemand {
 public:
  struct SubJob {
    model::SubJobId id;
    absl::Span<const model::TaskId> tasks;        // That ask for something,
    absl::Span<const model::TaskId> best_effort;  // and that do not.
  };
  JobDemand(const Session& session, model::JobId job, absl::Span<const SubJob> sub_jobs);

  size_t sub_jobs() const { return sub_jobs_; }
  // Of a sub-job that has something to place: it shares it with those that are alike.
  GangDemand& Of(model::SubJobId sub_job) { return parts_[part_of_.at(sub_job)].demand; }
  const GangDemand& Of(model::SubJobId sub_job) const {
    return parts_[part_of_.at(sub_job)].demand;
  }
  // All sub-jobs are, and all tasks.
  bool alike() const { return parts_.size() == 1 && parts_.front().demand.alike(); }
  size_t kinds_of_sub_jobs() const { return parts_.size(); }
  bool failed() const;

  // Finds out in which HyperNodes sums would do for sub-jobs, as things stand; what is placed from
  // then on only takes room. `for_least` as in HyperNodeQuestion. Cost: one gradient for each kind
  // of sub-jobs.
  void LookWhere(const Session& session, bool for_least);
  // What sums had to hold for the first kind of sub-jobs.
  const model::ResourceVec& minimum() const { return parts_.front().minimum; }
  // The sub-job, or some sub-job, may be tried there; or, of `MayBeIn`, in one below.
  bool MayTry(model::SubJobId sub_job, model::HyperNodeId id) const;
  bool MayBeIn(model::HyperNodeId id) const;

  // False: the job cannot be placed there. Before anything failed, nobody knows.
  bool MayHold(const Session& session, model::HyperNodeId id) const;
  // How much of it finds room there at most, of `whole`: tasks of its only sub-job, or sub-jobs.
  int64_t RoomIn(const Session& session, model::HyperNodeId id) const;
  int64_t whole() const { return sub_jobs_ == 1 ? tasks_ : static_cast<int64_t>(sub_jobs_); }
  // At most so many tasks that ask for something find room there, of `tasks`.
  int64_t TasksIn(const Session& session, model::HyperNodeId id) const;
  int64_t tasks() const { return tasks_; }
  // At most so many sub-jobs find room there with all their tasks.
  int64_t WholeSubJobsIn(const Session& session, model::HyperNodeId id) const;

  // These were placed together, nothing more could be, and the job was not ready.
  void NoteFailure(const Session& session, absl::Span<const Statement::Placed> placed);

 private:
  using Counts = GangDemand::Counts;
  enum Reach : uint8_t { kOut, kAbove, kIn };

  // Sub-jobs that are alike.
  struct Part {
    GangDemand demand;
    std::vector<model::SubJobId> members = {};
    bool has_best_effort = false;  // Such pods go anywhere below the HyperNode of the job.
    bool anywhere = true;          // Sums have no say.
    IdVector<model::HyperNodeId, Reach> reach = {};
    model::ResourceVec minimum = {};
  };
  // Of the sub-jobs of one part in one HyperNode: at most so many of them, with so many tasks each.
  struct Fit {
    int64_t times = 0;
    Counts each = {};
  };
  // By part: the tasks of each sub-job that got something, by kind.
  using Failure = std::vector<std::vector<Counts>>;
  static constexpr size_t kFailuresMax = 16;

  static bool AreAlike(const Session& session, model::SubJobId a, model::SubJobId b);
  static bool MayTry(const Part& part, model::HyperNodeId id);
  template <typename Fn>
  static void ForEachPlace(const model::HyperNodeTree& tree, const Part& part,
                           model::HyperNodeId inside, const Fn& fn);
  Fit FitIn(const Session& session, const Part& part, model::HyperNodeId id) const;
  static bool IsCovered(absl::Span<const Fit> fits, const Failure& failure);

  const bool has_policy_;
  size_t sub_jobs_ = 0;  // That have something to place.
  int64_t tasks_ = 0;
  std::vector<Part> parts_;
  absl::flat_hash_map<model::SubJobId, size_t> part_of_;
  std::vector<Failure> failures_;
};

}  // namespace bth::framework
