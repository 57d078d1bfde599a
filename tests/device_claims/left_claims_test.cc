// What schedulers that died left in device claims.
#include <optional>
#include <string>

#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

// The scheduler dies between the two writes that give the pod "p" its device and its node, as far
// as anybody sees. The device.
std::string DieBetween(ClaimBed& bed) {
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  bed.line->script = [is_dead = false](const net::Request& request) mutable {
    is_dead |= absl::EndsWith(request.target, "/binding");
    return is_dead ? std::optional(Fault{.code = 503, .reason = "ServiceUnavailable"})
                   : std::nullopt;
  };
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.OneCycle();
  REQUIRE(bed.UsersOf("c") == "p");
  REQUIRE(bed.NodeOf("p").empty());
  std::string devices = bed.DevicesOf("c");
  REQUIRE_FALSE(devices.empty());
  bed.scheduler.reset();
  bed.line->script = nullptr;
  return devices;
}

TEST_CASE("claims: a scheduler that starts anew completes what was written", "[claims]") {
  ClaimBed bed;
  const std::string devices = DieBetween(bed);
  bed.Begin();
  bed.Settle();
  CHECK(bed.DevicesOf("c") == devices);
  CHECK(StrCat(bed.NodeOf("p"), "/d0") == devices);
}

TEST_CASE("claims: and gives up what was written where it cannot go any more", "[claims]") {
  ClaimBed bed;
  const std::string devices = DieBetween(bed);
  const std::string node = devices.substr(0, devices.find('/'));
  CHECK(bed.Patch(StrCat("/api/v1/nodes/", node), R"({"spec":{"unschedulable":true}})") == 200);
  bed.Begin();
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p").empty());
  CHECK(bed.NodeOf("p") != node);
  CHECK(bed.DevicesOf("c") == StrCat(bed.NodeOf("p"), "/d0"));
  CHECK(bed.UsersOf("c") == "p");
}

// The one would go to the other node, the other needs the device that it has then.
TEST_CASE("claims: what a dead scheduler left to one of a gang does not hold up the other",
          "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Claim("a");
  bed.Claim("b");
  bed.Group("busy", 1);
  bed.Pod("busy", "busy", 2);
  bed.Bind("busy", "n1");
  bed.Group("g", 2);
  bed.PodOf("p-0", "g", "a");
  bed.Lend("a", "p-0", "n1", GENERATE(false, true));
  bed.PodOf("p-1", "g", "b");
  bed.Begin();
  bed.executor.Advance(absl::Minutes(5));
  CHECK_FALSE(bed.NodeOf("p-0").empty());
  CHECK_FALSE(bed.NodeOf("p-1").empty());
  CHECK(bed.DevicesOf("a") != bed.DevicesOf("b"));
}

TEST_CASE("claims: nor does what it left with a pod that no PodGroup claims", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("a");
  bed.Claim("b");
  bed.PodOf("p", GENERATE("gone", ""), "a");
  bed.Group("g", 1);
  // The write of a scheduler that died may come long after it.
  const bool comes_late = GENERATE(false, true);
  if (comes_late) bed.Begin();
  bed.Settle();
  bed.Lend("a", "p", "n1", GENERATE(false, true));
  if (!comes_late) bed.Begin();
  bed.Settle();
  CHECK(bed.DevicesOf("a").empty());
  CHECK(bed.UsersOf("a").empty());
  bed.PodOf("q", "g", "b");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("q") == "n1");
  CHECK(bed.DevicesOf("b") == "n1/d0");
  CHECK(bed.NodeOf("p").empty());
}

}  // namespace
}  // namespace bth::scheduler::testing
