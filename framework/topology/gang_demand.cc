#include "framework/topology/gang_demand.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "framework/topology/topology.h"

namespace bth::framework {

using model::HyperNodeId;
using model::TaskId;

bool GangDemand::AllAtMost(const Counts& few, const Counts& many) {
  return std::equal(few.begin(), few.end(), many.begin(),
                    [](int32_t a, int32_t b) { return a <= b; });
}

bool GangDemand::MayBeEnough(const Counts& room, const std::vector<Counts>& not_enough) {
  return std::none_of(not_enough.begin(), not_enough.end(),
                      [&room](const Counts& placed) { return AllAtMost(room, placed); });
}

GangDemand::GangDemand(const Session& session, absl::Span<const TaskId> tasks,
                       absl::Span<const TaskId> best_effort)
    : tasks_(static_cast<int64_t>(tasks.size())) {
  for (TaskId task : tasks) Add(session, task, /*best_effort=*/false);
  for (TaskId task : best_effort) Add(session, task, /*best_effort=*/true);
  std::sort(kinds_.begin(), kinds_.end(), [](const Kind& a, const Kind& b) {
    return std::tie(a.role, a.shape) < std::tie(b.role, b.shape);
  });
}

size_t GangDemand::KindOf(const Session& session, TaskId task) const {
  const model::TaskRow& row = session.task(task);
  size_t i = 0;
  while (i < kinds_.size() && (kinds_[i].shape != row.shape || kinds_[i].role != row.role)) ++i;
  return i;
}

void GangDemand::Add(const Session& session, TaskId task, bool best_effort) {
  const size_t i = KindOf(session, task);
  if (i == kinds_.size()) {
    const model::TaskRow& row = session.task(task);
    kinds_.push_back({.role = row.role, .shape = row.shape, .best_effort = best_effort});
  }
  ++kinds_[i].tasks;
}

int64_t GangDemand::RoomFor(const Session& session, const Kind& kind, HyperNodeId id) const {
  if (kind.best_effort) return kind.tasks;
  return std::min<int64_t>(kind.tasks, session.topology().SlotsIn(session, kind.shape, id));
}

int64_t GangDemand::RoomIn(const Session& session, HyperNodeId id, int64_t sub_jobs) const {
  int64_t room = 0;
  for (const Kind& kind : kinds_) {
    if (kind.best_effort) continue;
    room += std::min(kind.tasks * sub_jobs, session.topology().SlotsIn(session, kind.shape, id));
  }
  return room;
}

GangDemand::Counts GangDemand::RoomByKind(const Session& session, HyperNodeId id) const {
  Counts room;
  for (const Kind& kind : kinds_) {
    room.push_back(static_cast<int32_t>(RoomFor(session, kind, id)));
  }
  return room;
}

// Tasks of the kind without which no sub-job comes about: more than were not enough beside all
// tasks of the other kinds.
int32_t GangDemand::LeastOf(size_t kind) const {
  int32_t least = kinds_.size() == 1 ? 1 : 0;
  for (const Counts& placed : failures_) {
    bool has_others = true;
    for (size_t i = 0; i < kinds_.size(); ++i) {
      has_others &= i == kind || placed[i] >= kinds_[i].tasks;
    }
    if (has_others) least = std::max(least, placed[kind] + 1);
  }
  return least;
}

int64_t GangDemand::TimesIn(const Session& session, HyperNodeId id) const {
  if (!MayHold(session, id)) return 0;
  int64_t times = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < kinds_.size(); ++i) {
    const int32_t least = LeastOf(i);
    if (least == 0) continue;
    times = std::min(times, session.topology().SlotsIn(session, kinds_[i].shape, id) / least);
  }
  return times;
}

int64_t GangDemand::WholeTimesIn(const Session& session, HyperNodeId id) const {
  int64_t times = std::numeric_limits<int64_t>::max();
  for (const Kind& kind : kinds_) {
    if (kind.best_effort) continue;
    times = std::min(times, session.topology().SlotsIn(session, kind.shape, id) / kind.tasks);
  }
  return times;
}

bool GangDemand::MayHold(const Session& session, HyperNodeId id) const {
  return failures_.empty() || MayBeEnough(RoomByKind(session, id), failures_);
}

GangDemand::Counts GangDemand::CountsOf(const Session& session,
                                        absl::Span<const TaskId> tasks) const {
  Counts counts(kinds_.size(), 0);
  for (TaskId task : tasks) {
    const size_t i = KindOf(session, task);
    if (i < kinds_.size()) ++counts[i];
  }
  return counts;
}

void GangDemand::NoteFailure(const Session& session, absl::Span<const TaskId> placed) {
  Counts counts = CountsOf(session, placed);
  const auto has_more = [&counts](const auto& known) { return AllAtMost(counts, known); };
  if (std::any_of(failures_.begin(), failures_.end(), has_more)) return;
  const auto has_less = [&counts](const auto& known) { return AllAtMost(known, counts); };
  std::erase_if(failures_, has_less);
  if (failures_.size() == kFailuresMax) failures_.erase(failures_.begin());
  failures_.push_back(std::move(counts));
}

}  // namespace bth::framework
