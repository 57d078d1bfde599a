#include <memory>
#include <string>
#include <vector>

#include "api/types/codec.h"
#include "base/interner.h"
#include "base/rng.h"
#include "base/strings.h"
#include "cache/cluster/device_claim_mirror.h"
#include "cache/intake/compile_devices.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::cache {
namespace {

using model::AllocationFacts;
using model::ClaimPlan;
using model::DeviceClaimFacts;
using model::SliceFacts;

std::shared_ptr<AllocationFacts> Given(const std::string& device) {
  auto out = std::make_shared<AllocationFacts>();
  out->node = "n";
  out->devices.push_back({.request = "r", .driver = "x.io", .pool = "n", .device = device});
  return out;
}

std::shared_ptr<DeviceClaimFacts> Claim(const std::string& name, const std::string& version,
                                        const std::string& device = "",
                                        std::vector<std::string> users = {}) {
  auto out = std::make_shared<DeviceClaimFacts>();
  out->key = "ns/" + name;
  out->name = name;
  out->uid = "u-" + name;
  out->resource_version = version;
  if (!device.empty()) out->allocation = Given(device);
  out->reserved_for = std::move(users);
  return out;
}

ClaimPlan Plan(const std::string& claim, const std::string& device) {
  ClaimPlan out;
  out.claims.push_back({.key = "ns/" + claim, .uid = "u-" + claim, .allocation = nullptr});
  if (!device.empty()) out.claims[0].allocation = Given(device);
  return out;
}

bool InUse(DeviceClaimMirror& mirror, const std::string& device) {
  const auto view = mirror.Publish();
  return view != nullptr && view->in_use.Find("x.io/n/" + device) != nullptr;
}

TEST_CASE("claim mirror: nothing is published while there is nothing", "[claims]") {
  DeviceClaimMirror mirror;
  CHECK(mirror.Publish() == nullptr);
  mirror.Put(Claim("a", "1"));
  CHECK(mirror.Publish() != nullptr);
  mirror.RemoveClaim("ns/a");
  CHECK(mirror.Publish() == nullptr);
}

TEST_CASE("claim mirror: what a binding chose counts until the watch shows it", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  mirror.Publish();
  REQUIRE(mirror.Assume("p", Plan("a", "d0")).ok());
  CHECK_FALSE(mirror.changed());  // The cycle that decided it knows.
  CHECK(InUse(mirror, "d0"));
  CHECK(mirror.Publish()->claims.Find("ns/a")->reserved_for == std::vector<std::string>{"p"});
  CHECK(mirror.Claim("ns/a")->allocation == nullptr);
  mirror.NoteWritten("p", "ns/a", 5);
  mirror.Forget("p");
  CHECK(InUse(mirror, "d0"));  // The watch is late.
  mirror.Put(Claim("a", "4"));
  CHECK(InUse(mirror, "d0"));
  mirror.Put(Claim("a", "5", "d0", {"p"}));
  CHECK(InUse(mirror, "d0"));
  mirror.Put(Claim("a", "6"));
  CHECK_FALSE(InUse(mirror, "d0"));
  CHECK(mirror.Check().ok());
}

TEST_CASE("claim mirror: what was not written is free at once", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  REQUIRE(mirror.Assume("p", Plan("a", "d0")).ok());
  mirror.Publish();
  mirror.Forget("p");
  CHECK(mirror.changed());  // Others may have it.
  CHECK_FALSE(InUse(mirror, "d0"));
}

TEST_CASE("claim mirror: what may have been written counts until that is known", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  mirror.Put(Claim("b", "1"));
  REQUIRE(mirror.Assume("p", Plan("a", "d0")).ok());
  mirror.Publish();
  mirror.TakeBack("p");
  CHECK(mirror.changed());
  CHECK(mirror.Publish()->IsReturning("p"));
  CHECK(InUse(mirror, "d0"));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("q", Plan("b", "d0"))));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("p", Plan("a", "d1"))));
  CHECK(InUse(mirror, "d0"));
  mirror.Put(Claim("a", "2"));  // Perhaps of before.
  CHECK(InUse(mirror, "d0"));
  SECTION("it was, and is taken back") {
    mirror.NoteWritten("p", "ns/a", 4);
    mirror.Forget("p");
    mirror.Put(Claim("a", "3", "d0", {"p"}));
    CHECK(InUse(mirror, "d0"));
    CHECK(mirror.Publish()->IsReturning("p"));
    mirror.Put(Claim("a", "4"));
  }
  SECTION("it was not") {
    mirror.NoteWritten("p", "ns/a", 2);
    mirror.Forget("p");
  }
  SECTION("the claim is gone") {
    mirror.NoteWritten("p", "ns/a", std::numeric_limits<uint64_t>::max());
    mirror.Forget("p");
    CHECK(InUse(mirror, "d0"));
    mirror.RemoveClaim("ns/a");
  }
  SECTION("another one has its name") {
    auto other = std::make_shared<DeviceClaimFacts>(*Claim("a", "3"));
    other->uid = "another";
    mirror.Put(std::move(other));
    mirror.Forget("p");
  }
  CHECK(mirror.changed());
  CHECK_FALSE(InUse(mirror, "d0"));
  CHECK_FALSE(mirror.Publish()->IsReturning("p"));
  CHECK(mirror.Assume("q", Plan("b", "d0")).ok());
  CHECK(mirror.Check().ok());
}

