#include "cache/cluster/storage_mirror.h"

#include <map>
#include <set>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::cache {
namespace {

using model::ClaimFacts;
using model::StorageView;
using model::VolumeFacts;
using model::VolumePlan;

ClaimFacts Claim(const std::string& name) {
  ClaimFacts out;
  out.key = "ns/" + name;
  out.name = name;
  out.uid = "u-" + name;
  out.resource_version = "1";
  out.storage_class = "c";
  return out;
}

VolumeFacts Volume(const std::string& name) {
  VolumeFacts out;
  out.name = name;
  out.uid = "u-" + name;
  out.resource_version = "1";
  out.storage_class = "c";
  out.available = true;
  out.bytes = 1;
  return out;
}

template <typename T>
std::shared_ptr<const T> Shared(T facts) {
  return std::make_shared<const T>(std::move(facts));
}

std::shared_ptr<const VolumePlan> Plan(const std::string& claim, const std::string& volume) {
  auto plan = std::make_shared<VolumePlan>();
  plan->choices.push_back({.claim = "ns/" + claim,
                           .claim_uid = "u-" + claim,
                           .volume = volume,
                           .volume_uid = volume.empty() ? "" : "u-" + volume});
  return plan;
}

template <typename T>
std::set<std::string> NamesIn(const model::NameTable<T>& table) {
  std::set<std::string> out;
  table.VisitFrom("", [&out](std::string_view name, const T&) {
    out.insert(std::string(name.substr(name.find('\0') + 1)));
    return true;
  });
  return out;
}

struct Bed {
  StorageMirror mirror;
  Bed() {
    for (const char* name : {"a", "b"}) mirror.Put(Shared(Claim(name)));
    for (const char* name : {"v", "w"}) mirror.Put(Shared(Volume(name)));
    mirror.Publish();
  }
};

TEST_CASE("storage mirror: what a binding chose shows as taken until it is forgotten",
          "[storage]") {
  Bed bed;
  const auto before = bed.mirror.Publish();
  REQUIRE(bed.mirror.Assume("ns/p", *Plan("a", "v"), "n1").ok());
  CHECK_FALSE(bed.mirror.changed());  // The cycle that decided it knows.
  const auto during = bed.mirror.Publish();
  CHECK(during->volumes.Find("v")->claim == "ns/a");
  CHECK(during->volumes.Find("v")->claim_uid == "u-a");
  CHECK(NamesIn(during->claimed_volumes) == std::set<std::string>{"v"});
  CHECK(during->free_volumes.size() == 1);
  CHECK(before->free_volumes.size() == 2);
  CHECK(bed.mirror.Volume("v")->claim.empty());  // As the watch tells.
  bed.mirror.Forget("ns/p");
  CHECK(bed.mirror.changed());
  const auto after = bed.mirror.Publish();
  CHECK(after->free_volumes.size() == 2);
  CHECK(after->claimed_volumes.empty());
}

TEST_CASE("storage mirror: a claim that waits for a volume shows its node", "[storage]") {
  Bed bed;
  REQUIRE(bed.mirror.Assume("ns/p", *Plan("a", ""), "n1").ok());
  CHECK(bed.mirror.Publish()->claims.Find("ns/a")->selected_node == "n1");
  // An object that shows another node is right: provisioners and people may say so.
  ClaimFacts told = Claim("a");
  told.selected_node = "n2";
  bed.mirror.Put(Shared(told));
  CHECK(bed.mirror.Publish()->claims.Find("ns/a")->selected_node == "n2");
  bed.mirror.Forget("ns/p");
  CHECK(bed.mirror.Publish()->claims.Find("ns/a")->selected_node == "n2");
}

TEST_CASE("storage mirror: two pods share a promise, others are refused", "[storage]") {
  Bed bed;
  REQUIRE(bed.mirror.Assume("ns/p", *Plan("a", "v"), "n1").ok());
  REQUIRE(bed.mirror.Assume("ns/q", *Plan("a", "v"), "n1").ok());
  CHECK(absl::IsFailedPrecondition(bed.mirror.Assume("ns/r", *Plan("a", "w"), "n1")));
  CHECK(absl::IsFailedPrecondition(bed.mirror.Assume("ns/r", *Plan("b", "v"), "n1")));
  bed.mirror.Forget("ns/p");
  CHECK(bed.mirror.Publish()->volumes.Find("v")->claim == "ns/a");
  bed.mirror.Forget("ns/q");
  CHECK(bed.mirror.Publish()->volumes.Find("v")->claim.empty());
  CHECK(bed.mirror.Assume("ns/r", *Plan("b", "v"), "n1").ok());
}

TEST_CASE("storage mirror: nothing of a plan is taken when a part of it is outdated", "[storage]") {
  Bed bed;
  auto plan = std::make_shared<VolumePlan>(*Plan("a", "v"));
  plan->choices.push_back(Plan("b", "w")->choices[0]);
  struct Case {
    const char* name;
    std::function<void(StorageMirror&)> change;
  };
  const std::vector<Case> cases = {
      {"the claim is gone", [](StorageMirror& m) { m.RemoveClaim("ns/b"); }},
      {"the claim was made anew",
       [](StorageMirror& m) {
         ClaimFacts claim = Claim("b");
         claim.uid = "other";
         m.Put(Shared(claim));
       }},
      {"the claim has a volume",
       [](StorageMirror& m) {
         ClaimFacts claim = Claim("b");
         claim.volume = "x";
         m.Put(Shared(claim));
       }},
      {"the volume is gone", [](StorageMirror& m) { m.RemoveVolume("w"); }},
      {"the volume is another claim's",
       [](StorageMirror& m) {
         VolumeFacts volume = Volume("w");
         volume.claim = "ns/c";
         m.Put(Shared(volume));
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Bed fresh;
    c.change(fresh.mirror);
    CHECK(absl::IsFailedPrecondition(fresh.mirror.Assume("ns/p", *plan, "n1")));
    CHECK(fresh.mirror.Publish()->volumes.Find("v")->claim.empty());
  }
  CHECK(bed.mirror.Assume("ns/p", *plan, "n1").ok());
}

TEST_CASE("storage mirror: a claim that was bound as promised is no news when the pod is",
          "[storage]") {
  Bed bed;
  REQUIRE(bed.mirror.Assume("ns/p", *Plan("a", "v"), "n1").ok());
  VolumeFacts volume = Volume("v");
  volume.claim = "ns/a";
  volume.claim_uid = "u-a";
  bed.mirror.Put(Shared(volume));
  ClaimFacts claim = Claim("a");
  claim.volume = "v";
  claim.bound = true;
  bed.mirror.Put(Shared(claim));
  bed.mirror.Publish();
  bed.mirror.Forget("ns/p");
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.Publish()->volumes.Find("v")->claim == "ns/a");
}

TEST_CASE("storage mirror: an object that says the same again is no news", "[storage]") {
  Bed bed;
  ClaimFacts claim = Claim("a");
  claim.resource_version = "2";
  bed.mirror.Put(Shared(claim));
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.Claim("ns/a")->resource_version == "2");
  claim.attributes_class = "gold";
  bed.mirror.Put(Shared(claim));
  CHECK(bed.mirror.changed());
  CHECK(bed.mirror.Publish()->claims.Find("ns/a")->attributes_class == "gold");
  bed.mirror.PutCsiNode("n", std::make_shared<const model::CsiNodeFacts>());
  bed.mirror.Publish();
  bed.mirror.PutCsiNode("n", std::make_shared<const model::CsiNodeFacts>());
  bed.mirror.PutAttachment("at", "n", "v");
  CHECK(bed.mirror.changed());
  bed.mirror.Publish();
  bed.mirror.PutAttachment("at", "n", "v");
  CHECK_FALSE(bed.mirror.changed());
}

// Every table of the view, in words.
std::string Words(const StorageView& view) {
  std::string out;
  const auto volumes = [&out](const char* title, const model::NameTable<VolumeFacts>& table) {
    StrAppend(&out, title, "\n");
    table.VisitFrom("", [&out](std::string_view name, const VolumeFacts& row) {
      StrAppend(&out, std::string(name), " ", row.uid, " ", row.claim, " ", row.claim_uid, " ",
                row.bytes, "\n");
      return true;
    });
  };
  volumes("all", view.volumes);
  volumes("free", view.free_volumes);
  volumes("claimed", view.claimed_volumes);
  view.claims.VisitFrom("", [&out](std::string_view name, const ClaimFacts& row) {
    StrAppend(&out, std::string(name), " ", row.uid, " ", row.selected_node, " ", row.volume, "\n");
    return true;
  });
  return out;
}

TEST_CASE("storage mirror: changed step by step equals told at once", "[storage][property]") {
  test::ForEachSeed(40, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    StorageMirror mirror;
    std::map<std::string, ClaimFacts> claims;
    std::map<std::string, VolumeFacts> volumes;
    std::map<std::string, std::pair<std::shared_ptr<const VolumePlan>, std::string>> assumed;
    for (int step = 0; step < 200; ++step) {
      const std::string name = StrCat("x", rng.Below(6));
      switch (rng.Below(6)) {
        case 0: {
          ClaimFacts claim = Claim(name);
          if (rng.Chance(0.2)) claim.selected_node = "n2";
          claims[claim.key] = claim;
          mirror.Put(Shared(claim));
          break;
        }
        case 1: {
          VolumeFacts volume = Volume(name);
          volume.bytes = rng.Between(1, 3);
          volume.available = rng.Chance(0.9);
          if (rng.Chance(0.2)) volume.claim = StrCat("ns/x", rng.Below(6));
          volumes[name] = volume;
          mirror.Put(Shared(volume));
          break;
        }
        case 2:
          if (rng.Chance(0.3)) {
            claims.erase("ns/" + name);
            mirror.RemoveClaim("ns/" + name);
          }
          break;
        case 3:
          if (rng.Chance(0.3)) {
            volumes.erase(name);
            mirror.RemoveVolume(name);
          }
          break;
        case 4: {
          const std::string pod = StrCat("ns/p", rng.Below(4));
          if (assumed.contains(pod)) break;
          auto plan = Plan(name, rng.Chance(0.5) ? StrCat("x", rng.Below(6)) : "");
          if (mirror.Assume(pod, *plan, "n1").ok()) assumed[pod] = {plan, "n1"};
          break;
        }
        default: {
          const std::string pod = StrCat("ns/p", rng.Below(4));
          mirror.Forget(pod);
          assumed.erase(pod);
        }
      }
      if (step % 20 != 0) continue;
      StorageMirror fresh;
      for (const auto& [key, claim] : claims) fresh.Put(Shared(claim));
      for (const auto& [key, volume] : volumes) fresh.Put(Shared(volume));
      bool same_assumed = true;
      for (const auto& [pod, order] : assumed) {
        same_assumed &= fresh.Assume(pod, *order.first, order.second).ok();
      }
      // What went away under a promise cannot be promised anew.
      if (same_assumed) CHECK(Words(*mirror.Publish()) == Words(*fresh.Publish()));
    }
  });
}

}  // namespace
}  // namespace bth::cache
