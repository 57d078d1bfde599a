#include "framework/topology/gang_demand.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "framework/topology/topology.h"

namespace bth::framework {

using model::HyperNodeId;
using model::TaskId;

namespace {

// Each of `few` is at most what `many` has.
bool AllAtMost(absl::Span<const int32_t> few, absl::Span<const int32_t> many) {
  return std::equal(few.begin(), few.end(), many.begin(),
                    [](int32_t a, int32_t b) { return a <= b; });
}

}  // namespace

GangDemand::GangDemand(const Session& session, absl::Span<const TaskId> tasks,
                       absl::Span<const TaskId> best_effort)
    : tasks_(static_cast<int64_t>(tasks.size())) {
  for (TaskId task : tasks) Add(session, task, /*best_effort=*/false);
  for (TaskId task : best_effort) Add(session, task, /*best_effort=*/true);
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

int64_t GangDemand::RoomIn(const Session& session, HyperNodeId id) const {
  int64_t room = 0;
  for (const Kind& kind : kinds_) {
    if (!kind.best_effort) room += RoomFor(session, kind, id);
  }
  return room;
}

bool GangDemand::MayHold(const Session& session, HyperNodeId id) const {
  if (failures_.empty()) return true;
  absl::InlinedVector<int32_t, 8> room;
  for (const Kind& kind : kinds_) {
    room.push_back(static_cast<int32_t>(RoomFor(session, kind, id)));
  }
  return std::none_of(failures_.begin(), failures_.end(),
                      [&room](const auto& placed) { return AllAtMost(room, placed); });
}

void GangDemand::NoteFailure(const Session& session, absl::Span<const TaskId> placed) {
  std::vector<int32_t> counts(kinds_.size(), 0);
  for (TaskId task : placed) {
    const size_t i = KindOf(session, task);
    if (i < kinds_.size()) ++counts[i];
  }
  const auto has_more = [&counts](const auto& known) { return AllAtMost(counts, known); };
  if (std::any_of(failures_.begin(), failures_.end(), has_more)) return;
  const auto has_less = [&counts](const auto& known) { return AllAtMost(known, counts); };
  std::erase_if(failures_, has_less);
  if (failures_.size() == kFailuresMax) failures_.erase(failures_.begin());
  failures_.push_back(std::move(counts));
}

int64_t GangDemand::too_few() const {
  if (!alike() || kinds_.front().best_effort || failures_.empty()) return -1;
  return failures_.front().front();
}

}  // namespace bth::framework