TEST_CASE("claim mirror: what is not as the plan saw it is refused whole", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  mirror.Put(Claim("b", "1", "d1", {"other"}));
  mirror.Put(Claim("c", "1"));
  ClaimPlan plan = Plan("a", "d0");
  plan.claims.push_back(Plan("c", "d1").claims[0]);  // In use.
  const absl::Status status = mirror.Assume("p", plan);
  CHECK(absl::IsFailedPrecondition(status));
  CHECK(status.message() == "device x.io/n/d1 was given to another claim than ns/c");
  CHECK_FALSE(InUse(mirror, "d0"));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("p", Plan("gone", "d0"))));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("p", Plan("b", "d0"))));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("p", Plan("a", ""))));
  CHECK(mirror.Assume("p", Plan("b", "")).ok());
  CHECK(mirror.Check().ok());
}

TEST_CASE("claim mirror: two pods of one claim", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  REQUIRE(mirror.Assume("p", Plan("a", "d0")).ok());
  REQUIRE(mirror.Assume("q", Plan("a", "d0")).ok());
  CHECK(mirror.Publish()->in_use.Find("x.io/n/d0")->claims == 1);
  mirror.Forget("p");
  CHECK(InUse(mirror, "d0"));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("r", Plan("a", "d1"))));
  mirror.Forget("q");
  CHECK_FALSE(InUse(mirror, "d0"));
}

TEST_CASE("claim mirror: what nobody uses may be given other devices", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1", "d0", {"p"}));
  mirror.Put(Claim("b", "1"));
  REQUIRE(mirror.Assume("p", Plan("a", "d1")).ok());
  CHECK(InUse(mirror, "d1"));
  // Until that was written, nobody else can have what it had.
  CHECK(InUse(mirror, "d0"));
  CHECK(absl::IsFailedPrecondition(mirror.Assume("q", Plan("b", "d0"))));
  CHECK(mirror.Check().ok());
  SECTION("it is written") {
    mirror.NoteWritten("p", "ns/a", 5);
    mirror.Put(Claim("a", "4"));  // The old ones are taken back first.
    CHECK(mirror.changed());      // Others may have it.
    CHECK_FALSE(InUse(mirror, "d0"));
    CHECK(InUse(mirror, "d1"));
    mirror.Put(Claim("a", "5", "d1", {"p"}));
    CHECK(mirror.Assume("q", Plan("b", "d0")).ok());
  }
  SECTION("it is not") {
    mirror.Forget("p");
    CHECK(InUse(mirror, "d0"));
    CHECK_FALSE(InUse(mirror, "d1"));
  }
  SECTION("it is decided once more") {
    CHECK(mirror.Assume("p", Plan("a", "d0")).ok());
    CHECK(InUse(mirror, "d0"));
    CHECK_FALSE(InUse(mirror, "d1"));
  }
  SECTION("it is deleted") {
    mirror.RemoveClaim("ns/a");
    CHECK_FALSE(InUse(mirror, "d0"));
    CHECK_FALSE(InUse(mirror, "d1"));
  }
  CHECK(mirror.Check().ok());
}

TEST_CASE("claim mirror: pools are known by the nodes of their slices", "[claims]") {
  DeviceClaimMirror mirror;
  const auto slice = [](const std::string& name, const std::string& node, int64_t generation) {
    auto out = std::make_shared<SliceFacts>();
    out->name = name;
    out->driver = "x.io";
    out->pool = "p";
    out->generation = generation;
    out->slices_in_pool = 1;
    out->reach.kind =
        node.empty() ? model::DeviceReach::Kind::kEverywhere : model::DeviceReach::Kind::kNode;
    out->reach.node = node;
    return out;
  };
  const auto find = [&mirror](const std::string& key) {
    const auto view = mirror.Publish();
    return view == nullptr ? nullptr : view->pools.Find(key);
  };
  mirror.Put(slice("s", "n1", 1));
  REQUIRE(find("n1/x.io/p") != nullptr);
  const uint64_t serial = find("n1/x.io/p")->serial;
  mirror.Put(slice("s", "n2", 2));
  CHECK(find("n1/x.io/p") == nullptr);
  REQUIRE(find("n2/x.io/p") != nullptr);
  CHECK(find("n2/x.io/p")->serial != serial);
  mirror.Put(slice("t", "", 3));
  CHECK(find("n2/x.io/p") == nullptr);  // Of an older generation.
  CHECK(find("*/x.io/p") != nullptr);
  mirror.RemoveSlice("s");
  mirror.RemoveSlice("t");
  CHECK(mirror.Publish() == nullptr);
}

