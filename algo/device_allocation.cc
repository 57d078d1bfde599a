#include "algo/device_allocation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace bth::algo {
namespace {

using model::DeviceClaimFacts;
using model::DeviceConstraintFacts;
using model::DeviceDemandFacts;
using model::DeviceRequestFacts;
using model::DeviceSelectorFacts;
using Result = DeviceAllocation::Result;

// A device that a demand may have, were it free.
struct Candidate {
  size_t pool = 0;
  size_t device = 0;
  std::vector<int64_t> consumed;
};

bool Applies(const DeviceConstraintFacts& constraint, const DeviceRequestFacts& request,
             const std::string& label) {
  if (constraint.requests.empty()) return true;
  return std::any_of(
      constraint.requests.begin(), constraint.requests.end(),
      [&](const std::string& name) { return name == request.name || name == label; });
}

// Depth first, with what is taken on the way noted and put back.
class Search {
 public:
  Search(const std::vector<ClaimToAllocate>& claims, const std::vector<OfferedPool>& pools,
         const model::NodeFacts& node, DeviceJudge& judge, int64_t steps_max)
      : claims_(claims), pools_(pools), node_(node), judge_(judge), steps_max_(steps_max) {
    use_.reserve(pools.size());
    for (const OfferedPool& pool : pools) use_.push_back(*pool.use);
    candidates_.resize(claims.size());
    out_.claims.resize(claims.size());
    values_.resize(claims.size());
    for (size_t c = 0; c < claims.size(); ++c) {
      candidates_[c].resize(claims[c].claim->requests.size());
      values_[c].resize(claims[c].claim->constraints.size());
      for (size_t r = 0; r < candidates_[c].size(); ++r) {
        candidates_[c][r].resize(claims[c].claim->requests[r].demands.size());
      }
    }
  }

  DeviceAllocation Run() {
    const bool found = !AsksForTooMany() && NextRequest(0, 0);
    if (out_.result == Result::kNone && found) out_.result = Result::kFound;
    if (out_.result != Result::kFound) out_.claims.clear();
    return std::move(out_);
  }

 private:
  struct Place {
    size_t claim = 0;
    size_t request = 0;
    size_t demand = 0;
  };
  using Candidates = std::vector<Candidate>;

  const DeviceRequestFacts& RequestAt(const Place& at) const {
    return claims_[at.claim].claim->requests[at.request];
  }
  const DeviceDemandFacts& DemandAt(const Place& at) const {
    return RequestAt(at).demands[at.demand];
  }

  // True: the search is over, whatever came of it.
  bool Ended() const { return out_.result != Result::kNone; }
  bool Fail(const Place& at, std::string_view what) {
    out_.result = Result::kFault;
    out_.text = StrCat("claim ", claims_[at.claim].claim->key, ", request ",
                       RequestAt(at).LabelOf(DemandAt(at)), ": ", what);
    return false;
  }
  bool Step() {
    if (++out_.steps <= steps_max_) return true;
    out_.result = Result::kGivenUp;
    return false;
  }

  // However alternatives are chosen.
  bool AsksForTooMany() {
    constexpr auto kMaxOfPod = static_cast<int64_t>(kDevicesPerPodMax);
    int64_t sum_of_pod = 0;
    for (size_t c = 0; c < claims_.size(); ++c) {
      int64_t sum = 0;
      for (size_t r = 0; r < claims_[c].claim->requests.size(); ++r) {
        int64_t least = INT64_MAX;
        for (const DeviceDemandFacts& demand : claims_[c].claim->requests[r].demands) {
          least = std::min(least, demand.all ? 1 : demand.count);
        }
        constexpr auto kMax = static_cast<int64_t>(model::kDevicesPerClaimMax);
        least = std::min(least, kMax + 1);
        sum += least;
        sum_of_pod += least;
        if (sum > kMax) {
          return !Fail({c, r, 0},
                       StrCat("with it the claim asks for more than ", kMax, " devices"));
        }
        if (sum_of_pod > kMaxOfPod) {
          return !Fail({c, r, 0},
                       StrCat("with it the pod asks for more than ", kMaxOfPod, " devices"));
        }
      }
    }
    return false;
  }

