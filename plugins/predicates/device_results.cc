#include "plugins/predicates/device_results.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "base/digest.h"
#include "base/strings.h"

namespace bth::plugins::predicates {

using model::AllocatedDeviceFacts;
using model::AllocationFacts;
using model::DeviceReach;

namespace {

// In the form of a UUID of a kind of its own (version 8); the same for the same share.
std::string ShareId(std::string_view claim_uid, size_t ordinal, const std::string& device) {
  Digest high;
  high.Add(claim_uid);
  high.Add(ordinal);
  high.Add(device);
  Digest low = high;
  low.Add("share");
  const uint64_t a = high.value();
  const uint64_t b = low.value();
  return absl::StrFormat("%08x-%04x-8%03x-a%03x-%012x", a >> 32, (a >> 16) & 0xffff, a & 0xfff,
                         b >> 52, b & 0xffff'ffff'ffff);
}

// Narrows the allocation to where the device can be used.
class Reaches {
 public:
  explicit Reaches(AllocationFacts& out) : out_(out) { out_.anywhere = true; }

  void Add(const model::PoolFacts& pool, const model::PoolDevice& device,
           const model::NodeFacts& node) {
    const DeviceReach& reach = device.slice->ReachOf(*device.facts);
    if (reach.kind == DeviceReach::Kind::kNode || device.facts->local) {
      out_.node = node.name;
      out_.anywhere = false;
    }
    if (reach.kind != DeviceReach::Kind::kTerms || !seen_.insert(reach.selector).second) return;
    out_.anywhere = false;
    out_.selectors.push_back(reach.selector);
    if (out_.terms.empty()) out_.terms.emplace_back();
    // Such a selector has one term.
    for (const model::NodeTerm& term : reach.terms) {
      model::NodeTerm& all = out_.terms.front();
      all.never |= term.never;
      all.labels.insert(all.labels.end(), term.labels.begin(), term.labels.end());
      all.names.insert(all.names.end(), term.names.begin(), term.names.end());
    }
    for (const auto& slice : pool.slices) {
      if (slice.get() == device.slice) out_.slices.push_back(slice);
    }
  }

 private:
  AllocationFacts& out_;
  std::set<std::string> seen_;
};

void AddConfig(const algo::ClaimToAllocate& claim, const std::vector<algo::GivenDevice>& given,
               AllocationFacts* out) {
  std::set<std::string> names;
  size_t next = 0;
  for (const algo::GivenDevice& device : given) {
    const model::DeviceRequestFacts& request = claim.claim->requests[device.request];
    if (device.request < next) continue;
    next = device.request + 1;
    const std::string label = request.LabelOf(request.demands[device.demand]);
    names.insert(request.name);
    names.insert(label);
    for (const std::string& text : claim.classes[device.request][device.demand]->config) {
      out->config.push_back({.from_class = true, .requests = {label}, .text = text});
    }
  }
  for (const model::DeviceConfigFacts& config : claim.claim->config) {
    const bool used =
        config.requests.empty() ||
        std::any_of(config.requests.begin(), config.requests.end(),
                    [&names](const std::string& name) { return names.contains(name); });
    if (!used) continue;
    out->config.push_back({.from_class = false, .requests = config.requests, .text = config.text});
  }
}

}  // namespace

std::shared_ptr<const AllocationFacts> AllocationFrom(const algo::ClaimToAllocate& claim,
                                                      const std::vector<algo::GivenDevice>& given,
                                                      const std::vector<algo::OfferedPool>& pools,
                                                      const model::NodeFacts& node) {
  auto out = std::make_shared<AllocationFacts>();
  Reaches reaches(*out);
  for (const algo::GivenDevice& device : given) {
    const model::DeviceRequestFacts& request = claim.claim->requests[device.request];
    const model::DeviceDemandFacts& demand = request.demands[device.demand];
    const model::PoolFacts& pool = *pools[device.pool].facts;
    const model::PoolDevice& from = pool.devices[device.device];
    AllocatedDeviceFacts& row = out->devices.emplace_back();
    row.request = request.LabelOf(demand);
    row.driver = pool.driver;
    row.pool = pool.name;
    row.device = from.facts->name;
    row.admin = demand.admin;
    row.tolerations = demand.tolerations_text;
    row.binding_conditions = from.facts->binding_conditions;
    row.failure_conditions = from.facts->failure_conditions;
    if (from.facts->shared && !demand.admin) {
      // A claim that is not made yet is told by its pod.
      const model::DeviceClaimFacts& of = *claim.claim;
      row.share_id = ShareId(of.uid.empty() ? StrCat("of ", of.owner_uid) : of.uid,
                             out->devices.size(), row.Key());
      for (size_t i = 0; i < device.consumed.size(); ++i) {
        const model::DeviceCapacityFacts& capacity = from.facts->capacities[i];
        row.consumed.push_back({.name = capacity.name,
                                .milli = device.consumed[i],
                                .binary = capacity.binary,
                                .bare = capacity.bare});
      }
    }
    reaches.Add(pool, from, node);
  }
  AddConfig(claim, given, out.get());
  return out;
}

}  // namespace bth::plugins::predicates
