#include "api/model/claimable_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "api/model/device_claims.h"
#include "api/model/node_affinity.h"
#include "base/strings.h"

namespace bth::model {
namespace {

template <typename Row, typename NameOf>
const Row* FindSorted(const std::vector<Row>& rows, std::string_view name, NameOf name_of) {
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [&](const Row& row, std::string_view n) { return name_of(row) < n; });
  return at == rows.end() || name_of(*at) != name ? nullptr : &*at;
}

bool AnyMatches(const std::vector<NodeTerm>& terms, const NodeFacts& node) {
  return std::any_of(terms.begin(), terms.end(),
                     [&node](const NodeTerm& term) { return Matches(term, node); });
}

// Gives the counters of a pool their numbers.
class CounterNumbers {
 public:
  // False: the set is there twice.
  bool Add(const CounterSetFacts& set, PoolFacts* pool) {
    if (!sets_.insert(set.name).second) return false;
    for (const auto& [counter, milli] : set.counters) {
      numbers_[{set.name, counter}] = static_cast<uint32_t>(pool->counters.size());
      pool->counters.push_back(milli);
    }
    return true;
  }
  const uint32_t* Find(const CounterAmount& amount) const {
    const auto known = numbers_.find({amount.set, amount.counter});
    return known == numbers_.end() ? nullptr : &known->second;
  }

 private:
  std::set<std::string> sets_;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers_;
};

}  // namespace

bool DeviceReach::Covers(const NodeFacts& node_facts) const {
  switch (kind) {
    case Kind::kNode:
      return node == node_facts.name;
    case Kind::kTerms:
      return AnyMatches(terms, node_facts);
    case Kind::kEverywhere:
      return true;
    case Kind::kByDevice:
    case Kind::kNowhere:
      return false;
  }
  return false;
}

bool AttributeValue::Has(const AttributeValue& item) const {
  if (kind != Kind::kList) return *this == item;
  return std::find(items.begin(), items.end(), item) != items.end();
}

bool AttributeValue::SharesWith(const std::vector<const AttributeValue*>& others) const {
  const auto all_have = [&others](const AttributeValue& item) {
    return std::all_of(others.begin(), others.end(),
                       [&item](const AttributeValue* other) { return other->Has(item); });
  };
  return kind == Kind::kList ? std::any_of(items.begin(), items.end(), all_have) : all_have(*this);
}

const AttributeValue* DeviceFacts::FindAttribute(std::string_view full_name) const {
  const auto* found = FindSorted(attributes, full_name,
                                 [](const auto& row) -> const std::string& { return row.first; });
  return found == nullptr ? nullptr : &found->second;
}

const DeviceCapacityFacts* DeviceFacts::FindCapacity(std::string_view full_name) const {
  return FindSorted(capacities, full_name,
                    [](const auto& row) -> const std::string& { return row.name; });
}

std::shared_ptr<PoolFacts> PoolFacts::Of(std::vector<std::shared_ptr<const SliceFacts>> slices) {
  auto pool = std::make_shared<PoolFacts>();
  int64_t newest = slices.front()->generation;
  for (const auto& slice : slices) newest = std::max(newest, slice->generation);
  std::erase_if(slices, [newest](const auto& slice) { return slice->generation != newest; });
  pool->driver = slices.front()->driver;
  pool->name = slices.front()->pool;
  int64_t wanted = 0;
  for (const auto& slice : slices) wanted = std::max(wanted, slice->slices_in_pool);
  pool->complete = static_cast<int64_t>(slices.size()) >= wanted;
  CounterNumbers numbers;
  for (const auto& slice : slices) {
    for (const CounterSetFacts& set : slice->counters) {
      if (!numbers.Add(set, pool.get()) && pool->fault.empty()) {
        pool->fault = StrCat("duplicate counter set ", set.name);
      }
    }
  }
  std::set<std::string_view> names;
  for (const auto& slice : slices) {
    for (const DeviceFacts& device : slice->devices) {
      PoolDevice& row = pool->devices.emplace_back();
      row.slice = slice.get();
      row.facts = &device;
      if (!names.insert(device.name).second && pool->fault.empty()) {
        pool->fault = StrCat("duplicate device name ", device.name);
      }
      for (const CounterAmount& amount : device.counters) {
        const uint32_t* number = numbers.Find(amount);
        if (number != nullptr) {
          row.counters.emplace_back(*number, amount.milli);
        } else if (pool->complete && pool->fault.empty()) {
          pool->fault = StrCat("device ", device.name, " consumes counter ", amount.counter,
                               " of set ", amount.set, ", which is not there");
        }
      }
    }
  }
  pool->slices = std::move(slices);
  return pool;
}

bool AllocationFacts::Covers(const NodeFacts& facts) const {
  if (!node.empty()) return node == facts.name;
  return anywhere || AnyMatches(terms, facts);
}

bool DeviceClaimFacts::IsReservedFor(std::string_view pod_uid) const {
  return std::find(reserved_for.begin(), reserved_for.end(), pod_uid) != reserved_for.end();
}

bool DeviceClaimFacts::IsFreeFor(std::string_view pod_uid) const {
  return std::all_of(reserved_for.begin(), reserved_for.end(),
                     [pod_uid](const std::string& user) { return user == pod_uid; });
}

const DeviceClaimFacts* DeviceClaimsView::MadeFor(std::string_view ns,
                                                  std::string_view pod_uid) const {
  if (for_extended.empty()) return nullptr;
  const DeviceClaimFacts* out = nullptr;
  for_extended.VisitPrefix(StrCat(ns, "/", pod_uid, "/"), [&](const DeviceClaimFacts& claim) {
    // UIDs of owners are what somebody wrote.
    if (claim.owner_uid == pod_uid) out = &claim;
    return out == nullptr;
  });
  return out;
}

std::string DeviceClaimsView::PoolsOf(std::string_view node) {
  return StrCat(node, "/");
}

}  // namespace bth::model
