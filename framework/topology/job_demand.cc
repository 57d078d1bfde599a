#include "framework/topology/job_demand.h"

#include <algorithm>
#include <utility>

#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::framework {

using model::HyperNodeId;
using model::HyperNodeTree;
using model::SubJobId;
using model::TaskId;

JobDemand::JobDemand(const Session& session, model::JobId job, absl::Span<const SubJob> sub_jobs)
    : has_policy_(session.job(job).has_sub_group_policy) {
  for (const SubJob& sub_job : sub_jobs) {
    if (sub_job.tasks.empty() && sub_job.best_effort.empty()) continue;
    ++sub_jobs_;
    GangDemand demand(session, sub_job.tasks, sub_job.best_effort);
    tasks_ += demand.tasks();
    size_t at = 0;
    while (at < parts_.size() && !(parts_[at].demand.IsLike(demand) &&
                                   AreAlike(session, parts_[at].members.front(), sub_job.id))) {
      ++at;
    }
    if (at == parts_.size()) {
      parts_.push_back(
          {.demand = std::move(demand), .has_best_effort = !sub_job.best_effort.empty()});
    }
    parts_[at].members.push_back(sub_job.id);
    part_of_.emplace(sub_job.id, at);
  }
}

// Of one policy, with nothing placed, and in the same state.
bool JobDemand::AreAlike(const Session& session, SubJobId a, SubJobId b) {
  const model::SubJobRow& left = session.base().sub_jobs[a];
  const model::SubJobRow& right = session.base().sub_jobs[b];
  const model::SubJobCounts& of_left = session.usage().sub_jobs[a];
  const model::SubJobCounts& of_right = session.usage().sub_jobs[b];
  return left.group == right.group && left.min_available == right.min_available &&
         of_left.by_status == of_right.by_status &&
         of_left.pending_best_effort == of_right.pending_best_effort &&
         !session.topology().AllocatedIn(a).valid() && !session.topology().AllocatedIn(b).valid();
}

bool JobDemand::failed() const {
  return !failures_.empty() || std::any_of(parts_.begin(), parts_.end(),
                                           [](const Part& part) { return part.demand.failed(); });
}

void JobDemand::LookWhere(const Session& session, bool for_least) {
  const HyperNodeTree& tree = session.topology().tree();
  for (Part& part : parts_) {
    const SubJobId one = part.members.front();
    const HyperNodeGradient gradient =
        GradientFor(session, {.job = session.base().sub_jobs[one].job,
                              .sub_job = one,
                              .inside = tree.root(),
                              .for_least = for_least});
    part.minimum = gradient.minimum;
    part.anywhere =
        part.has_best_effort || (gradient.rows.size() == 1 && gradient.rows.front().size() == 1 &&
                                 gradient.rows.front().front() == tree.root());
    if (part.anywhere) continue;
    part.reach.assign(tree.rows.size(), kOut);
    for (const std::vector<HyperNodeId>& row : gradient.rows) {
      for (HyperNodeId id : row) {
        part.reach[id] = kIn;
        for (id = tree[id].parent; id.valid() && part.reach[id] == kOut; id = tree[id].parent) {
          part.reach[id] = kAbove;
        }
      }
    }
  }
}

bool JobDemand::MayTry(const Part& part, HyperNodeId id) {
  return part.anywhere || part.reach[id] == kIn;
}
bool JobDemand::MayTry(SubJobId sub_job, HyperNodeId id) const {
  return MayTry(parts_[part_of_.at(sub_job)], id);
}

bool JobDemand::MayBeIn(HyperNodeId id) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [id](const Part& part) { return part.anywhere || part.reach[id] != kOut; });
}

