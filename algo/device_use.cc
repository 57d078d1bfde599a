#include "algo/device_use.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace bth::algo {

using model::CapacityAmount;
using model::DeviceCapacityFacts;
using model::DeviceDemandFacts;
using model::DeviceFacts;
using model::PoolFacts;

namespace {

bool NamesCapacity(const CapacityAmount& asked, std::string_view driver, std::string_view full) {
  if (StrContains(asked.name, "/")) return asked.name == full;
  return full.size() == driver.size() + 1 + asked.name.size() && full.starts_with(driver) &&
         full[driver.size()] == '/' && full.ends_with(asked.name);
}

// Nothing: more than the rule lets one have.
std::optional<int64_t> RoundUp(int64_t asked, const model::CapacityRule& rule) {
  if (!rule.valid.empty()) {
    const auto at = std::lower_bound(rule.valid.begin(), rule.valid.end(), asked);
    if (at == rule.valid.end()) return std::nullopt;
    return *at;
  }
  if (!rule.has_range) return asked;
  int64_t amount = std::max(asked, rule.min);
  if (rule.step > 0) {
    const int64_t over = (amount - rule.min) % rule.step;
    if (over > 0 && __builtin_add_overflow(amount, rule.step - over, &amount)) return std::nullopt;
  }
  if (rule.max && amount > *rule.max) return std::nullopt;
  return amount;
}

bool AsksOnlyForWhatIsThere(const DeviceDemandFacts& demand, std::string_view driver,
                            const DeviceFacts& device) {
  return std::all_of(demand.capacities.begin(), demand.capacities.end(),
                     [&](const CapacityAmount& asked) {
                       return std::any_of(device.capacities.begin(), device.capacities.end(),
                                          [&](const DeviceCapacityFacts& capacity) {
                                            return NamesCapacity(asked, driver, capacity.name);
                                          });
                     });
}

const CapacityAmount* AskedOf(const DeviceDemandFacts& demand, std::string_view driver,
                              const DeviceCapacityFacts& capacity) {
  for (const CapacityAmount& asked : demand.capacities) {
    if (NamesCapacity(asked, driver, capacity.name)) return &asked;
  }
  return nullptr;
}

// What others wrote may add up to more than there can be.
void AddWithin64(int64_t by, int64_t* sum) {
  if (__builtin_add_overflow(*sum, by, sum)) *sum = INT64_MAX;
}

void Move(const PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed, int sign,
          PoolUse* use) {
  DeviceUse& row = use->devices[device];
  const bool had = row.claims > 0;
  row.claims += sign;
  BTH_DCHECK(row.claims >= 0);
  if (!consumed.empty()) row.consumed.resize(consumed.size());
  for (size_t i = 0; i < consumed.size(); ++i) AddWithin64(sign * consumed[i], &row.consumed[i]);
  // However many share a device, it takes its counters once.
  if (had == (row.claims > 0)) return;
  for (const auto& [counter, milli] : pool.devices[device].counters) {
    AddWithin64(sign * milli, &use->counters[counter]);
  }
}

}  // namespace

void Take(const PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
          PoolUse* use) {
  Move(pool, device, consumed, 1, use);
}

void GiveBack(const PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
              PoolUse* use) {
  Move(pool, device, consumed, -1, use);
}

std::optional<std::vector<int64_t>> Consumption(const DeviceDemandFacts& demand,
                                                std::string_view driver,
                                                const DeviceFacts& device) {
  if (!AsksOnlyForWhatIsThere(demand, driver, device)) return std::nullopt;
  std::vector<int64_t> out;
  for (const DeviceCapacityFacts& capacity : device.capacities) {
    const CapacityAmount* asked = AskedOf(demand, driver, capacity);
    int64_t amount = capacity.milli;
    if (asked != nullptr) {
      amount = asked->milli;
      if (capacity.rule) {
        const std::optional<int64_t> rounded = RoundUp(amount, *capacity.rule);
        if (!rounded) return std::nullopt;
        amount = *rounded;
      }
    } else if (capacity.rule) {
      amount = capacity.rule->standard;
    }
    if (amount > capacity.milli || amount < 0) return std::nullopt;
    out.push_back(amount);
  }
  return out;
}

bool HasCapacity(const DeviceDemandFacts& demand, std::string_view driver,
                 const DeviceFacts& device) {
  if (!AsksOnlyForWhatIsThere(demand, driver, device)) return false;
  return std::all_of(device.capacities.begin(), device.capacities.end(),
                     [&](const DeviceCapacityFacts& capacity) {
                       const CapacityAmount* asked = AskedOf(demand, driver, capacity);
                       return asked == nullptr || asked->milli <= capacity.milli;
                     });
}

bool HasRoom(const PoolFacts& pool, size_t device, const std::vector<int64_t>& consumed,
             const PoolUse& use) {
  const DeviceUse& row = use.devices[device];
  const DeviceFacts& facts = *pool.devices[device].facts;
  if (!facts.shared) {
    if (row.claims > 0) return false;
  } else {
    for (size_t i = 0; i < consumed.size(); ++i) {
      const int64_t taken = i < row.consumed.size() ? row.consumed[i] : 0;
      if (consumed[i] > facts.capacities[i].milli - taken) return false;
    }
  }
  if (row.claims > 0) return true;
  return std::all_of(pool.devices[device].counters.begin(), pool.devices[device].counters.end(),
                     [&](const auto& takes) {
                       return takes.second <=
                              pool.counters[takes.first] - use.counters[takes.first];
                     });
}

bool Tolerates(const DeviceDemandFacts& demand, const model::PoolDevice& device) {
  const auto tolerates = [&demand](const model::DeviceTaintFacts& taint) {
    const std::string_view effect =
        taint.effect == model::TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
    return std::any_of(demand.tolerations.begin(), demand.tolerations.end(),
                       [&](const model::DeviceTolerationFacts& toleration) {
                         if (!toleration.effect.empty() && toleration.effect != effect)
                           return false;
                         if (!toleration.key.empty() && toleration.key != taint.key) return false;
                         return toleration.exists ||
                                (!toleration.key.empty() && toleration.value == taint.value);
                       });
  };
  const auto& own = device.facts->taints;
  return std::all_of(own.begin(), own.end(), tolerates) &&
         std::all_of(device.taints.begin(), device.taints.end(), tolerates);
}

}  // namespace bth::algo
