// What drivers offer, as the mirror of claims keeps it: slices, classes, rules; and which extended
// resources devices serve.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cache/cluster/device_claim_mirror.h"
#include "cache/intake/compile_devices.h"

namespace bth::cache {

using model::DeviceClaimsView;
using model::PoolFacts;
using model::SliceFacts;

namespace {

std::string PoolId(const SliceFacts& slice) {
  return StrCat(slice.driver, "/", slice.pool);
}

std::string_view NodeOf(const model::DeviceReach& reach) {
  return reach.kind == model::DeviceReach::Kind::kNode ? std::string_view(reach.node)
                                                       : DeviceClaimsView::kEverywhere;
}

}  // namespace

void DeviceClaimMirror::Put(std::shared_ptr<const SliceFacts> slice) {
  const std::string name = slice->name;
  const std::string id = PoolId(*slice);
  if (const auto known = pool_of_slice_.find(name);
      known != pool_of_slice_.end() && known->second != id) {
    RemoveSlice(name);
  }
  Touch();
  pool_of_slice_[name] = id;
  pools_[id].slices[name] = std::move(slice);
  changed_pools_.insert(id);
}

void DeviceClaimMirror::RemoveSlice(const std::string& name) {
  const auto known = pool_of_slice_.find(name);
  if (known == pool_of_slice_.end()) return;
  Touch();
  pools_[known->second].slices.erase(name);
  changed_pools_.insert(known->second);
  pool_of_slice_.erase(known);
}

void DeviceClaimMirror::Put(std::shared_ptr<const model::DeviceClassFacts> device_class) {
  Touch();
  classes_changed_ = true;
  devices_of_class_.clear();
  const std::string name = device_class->name;
  now_.classes.Put(name, std::move(device_class));
}

void DeviceClaimMirror::RemoveClass(const std::string& name) {
  if (!now_.classes.Erase(name)) return;
  Touch();
  classes_changed_ = true;
  devices_of_class_.clear();
}

void DeviceClaimMirror::PutTaintRule(const std::string& name, model::DeviceTaintRuleFacts rule) {
  RemoveTaintRule(name);
  MarkPools(taint_rules_.emplace(name, std::move(rule)).first->second);
}

void DeviceClaimMirror::RemoveTaintRule(const std::string& name) {
  const auto known = taint_rules_.find(name);
  if (known == taint_rules_.end()) return;
  MarkPools(known->second);
  taint_rules_.erase(known);
}

void DeviceClaimMirror::MarkPools(const model::DeviceTaintRuleFacts& rule) {
  Touch();
  for (const auto& [id, pool] : pools_) {
    if (pool.slices.empty()) continue;
    const SliceFacts& slice = *pool.slices.begin()->second;
    if (rule.MayCover(slice.driver, slice.pool)) changed_pools_.insert(id);
  }
}

void DeviceClaimMirror::Rebuild(const std::string& id) {
  Pool& pool = pools_[id];
  std::set<std::string> keys;
  if (!pool.slices.empty()) {
    std::vector<std::shared_ptr<const SliceFacts>> slices;
    for (const auto& [name, slice] : pool.slices) slices.push_back(slice);
    const std::shared_ptr<PoolFacts> facts = PoolFacts::Of(std::move(slices));
    facts->serial = ++pool_serials_;
    for (const auto& [name, rule] : taint_rules_) {
      if (!rule.MayCover(facts->driver, facts->name)) continue;
      for (model::PoolDevice& device : facts->devices) {
        const bool is_meant = !rule.device || *rule.device == device.facts->name;
        if (is_meant) device.taints.push_back(*rule.taint);
      }
    }
    for (const auto& slice : facts->slices) {
      keys.insert(StrCat(DeviceClaimsView::PoolsOf(NodeOf(slice->reach)), id));
    }
    for (const std::string& key : keys) now_.pools.Put(key, facts);
  }
  for (const std::string& key : pool.keys) {
    if (!keys.contains(key)) now_.pools.Erase(key);
  }
  pool.keys = std::move(keys);
  if (pool.slices.empty()) pools_.erase(id);
}

// Of several classes that serve a resource the newest does, then the first by name.
void DeviceClaimMirror::ListExtended() {
  classes_changed_ = false;
  std::map<std::string, std::string, std::less<>> out;
  std::map<std::string, int64_t> since;
  now_.classes.VisitFrom("", [&](std::string_view name, const model::DeviceClassFacts& row) {
    if (!row.serves_extended) return true;
    out[StrCat(kExtendedOfClass, name)] = name;
    if (row.extended_resource.empty()) return true;
    const auto [known, fresh] = since.try_emplace(row.extended_resource, row.created_us);
    if (!fresh && known->second >= row.created_us) return true;
    known->second = row.created_us;
    out[row.extended_resource] = name;
    return true;
  });
  now_.extended =
      out.empty()
          ? nullptr
          : std::make_shared<const std::map<std::string, std::string, std::less<>>>(std::move(out));
}

void DeviceClaimMirror::CatchUp() {
  for (const std::string& id : changed_pools_) Rebuild(id);
  changed_pools_.clear();
  if (classes_changed_) ListExtended();
}

int64_t DeviceClaimMirror::DevicesOf(const std::string& device_class,
                                     const model::NodeFacts& node) {
  const model::DeviceClassFacts* of = now_.classes.Find(device_class);
  if (of == nullptr) return 0;
  const auto selects = [of](const PoolFacts& pool, const model::PoolDevice& device) {
    return std::all_of(of->selectors.begin(), of->selectors.end(), [&](const auto& selector) {
      return selector.test != nullptr && selector.test->Run(pool.driver, *device.facts).matches;
    });
  };
  int64_t count = 0;
  bool here = true;  // Of that node alone; then of several.
  const auto add = [&](const PoolFacts& pool) {
    if (!pool.complete || !pool.fault.empty()) return true;
    const auto [known, fresh] = devices_of_class_.try_emplace({device_class, pool.serial});
    for (size_t d = 0; fresh && d < pool.devices.size(); ++d) {
      if (selects(pool, pool.devices[d])) known->second.push_back(d);
    }
    for (const size_t d : known->second) {
      const model::PoolDevice& device = pool.devices[d];
      const model::DeviceReach& reach = device.slice->ReachOf(*device.facts);
      const bool is_local = device.slice->reach.kind == model::DeviceReach::Kind::kNode;
      if (is_local == here && reach.Covers(node)) ++count;
    }
    return true;
  };
  // States of pools that are gone.
  constexpr size_t kKeptMin = 1024;
  if (devices_of_class_.size() > kKeptMin + 4 * pools_.size()) devices_of_class_.clear();
  now_.pools.VisitPrefix(DeviceClaimsView::PoolsOf(node.name), add);
  here = false;
  now_.pools.VisitPrefix(DeviceClaimsView::PoolsOf(DeviceClaimsView::kEverywhere), add);
  return count;
}

}  // namespace bth::cache