TEST_CASE("claim mirror: sums hold whatever happens", "[claims][property]") {
  Rng rng(7);
  DeviceClaimMirror mirror;
  int64_t version = 1;
  for (int step = 0; step < 3000; ++step) {
    const std::string claim(1, static_cast<char>('a' + rng.Below(3)));
    const std::string pod(1, static_cast<char>('p' + rng.Below(4)));
    const std::string device = StrCat("d", rng.Below(3));
    switch (rng.Below(8)) {
      case 0:
        mirror.Put(Claim(claim, StrCat(++version)));
        break;
      case 5:
        mirror.TakeBack(pod);
        break;
      case 6: {
        auto other = Claim(claim, StrCat(++version));
        other->uid = StrCat("u-", claim, rng.Below(2) == 0 ? "" : "-anew");
        mirror.Put(std::move(other));
        break;
      }
      case 1:
        mirror.Put(Claim(claim, StrCat(++version), device, {pod}));
        break;
      case 2:
        mirror.RemoveClaim("ns/" + claim);
        break;
      case 3:
        static_cast<void>(mirror.Assume(pod, Plan(claim, rng.Below(3) == 0 ? "" : device)));
        break;
      case 4:
        mirror.NoteWritten(pod, "ns/" + claim, static_cast<uint64_t>(version + 1));
        break;
      default:
        mirror.Forget(pod);
        break;
    }
    const absl::Status status = mirror.Check();
    CAPTURE(step, status.ToString());
    REQUIRE(status.ok());
    // Whatever is to become of a claim, nobody else has what its object has.
    for (const char* each : {"ns/a", "ns/b", "ns/c"}) {
      const DeviceClaimFacts* there = mirror.Claim(each);
      if (there == nullptr || there->allocation == nullptr) continue;
      REQUIRE(InUse(mirror, there->allocation->devices[0].device));
    }
  }
  mirror.Put(Claim("z", "1"));
  for (const char* claim : {"ns/a", "ns/b", "ns/c"}) mirror.RemoveClaim(claim);
  for (const char* pod : {"p", "q", "r", "s"}) mirror.Forget(pod);
  const auto view = mirror.Publish();
  CHECK(view->returning == nullptr);
  CHECK(view->in_use.empty());
  CHECK(mirror.Check().ok());
}

TEST_CASE("slices: amounts that cannot be counted are refused with their place", "[claims]") {
  Interner symbols;
  const auto compile = [&symbols](const std::string& value) {
    const auto slice = types::Decode<types::ResourceSlice>(std::string_view(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":)",
               R"({"name":"s"},"spec":{"driver":"x.io","devices":[{"name":"d","capacity":)",
               R"({"m":{"value":")", value, R"("}}}]}})")));
    REQUIRE(slice.ok());
    return std::string(Compile(*slice, symbols).status().message());
  };
  CHECK(compile("1Gi").empty());
  CHECK(compile("-1") == "spec.devices[d]: capacity[m]: -1: must not be negative");
  CHECK(absl::StrContains(compile("9E"), "spec.devices[d]: capacity[m]: "));
}