  bool NextRequest(size_t claim, size_t request) {
    // Claims may ask for nothing, and there is no limit to how many do.
    while (claim < claims_.size() && request == claims_[claim].claim->requests.size()) {
      ++claim;
      request = 0;
    }
    if (claim == claims_.size()) return true;
    const size_t demands = claims_[claim].claim->requests[request].demands.size();
    for (size_t demand = 0; demand < demands; ++demand) {
      if (TryDemand({claim, request, demand})) return true;
      if (Ended()) return false;
    }
    return false;
  }

  bool TryDemand(const Place& at) {
    const Candidates* candidates = CandidatesAt(at);
    if (candidates == nullptr) return false;
    const DeviceDemandFacts& demand = DemandAt(at);
    const size_t wanted = demand.all ? candidates->size() : static_cast<size_t>(demand.count);
    const size_t given = out_.claims[at.claim].size();
    if (wanted == 0) return false;  // All of nothing.
    if (wanted > model::kDevicesPerClaimMax - std::min(given, model::kDevicesPerClaimMax)) {
      return false;
    }
    // Alternatives, and all there are, may be more than the least that was asked for.
    if (wanted > kDevicesPerPodMax - std::min(given_, kDevicesPerPodMax)) return false;
    return Pick(at, *candidates, 0, wanted);
  }

  // Gives the demand `left` more of the candidates from `from` on, and then goes on.
  bool Pick(const Place& at, const Candidates& candidates, size_t from, size_t left) {
    if (left == 0) return NextRequest(at.claim, at.request + 1);
    const bool all = DemandAt(at).all;
    for (size_t i = from; i < candidates.size(); ++i) {
      if (!Step()) return false;
      const Candidate& candidate = candidates[i];
      const bool shared = pools_[candidate.pool].facts->devices[candidate.device].facts->shared;
      if (TakeIt(at, candidate)) {
        // The same request may have another part of a device that is shared.
        const size_t next = shared && !all && !DemandAt(at).admin ? i : i + 1;
        if (Pick(at, candidates, next, left - 1)) return true;
        PutBack(at, candidate);
        if (Ended()) return false;
      }
      if (all) return false;
      // Too few are left.
      if (!shared && candidates.size() - i - 1 < left && !AnyShared(candidates, i + 1))
        return false;
    }
    return false;
  }

  bool AnyShared(const Candidates& candidates, size_t from) const {
    for (size_t i = from; i < candidates.size(); ++i) {
      if (pools_[candidates[i].pool].facts->devices[candidates[i].device].facts->shared)
        return true;
    }
    return false;
  }

  // A claim has a device once, unless it has several parts of a shared one.
  bool HasInClaim(const Place& at, const Candidate& candidate) const {
    const DeviceClaimFacts& claim = *claims_[at.claim].claim;
    const bool shared = pools_[candidate.pool].facts->devices[candidate.device].facts->shared &&
                        !DemandAt(at).admin;
    const auto& given = out_.claims[at.claim];
    return std::any_of(given.begin(), given.end(), [&](const GivenDevice& device) {
      const bool looks = claim.requests[device.request].demands[device.demand].admin;
      return device.pool == candidate.pool && device.device == candidate.device &&
             (looks || !shared);
    });
  }

