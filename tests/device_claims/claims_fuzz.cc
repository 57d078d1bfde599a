// Lists of slices, classes and claims: whatever is in them, nothing crashes, sums hold, the search
// ends in so many steps, and what it finds can be written and read again.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algo/device_allocation.h"
#include "api/types/codec.h"
#include "api/types/fragment.h"
#include "base/check.h"
#include "base/interner.h"
#include "cache/cluster/device_claim_mirror.h"
#include "cache/intake/compile_devices.h"
#include "cache/writes/allocation_body.h"
#include "plugins/predicates/device_results.h"
#include "plugins/predicates/device_verdicts.h"

namespace {

using namespace bth;

void PutObject(const types::Json& object, Interner& symbols, cache::DeviceClaimMirror* mirror) {
  const std::string_view kind = object["kind"].AsString();
  if (kind == "ResourceSlice") {
    const auto slice = types::Decode<types::ResourceSlice>(object);
    if (!slice.ok()) return;
    auto facts = cache::Compile(*slice, symbols);
    if (facts.ok()) mirror->Put(*std::move(facts));
  } else if (kind == "DeviceClass") {
    const auto device_class = types::Decode<types::DeviceClass>(object);
    if (device_class.ok()) mirror->Put(cache::Compile(*device_class, mirror->tests()));
  } else if (kind == "ResourceClaim") {
    const auto claim = types::Decode<types::ResourceClaim>(object);
    if (claim.ok()) mirror->Put(cache::Compile(*claim, symbols, mirror->tests()));
  }
}

void AllocateAll(const model::DeviceClaimsView& view) {
  model::NodeFacts node;
  node.name = "n1";
  std::vector<const model::PoolFacts*> pools;
  view.pools.VisitFrom("", [&pools](std::string_view, const model::PoolFacts& pool) {
    for (const model::PoolFacts* known : pools) {
      if (known == &pool) return true;
    }
    pools.push_back(&pool);
    return true;
  });
  std::vector<std::unique_ptr<algo::PoolUse>> uses;
  std::vector<algo::OfferedPool> offered;
  for (const model::PoolFacts* pool : pools) {
    uses.push_back(std::make_unique<algo::PoolUse>(*pool));
    offered.push_back({pool, uses.back().get()});
  }
  plugins::predicates::DeviceVerdicts verdicts;
  view.claims.VisitFrom("", [&](std::string_view, const model::DeviceClaimFacts& claim) {
    if (!claim.fault.empty()) return true;  // No devices are looked for.
    algo::ClaimToAllocate wanted;
    wanted.claim = &claim;
    for (const model::DeviceRequestFacts& request : claim.requests) {
      if (request.demands.empty()) return true;
      auto& classes = wanted.classes.emplace_back();
      for (const model::DeviceDemandFacts& demand : request.demands) {
        classes.push_back(view.classes.Find(demand.device_class));
        if (classes.back() == nullptr) return true;
      }
    }
    constexpr int64_t kStepsMax = 2'000;
    const auto found = algo::AllocateDevices({wanted}, offered, node, verdicts, kStepsMax);
    if (found.result != algo::DeviceAllocation::Result::kFound) return true;
    BTH_CHECK(found.claims[0].size() <= model::kDevicesPerClaimMax);
    const auto facts = plugins::predicates::AllocationFrom(wanted, found.claims[0], offered, node);
    BTH_CHECK(facts->Covers(node) || !facts->selectors.empty());
    const auto read = types::FragmentFromJson<types::ClaimAllocation>(
        cache::AllocationBody(*facts, absl::UnixEpoch()));
    BTH_CHECK(read.ok());
    BTH_CHECK(read->results.size() == facts->devices.size());
    return true;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto list = types::Json::Parse(text);
  if (!list.ok()) return 0;
  Interner symbols;
  cache::DeviceClaimMirror mirror;
  for (const types::Json& object : (*list)["items"].items()) PutObject(object, symbols, &mirror);
  const auto view = mirror.Publish();
  BTH_CHECK(mirror.Check().ok());
  if (view != nullptr) AllocateAll(*view);
  for (const types::Json& object : (*list)["items"].items()) PutObject(object, symbols, &mirror);
  BTH_CHECK(mirror.Check().ok());
  return 0;
}
