// The search for devices against one that looks at every way to give them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/algo/device_world.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::algo::testing {
namespace {

// --- The twin: every way to give devices, in order, each looked at as a whole -----------------

class Twin {
 public:
  explicit Twin(const World& world) : world_(world), claims_(world.ToAllocate()) {
    for (size_t p = 0; p < world.pools.size(); ++p) {
      for (size_t d = 0; d < world.pools[p]->devices.size(); ++d) devices_.push_back({p, d});
    }
    for (size_t c = 0; c < claims_.size(); ++c) {
      for (size_t r = 0; r < claims_[c].claim->requests.size(); ++r) order_.push_back({c, r});
    }
  }

  // Nothing: there is none.
  std::optional<std::vector<std::vector<GivenDevice>>> First() {
    chosen_.assign(claims_.size(), {});
    if (!Next(0)) return std::nullopt;
    return chosen_;
  }

 private:
  using DevicePlace = std::pair<size_t, size_t>;  // Pool, device.

  const DeviceFacts& FactsOf(const DevicePlace& at) const {
    return *world_.pools[at.first]->devices[at.second].facts;
  }

  bool Next(size_t place) {
    if (place == order_.size()) return IsValid();
    const auto [c, r] = order_[place];
    const auto& request = claims_[c].claim->requests[r];
    for (size_t demand = 0; demand < request.demands.size(); ++demand) {
      const DeviceDemandFacts& wanted = request.demands[demand];
      if (wanted.all) {
        std::vector<DevicePlace> all;
        for (const DevicePlace& at : devices_) {
          if (Matches(wanted, at)) all.push_back(at);
        }
        if (!all.empty() && Try(place, demand, all)) return true;
      } else {
        std::vector<DevicePlace> picked;
        if (Choose(place, demand, 0, &picked)) return true;
      }
    }
    return false;
  }

  // Every multiset of devices of the right size, in order.
  bool Choose(size_t place, size_t demand, size_t from, std::vector<DevicePlace>* picked) {
    const auto [c, r] = order_[place];
    if (static_cast<int64_t>(picked->size()) ==
        claims_[c].claim->requests[r].demands[demand].count) {
      return Try(place, demand, *picked);
    }
    for (size_t i = from; i < devices_.size(); ++i) {
      picked->push_back(devices_[i]);
      if (Choose(place, demand, i, picked)) return true;
      picked->pop_back();
    }
    return false;
  }

  bool Try(size_t place, size_t demand, const std::vector<DevicePlace>& picked) {
    const auto [c, r] = order_[place];
    const size_t before = chosen_[c].size();
    const DeviceDemandFacts& wanted = claims_[c].claim->requests[r].demands[demand];
    for (const DevicePlace& at : picked) {
      GivenDevice given{.request = r, .demand = demand, .pool = at.first, .device = at.second};
      if (FactsOf(at).shared && !wanted.admin) {
        const auto consumed = Consumption(wanted, "x.io", FactsOf(at));
        if (consumed) given.consumed = *consumed;
      }
      chosen_[c].push_back(given);
    }
    if (Next(place + 1)) return true;
    chosen_[c].resize(before);
    return false;
  }

  bool Matches(const DeviceDemandFacts& wanted, const DevicePlace& at) const {
    const DeviceFacts& device = FactsOf(at);
    for (const auto& selector : wanted.selectors) {
      if (!selector.test->Run("x.io", device).matches) return false;
    }
    if (device.shared && !wanted.admin) return Consumption(wanted, "x.io", device).has_value();
    return HasCapacity(wanted, "x.io", device);
  }

