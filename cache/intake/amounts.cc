#include <algorithm>

#include "api/model/resource_vec.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"

namespace bth::cache {
namespace {

bool CountsInBytes(const std::string& name) {
  return name == "memory" || name == "pods" || name == "ephemeral-storage" ||
         name.rfind("hugepages-", 0) == 0;
}

}  // namespace

absl::StatusOr<NamedAmounts> CountedAmounts(const types::ResourceList& list) {
  NamedAmounts out;
  for (const auto& [name, quantity] : list) {
    if (!model::IsCountedResource(name)) continue;
    if (quantity.is_negative()) {
      return absl::InvalidArgumentError(
          StrCat(name, ": quantity ", quantity.ToString(), " is negative"));
    }
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

QueueAmounts CountedQueueAmounts(const types::ResourceList& list) {
  // No cluster is so large, and a hundred such amounts can be added up.
  constexpr int64_t kQueueAmountMax = int64_t{1} << 56;
  QueueAmounts out;
  for (const auto& [name, quantity] : list) {
    // `deviceclass/<class>` and `<dimension>.deviceclass/<class>`.
    if (name.rfind("deviceclass/", 0) == 0 || name.find(".deviceclass/") != std::string::npos) {
      out.device_classes = true;
      continue;
    }
    if (!model::IsCountedResource(name)) continue;
    out.negative |= quantity.is_negative();
    int64_t amount =
        CountsInBytes(name) ? quantity.Value() : quantity.MilliValue().value_or(kQueueAmountMax);
    if (quantity.is_negative()) amount = 0;
    out.amounts.emplace_back(name, std::clamp<int64_t>(amount, 0, kQueueAmountMax));
  }
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