// Those that sub-jobs of the part may be tried in, without those below them.
template <typename Fn>
void JobDemand::ForEachPlace(const HyperNodeTree& tree, const Part& part, HyperNodeId inside,
                             const Fn& fn) {
  std::vector<HyperNodeId> left = {inside};
  while (!left.empty()) {
    const HyperNodeId id = left.back();
    left.pop_back();
    if (MayTry(part, id)) {
      fn(id);
    } else if (part.reach[id] == kAbove) {
      left.insert(left.end(), tree[id].children.begin(), tree[id].children.end());
    }
  }
}

JobDemand::Fit JobDemand::FitIn(const Session& session, const Part& part, HyperNodeId id) const {
  const auto all = static_cast<int64_t>(part.members.size());
  Fit fit{.times = part.has_best_effort ? all : 0};
  if (!part.has_best_effort) {
    ForEachPlace(session.topology().tree(), part, id, [&](HyperNodeId place) {
      if (fit.times < all) fit.times += std::min(all, part.demand.TimesIn(session, place));
    });
    fit.times = std::min(fit.times, all);
  }
  if (fit.times > 0) fit.each = part.demand.RoomByKind(session, id);
  return fit;
}

// Each sub-job that may come about has its like among those that were not enough together.
bool JobDemand::IsCovered(absl::Span<const Fit> fits, const Failure& failure) {
  for (size_t i = 0; i < fits.size(); ++i) {
    const auto has_as_much = [&](const Counts& placed) {
      return GangDemand::AllAtMost(fits[i].each, placed);
    };
    if (fits[i].times > 0 &&
        std::count_if(failure[i].begin(), failure[i].end(), has_as_much) < fits[i].times) {
      return false;
    }
  }
  return true;
}

bool JobDemand::MayHold(const Session& session, HyperNodeId id) const {
  if (!has_policy_) return MayBeIn(id) && parts_.front().demand.MayHold(session, id);
  if (!failed()) return true;
  absl::InlinedVector<Fit, 4> fits;
  bool any = false;
  for (const Part& part : parts_) {
    fits.push_back(FitIn(session, part, id));
    any |= fits.back().times > 0;
  }
  return any && std::none_of(failures_.begin(), failures_.end(),
                             [&fits](const Failure& failure) { return IsCovered(fits, failure); });
}

int64_t JobDemand::RoomIn(const Session& session, HyperNodeId id) const {
  if (sub_jobs_ == 1) return parts_.front().demand.RoomIn(session, id);
  int64_t room = 0;
  for (const Part& part : parts_) room += FitIn(session, part, id).times;
  return room;
}

int64_t JobDemand::TasksIn(const Session& session, HyperNodeId id) const {
  int64_t sum = 0;
  for (const Part& part : parts_) {
    sum += part.demand.RoomIn(session, id, static_cast<int64_t>(part.members.size()));
  }
  return sum;
}

int64_t JobDemand::WholeSubJobsIn(const Session& session, HyperNodeId id) const {
  int64_t sum = 0;
  for (const Part& part : parts_) {
    const auto all = static_cast<int64_t>(part.members.size());
    int64_t of_part = 0;
    ForEachPlace(session.topology().tree(), part, id, [&](HyperNodeId place) {
      if (of_part < all) of_part += std::min(all, part.demand.WholeTimesIn(session, place));
    });
    sum += std::min(of_part, all);
  }
  return sum;
}

void JobDemand::NoteFailure(const Session& session, absl::Span<const Statement::Placed> placed) {
  if (!has_policy_) return;  // That of the sub-job says it all.
  absl::flat_hash_map<SubJobId, std::vector<TaskId>> by_sub_job;
  for (const Statement::Placed& one : placed) {
    by_sub_job[session.task(one.task).sub_job].push_back(one.task);
  }
  Failure failure(parts_.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    for (SubJobId member : parts_[i].members) {
      const auto found = by_sub_job.find(member);
      if (found == by_sub_job.end()) continue;
      failure[i].push_back(parts_[i].demand.CountsOf(session, found->second));
    }
  }
  if (failures_.size() == kFailuresMax) failures_.erase(failures_.begin());
  failures_.push_back(std::move(failure));
}

}  // namespace bth::framework
