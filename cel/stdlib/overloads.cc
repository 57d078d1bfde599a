#include "cel/stdlib/overloads.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace bth::cel {
namespace {

constexpr uint64_t kCostMax = std::numeric_limits<uint64_t>::max();

SizeRange SizeAt(std::span<const SizeRange> sizes, size_t index) {
  return index < sizes.size() ? sizes[index] : SizeRange{};
}

CostRange ScaleRange(SizeRange size, double factor) {
  return {ScaleCost(size.min, factor), ScaleCost(size.max, factor)};
}

}  // namespace

uint64_t AddCost(uint64_t a, uint64_t b) {
  return a > kCostMax - b ? kCostMax : a + b;
}

uint64_t MultiplyCost(uint64_t a, uint64_t b) {
  return b != 0 && a > kCostMax / b ? kCostMax : a * b;
}

uint64_t ScaleCost(uint64_t size, double factor) {
  const double cost = std::ceil(static_cast<double>(size) * factor);
  return cost >= 0x1p64 ? kCostMax : static_cast<uint64_t>(cost);
}

CallCost CostOfArgument(size_t index) {
  return {[index](std::span<const Value> args, const Value&) {
            return ScaleCost(SizeOf(args[index]), kTraversalFactor);
          },
          [index](std::span<const SizeRange> sizes) -> CallEstimate {
            return {.cost = ScaleRange(SizeAt(sizes, index), kTraversalFactor)};
          }};
}

CallCost CostOfShorter() {
  return {[](std::span<const Value> args, const Value&) {
            return ScaleCost(std::min(SizeOf(args[0]), SizeOf(args[1])), kTraversalFactor);
          },
          [](std::span<const SizeRange> sizes) -> CallEstimate {
            const uint64_t longest = std::min(SizeAt(sizes, 0).max, SizeAt(sizes, 1).max);
            const SizeRange looked_at{longest > 0 ? uint64_t{1} : uint64_t{0}, longest};
            return {.cost = ScaleRange(looked_at, kTraversalFactor), .result = {1, 1}};
          }};
}

CallCost CostOfBoth() {
  return {[](std::span<const Value> args, const Value&) {
            return ScaleCost(AddCost(SizeOf(args[0]), SizeOf(args[1])), kTraversalFactor);
          },
          [](std::span<const SizeRange> sizes) -> CallEstimate {
            const SizeRange a = SizeAt(sizes, 0);
            const SizeRange b = SizeAt(sizes, 1);
            const SizeRange both{AddCost(a.min, b.min), AddCost(a.max, b.max)};
            return {.cost = ScaleRange(both, kTraversalFactor), .result = both};
          }};
}

CallCost CostOfSearch() {
  return {[](std::span<const Value> args, const Value&) {
            return MultiplyCost(ScaleCost(SizeOf(args[0]), kTraversalFactor),
                                ScaleCost(SizeOf(args[1]), kTraversalFactor));
          },
          [](std::span<const SizeRange> sizes) -> CallEstimate {
            const CostRange text = ScaleRange(SizeAt(sizes, 0), kTraversalFactor);
            const CostRange part = ScaleRange(SizeAt(sizes, 1), kTraversalFactor);
            return {.cost = {MultiplyCost(text.min, part.min), MultiplyCost(text.max, part.max)},
                    .result = {1, 1}};
          }};
}

CallCost CostOfPattern() {
  return {[](std::span<const Value> args, const Value&) {
            // One more than the text: an empty one does not make the pattern free.
            return MultiplyCost(ScaleCost(AddCost(SizeOf(args[0]), 1), kTraversalFactor),
                                ScaleCost(SizeOf(args[1]), kPatternFactor));
          },
          [](std::span<const SizeRange> sizes) -> CallEstimate {
            const SizeRange text = SizeAt(sizes, 0);
            const SizeRange longer{AddCost(text.min, 1), AddCost(text.max, 1)};
            const CostRange walk = ScaleRange(longer, kTraversalFactor);
            const CostRange pattern = ScaleRange(SizeAt(sizes, 1), kPatternFactor);
            return {
                .cost = {MultiplyCost(walk.min, pattern.min), MultiplyCost(walk.max, pattern.max)},
                .result = {1, 1}};
          }};
}

Overload GlobalOverload(std::string id, Parameters parameters, TypePtr result, Implementation run) {
  Overload overload;
  overload.id = std::move(id);
  overload.parameters = std::move(parameters);
  overload.result = std::move(result);
  overload.run = std::move(run);
  return overload;
}

Overload MemberOverload(std::string id, Parameters parameters, TypePtr result, Implementation run) {
  Overload overload =
      GlobalOverload(std::move(id), std::move(parameters), std::move(result), std::move(run));
  overload.member = true;
  return overload;
}

Overload WithCost(Overload overload, CallCost cost) {
  overload.run_cost = std::move(cost.run);
  overload.estimate = std::move(cost.estimate);
  return overload;
}

void Declare(Environment& environment, std::string name, std::vector<Overload> overloads) {
  const absl::Status added = environment.Add(Function{std::move(name), std::move(overloads)});
  BTH_CHECK(added.ok());
}

}  // namespace bth::cel
