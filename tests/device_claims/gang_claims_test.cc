// What gangs with many claims take of their queue's devices.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/model/device_claims.h"
#include "api/model/device_quota.h"
#include "base/rng.h"
#include "base/strings.h"
#include "plugins/capacity/device_ledger.h"
#include "plugins/capacity/queue_ledger.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using Kind = model::DeviceClaimUse::Kind;

// Of pods: who claims what.
struct GangClaims {
  std::vector<std::shared_ptr<const model::DeviceClaimFacts>> claims;
  std::map<std::string, model::PodDeviceClaims> of_pods;

  // It asks for so many devices.
  void Add(const std::string& name, int64_t count, const std::string& owner = "") {
    model::DeviceClaimFacts facts{.key = StrCat("ns/", name), .name = name};
    facts.owner_uid = owner;
    if (count > 0) {
      model::DeviceDemandFacts demand{.name = "", .device_class = "gpu.com"};
      demand.count = count;
      facts.requests.push_back({.name = "r", .prioritized = false, .demands = {demand}});
    }
    claims.push_back(std::make_shared<const model::DeviceClaimFacts>(std::move(facts)));
  }
  void Use(const std::string& pod, const std::string& claim, Kind kind = Kind::kNamed) {
    model::PodDeviceClaims& of_pod = of_pods[pod];
    of_pod.ns = "ns";
    of_pod.uses.push_back({.kind = kind, .entry = claim, .claim = claim});
  }
};

// A ledger on a session of its own; queue q may have any number.
struct GangClaimsBed {
  GangClaimsBed(World plain, const GangClaims& claims)
      : bed(Builtins(), MakePolicy("", "gang"), With(std::move(plain), claims)) {
    queues.Open(bed.session().base(), /*hierarchy=*/false);
    devices.emplace(bed.session(), queues, /*parts=*/true);
  }
  const plugins::capacity::DeviceLedger::Account& account() const {
    return *devices->Find(bed.world().queue("q"));
  }
  int64_t kept() const {
    const auto known = account().inqueue.find("gpu.com");
    return known == account().inqueue.end() ? 0 : known->second.count;
  }

  static World With(World world, const GangClaims& claims) {
    auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
    auto view = std::make_shared<model::DeviceClaimsView>();
    for (const auto& claim : claims.claims) view->claims.Put(claim->key, claim);
    snapshot->device_claims = std::move(view);
    for (const auto& [pod, of_pod] : claims.of_pods) {
      snapshot->tasks.Mutable(world.task(pod)).device_claims =
          std::make_shared<const model::PodDeviceClaims>(of_pod);
    }
    auto quota = std::make_shared<model::DeviceQuota>();
    quota->classes.push_back({.device_class = "gpu.com", .count = int64_t{1} << 40, .amounts = {}});
    snapshot->queues.Mutable(world.queue("q")).device_quota = std::move(quota);
    world.snapshot = std::move(snapshot);
    return world;
  }

  PluginBed bed;
  plugins::capacity::QueueLedger queues;
  std::optional<plugins::capacity::DeviceLedger> devices;
};

// What the ledger should keep, by a plain count. Gangs are admitted one after the other.
class GangClaimsTwin {
 public:
  explicit GangClaimsTwin(const framework::Session& session) : session_(session) {
    for (model::TaskId task : session.base().tasks.ids()) {
      if (!Runs(task)) continue;
      for (const std::string& claim : ClaimsOf(task)) held_.insert(claim);
    }
  }

  void Admit(model::JobId job) {
    std::set<std::string> minimum;
    const model::JobRow& row = session_.job(job);
    if (row.roles->empty()) TakeFirst(job, {}, row.min_available, &minimum);
    for (model::RoleId role : *row.roles) {
      const int64_t least = session_.base().roles[role].min_available;
      const std::vector<model::TaskId> taken = TakeFirst(job, role, least, &minimum);
      const int64_t unmade = least - static_cast<int64_t>(taken.size());
      if (taken.empty() || unmade <= 0) continue;
      const auto& uses = session_.task(taken.front()).device_claims->uses;
      if (std::none_of(uses.begin(), uses.end(),
                       [](const auto& use) { return use.kind == Kind::kFromTemplate; })) {
        continue;
      }
      for (const std::string& claim : ClaimsOf(taken.front())) {
        if (!Facts(claim).owner_uid.empty()) sum += unmade * CountOf(claim);
      }
    }
    for (const std::string& claim : minimum) {
      if (!held_.contains(claim) && !kept.contains(claim)) sum += CountOf(claim);
    }
    kept.insert(minimum.begin(), minimum.end());
  }

  std::set<std::string> kept;
  int64_t sum = 0;