  bool IsValid() const {
    std::vector<PoolUse> uses = world_.uses;
    for (size_t c = 0; c < claims_.size(); ++c) {
      if (chosen_[c].size() > model::kDevicesPerClaimMax) return false;
      for (size_t i = 0; i < chosen_[c].size(); ++i) {
        const GivenDevice& given = chosen_[c][i];
        const DeviceDemandFacts& wanted =
            claims_[c].claim->requests[given.request].demands[given.demand];
        const DevicePlace at{given.pool, given.device};
        if (!Matches(wanted, at) || !Tolerates(wanted, world_.pools[at.first]->devices[at.second]))
          return false;
        for (size_t j = 0; j < i; ++j) {
          const GivenDevice& other = chosen_[c][j];
          const bool other_looks =
              claims_[c].claim->requests[other.request].demands[other.demand].admin;
          const bool same = other.pool == given.pool && other.device == given.device;
          if (same && (wanted.admin || other_looks || !FactsOf(at).shared)) return false;
        }
        if (wanted.admin) continue;
        PoolUse& use = uses[given.pool];
        if (!FactsOf(at).shared && use.devices[given.device].claims > 0) return false;
        Take(*world_.pools[given.pool], given.device, given.consumed, &use);
      }
      if (!MeetsConstraints(c)) return false;
    }
    for (size_t p = 0; p < uses.size(); ++p) {
      const PoolFacts& pool = *world_.pools[p];
      for (size_t k = 0; k < pool.counters.size(); ++k) {
        if (uses[p].counters[k] > pool.counters[k]) return false;
      }
      for (size_t d = 0; d < pool.devices.size(); ++d) {
        const auto& consumed = uses[p].devices[d].consumed;
        for (size_t k = 0; k < consumed.size(); ++k) {
          if (consumed[k] > pool.devices[d].facts->capacities[k].milli) return false;
        }
      }
    }
    return true;
  }

  bool MeetsConstraints(size_t c) const {
    for (const auto& constraint : claims_[c].claim->constraints) {
      std::vector<int64_t> values;
      for (const GivenDevice& given : chosen_[c]) {
        const auto& request = claims_[c].claim->requests[given.request];
        const std::string label = request.LabelOf(request.demands[given.demand]);
        const bool named =
            constraint.requests.empty() ||
            std::count(constraint.requests.begin(), constraint.requests.end(), request.name) > 0 ||
            std::count(constraint.requests.begin(), constraint.requests.end(), label) > 0;
        if (!named) continue;
        const AttributeValue* value =
            FactsOf({given.pool, given.device}).FindAttribute(constraint.attribute);
        if (value == nullptr) return false;
        values.push_back(value->number);
      }
      std::sort(values.begin(), values.end());
      const auto different = std::unique(values.begin(), values.end()) - values.begin();
      if (constraint.distinct ? different != static_cast<ptrdiff_t>(values.size())
                              : different > 1) {
        return false;
      }
    }
    return true;
  }

