// What a sub-job has to place, and what of it was not enough.
#pragma once

#include <cstdint>
#include <vector>

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
  // Tasks that ask for something, and tasks that do not, for which there is always room.
  GangDemand(const Session& session, absl::Span<const model::TaskId> tasks,
             absl::Span<const model::TaskId> best_effort);

  // False: it cannot be placed there. Before anything failed, nobody knows.
  bool MayHold(const Session& session, model::HyperNodeId id) const;
  // At most so many tasks that ask for something find room there.
  int64_t RoomIn(const Session& session, model::HyperNodeId id) const;
  int64_t tasks() const { return tasks_; }
  bool alike() const { return kinds_.size() == 1; }

  // These were placed together, nothing more could be, and they were not enough.
  void NoteFailure(const Session& session, absl::Span<const model::TaskId> placed);
  bool failed() const { return !failures_.empty(); }

  // Of one whose tasks are all alike: how many of them were not enough at most; below zero: nothing
  // is known, or they are not alike.
  int64_t too_few() const;
  model::ShapeId shape() const { return kinds_.front().shape; }

 private:
  struct Kind {
    model::RoleId role;
    model::ShapeId shape;
    bool best_effort = false;
    int32_t tasks = 0;
  };
  // Of so many failures what was placed is remembered, by kind; it is enough to know the largest.
  static constexpr size_t kFailuresMax = 16;

  size_t KindOf(const Session& session, model::TaskId task) const;
  void Add(const Session& session, model::TaskId task, bool best_effort);
  int64_t RoomFor(const Session& session, const Kind& kind, model::HyperNodeId id) const;

  std::vector<Kind> kinds_;
  int64_t tasks_ = 0;
  std::vector<std::vector<int32_t>> failures_;
};

}  // namespace bth::framework
