#include "plugins/predicates/device_claim_book.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "plugins/predicates/device_results.h"

namespace bth::plugins::predicates {

using algo::ClaimToAllocate;
using algo::DeviceAllocation;
using algo::OfferedPool;
using algo::PoolUse;
using model::AllocationFacts;
using model::DeviceClaimFacts;
using model::DeviceClaimsView;
using model::NodeId;
using model::PoolFacts;
using model::TaskId;

namespace {

// A pod may look at so many nodes to the full, and all pods of a session at so many, before the
// rest is given up: what one tenant asks for must not hold up the others. A turn has the steps of
// as many as a pod, so that the job that begins it has all that its first pod may take.
constexpr int64_t kNodesPerTask = 8;
constexpr int64_t kNodesPerSession = 20;
// Answers of nodes are remembered of so many kinds of claims: 160 KB each at 10,000 nodes.
constexpr size_t kAnsweredMax = 64;
constexpr absl::Duration kConditionsTimeout = absl::Minutes(10);

void AddPools(const DeviceClaimsView& view, std::string_view node,
              std::vector<const PoolFacts*>* pools) {
  view.pools.VisitPrefix(DeviceClaimsView::PoolsOf(node), [pools](const PoolFacts& pool) {
    pools->push_back(&pool);
    return true;
  });
}

// Of a task that was placed on a node.
std::string WhyNotThere(const DeviceFit& fit) {
  return StrCat(fit.text.empty() ? WordsFor(fit.kind) : std::string_view(fit.text),
                "; a node with the devices is looked for unless enablePredicate of plugin "
                "predicates is false");
}

std::vector<ClaimToAllocate> WithClasses(const DeviceClaimsView& view,
                                         const std::vector<const DeviceClaimFacts*>& claims) {
  std::vector<ClaimToAllocate> out;
  for (const DeviceClaimFacts* claim : claims) {
    ClaimToAllocate& row = out.emplace_back();
    row.claim = claim;
    for (const model::DeviceRequestFacts& request : claim->requests) {
      auto& classes = row.classes.emplace_back();
      for (const model::DeviceDemandFacts& demand : request.demands) {
        classes.push_back(view.classes.Find(demand.device_class));
      }
    }
  }
  return out;
}

}  // namespace

// With copies of what is taken of pools in which a claim has devices that it gives back: for itself
// alone, since others can have them once that was written.
struct DeviceClaimBook::Offer {
  std::vector<OfferedPool> pools;
  std::vector<std::unique_ptr<PoolUse>> changed;
};

std::string_view WordsFor(DeviceFit::Kind kind) {
  switch (kind) {
    case DeviceFit::Kind::kElsewhere:
      return "resourceclaim not available on the node";
    case DeviceFit::Kind::kNone:
      return "cannot allocate all claims";
    case DeviceFit::Kind::kGivenUp:
      return "timed out trying to allocate devices";
    case DeviceFit::Kind::kFits:
    case DeviceFit::Kind::kFault:
      break;
  }
  return "";
}

const DeviceClaimsView& DevicesOf(const model::Snapshot& base) {
  static const auto* const kNone = new DeviceClaimsView();
  return base.device_claims == nullptr ? *kNone : *base.device_claims;
}

DeviceClaimBook::DeviceClaimBook(framework::Session& session, int64_t steps_max,
                                 DeviceVerdicts& verdicts)
    : session_(session),
      view_(DevicesOf(session.base())),
      steps_max_(steps_max),
      steps_left_(kNodesPerSession * steps_max),
      turn_steps_left_(kNodesPerTask * steps_max),
      verdicts_(verdicts) {
  if (view_.extended != nullptr) ListServed();
}

DeviceClaimBook::~DeviceClaimBook() = default;

const AllocationFacts* DeviceClaimBook::AllocationOf(const DeviceClaimFacts& claim) const {
  const auto hold = holds_.find(&claim);
  if (hold != holds_.end() && hold->second.allocation != nullptr) {
    return hold->second.allocation.get();
  }
  return claim.allocation.get();
}

DeviceClaimBook::Answers* DeviceClaimBook::AnswersFor(const Claims& claims, TaskId task) {
  if (!claims.why_nowhere.empty() || placed_.contains(task)) return nullptr;
  std::vector<const model::DeviceAskId*> asks;
  for (const DeviceClaimFacts* claim : claims.all) {
    if (claim->ask == nullptr || claim->allocation != nullptr || holds_.contains(claim)) {
      return nullptr;
    }
    asks.push_back(claim->ask.get());
  }
  if (claims.extended == nullptr && ExtendedOf(task) != 0) {
    auto& ask = asks_[session_.shape(session_.task(task).shape).constraints];
    if (ask == nullptr) ask = std::make_unique<const model::DeviceAskId>();
    asks.push_back(ask.get());
  }
  const auto known = answers_.find(asks);
  if (known != answers_.end()) return known->second.get();
  if (answers_.size() == kAnsweredMax) answers_.clear();
  return answers_.emplace(std::move(asks), std::make_unique<Answers>()).first->second.get();
}

uint64_t DeviceClaimBook::StampOf(NodeId node) const {
  return changes_ + (changes_on_.Contains(node) ? changes_on_[node] : 0);
}

void DeviceClaimBook::NoteUse(const PoolFacts& pool, NodeId node) {
  const std::string& name = session_.node(node).name;
  const bool local =
      std::all_of(pool.slices.begin(), pool.slices.end(), [&name](const auto& slice) {
        return slice->reach.kind == model::DeviceReach::Kind::kNode && slice->reach.node == name;
      });
  if (local) {
    changes_on_.EnsureContains(node);
    ++changes_on_[node];
  } else {
    ++changes_;
  }
}

std::optional<std::vector<const DeviceClaimFacts*>> DeviceClaimBook::ToAllocate(
    const Claims& claims, TaskId task, const model::NodeFacts& node) {
  std::vector<const DeviceClaimFacts*> out;
  for (const DeviceClaimFacts* claim : claims.all) {
    const AllocationFacts* allocation = AllocationOf(*claim);
    if (allocation != nullptr && allocation->Covers(node)) continue;
    // What nobody else uses, a binding that failed or an earlier life of the scheduler left: it may
    // be given up for devices on another node.
    const bool is_left = allocation != nullptr && !holds_.contains(claim) &&
                         claim->IsFreeFor(session_.task(task).names->uid) &&
                         WhyNotAllocatable(*claim).empty();
    if (allocation != nullptr && !is_left) return std::nullopt;
    out.push_back(claim);
  }
  if (claims.extended != nullptr) return out;
  if (const model::DimMask served = ServedOn(ExtendedOf(task), node); served != 0) {
    const DeviceClaimFacts* unmade = &UnmadeFor(task, served).facts;
    const AllocationFacts* allocation = AllocationOf(*unmade);
    if (allocation == nullptr) {
      out.push_back(unmade);
    } else if (!allocation->Covers(node)) {
      return std::nullopt;
    }
  }
  return out;
}

PoolUse& DeviceClaimBook::UseOf(const PoolFacts& pool) {
  std::unique_ptr<PoolUse>& known = uses_[&pool];
  if (known != nullptr) return *known;
  known = std::make_unique<PoolUse>(pool);
  PoolUse& use = *known;
  for (size_t d = 0; d < pool.devices.size(); ++d) {
    const model::DeviceUseFacts* taken = view_.in_use.Find(pool.DeviceKey(d));
    if (taken == nullptr) continue;
    std::vector<int64_t> consumed;
    for (const model::DeviceCapacityFacts& capacity : pool.devices[d].facts->capacities) {
      int64_t& amount = consumed.emplace_back(0);
      for (const model::CapacityAmount& of : taken->consumed) {
        if (of.name == capacity.name) amount = of.milli;
      }
    }
    algo::Take(pool, d, consumed, &use);
    use.devices[d].claims = taken->claims;
  }
  return use;
}

std::optional<DeviceClaimBook::GivenFrom> DeviceClaimBook::Locate(
    const std::vector<const PoolFacts*>& pools, const model::AllocatedDeviceFacts& device) const {
  for (const PoolFacts* pool : pools) {
    if (pool->driver != device.driver || pool->name != device.pool) continue;
    for (size_t d = 0; d < pool->devices.size(); ++d) {
      if (pool->devices[d].facts->name != device.device) continue;
      GivenFrom out{.pool = pool, .device = d, .consumed = {}};
      for (const model::DeviceCapacityFacts& capacity : pool->devices[d].facts->capacities) {
        int64_t& amount = out.consumed.emplace_back(0);
        for (const model::CapacityAmount& of : device.consumed) {
          if (of.name == capacity.name) amount = of.milli;
        }
      }
      return out;
    }
  }
  return std::nullopt;
}

const std::vector<const PoolFacts*>& DeviceClaimBook::PoolsOf(NodeId node) {
  pools_on_.EnsureContains(node);
  std::optional<std::vector<const PoolFacts*>>& known = pools_on_[node];
  if (known) return *known;
  std::vector<const PoolFacts*>& pools = known.emplace();
  if (!wide_pools_) AddPools(view_, DeviceClaimsView::kEverywhere, &wide_pools_.emplace());
  AddPools(view_, session_.node(node).name, &pools);
  if (!wide_pools_->empty()) {
    pools.insert(pools.end(), wide_pools_->begin(), wide_pools_->end());
    std::sort(pools.begin(), pools.end(), [](const PoolFacts* a, const PoolFacts* b) {
      if (a->driver != b->driver) return a->driver < b->driver;
      return a->name < b->name;
    });
    pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
  }
  return pools;
}

DeviceClaimBook::Offer DeviceClaimBook::OfferOf(
    NodeId node, const std::vector<const DeviceClaimFacts*>& claims) {
  const std::vector<const PoolFacts*>& pools = PoolsOf(node);
  Offer offer;
  for (const PoolFacts* pool : pools) offer.pools.push_back({pool, &UseOf(*pool)});
  for (const DeviceClaimFacts* claim : claims) {
    if (claim->allocation == nullptr) continue;
    for (const model::AllocatedDeviceFacts& device : claim->allocation->devices) {
      if (device.admin) continue;
      const std::optional<GivenFrom> had = Locate(pools, device);
      if (!had) continue;
      for (OfferedPool& pool : offer.pools) {
        if (pool.facts != had->pool) continue;
        offer.changed.push_back(std::make_unique<PoolUse>(*pool.use));
        algo::GiveBack(*pool.facts, had->device, had->consumed, offer.changed.back().get());
        pool.use = offer.changed.back().get();
      }
    }
  }
  return offer;
}

std::string_view DeviceClaimBook::JobOf(TaskId task) const {
  const model::TaskRow& row = session_.task(task);
  return row.job.valid() ? session_.job(row.job).facts->name : row.names->name;
}

// Those of the turn count only where the session's do not suffice.
int64_t& DeviceClaimBook::StepsFor(TaskId task, int64_t wanted) {
  const bool may_help = steps_left_ < wanted && steps_left_ < turn_steps_left_;
  const bool by_turn =
      may_help && verdicts_.turns().IsTurnOf(session_.task(task).names->ns, JobOf(task));
  return by_turn ? turn_steps_left_ : steps_left_;
}

DeviceAllocation DeviceClaimBook::Allocate(TaskId task, NodeId node,
                                           const std::vector<const DeviceClaimFacts*>& claims,
                                           const Offer& offer) {
  int64_t& used = steps_of_[task];
  const int64_t own = std::min(steps_max_, kNodesPerTask * steps_max_ - used);
  int64_t& left = own > 0 ? StepsFor(task, own) : steps_left_;
  const bool cut_short = own > 0 && left < own;
  const int64_t runs = verdicts_.runs();
  DeviceAllocation found = algo::AllocateDevices(
      WithClasses(view_, claims), offer.pools, session_.node(node), verdicts_, std::min(own, left));
  // Looks that cost little are free: of them there are as many as nodes.
  const int64_t dear = std::max<int64_t>(0, found.steps - steps_max_ / 100);
  used += dear;
  left -= dear;
  if (found.result != DeviceAllocation::Result::kGivenUp) return found;
  if (cut_short) verdicts_.turns().CutOff(session_.task(task).names->ns, JobOf(task));
  // The next session begins with all its steps, and no expression is run again.
  if (cut_short || verdicts_.runs() != runs) {
    cut_short_.insert(task);
    session_.NoteCutShort();
  }
  if (session_.context().metrics != nullptr) {
    session_.context().metrics->LimitReached("device_steps");
  }
  return found;
}

DeviceFit DeviceClaimBook::FitOf(const DeviceAllocation& found,
                                 const std::vector<const DeviceClaimFacts*>& claims) const {
  using Result = DeviceAllocation::Result;
  if (found.result == Result::kNone) return {.kind = DeviceFit::Kind::kNone, .text = ""};
  if (found.result == Result::kGivenUp) return {.kind = DeviceFit::Kind::kGivenUp, .text = ""};
  if (found.result == Result::kFault) return {.kind = DeviceFit::Kind::kFault, .text = found.text};
  constexpr int64_t kBestAlternative = 8;
  DeviceFit fit;
  for (size_t c = 0; c < claims.size(); ++c) {
    size_t next = 0;
    for (const algo::GivenDevice& device : found.claims[c]) {
      if (device.request < next) continue;
      next = device.request + 1;
      if (!claims[c]->requests[device.request].prioritized) continue;
      fit.score += kBestAlternative - static_cast<int64_t>(device.demand);
    }
  }
  return fit;
}

DeviceFit DeviceClaimBook::Fit(TaskId task, NodeId node) {
  if (!Concerns(task)) return {};
  const Claims& resolved = Resolve(task);
  Answer* answer = nullptr;
  if (resolved.answers != nullptr) {
    resolved.answers->EnsureContains(node);
    answer = &(*resolved.answers)[node];
    if (answer->stamp == StampOf(node)) {
      return {.kind = answer->fits ? DeviceFit::Kind::kFits : DeviceFit::Kind::kNone,
              .text = "",
              .score = answer->score};
    }
  }
  const auto claims = ToAllocate(resolved, task, session_.node(node));
  if (!claims) return {.kind = DeviceFit::Kind::kElsewhere, .text = ""};
  if (claims->empty()) return {};
  DeviceFit fit = FitOf(Allocate(task, node, *claims, OfferOf(node, *claims)), *claims);
  const bool fits = fit.kind == DeviceFit::Kind::kFits;
  if (answer != nullptr && (fits || fit.kind == DeviceFit::Kind::kNone)) {
    *answer = {.stamp = StampOf(node), .score = static_cast<int32_t>(fit.score), .fits = fits};
  }
  return fit;
}

bool DeviceClaimBook::HasAlternatives(TaskId task) {
  if (!Concerns(task)) return false;
  const Claims& claims = Resolve(task);
  return std::any_of(claims.all.begin(), claims.all.end(), [this](const DeviceClaimFacts* claim) {
    return AllocationOf(*claim) == nullptr &&
           std::any_of(claim->requests.begin(), claim->requests.end(),
                       [](const auto& request) { return request.prioritized; });
  });
}

void DeviceClaimBook::Place(TaskId task, NodeId node) {
  if (!Concerns(task) || !node.valid()) return;
  // What was placed before this session has its claims.
  if (session_.base().usage.tasks[task].status != model::TaskStatus::kPending) return;
  Placed placed = Give(task, node);
  resolved_task_ = TaskId();
  if (!placed.claims.empty() || !placed.why_not.empty()) placed_[task] = std::move(placed);
}

DeviceClaimBook::Placed DeviceClaimBook::Give(TaskId task, NodeId node) {
  const Claims resolved = Resolve(task);
  const model::NodeFacts& facts = session_.node(node);
  Placed placed;
  placed.why_not = resolved.why_nowhere;
  if (!placed.why_not.empty()) return placed;
  const auto claims = ToAllocate(resolved, task, facts);
  if (!claims) {
    placed.why_not = WhyNotThere({.kind = DeviceFit::Kind::kElsewhere, .text = ""});
    return placed;
  }
  placed.extended = resolved.extended;
  std::vector<const DeviceClaimFacts*> all = resolved.all;
  if (!claims->empty()) {
    const Offer offer = OfferOf(node, *claims);
    const std::vector<ClaimToAllocate> with_classes = WithClasses(view_, *claims);
    // What Fit found is found again, in no more steps, whatever was searched for since.
    const DeviceAllocation found =
        algo::AllocateDevices(with_classes, offer.pools, facts, verdicts_, steps_max_);
    if (found.result != DeviceAllocation::Result::kFound) {
      placed.why_not = WhyNotThere(FitOf(found, *claims));
      return placed;
    }
    for (size_t c = 0; c < claims->size(); ++c) {
      Hold& hold = holds_[(*claims)[c]];
      if (IsUnmade(*(*claims)[c])) {
        all.push_back((*claims)[c]);
        placed.extended = UnmadeFor(task, ServedOn(ExtendedOf(task), facts)).extended;
      }
      hold.allocation = AllocationFrom(with_classes[c], found.claims[c], offer.pools, facts);
      hold.node = node;
      for (const algo::GivenDevice& given : found.claims[c]) {
        if ((*claims)[c]->requests[given.request].demands[given.demand].admin) continue;
        const PoolFacts* pool = offer.pools[given.pool].facts;
        algo::Take(*pool, given.device, given.consumed, &UseOf(*pool));
        NoteUse(*pool, node);
        hold.given.push_back({pool, given.device, given.consumed});
      }
    }
  }
  // Those that are allocated and reserved for it, too: what is known of them may be old, and what
  // was written for an earlier attempt is being taken back.
  const std::string& uid = session_.task(task).names->uid;
  for (const DeviceClaimFacts* claim : all) {
    Hold& hold = holds_[claim];
    ++hold.tasks;
    hold.new_users += claim->IsReservedFor(uid) ? 0 : 1;
    placed.claims.push_back(claim);
  }
  return placed;
}

void DeviceClaimBook::Remove(TaskId task) {
  const auto placed = placed_.find(task);
  if (placed == placed_.end()) return;
  resolved_task_ = TaskId();
  const std::string& uid = session_.task(task).names->uid;
  for (const DeviceClaimFacts* claim : placed->second.claims) {
    const auto hold = holds_.find(claim);
    hold->second.new_users -= claim->IsReservedFor(uid) ? 0 : 1;
    if (--hold->second.tasks > 0) continue;
    for (const GivenFrom& given : hold->second.given) {
      algo::GiveBack(*given.pool, given.device, given.consumed, &UseOf(*given.pool));
      NoteUse(*given.pool, hold->second.node);
    }
    holds_.erase(hold);
  }
  placed_.erase(placed);
}

std::shared_ptr<const model::ClaimPlan> DeviceClaimBook::PlanOf(TaskId task) const {
  const auto placed = placed_.find(task);
  const std::string why_not =
      placed == placed_.end() ? WhyWithoutAny(task) : placed->second.why_not;
  if (placed == placed_.end() && why_not.empty()) return nullptr;
  auto plan = std::make_shared<model::ClaimPlan>();
  plan->timeout = kConditionsTimeout;
  if (!why_not.empty()) {
    plan->why_not = why_not;
    return plan;
  }
  for (const DeviceClaimFacts* claim : placed->second.claims) {
    model::ClaimPlan::Claim& row = plan->claims.emplace_back();
    if (!IsUnmade(*claim)) row.key = claim->key;
    row.uid = claim->uid;
    row.allocation = holds_.at(claim).allocation;
    if (claim->for_extended) row.extended = placed->second.extended;
  }
  return plan;
}

uint64_t DeviceClaimBook::DigestOf() const {
  std::vector<uint64_t> parts;  // In no order that matters.
  for (const auto& [task, placed] : placed_) {
    Digest digest;
    digest.Add(task.value());
    for (const DeviceClaimFacts* claim : placed.claims) {
      const Hold& hold = holds_.at(claim);
      digest.Add(claim->key);
      digest.Add(static_cast<uint64_t>(hold.tasks));
      if (hold.allocation == nullptr) continue;
      for (const auto& device : hold.allocation->devices) digest.Add(device.Key());
    }
    parts.push_back(digest.value());
  }
  std::sort(parts.begin(), parts.end());
  Digest digest;
  for (uint64_t part : parts) digest.Add(part);
  digest.Add(holds_.size());
  return digest.value();
}

}  // namespace bth::plugins::predicates
