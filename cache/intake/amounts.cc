#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "api/model/resource_vec.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"

namespace bth::cache {
namespace {

int64_t AmountOf(const NamedAmounts& amounts, const std::string& name) {
  for (const auto& [key, amount] : amounts) {
    if (key == name) return amount;
  }
  return 0;
}

bool CountsInBytes(const std::string& name) {
  return name == "memory" || name == "pods" || name == "ephemeral-storage" ||
         name.rfind("hugepages-", 0) == 0;
}

absl::Status NegativeError(const std::string& name, const types::Quantity& quantity) {
  return absl::InvalidArgumentError(
      StrCat(name, ": quantity ", quantity.ToString(), " is negative"));
}

// At most what counts of an amount that stands for many objects, at least nothing.
int64_t ClampedAmount(const std::string& name, const types::Quantity& quantity) {
  if (quantity.is_negative()) return 0;
  const int64_t amount =
      CountsInBytes(name) ? quantity.Value() : quantity.MilliValue().value_or(kAmountSumMax);
  return std::min(amount, kAmountSumMax);
}

}  // namespace

bool SameAmounts(const NamedAmounts& a, const NamedAmounts& b) {
  const auto covers = [](const NamedAmounts& x, const NamedAmounts& y) {
    return std::all_of(x.begin(), x.end(), [&y](const auto& entry) {
      return AmountOf(y, entry.first) == entry.second;
    });
  };
  return covers(a, b) && covers(b, a);
}

absl::StatusOr<NamedAmounts> CountedAmounts(const types::ResourceList& list) {
  NamedAmounts out;
  for (const auto& [name, quantity] : list) {
    if (!model::IsCountedResource(name)) continue;
    if (quantity.is_negative()) return NegativeError(name, quantity);
    int64_t amount = 0;
    if (CountsInBytes(name)) {
      amount = quantity.Value();
    } else {
      const absl::StatusOr<int64_t> milli = quantity.MilliValue();
      if (!milli.ok()) return Annotate(milli.status(), name);
      amount = *milli;
    }
    if (amount > kAmountMax) {
      return absl::OutOfRangeError(
          StrCat(name, ": quantity ", quantity.ToString(), " is too large to count with"));
    }
    out.emplace_back(name, amount);
  }
  return out;
}

absl::StatusOr<NamedAmounts> CountedMinimum(const types::ResourceList& list) {
  NamedAmounts out;
  for (const auto& [name, quantity] : list) {
    if (!model::IsCountedResource(name)) continue;
    if (quantity.is_negative()) return NegativeError(name, quantity);
    out.emplace_back(name, ClampedAmount(name, quantity));
  }
  return out;
}

bool IsDeviceAmount(std::string_view name) {
  return name.starts_with("deviceclass/") || StrContains(name, ".deviceclass/");
}

QueueAmounts CountedQueueAmounts(const types::ResourceList& list) {
  QueueAmounts out;
  for (const auto& [name, quantity] : list) {
    if (IsDeviceAmount(name)) {
      out.device_classes = true;
      continue;
    }
    if (!model::IsCountedResource(name)) continue;
    out.negative |= quantity.is_negative();
    out.amounts.emplace_back(name, ClampedAmount(name, quantity));
  }
  return out;
}

std::shared_ptr<const model::DeviceQuota> DeviceQuotaOf(const types::ResourceList& list) {
  constexpr std::string_view kPrefix = "deviceclass/";
  constexpr std::string_view kInfix = ".deviceclass/";
  std::map<std::string, model::ClassAmounts> classes;
  for (const auto& [name, quantity] : list) {
    const size_t dot = name.find(kInfix);
    const bool counts = name.starts_with(kPrefix);
    if (!counts && (dot == name.npos || dot == 0)) continue;
    const std::string device_class = name.substr(counts ? kPrefix.size() : dot + kInfix.size());
    if (device_class.empty()) continue;
    model::ClassAmounts& row = classes[device_class];
    row.device_class = device_class;
    if (counts) {
      row.count = std::max<int64_t>(0, quantity.Value());
    } else {
      const int64_t milli = quantity.MilliValue().value_or(INT64_MAX);
      row.amounts.emplace_back(name.substr(0, dot), std::max<int64_t>(0, milli));
    }
  }
  if (classes.empty()) return nullptr;
  auto out = std::make_shared<model::DeviceQuota>();
  for (auto& [name, row] : classes) out->classes.push_back(std::move(row));
  return out;
}

types::ResourceList ToResourceList(const NamedAmounts& amounts) {
  types::ResourceList out;
  for (const auto& [name, amount] : amounts) {
    using Format = types::Quantity::Format;
    if (name == "pods") {
      out.Set(name, types::Quantity::FromValue(amount));
    } else if (CountsInBytes(name)) {
      out.Set(name, types::Quantity::FromValue(amount, Format::kBinarySI));
    } else {
      out.Set(name, types::Quantity::FromMilli(amount));
    }
  }
  return out;
}

}  // namespace bth::cache
