// What pods placed in one session are given: nothing twice, and everything back.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/rng.h"
#include "base/strings.h"
#include "plugins/predicates/device_claim_book.h"
#include "tests/device_claims/claim_world.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/plugin_bed.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using plugins::predicates::DeviceClaimBook;
using plugins::predicates::DeviceFit;
using plugins::predicates::DeviceVerdicts;

constexpr int kNodes = 3;
constexpr int kPodCount = 6;
constexpr int64_t kStepsMax = 100'000;

void Fill(Rng& rng, ClaimWorld* world) {
  world->Put<types::DeviceClass>(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"}})");
  for (int n = 0; n < kNodes; ++n) {
    const std::string node = StrCat("n", n);
    world->Put<types::Node>(
        StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", node,
               R"("},"status":{"allocatable":{"cpu":"64","memory":"64Gi","pods":"110"}}})"));
    std::vector<std::string> devices;
    for (uint64_t d = 0; d < 2 + rng.Below(2); ++d) {
      const bool shared = rng.Below(4) == 0;
      devices.push_back(StrCat(R"({"name":"d)", d, R"(","attributes":{"numa":{"int":)",
                               rng.Below(2), R"(}},"capacity":{"memory":{"value":"4Gi"}})",
                               shared ? R"(,"allowMultipleAllocations":true)" : "", "}"));
    }
    world->Put<types::ResourceSlice>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":")",
               node, R"("},"spec":{"driver":"x.io","nodeName":")", node, R"(","pool":{"name":")",
               node, R"(","generation":1,"resourceSliceCount":1},"devices":[)",
               absl::StrJoin(devices, ","), "]}}"));
  }
  for (int c = 0; c < kPodCount; ++c) {
    const std::string left =
        rng.Below(5) == 0
            ? StrCat(R"(,"status":{"allocation":{"devices":{"results":[{"request":"r","driver":)",
                     R"("x.io","pool":"n0","device":"d)", rng.Below(2),
                     R"("}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":)",
                     R"("metadata.name","operator":"In","values":["n0"]}]}]}}})")
            : "";
    world->Put<types::ResourceClaim>(StrCat(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c)", c,
        R"(","namespace":"ns","uid":"u-c)", c,
        R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"any",)",
        R"("count":)", 1 + rng.Below(2), R"(,"capacity":{"requests":{"memory":")", 1 + rng.Below(3),
        R"(Gi"}}}}])",
        rng.Below(2) == 0 ? R"(,"constraints":[{"matchAttribute":"x.io/numa"}])" : "", "}}", left,
        "}"));
  }
  for (int p = 0; p < kPodCount; ++p) {
    // Now and then two pods use one claim.
    const uint64_t claim = rng.Below(4) == 0 ? rng.Below(kPodCount) : static_cast<uint64_t>(p);
    world->Put<types::Pod>(StrCat(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p)", p,
        R"(","uid":"u-p)", p, R"(","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":)",
        R"({"schedulerName":"volcano","resourceClaims":[{"name":"d","resourceClaimName":"c)", claim,
        R"("}],"containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}})"));
  }
}

// How every pod stands to every node.
std::string FitsOf(DeviceClaimBook& book, const World& world) {
  std::string out;
  for (const auto& [pod, task] : world.tasks) {
    for (const auto& [name, node] : world.nodes) {
      StrAppend(&out, static_cast<int>(book.Fit(task, node).kind));
    }
  }
  return out;
}

// No device is given to two claims of `placed`, unless they have parts of it.
void CheckNothingTwice(const DeviceClaimBook& book, const World& world,
                       const std::vector<std::string>& placed) {
  std::map<std::string, std::string> claim_of;
  for (const std::string& pod : placed) {
    const auto plan = book.PlanOf(world.tasks.at(pod));
    if (plan == nullptr) continue;
    for (const auto& claim : plan->claims) {
      if (claim.allocation == nullptr) continue;
      for (const auto& device : claim.allocation->devices) {
        if (!device.share_id.empty()) continue;
        const auto [known, fresh] = claim_of.try_emplace(device.Key(), claim.key);
        CHECK((fresh || known->second == claim.key));
      }
    }
  }
}

TEST_CASE("claim book: nothing is given twice, and everything comes back", "[claims][property]") {
  int given = 0;
  ForEachSeed(120, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ClaimWorld objects;
    Fill(rng, &objects);
    const World world = objects.Publish();
    PluginBed bed(Builtins(), MakePolicy("", "predicates"), world);
    DeviceVerdicts verdicts;
    DeviceClaimBook book(bed.session(), kStepsMax, verdicts);
    const std::string at_first = FitsOf(book, world);
    std::vector<std::string> placed;
    std::map<std::string, std::pair<uint64_t, std::string>> before;
    for (int step = 0; step < 40; ++step) {
      const std::string pod = StrCat("p", rng.Below(kPodCount));
      if (before.contains(pod)) {
        // The last one goes first, as rollbacks do.
        const std::string last = placed.back();
        book.Remove(world.tasks.at(last));
        CHECK(book.DigestOf() == before.at(last).first);
        CHECK(FitsOf(book, world) == before.at(last).second);
        before.erase(last);
        placed.pop_back();
        continue;
      }
      const model::NodeId node = world.nodes.at(StrCat("n", rng.Below(kNodes)));
      if (book.Fit(world.tasks.at(pod), node).kind != DeviceFit::Kind::kFits) continue;
      before[pod] = {book.DigestOf(), FitsOf(book, world)};
      placed.push_back(pod);
      book.Place(world.tasks.at(pod), node);
      CheckNothingTwice(book, world, placed);
      ++given;
    }
    while (!placed.empty()) {
      book.Remove(world.tasks.at(placed.back()));
      placed.pop_back();
    }
    CHECK(FitsOf(book, world) == at_first);
  });
  CHECK((FewSeeds() || given > 300));
}

TEST_CASE("claim book: an expression runs once per device and state of its pool", "[claims]") {
  ClaimWorld objects;
  objects.Put<types::DeviceClass>(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"},)"
      R"("spec":{"selectors":[{"cel":{"expression":"device.driver == 'x.io'"}}]}})");
  objects.Put<types::Node>(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n0"},"status":{"allocatable":)"
      R"({"cpu":"64","memory":"64Gi","pods":"110"}}})");
  objects.Put<types::ResourceSlice>(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":)"
      R"({"driver":"x.io","nodeName":"n0","pool":{"name":"n0","generation":1,)"
      R"("resourceSliceCount":1},"devices":[{"name":"a"},{"name":"b"}]}})");
  for (const char* name : {"c", "d"}) {
    objects.Put<types::ResourceClaim>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")",
               name, R"(","namespace":"ns"},"spec":{"devices":{"requests":[{"name":"r","exactly":)",
               R"({"deviceClassName":"any"}}]}}})"));
    objects.Put<types::Pod>(
        StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p)", name,
               R"(","uid":"u-)", name,
               R"("},"spec":{"schedulerName":"volcano","resourceClaims":[{"name":)",
               R"("d","resourceClaimName":")", name,
               R"("}],"containers":[{"name":"c","image":"i"}]},"status":{"phase":"Pending"}})"));
  }
  const World world = objects.Publish();
  PluginBed bed(Builtins(), MakePolicy("", "predicates"), world);
  DeviceVerdicts verdicts;
  for (int session = 0; session < 3; ++session) {
    verdicts.BeginSession();
    DeviceClaimBook book(bed.session(), kStepsMax, verdicts);
    FitsOf(book, world);
    FitsOf(book, world);
  }
  CHECK(verdicts.runs() == 2);
}

}  // namespace
}  // namespace bth::test