  bool TakeIt(const Place& at, const Candidate& candidate) {
    const model::PoolFacts& pool = *pools_[candidate.pool].facts;
    const bool admin = DemandAt(at).admin;
    if (DemandAt(at).all && !Tolerates(DemandAt(at), pool.devices[candidate.device])) {
      return false;
    }
    if (HasInClaim(at, candidate)) return false;
    if (!admin && !HasRoom(pool, candidate.device, candidate.consumed, use_[candidate.pool])) {
      return false;
    }
    if (!EnterConstraints(at, candidate)) return false;
    if (!admin) Take(pool, candidate.device, candidate.consumed, &use_[candidate.pool]);
    ++given_;
    out_.claims[at.claim].push_back({.request = at.request,
                                     .demand = at.demand,
                                     .pool = candidate.pool,
                                     .device = candidate.device,
                                     .consumed = candidate.consumed});
    return true;
  }

  void PutBack(const Place& at, const Candidate& candidate) {
    const model::PoolFacts& pool = *pools_[candidate.pool].facts;
    if (!DemandAt(at).admin) {
      GiveBack(pool, candidate.device, candidate.consumed, &use_[candidate.pool]);
    }
    --given_;
    out_.claims[at.claim].pop_back();
    LeaveConstraints(at, values_[at.claim].size());
  }

  // False: some constraint does not let the device in; then it is in none.
  bool EnterConstraints(const Place& at, const Candidate& candidate) {
    const DeviceClaimFacts& claim = *claims_[at.claim].claim;
    const model::DeviceFacts& device =
        *pools_[candidate.pool].facts->devices[candidate.device].facts;
    const std::string label = RequestAt(at).LabelOf(DemandAt(at));
    for (size_t i = 0; i < claim.constraints.size(); ++i) {
      const DeviceConstraintFacts& constraint = claim.constraints[i];
      if (!Applies(constraint, RequestAt(at), label)) continue;
      auto& values = values_[at.claim][i];
      const model::AttributeValue* value = device.FindAttribute(constraint.attribute);
      const auto common = [value](const model::AttributeValue* other) {
        return value->SharesWith({other});
      };
      const bool fits = value != nullptr &&
                        (constraint.distinct ? std::none_of(values.begin(), values.end(), common)
                                             : value->SharesWith(values));
      if (!fits) {
        LeaveConstraints(at, i);
        return false;
      }
      values.push_back(value);
    }
    return true;
  }

  // Takes the last device out of the first `count` constraints.
  void LeaveConstraints(const Place& at, size_t count) {
    const DeviceClaimFacts& claim = *claims_[at.claim].claim;
    if (count == 0) return;
    const std::string label = RequestAt(at).LabelOf(DemandAt(at));
    for (size_t i = 0; i < count; ++i) {
      if (Applies(claim.constraints[i], RequestAt(at), label)) values_[at.claim][i].pop_back();
    }
  }

  // Null: the search is over.
  const Candidates* CandidatesAt(const Place& at) {
    std::optional<Candidates>& known = candidates_[at.claim][at.request][at.demand];
    if (known) return &*known;
    Candidates found;
    const DeviceDemandFacts& demand = DemandAt(at);
    for (size_t p = 0; p < pools_.size(); ++p) {
      const model::PoolFacts& pool = *pools_[p].facts;
      if (demand.all && !pool.complete) {
        Fail(at, StrCat("asks for all devices, but resource pool ", pool.Id(),
                        " is currently being updated"));
        return nullptr;
      }
      if (demand.all && !pool.fault.empty()) {
        Fail(at, StrCat("asks for all devices, but resource pool ", pool.Id(),
                        " is currently invalid"));
        return nullptr;
      }
      if (!pool.complete || !pool.fault.empty()) continue;
      if (!AddCandidates(at, p, &found)) return nullptr;
    }
    known = std::move(found);
    return &*known;
  }

