#include "admission/rules/amounts.h"

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "admission/rules/resource_names.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::Quantity;

constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";

Amount InThousandths(const Quantity& quantity) {
  const absl::StatusOr<int64_t> milli = quantity.MilliValue();
  // Beyond 9.2e15 a fraction is rounded up to a whole unit.
  return milli.ok() ? Amount{*milli} : Amount{quantity.Value()} * 1000;
}

std::string Digits(Amount amount) {
  if (amount < 0) return StrCat("-", Digits(-amount));
  constexpr Amount kPart = 1'000'000'000'000'000'000;
  if (amount < kPart) return StrCat(static_cast<int64_t>(amount));
  const std::string low = StrCat(static_cast<int64_t>(amount % kPart));
  return StrCat(Digits(amount / kPart), std::string(18 - low.size(), '0'), low);
}

int ResourceRank(std::string_view name) {
  return name == kCpu ? 0 : name == kMemory ? 1 : 2;
}

Amount AmountIn(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

}  // namespace

bool ResourceOrder::operator()(std::string_view a, std::string_view b) const {
  const int rank_a = ResourceRank(a);
  const int rank_b = ResourceRank(b);
  return rank_a != rank_b ? rank_a < rank_b : a < b;
}

std::optional<Amount> AmountOf(std::string_view resource, const Quantity& quantity) {
  if (resource == kMemory || resource == "pods") return Amount{quantity.Value()};
  if (resource == kCpu || resource == "ephemeral-storage") return InThousandths(quantity);
  if (resource.starts_with("count/") || !IsScalarResource(resource)) return std::nullopt;
  return InThousandths(quantity);
}

Amounts AmountsOf(const types::ResourceList& resources) {
  Amounts amounts;
  for (const auto& [name, quantity] : resources) {
    const std::optional<Amount> amount = AmountOf(name, quantity);
    if (amount.has_value()) amounts.emplace(name, *amount);
  }
  return amounts;
}

std::string AmountText(std::string_view resource, Amount amount) {
  const bool small = amount <= INT64_MAX && amount >= -INT64_MAX;
  if (resource == kMemory && small) {
    return Quantity::FromValue(static_cast<int64_t>(amount), Quantity::Format::kBinarySI)
        .ToString();
  }
  if (resource == kCpu) {
    return small ? Quantity::FromMilli(static_cast<int64_t>(amount)).ToString()
                 : Quantity::FromValue(static_cast<int64_t>(amount / 1000)).ToString();
  }
  return StrCat(Digits(amount), ".00");
}

std::string AmountsText(const Amounts& amounts) {
  std::string text = StrCat("cpu ", Digits(AmountIn(amounts, kCpu)), ".00, memory ",
                            Digits(AmountIn(amounts, kMemory)), ".00");
  for (const auto& [name, amount] : amounts) {
    if (ResourceRank(name) == 2) StrAppend(&text, ", ", name, " ", Digits(amount), ".00");
  }
  return text;
}

bool SumWithin::Add(const types::ResourceList& resources) {
  bool within = true;
  for (const auto& [name, quantity] : resources) {
    const std::optional<Amount> more = AmountOf(name, quantity);
    if (!more.has_value()) continue;
    Amount& sum = sum_[name];
    sum += *more;
    const auto limit = limit_.find(name);
    const bool named = limit != limit_.end() || ResourceRank(name) < 2;
    if (!named || sum > (limit == limit_.end() ? 0 : limit->second)) within = false;
  }
  return within;
}

}  // namespace bth::admission