TEST_CASE("device tests: one program per text, as long as it is needed", "[claims]") {
  DeviceTests tests;
  auto first = tests.Of("device.driver == 'x.io'");
  const auto second = tests.Of("device.driver == 'x.io'");
  CHECK(first.test == second.test);
  const auto other = tests.Of("device.driver == 'y.io'");
  CHECK(other.test->serial() != first.test->serial());
  CHECK(tests.Of("device.color").test == nullptr);
  CHECK_FALSE(tests.Of("device.color").fault.empty());
  CHECK_FALSE(tests.Of("'x'").fault.empty());  // Not a boolean.
  CHECK_FALSE(tests.Of(std::string(20'000, ' ') + "true").fault.empty());
  for (int i = 0; i < 1000; ++i) tests.Of(StrCat("device.driver == 'x", i, "'"));
  CHECK(tests.size() < 200);
}

TEST_CASE("device tests: an expression that costs too much fails", "[claims]") {
  DeviceTests tests;
  const auto dear = tests.Of(
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, "
      "[1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, "
      "device.driver != ''))))))");
  REQUIRE(dear.test != nullptr);
  model::DeviceFacts device;
  device.name = "d";
  const auto outcome = dear.test->Run("x.io", device);
  CHECK_FALSE(outcome.matches);
  CHECK_FALSE(outcome.error.empty());
}

TEST_CASE("claim mirror: a view says what may help who waits", "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("a", "1"));
  mirror.Put(Claim("b", "1"));
  static_cast<void>(mirror.Publish());
  // A claim that is given devices leaves less to others.
  mirror.Put(Claim("a", "2", "d0", {"u-p"}));
  auto view = mirror.Publish();
  CHECK_FALSE(view->offers_more);
  CHECK(view->changed_claims == std::vector<std::string>{"ns/a"});
  // One that is written anew with the same words is none that changed.
  mirror.Put(Claim("a", "3", "d0", {"u-p"}));
  view = mirror.Publish();
  CHECK_FALSE(view->offers_more);
  CHECK(view->changed_claims.empty());
  mirror.Put(Claim("a", "4"));
  view = mirror.Publish();
  CHECK(view->offers_more);
  mirror.RemoveClaim("ns/b");
  view = mirror.Publish();
  CHECK_FALSE(view->offers_more);
  CHECK(view->changed_claims == std::vector<std::string>{"ns/b"});
  mirror.Put(std::make_shared<const model::DeviceClassFacts>());
  CHECK(mirror.Publish()->offers_more);
}

std::shared_ptr<DeviceClaimFacts> MadeFor(const std::string& pod_uid,
                                          std::shared_ptr<DeviceClaimFacts> claim) {
  claim->for_extended = true;
  claim->owner_uid = pod_uid;
  return claim;
}

TEST_CASE("claim mirror: of several claims for a pod one is left when others go", "[claims]") {
  DeviceClaimMirror mirror;
  const auto name_of = [&mirror](const std::string& pod_uid) {
    const auto view = mirror.Publish();
    const DeviceClaimFacts* const claim = view->MadeFor("ns", pod_uid);
    return claim == nullptr ? "" : claim->name;
  };
  mirror.Put(MadeFor("u-p", Claim("b", "1")));
  mirror.Put(MadeFor("u-p", Claim("a", "2")));
  mirror.Put(MadeFor("u-p/x", Claim("A", "3")));
  CHECK(name_of("u-p") == "a");
  mirror.RemoveClaim("ns/a");
  CHECK(name_of("u-p") == "b");
  // A namespace does not speak for another one.
  auto foreign = MadeFor("u-q", Claim("c", "4"));
  foreign->key = "other/c";
  mirror.Put(foreign);
  CHECK(name_of("u-q").empty());
  // Whoever owns it may change.
  mirror.Put(MadeFor("u-q", Claim("b", "5")));
  CHECK(name_of("u-p").empty());
  CHECK(name_of("u-q") == "b");
  mirror.Put(Claim("b", "6"));
  CHECK(name_of("u-q").empty());
}

TEST_CASE("claim mirror: a claim that is made counts until it shows what it was given",
          "[claims]") {
  DeviceClaimMirror mirror;
  mirror.Put(Claim("x", "1"));
  ClaimPlan plan;
  plan.claims.emplace_back().allocation = Given("d0");
  REQUIRE(mirror.Assume("u-p", plan).ok());
  CHECK(InUse(mirror, "d0"));
  REQUIRE(mirror.Check().ok());
  // Another pod is not given the same.
  CHECK(absl::IsFailedPrecondition(mirror.Assume("u-q", plan)));
  SECTION("it failed") {
    mirror.Forget("u-p");
    CHECK_FALSE(InUse(mirror, "d0"));
  }
  SECTION("it was written") {
    mirror.NoteMade("u-p", "ns/p-1");
    mirror.Forget("u-p");
    CHECK(InUse(mirror, "d0"));
    // Whatever comes of others for the same pod.
    mirror.Put(MadeFor("u-p", Claim("p-0", "2", "d1", {"u-p"})));
    CHECK(InUse(mirror, "d0"));
    mirror.RemoveClaim("ns/p-0");
    CHECK(InUse(mirror, "d0"));
    mirror.Put(MadeFor("u-p", Claim("p-1", "3")));
    CHECK(InUse(mirror, "d0"));
    mirror.Put(MadeFor("u-p", Claim("p-1", "4", "d0", {"u-p"})));
    CHECK(InUse(mirror, "d0"));
    REQUIRE(mirror.Check().ok());
    mirror.RemoveClaim("ns/p-1");
    CHECK_FALSE(InUse(mirror, "d0"));
  }
  REQUIRE(mirror.Check().ok());
}

}  // namespace
}  // namespace bth::cache
