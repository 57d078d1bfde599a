// What a sub-job has to place, and what of it was not enough.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::framework {

// Tells beforehand in which HyperNodes trying is in vain: those that have no room for more, of each
// kind of tasks, than was placed somewhere and was not enough. This holds as long as whoever is not
// ready with some tasks is not ready with fewer of them either. Thread: scheduling. Cost of a
// question: kinds times failures.
class GangDemand {
 public:
  // Of tasks, by kind.
  using Counts = absl::InlinedVector<int32_t, 4>;
  // Of the same kinds: each of `few` is at most what `many` has.
  static bool AllAtMost(const Counts& few, const Counts& many);
  // `room` is for more, of some kind, than each of those that were not enough.
  static bool MayBeEnough(const Counts& room, const std::vector<Counts>& not_enough);

  // Tasks that ask for something, and tasks that do not, for which there is always room.
  GangDemand(const Session& session, absl::Span<const model::TaskId> tasks,
             absl::Span<const model::TaskId> best_effort);

  // False: it cannot be placed there. Before anything failed, nobody knows.
  bool MayHold(const Session& session, model::HyperNodeId id) const;
  // At most so many tasks that ask for something find room there, of so many that are like it.
  int64_t RoomIn(const Session& session, model::HyperNodeId id, int64_t sub_jobs = 1) const;
  int64_t tasks() const { return tasks_; }
  bool alike() const { return kinds_.size() == 1; }
  // As many of the same kinds.
  bool IsLike(const GangDemand& other) const { return kinds_ == other.kinds_; }
  // Tasks of each kind that find room there at most.
  Counts RoomByKind(const Session& session, model::HyperNodeId id) const;
  Counts CountsOf(const Session& session, absl::Span<const model::TaskId> tasks) const;
  // At most so many sub-jobs with this demand, and without tasks that ask for nothing, come about
  // there together, by what is known not to be enough for one.
  int64_t TimesIn(const Session& session, model::HyperNodeId id) const;
  // The same with all tasks of each.
  int64_t WholeTimesIn(const Session& session, model::HyperNodeId id) const;

  // These were placed together, nothing more could be, and they were not enough.
  void NoteFailure(const Session& session, absl::Span<const model::TaskId> placed);
  bool failed() const { return !failures_.empty(); }

  struct Kind {
    model::RoleId role;
    model::ShapeId shape;
    bool best_effort = false;
    int32_t tasks = 0;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  // In order of role and shape.
  const std::vector<Kind>& kinds() const { return kinds_; }
  // What was placed somewhere and was not enough, of each kind.
  const std::vector<Counts>& failures() const { return failures_; }

 private:
  // Of so many failures what was placed is remembered, by kind; it is enough to know the largest.
  static constexpr size_t kFailuresMax = 16;

  size_t KindOf(const Session& session, model::TaskId task) const;
  void Add(const Session& session, model::TaskId task, bool best_effort);
  int64_t RoomFor(const Session& session, const Kind& kind, model::HyperNodeId id) const;
  int32_t LeastOf(size_t kind) const;

  std::vector<Kind> kinds_;
  int64_t tasks_ = 0;
  std::vector<Counts> failures_;
};

}  // namespace bth::framework
