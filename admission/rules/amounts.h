// Amounts of resources as whole numbers of the units in which queues are compared. Pure, any
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/quantity.h"
#include "api/types/sorted_map.h"

namespace bth::admission {

// Milli-CPU, bytes of memory, pods; everything else in thousandths. Wide enough for the sum of all
// queues there can be.
using Amount = __int128;

// cpu, memory, then the others by name: the order in which they are looked at and printed.
struct ResourceOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

template <class Value>
using PerResource = std::map<std::string, Value, ResourceOrder>;
using Amounts = PerResource<Amount>;

// Nothing: schedulers do not count it (count/..., limits.cpu ...).
std::optional<Amount> AmountOf(std::string_view resource, const types::Quantity& quantity);
// What `resources` names and schedulers count, zeros included.
Amounts AmountsOf(const types::ResourceList& resources);

// "20" (cpu), "10Gi" (memory), "8000.00" (others, in thousandths).
std::string AmountText(std::string_view resource, Amount amount);
// "cpu 9000.00, memory 1024.00, nvidia.com/gpu 1000.00": cpu and memory even when absent.
std::string AmountsText(const Amounts& amounts);

// Adds up what several queues ask of one limit. A resource that the limit does not name may not be
// asked for at all, except cpu and memory with zero.
class SumWithin final {
 public:
  explicit SumWithin(const types::ResourceList& limit) : limit_(AmountsOf(limit)) {}

  // False when, with these, the sum is over the limit. Only what is added is compared, so that the
  // cost follows the list.
  bool Add(const types::ResourceList& resources);
  const Amounts& sum() const { return sum_; }
  const Amounts& limit() const { return limit_; }

 private:
  const Amounts limit_;
  Amounts sum_;
};

}  // namespace bth::admission
