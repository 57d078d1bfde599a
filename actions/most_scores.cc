#include "actions/most_scores.h"

#include <algorithm>
#include <utility>

#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::Session;
using model::HyperNodeId;
using model::JobId;
using model::TaskId;

namespace {

// These and all below them, each after the one that it is in.
std::vector<HyperNodeId> WithAllBelow(absl::Span<const HyperNodeId> row,
                                      const model::HyperNodeTree& tree,
                                      std::vector<size_t>* parents) {
  std::vector<HyperNodeId> ids(row.begin(), row.end());
  parents->assign(ids.size(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    for (HyperNodeId child : tree[ids[i]].children) {
      ids.push_back(child);
      parents->push_back(i);
    }
  }
  return ids;
}

int64_t HowOften(int64_t lacking, int64_t each) {
  return lacking <= 0 ? 0 : (lacking + each - 1) / each;
}

}  // namespace

MostScores::MostScores(const Session& session, JobId job, const Worksheet& worksheet,
                       const framework::JobDemand& demand)
    : session_(session), demand_(demand), has_policy_(session.job(job).has_sub_group_policy) {
  const framework::Topology& topology = session.topology();
  may_hold_ = !topology.AllocatedIn(job).valid();
  hold_ = may_hold_ && !has_policy_;
  model::ResourceVec before;
  for (const SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    may_hold_ &= !has_policy_ || sub_job.best_effort.empty();
    may_hold_ &= !topology.AllocatedIn(sub_job.sub_job).valid();
    if (sub_job.tasks.empty()) continue;
    parts_.push_back(
        {.sub_job = sub_job.sub_job, .tasks = sub_job.tasks.items(), .before = before});
    for (TaskId task : sub_job.tasks.items()) before += session.request(task);
  }
  calls_ = CallsOf(job);
}

// Of sub-jobs that are alike so many are placed as the minimum needs; of others all may be.
size_t MostScores::CallsOf(JobId job) const {
  if (parts_.empty() || demand_.kinds_of_sub_jobs() != 1) return parts_.size();
  const model::JobRow& row = session_.job(job);
  const auto each = static_cast<int64_t>(parts_.front().tasks.size());
  int64_t calls = HowOften(row.min_available - session_.counts(job).ready(), each);
  const int32_t group = session_.base().sub_jobs[parts_.front().sub_job].group;
  if (group >= 0) {
    int64_t ready = 0;
    for (model::SubJobId id : *row.sub_jobs) {
      const bool counts = session_.base().sub_jobs[id].group == group;
      ready += counts && session_.votes().SubJobReady(job, id) ? 1 : 0;
    }
    calls =
        std::max<int64_t>(calls, (*row.group_minimums)[static_cast<size_t>(group)].second - ready);
  }
  return static_cast<size_t>(std::clamp<int64_t>(calls, 1, static_cast<int64_t>(parts_.size())));
}

// Empty: nothing is known.
std::vector<double> MostScores::Scores(const Part& part, absl::Span<const HyperNodeId> ids) const {
  if (!has_policy_) return framework::RankHyperNodes(session_, part.sub_job, ids);
  std::vector<double> scores =
      framework::MostOfHyperNodes(session_, part.sub_job, part.before, ids);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!demand_.MayTry(part.sub_job, ids[i])) scores[i] = 0;
  }
  return scores;
}

std::vector<double> MostScores::Of(const std::vector<HyperNodeId>& row) const {
  if (!may_hold_ || row.size() == 1) return std::vector<double>(row.size(), kUnknown);
  std::vector<size_t> parents;
  const std::vector<HyperNodeId> ids = WithAllBelow(row, session_.topology().tree(), &parents);
  std::vector<double> most(row.size(), 0);
  for (size_t call = 0; call < calls_; ++call) {
    std::vector<double> scores = Scores(parts_[call], ids);
    if (scores.empty()) return std::vector<double>(row.size(), kUnknown);
    for (size_t i = ids.size(); i-- > row.size();) {
      scores[parents[i]] = std::max(scores[parents[i]], scores[i]);
    }
    for (size_t i = 0; i < row.size(); ++i) most[i] += std::max(scores[i], 0.0);
  }
  return most;
}

void MostScores::Begin() {
  all_whole_ = true;
  placed_.clear();
  kinds_placed_.clear();
}

void MostScores::NotePlaced(const SubJobWorksheet& rest) {
  if (shown_) return;
  const auto part = std::find_if(parts_.begin(), parts_.end(),
                                 [&rest](const Part& one) { return one.sub_job == rest.sub_job; });
  const auto is_allocated = [this](TaskId task) {
    return session_.state(task).status == model::TaskStatus::kAllocated;
  };
  all_whole_ &= part != parts_.end() && rest.tasks.empty() &&
                std::all_of(part->tasks.begin(), part->tasks.end(), is_allocated);
  all_whole_ &= placed_.insert(rest.sub_job).second;
  kinds_placed_.insert(&demand_.Of(rest.sub_job));
}

// A sub-job whose last task made it ready is not ready without it, anywhere. As many as made the
// job ready do so everywhere, if they are alike and none of them is pipelined to room that is not
// free yet.
void MostScores::NoteStands() {
  if (!has_policy_ || std::exchange(shown_, true)) return;
  const bool all_may_be_placed = calls_ == parts_.size();
  const bool nobody_leaves = session_.usage().releasing_tasks == 0;
  hold_ = may_hold_ && all_whole_ && kinds_placed_.size() == demand_.kinds_of_sub_jobs() &&
          (all_may_be_placed || (placed_.size() <= calls_ && nobody_leaves));
}

}  // namespace bth::actions