  bool AddCandidates(const Place& at, size_t p, Candidates* out) {
    const model::PoolFacts& pool = *pools_[p].facts;
    const DeviceDemandFacts& demand = DemandAt(at);
    const model::SliceFacts* slice = nullptr;
    bool slice_reaches = false;
    for (size_t d = 0; d < pool.devices.size(); ++d) {
      if (!Step()) return false;
      const model::PoolDevice& row = pool.devices[d];
      const bool by_device = row.slice->reach.kind == model::DeviceReach::Kind::kByDevice;
      if (slice != row.slice) {
        slice = row.slice;
        slice_reaches = !by_device && slice->reach.Covers(node_);
      }
      if (by_device ? !row.facts->reach.Covers(node_) : !slice_reaches) continue;
      const std::optional<bool> selected = IsSelected(at, pool, d);
      if (!selected) return false;
      if (!*selected) continue;
      Candidate candidate{.pool = p, .device = d, .consumed = {}};
      if (row.facts->shared && !demand.admin) {
        std::optional<std::vector<int64_t>> consumed = Consumption(demand, pool.driver, *row.facts);
        if (!consumed) continue;
        candidate.consumed = *std::move(consumed);
      } else if (!HasCapacity(demand, pool.driver, *row.facts)) {
        continue;
      }
      // Who asks for all devices asks for those too that it may not have.
      if (!demand.all && !Tolerates(demand, row)) continue;
      out->push_back(std::move(candidate));
    }
    return true;
  }

  // Nothing: the search is over.
  std::optional<bool> IsSelected(const Place& at, const model::PoolFacts& pool, size_t device) {
    const model::DeviceClassFacts& device_class = *claims_[at.claim].classes[at.request][at.demand];
    const auto& own = DemandAt(at).selectors;
    const auto of_class = AreMet(device_class.selectors, pool, device);
    if (of_class.fault) {
      Fail(at, StrCat("class ", device_class.name, ": ", *of_class.fault));
      return std::nullopt;
    }
    if (Ended()) return std::nullopt;
    if (!of_class.met) return false;
    const auto of_request = AreMet(own, pool, device);
    if (of_request.fault) {
      Fail(at, *of_request.fault);
      return std::nullopt;
    }
    if (Ended()) return std::nullopt;
    return of_request.met;
  }

  struct Met {
    bool met = true;
    std::optional<std::string> fault;
  };
  Met AreMet(const std::vector<DeviceSelectorFacts>& selectors, const model::PoolFacts& pool,
             size_t device) {
    for (size_t i = 0; i < selectors.size(); ++i) {
      if (selectors[i].test == nullptr) {
        return {false, StrCat("selector #", i, ": CEL compile error: ", selectors[i].fault)};
      }
      const DeviceJudge::Verdict verdict =
          judge_.Judge(*selectors[i].test, pool, device, &out_.steps);
      if (verdict == DeviceJudge::Verdict::kFault) {
        return {false, StrCat("selector #", i, ": CEL runtime error: ",
                              judge_.FaultOf(*selectors[i].test, pool, device))};
      }
      if (!Step() || verdict == DeviceJudge::Verdict::kNo) return {false, std::nullopt};
    }
    return {};
  }

  const std::vector<ClaimToAllocate>& claims_;
  const std::vector<OfferedPool>& pools_;
  const model::NodeFacts& node_;
  DeviceJudge& judge_;
  const int64_t steps_max_;
  std::vector<PoolUse> use_;  // By offered pool.
  // By claim, request and demand; nothing: not looked for yet.
  std::vector<std::vector<std::vector<std::optional<Candidates>>>> candidates_;
  // By claim and constraint: of the devices that are in it, in order.
  std::vector<std::vector<std::vector<const model::AttributeValue*>>> values_;
  size_t given_ = 0;  // Devices, to all claims.
  DeviceAllocation out_;
};

}  // namespace

DeviceAllocation AllocateDevices(const std::vector<ClaimToAllocate>& claims,
                                 const std::vector<OfferedPool>& pools,
                                 const model::NodeFacts& node, DeviceJudge& judge,
                                 int64_t steps_max) {
  return Search(claims, pools, node, judge, steps_max).Run();
}

}  // namespace bth::algo