 private:
  bool Runs(model::TaskId task) const {
    return model::InGroup(session_.state(task).status, model::kAllocatedGroup);
  }
  const model::DeviceClaimFacts& Facts(const std::string& key) const {
    return *session_.base().device_claims->claims.Find(key);
  }
  int64_t CountOf(const std::string& key) const {
    return Facts(key).requests.front().demands.front().count;
  }
  std::set<std::string> ClaimsOf(model::TaskId task) const {
    std::set<std::string> keys;
    if (session_.task(task).device_claims == nullptr) return keys;
    for (const auto& use : session_.task(task).device_claims->uses) {
      keys.insert(StrCat("ns/", use.claim));
    }
    return keys;
  }
  // The first so many by name that have claims, of a role if it is valid; adds what those claim
  // that have no place.
  std::vector<model::TaskId> TakeFirst(model::JobId job, model::RoleId role, int64_t most,
                                       std::set<std::string>* claims) const {
    std::map<std::string, model::TaskId> by_name;
    for (model::TaskId task : *session_.job(job).tasks) {
      if (role.valid() && session_.task(task).role != role) continue;
      if (!ClaimsOf(task).empty()) by_name[session_.task(task).names->name] = task;
    }
    std::vector<model::TaskId> taken;
    for (const auto& [name, task] : by_name) {
      if (static_cast<int64_t>(taken.size()) >= most) break;
      taken.push_back(task);
      if (!Runs(task)) claims->merge(ClaimsOf(task));
    }
    return taken;
  }

  const framework::Session& session_;
  std::set<std::string> held_;
};

TEST_CASE("device quota: what is kept for gangs is what a plain count finds",
          "[plugins][capacity][claims][property]") {
  ForEachSeed(60, [](uint64_t seed) {
    Rng rng(seed);
    GangClaims claims;
    for (int c = 0; c < 8; ++c) {
      claims.Add(StrCat("c", c), 1 + static_cast<int64_t>(rng.Below(4)),
                 rng.Chance(0.5) ? "owner" : "");
    }
    std::string text = StrCat(
        "node n cpu=64; queue q; job a queue=q phase=pending min=", rng.Below(8),
        "; job b queue=q phase=pending roles=ps:", rng.Below(4), ",worker:", rng.Below(6), "; ");
    for (int t = 0; t < 16; ++t) {
      const std::string pod = StrCat("p", rng.Below(10), "-", t);
      StrAppend(&text, "task ", pod, rng.Chance(0.4) ? " job=a" : " job=b",
                " cpu=1 role=", rng.Chance(0.3) ? "ps" : "worker",
                rng.Chance(0.2) ? " node=n; " : "; ");
      for (uint64_t uses = rng.Below(5); uses > 0; --uses) {
        claims.Use(pod, StrCat("c", rng.Below(8)),
                   rng.Chance(0.5) ? Kind::kNamed : Kind::kFromTemplate);
      }
    }
    CAPTURE(text);
    GangClaimsBed bed(MakeWorld(text), claims);
    GangClaimsTwin twin(bed.bed.session());
    for (const char* job : {"b", "a"}) {
      bed.devices->Enqueue(bed.bed.world().job(job));
      twin.Admit(bed.bed.world().job(job));
      CAPTURE(job);
      CHECK(bed.kept() == twin.sum);
      std::set<std::string> kept;
      for (const model::DeviceClaimFacts* claim : bed.account().kept) kept.insert(claim->key);
      CHECK(kept == twin.kept);
    }
  });
}

TEST_CASE("device quota: claims of a gang cost as many steps as there are",
          "[plugins][capacity][claims]") {
  struct Case {
    int pods;
    int claims_of_each;
  };
  const Case c = GENERATE(values<Case>({{200, 500}, {1, 100'000}}));
  CAPTURE(c.pods, c.claims_of_each);
  GangClaims claims;
  for (int p = 0; p < c.pods; ++p) {
    for (int i = 0; i < c.claims_of_each; ++i) {
      const std::string name = StrCat("c", p, "-", i);
      claims.Add(name, i == 0 ? 3 : 0);
      claims.Use(StrCat("a-", p), name);
    }
  }
  GangClaimsBed bed(MakeWorld(StrCat("node n cpu=64; queue q; job a queue=q phase=pending min=",
                                     c.pods, " tasks=", c.pods, " cpu=1")),
                    claims);
  const model::JobId job = bed.bed.world().job("a");
  for (int question = 0; question < 15; ++question) {
    REQUIRE_FALSE(bed.devices->ShortForAdmission(job).has_value());
  }
  bed.devices->Enqueue(job);
  CHECK(bed.account().kept.size() == 100'000);
  CHECK(bed.kept() == 3 * c.pods);
}

TEST_CASE("device quota: roles of a gang cost as many steps as there are, and their pods",
          "[plugins][capacity][claims]") {
  constexpr int kRoles = 20'000;
  GangClaims claims;
  std::string roles;
  std::string pods;
  for (int i = 0; i < kRoles; ++i) {
    StrAppend(&roles, i == 0 ? "" : ",", "r", i, ":1");
    StrAppend(&pods, "; task p", i, " job=a cpu=1 role=r", i);
    claims.Add(StrCat("c", i), 1);
    claims.Use(StrCat("p", i), StrCat("c", i));
  }
  GangClaimsBed bed(
      MakeWorld(StrCat("node n cpu=64; queue q; job a queue=q phase=pending roles=", roles, pods)),
      claims);
  const model::JobId job = bed.bed.world().job("a");
  for (int question = 0; question < 40; ++question) {
    REQUIRE_FALSE(bed.devices->ShortForAdmission(job).has_value());
  }
  bed.devices->Enqueue(job);
  CHECK(bed.kept() == kRoles);
}

}  // namespace
}  // namespace bth::test
