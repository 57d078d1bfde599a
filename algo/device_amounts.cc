#include "algo/device_amounts.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::algo {

using model::ClassAmounts;

namespace {

int64_t SumWithin64(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t ProductWithin64(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return out;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

int64_t& AmountIn(ClassAmounts& row, const std::string& dimension) {
  for (auto& [name, milli] : row.amounts) {
    if (name == dimension) return milli;
  }
  return row.amounts.emplace_back(dimension, 0).second;
}

const int64_t* FindAmount(const ClassAmounts& row, const std::string& dimension) {
  for (const auto& [name, milli] : row.amounts) {
    if (name == dimension) return &milli;
  }
  return nullptr;
}

bool IsNothing(const ClassAmounts& row) {
  return row.count == 0 && std::all_of(row.amounts.begin(), row.amounts.end(),
                                       [](const auto& amount) { return amount.second == 0; });
}

}  // namespace

std::string AmountName(std::string_view device_class) {
  return StrCat("deviceclass/", device_class);
}
std::string AmountName(std::string_view device_class, std::string_view dimension) {
  return StrCat(dimension, ".", AmountName(device_class));
}

DeviceAmounts AmountsOf(const model::DeviceClaimFacts& claim, bool parts) {
  DeviceAmounts out;
  for (const model::DeviceRequestFacts& request : claim.requests) {
    if (request.prioritized) continue;
    for (const model::DeviceDemandFacts& demand : request.demands) {
      if (demand.all || demand.device_class.empty()) continue;
      ClassAmounts& row = out[demand.device_class];
      row.device_class = demand.device_class;
      row.count = SumWithin64(row.count, demand.count);
      if (!parts) continue;
      for (const model::CapacityAmount& asked : demand.capacities) {
        int64_t& sum = AmountIn(row, asked.name);
        sum = SumWithin64(sum, ProductWithin64(asked.milli, demand.count));
      }
    }
  }
  return out;
}

void Add(const DeviceAmounts& more, int64_t times, DeviceAmounts* sum) {
  for (const auto& [name, amounts] : more) {
    ClassAmounts& row = (*sum)[name];
    row.device_class = name;
    row.count = SumWithin64(row.count, ProductWithin64(amounts.count, times));
    for (const auto& [dimension, milli] : amounts.amounts) {
      int64_t& amount = AmountIn(row, dimension);
      amount = SumWithin64(amount, ProductWithin64(milli, times));
    }
    if (IsNothing(row)) sum->erase(name);
  }
}

std::optional<std::string> FirstBeyond(const model::DeviceQuota& quota, const DeviceAmounts& held,
                                       const DeviceAmounts& more) {
  static const ClassAmounts& kNothing = *new ClassAmounts();
  for (const auto& [name, asked] : more) {
    const auto limit =
        std::find_if(quota.classes.begin(), quota.classes.end(),
                     [&n = name](const ClassAmounts& row) { return row.device_class == n; });
    if (limit == quota.classes.end()) continue;
    const auto known = held.find(name);
    const ClassAmounts& has = known == held.end() ? kNothing : known->second;
    if (limit->count > 0 && SumWithin64(has.count, asked.count) > limit->count) {
      return AmountName(name);
    }
    for (const auto& [dimension, milli] : asked.amounts) {
      const int64_t* most = FindAmount(*limit, dimension);
      const int64_t* taken = FindAmount(has, dimension);
      if (most == nullptr || SumWithin64(taken == nullptr ? 0 : *taken, milli) > *most) {
        return AmountName(name, dimension);
      }
    }
  }
  return std::nullopt;
}

}  // namespace bth::algo