  const World& world_;
  const std::vector<ClaimToAllocate> claims_;
  std::vector<DevicePlace> devices_;
  std::vector<std::pair<size_t, size_t>> order_;  // Claim, request.
  std::vector<std::vector<GivenDevice>> chosen_;
};

// --- Random worlds ------------------------------------------------------------------------------

DeviceFacts RandomDevice(Rng& rng, size_t number) {
  DeviceFacts out = Named(StrCat("d", number));
  const auto below = [&rng](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  out.attributes.emplace_back("x.io/kind", Number(below(2)));
  if (rng.Below(5) != 0) out.attributes.emplace_back("x.io/numa", Number(below(2)));
  if (rng.Below(2) == 0) {
    model::DeviceCapacityFacts capacity;
    capacity.name = "x.io/memory";
    capacity.milli = 1000 * (1 + below(4));
    if (rng.Below(3) == 0) {
      capacity.rule.emplace();
      capacity.rule->standard = 1000;
      if (rng.Below(2) == 0) {
        capacity.rule->valid = {1000, 3000};
      } else {
        capacity.rule->has_range = true;
        capacity.rule->min = 1000;
        capacity.rule->step = 1000 * below(3);
      }
    }
    out.capacities.push_back(capacity);
    out.shared = rng.Below(2) == 0;
  }
  if (rng.Below(3) == 0) out.counters.push_back({"set", "slots", 1000 * (1 + below(3))});
  if (rng.Below(6) == 0) out.taints.push_back({.key = "broken", .value = "yes"});
  return out;
}

DeviceDemandFacts RandomDemand(Rng& rng, const std::vector<model::DeviceSelectorFacts>& tests) {
  DeviceDemandFacts out = Demand(1 + static_cast<int64_t>(rng.Below(2)));
  if (rng.Below(3) == 0) out.selectors.push_back(tests[rng.Below(tests.size())]);
  out.all = rng.Below(8) == 0;
  out.admin = rng.Below(8) == 0;
  if (rng.Below(4) == 0) {
    const auto asked = static_cast<int64_t>(500 * (1 + rng.Below(6)));
    out.capacities.push_back(
        {.name = rng.Below(2) == 0 ? "memory" : "x.io/memory", .milli = asked, .binary = false});
  }
  if (rng.Below(3) == 0) out.tolerations.push_back({.key = "broken", .exists = true});
  return out;
}

World RandomWorld(Rng& rng, const std::vector<model::DeviceSelectorFacts>& tests) {
  World world;
  const size_t pools = 1 + rng.Below(2);
  for (size_t p = 0; p < pools; ++p) {
    std::vector<DeviceFacts> devices;
    const size_t count = 1 + rng.Below(3);
    for (size_t d = 0; d < count; ++d) devices.push_back(RandomDevice(rng, d));
    AddPool(&world, StrCat("p", p), std::move(devices), {{"slots", 4000}});
    for (size_t d = 0; d < count; ++d) {
      if (rng.Below(6) != 0) continue;
      std::vector<int64_t> consumed(world.pools[p]->devices[d].facts->capacities.size(), 1000);
      if (!world.pools[p]->devices[d].facts->shared) consumed.assign(consumed.size(), 0);
      if (HasRoom(*world.pools[p], d, consumed, world.uses[p])) {
        Take(*world.pools[p], d, consumed, &world.uses[p]);
      }
    }
  }
  const size_t claims = 1 + rng.Below(2);
  for (size_t c = 0; c < claims; ++c) {
    DeviceClaimFacts& claim = AddClaim(&world);
    const size_t requests = 1 + rng.Below(2);
    for (size_t r = 0; r < requests; ++r) {
      std::vector<DeviceDemandFacts> demands;
      const size_t alternatives = 1 + rng.Below(2);
      for (size_t a = 0; a < alternatives; ++a) {
        demands.push_back(RandomDemand(rng, tests));
        if (alternatives > 1) {
          demands.back().name = StrCat("a", a);
          demands.back().admin = false;
        }
      }
      AddRequest(&claim, StrCat("r", r), std::move(demands));
    }
    if (rng.Below(2) == 0) {
      model::DeviceConstraintFacts constraint;
      constraint.attribute = "x.io/numa";
      constraint.distinct = rng.Below(2) == 0;
      if (rng.Below(2) == 0) constraint.requests = {"r0"};
      claim.constraints.push_back(constraint);
    }
  }
  return world;
}

TEST_CASE("devices: the search finds what looking at every way finds", "[algo][property]") {
  std::vector<model::DeviceSelectorFacts> tests;
  for (int64_t kind = 0; kind < 2; ++kind) {
    tests.push_back({std::make_shared<KindTest>(static_cast<uint64_t>(kind + 1), kind), ""});
  }
  int found = 0;
  int none = 0;
  test::ForEachSeed(600, [&](uint64_t seed) {
    Rng rng(seed);
    const World world = RandomWorld(rng, tests);
    const DeviceAllocation fast = world.Allocate();
    const auto slow = Twin(world).First();
    REQUIRE(fast.result == (slow ? Result::kFound : Result::kNone));
    if (slow) {
      CHECK(fast.claims == *slow);
      ++found;
    } else {
      ++none;
    }
  });
  if (test::FewSeeds()) return;
  CHECK(found > 100);
  CHECK(none > 100);
}

}  // namespace
}  // namespace bth::algo::testing
