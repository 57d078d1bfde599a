#include "actions/domain_failures.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "api/model/quantity_text.h"
#include "base/cut_text.h"
#include "base/strings.h"
#include "framework/report/figures.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::JobDemand;
using model::HyperNodeId;
using model::JobId;
using model::ResourceVec;
using model::TaskId;

namespace {

// A part of a reason.
std::string Shortened(std::string_view why) {
  constexpr size_t kWhyBytes = 200;
  const std::string_view cut = CutText(why, kWhyBytes);
  return StrCat(cut, cut.size() < why.size() ? "…" : "");
}

}  // namespace

void DomainFailures::Note(JobId job, HyperNodeId inside) {
  Failure failure{.inside = inside};
  absl::flat_hash_map<model::SubJobId, int32_t> left;
  for (TaskId task : *session_.job(job).tasks) {
    if (session_.state(task).status != model::TaskStatus::kPending) continue;
    const bool is_placed = session_.notes().PlanOf(task) != nullptr;
    failure.placed += is_placed ? 1 : 0;
    left[session_.task(task).sub_job] += is_placed ? 0 : 1;
    const framework::TaskFit* fit = session_.notes().FitOf(task);
    if (fit != nullptr && failure.why.empty()) failure.why = fit->Text();
  }
  failure.sub_jobs = static_cast<int32_t>(left.size());
  for (const auto& [sub_job, tasks] : left) failure.whole += tasks == 0 ? 1 : 0;
  const int32_t tier = session_.topology().tree().tier(inside);
  const auto [known, fresh] = by_tier_.try_emplace(tier, failure);
  if (!fresh && failure.placed > known->second.placed) known->second = std::move(failure);
}

HyperNodeId DomainFailures::best() const {
  const auto best = std::max_element(
      by_tier_.begin(), by_tier_.end(),
      [](const auto& a, const auto& b) { return a.second.placed < b.second.placed; });
  return best == by_tier_.end() ? HyperNodeId() : best->second.inside;
}

// Pods, or whole sub-jobs where there are several; pods also where no sub-job has room.
std::string DomainFailures::RoomText(HyperNodeId id, const JobDemand& demand) const {
  const int64_t pods = demand.TasksIn(session_, id);
  const std::string of_pods = StrCat(pods, " of ", demand.tasks(), " pods");
  if (demand.sub_jobs() == 1) {
    return pods < demand.tasks() ? StrCat(" has room for ", of_pods) : "";
  }
  const int64_t sub_jobs = demand.WholeSubJobsIn(session_, id);
  if (sub_jobs == static_cast<int64_t>(demand.sub_jobs())) return "";
  return StrCat(" has room for ", sub_jobs, " of ", demand.sub_jobs(), " sub-groups",
                sub_jobs == 0 ? StrCat(", for ", of_pods) : "");
}

// The first dimension that the nodes have too little of together, now and when releasing pods have
// left; empty: one of the two suffices. What is free changes all the time.
std::string DomainFailures::ShortText(HyperNodeId id, const ResourceVec& minimum,
                                      std::string_view whose) const {
  const framework::DomainSum& sum = session_.topology().sums().Of(id);
  if (minimum.AllAtMost(sum.free) || minimum.AllAtMost(sum.free_later)) return "";
  ResourceVec most = sum.free;
  for (size_t i = 0; i < most.q.size(); ++i) most.q[i] = std::max(most.q[i], sum.free_later.q[i]);
  const model::DimensionTable& dims = session_.dims();
  const auto first_beyond = [&](const ResourceVec& free) {
    for (const int dim : model::DimsByName(minimum.Positive(), dims)) {
      if (minimum[dim] > free[dim]) return dim;
    }
    return -1;
  };
  const bool is_short_for_good = first_beyond(most) >= 0;
  const ResourceVec& has = is_short_for_good ? most : sum.free_later;
  const int dim = first_beyond(has);
  const std::string_view name = dims.name(dim);
  return StrCat(" has too little ", name, " free: ", whose, " asks for ",
                model::QuantityText(dims, dim, minimum[dim]), " ", name,
                framework::Figures(StrCat(model::QuantityText(dims, dim, has[dim]), " ", name)));
}

std::string DomainFailures::SumText(HyperNodeId id, const JobDemand& demand,
                                    const ResourceVec& minimum) const {
  std::string text = ShortText(id, minimum, "minResources");
  if (!text.empty()) return text;
  text = ShortText(id, demand.minimum(),
                   demand.sub_jobs() == 1 ? "all that waits" : "all that waits of a sub-group");
  if (!text.empty()) return text;
  return " does not take it either";  // For reasons that were told before.
}

std::string DomainFailures::LackAt(int32_t tier, const JobDemand& demand,
                                   const ResourceVec& minimum) const {
  const model::HyperNodeTree& tree = session_.topology().tree();
  HyperNodeId best;
  std::pair<int64_t, int64_t> most = {-1, -1};
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    if (tree.tier(id) != tier || tree[id].nodes == 0) continue;
    const std::pair<int64_t, int64_t> room = {
        demand.sub_jobs() == 1 ? 0 : demand.WholeSubJobsIn(session_, id),
        demand.TasksIn(session_, id)};
    if (room <= most) continue;
    most = room;
    best = id;
  }
  if (!best.valid()) return StrCat("at tier ", tier, " no HyperNode has any node");
  const std::string lack = RoomText(best, demand);
  return StrCat("at tier ", tier, " ", NameOf(best),
                lack.empty() ? SumText(best, demand, minimum) : lack);
}

std::string DomainFailures::NameOf(HyperNodeId id) const {
  const model::HyperNodeTree& tree = session_.topology().tree();
  return id == tree.root() ? "the cluster" : tree[id].name;
}

std::string DomainFailures::Text(int32_t tier, const Failure& failure) const {
  const std::string sub_jobs =
      failure.sub_jobs > 1 ? StrCat(failure.whole, " of ", failure.sub_jobs, " sub-groups, ") : "";
  return StrCat("at tier ", tier, " ", NameOf(failure.inside), " takes ", sub_jobs, failure.placed,
                failure.placed == 1 ? " pod" : " pods",
                failure.why.empty() ? "" : StrCat(" (", Shortened(failure.why), ")"));
}

std::string DomainFailures::ByTier(JobId job, const JobDemand& demand,
                                   const ResourceVec& minimum) const {
  constexpr size_t kTiersTold = 4;
  std::set<int32_t> tiers;
  for (const auto& [tier, failure] : by_tier_) tiers.insert(tier);
  const std::optional<int32_t> bound = session_.topology().BoundOf(job);
  if (bound && !session_.topology().AllocatedIn(job).valid()) {
    const std::vector<int32_t>& all = session_.topology().tree().tiers;
    tiers.insert(all.begin(), std::upper_bound(all.begin(), all.end(), *bound));
  }
  std::vector<std::string> told;
  size_t at = 0;
  for (const int32_t tier : tiers) {
    const bool is_last = ++at == tiers.size();
    if (at >= kTiersTold && !is_last) continue;
    if (at > kTiersTold) told.push_back(StrCat("and so on at ", at - kTiersTold, " more tiers"));
    const auto failure = by_tier_.find(tier);
    told.push_back(failure == by_tier_.end() ? LackAt(tier, demand, minimum)
                                             : Text(tier, failure->second));
  }
  return absl::StrJoin(told, "; ");
}

}  // namespace bth::actions
