// Leaving jobs alone that wait for devices decides as looking at every job does.
#include <map>
#include <set>
#include <string>

#include "api/types/codec.h"
#include "base/strings.h"
#include "cache/routing/router.h"
#include "tests/device_claims/claim_world.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

constexpr uint64_t kNodes = 3;
constexpr uint64_t kJobs = 9;

std::string Name(std::string_view of, uint64_t i) {
  return StrCat(of, i);
}

// Nodes with a few devices of two models, gangs whose pods claim some, alone or together, in two
// queues of which one has a limit; objects that come, change and go.
class DeviceLife {
 public:
  explicit DeviceLife(Rng& rng) : rng_(rng) {
    for (const char* name : {"gpu", "big"}) {
      const std::string selectors =
          name[0] == 'g' ? ""
                         : R"("selectors":[{"cel":{"expression":"device.attributes['x'].big"}}])";
      Put<types::DeviceClass>(
          StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{)", selectors, "}}"));
    }
    for (uint64_t i = 0; i < kNodes; ++i) {
      PutNode(i);
      PutSlice(i);
    }
    PutQueue();
    for (uint64_t i = 0; i < kJobs; ++i) PutJob(i);
  }

  std::shared_ptr<const model::Snapshot> Publish() { return mirror_.Publish(); }

  void ComeAbout(const CycleResult& decided) {
    for (const auto& [pod, node] : decided.binds) {
      if (rng_.Chance(0.9)) Bind(pod.substr(pod.find('/') + 1), node);
    }
    // What was decided need not have come about, nor with these devices.
    if (!decided.binds.empty()) mirror_.device_claims().NoteGivenBack();
    for (const auto& [group, phase] : decided.phases) {
      mirror_.AssumePhase(group, model::ParsePhase(phase));
    }
  }

  void Change() {
    switch (rng_.Below(9)) {
      case 0:
        PutSlice(rng_.Below(kNodes));
        break;
      case 1:
        router_.Remove(cache::Kind<types::ResourceSlice>(),
                       {.ns = "", .name = Name("n", rng_.Below(kNodes))});
        break;
      case 2:
        PutNode(rng_.Below(kNodes));
        break;
      case 3:
        PutQueue();
        break;
      case 4:
        PutClaim(Name("shared", rng_.Below(2)));
        break;
      case 5:
      case 6:
        End(rng_.Below(kJobs));
        break;
      case 7:
        PutRule();
        break;
      default:
        break;
    }
  }

 private:
  template <typename T>
  void Put(const std::string& json) {
    INFO(json);
    const auto object = types::Decode<T>(std::string_view(json));
    REQUIRE(object.status().ToString() == "OK");
    REQUIRE(router_.Put(*object).ToString() == "OK");
  }
  void PutNode(uint64_t i) {
    Put<types::Node>(StrCat(R"({"metadata":{"name":"n)", i,
                            R"("},"status":{"allocatable":{"cpu":")", 1 + rng_.Below(4),
                            R"(","memory":"9Gi","pods":"9"}}})"));
  }
  void PutSlice(uint64_t i) {
    std::string devices;
    const uint64_t count = rng_.Below(4);
    for (uint64_t d = 0; d < count; ++d) {
      StrAppend(&devices, d == 0 ? "" : ",", R"({"name":"d)", d,
                R"(","attributes":{"big":{"bool":)", rng_.Chance(0.5) ? "true" : "false", "}}}");
    }
    Put<types::ResourceSlice>(
        StrCat(R"({"metadata":{"name":"n)", i, R"("},"spec":{"driver":"x","nodeName":"n)", i,
               R"(","pool":{"name":"n)", i, R"(","generation":)", ++generation_,
               R"(,"resourceSliceCount":1},"devices":[)", devices, "]}}"));
  }
  void PutRule() {
    if (rng_.Chance(0.5)) {
      router_.Remove(cache::Kind<types::DeviceTaintRule>(), {.ns = "", .name = "r"});
      return;
    }
    Put<types::DeviceTaintRule>(
        StrCat(R"({"metadata":{"name":"r"},"spec":{"deviceSelector":{"driver":"x","pool":"n)",
               rng_.Below(kNodes), R"("},"taint":{"key":"k","effect":"NoSchedule"}}})"));
  }
  void PutQueue() {
    const std::string most =
        rng_.Chance(0.5) ? ""
                         : StrCat(R"("capability":{"deviceclass/gpu":")", rng_.Below(5), "\"}");
    Put<types::Queue>(R"({"metadata":{"name":"free"},"spec":{},"status":{"state":"Open"}})");
    Put<types::Queue>(StrCat(R"({"metadata":{"name":"tight"},"spec":{)", most,
                             R"(},"status":{"state":"Open"}})"));
  }
  // Empty `device`: it has none.
  void PutClaim(const std::string& name, const std::string& node = "",
                const std::string& device = "") {
    std::string& request = requests_[name];
    if (request.empty()) {
      request =
          StrCat(R"({"name":"r","exactly":{"deviceClassName":")", rng_.Chance(0.6) ? "gpu" : "big",
                 R"(","allocationMode":"ExactCount","count":)", 1 + rng_.Below(2), "}}");
    }
    const std::string status =
        device.empty()
            ? ""
            : StrCat(R"(,"status":{"allocation":{"devices":{"results":[{"request":"r",)",
                     R"("driver":"x","pool":")", node, R"(","device":")", device,
                     R"("}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":)",
                     R"("metadata.name","operator":"In","values":[")", node, R"("]}]}]}}})");
    Put<types::ResourceClaim>(
        StrCat(R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
               R"("},"spec":{"devices":{"requests":[)", request, "]}}", status, "}"));
  }
  void PutPod(const std::string& name, const std::string& node) {
    const uint64_t job = static_cast<uint64_t>(name[1] - '0');
    const std::string claim = claims_[name];
    Put<types::Pod>(StrCat(
        R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", name, "-", lives_[job],
        R"(","creationTimestamp":"2026-01-01T00:00:00Z","annotations":)",
        R"({"scheduling.k8s.io/group-name":"j)", job, R"("}},"spec":{"schedulerName":"volcano",)",
        node.empty() ? "" : StrCat(R"("nodeName":")", node, R"(",)"),
        claim.empty()
            ? ""
            : StrCat(R"("resourceClaims":[{"name":"d","resourceClaimName":")", claim, R"("}],)"),
        R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"500m"}}}]},)",
        R"("status":{"phase":")", node.empty() ? "Pending" : "Running", R"("}})"));
  }
  void PutJob(uint64_t i) {
    ++lives_[i];
    const uint64_t pods = 1 + rng_.Below(3);
    Put<types::PodGroup>(StrCat(R"({"metadata":{"namespace":"ns","name":"j)", i, R"(","uid":"u-j)",
                                i, "-", lives_[i], R"("},"spec":{"queue":")",
                                rng_.Chance(0.5) ? "free" : "tight", R"(","minMember":)",
                                1 + rng_.Below(pods), R"(},"status":{"phase":")",
                                rng_.Chance(0.7) ? "Pending" : "Inqueue", R"("}})"));
    for (uint64_t p = 0; p < pods; ++p) {
      const std::string name = StrCat("j", i, "-", p);
      claims_[name] = rng_.Chance(0.2)   ? ""
                      : rng_.Chance(0.3) ? Name("shared", rng_.Below(2))
                                         : StrCat("of-", name, "-", lives_[i]);
      if (!claims_[name].empty() && !devices_.contains(claims_[name])) PutClaim(claims_[name]);
      PutPod(name, "");
    }
  }
  void End(uint64_t job) {
    for (uint64_t p = 0; p < 3; ++p) {
      const std::string name = StrCat("j", job, "-", p);
      if (!claims_.contains(name)) continue;
      const std::string claim = claims_[name];
      router_.Remove(cache::Kind<types::Pod>(), {.ns = "ns", .name = name});
      claims_.erase(name);
      if (claim.starts_with("of-")) {
        router_.Remove(cache::Kind<types::ResourceClaim>(), {.ns = "ns", .name = claim});
        devices_.erase(claim);
      } else if (devices_.contains(claim) && rng_.Chance(0.5)) {
        devices_.erase(claim);
        PutClaim(claim);
      }
    }
    router_.Remove(cache::Kind<types::PodGroup>(), {.ns = "ns", .name = Name("j", job)});
    if (rng_.Chance(0.8)) PutJob(job);
  }
  void Bind(const std::string& pod, const std::string& node) {
    PutPod(pod, node);
    const std::string claim = claims_[pod];
    if (claim.empty() || devices_.contains(claim)) return;
    devices_.insert(claim);
    PutClaim(claim, node, Name("d", rng_.Below(3)));
  }

  Rng& rng_;
  ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror_{clock_, {}};
  const cache::Responsibility responsibility_;
  cache::Router router_{mirror_, responsibility_};
  std::map<std::string, std::string> requests_;  // Of claims.
  std::map<std::string, std::string> claims_;    // Of pods that are there; empty: none.
  std::set<std::string> devices_;                // Claims that have some.
  std::map<uint64_t, int> lives_;                // Of jobs.
  int64_t generation_ = 0;
};

std::string DevicePolicy(Rng& rng) {
  return StrCat("actions: \"", rng.Chance(0.6) ? "enqueue, " : "", R"(allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins:
  - {name: predicates}
  - )",
                rng.Chance(0.7) ? "{name: capacity}" : "{name: proportion}",
                "\n  - {name: nodeorder}\n");
}

TEST_CASE("unschedulable jobs: the same of those that wait for devices",
          "[framework][claims][property]") {
  int64_t considered = 0;
  int64_t all = 0;
  ForEachWorld(400, [&](Rng& rng) {
    const std::string conf = DevicePolicy(rng);
    INFO(conf);
    PolicyBed keeps(conf);
    PolicyBed looks_at_all(conf);
    DeviceLife life(rng);
    std::map<std::string, std::string> phases;
    for (int round = 0; round < 14; ++round) {
      INFO("round " << round);
      const auto snapshot = life.Publish();
      const CycleResult part = keeps.RunFully(snapshot);
      const CycleResult whole = looks_at_all.LookAtAll(snapshot);
      REQUIRE(part.violations.empty());
      REQUIRE(FirstContradiction(part, whole) == "");
      for (const auto& [group, phase] : part.phases) phases[group] = phase;
      for (const auto& [group, phase] : whole.phases) {
        INFO(group);
        REQUIRE(phases[group] == phase);
      }
      considered += part.jobs_considered;
      all += whole.jobs_considered;
      life.ComeAbout(whole);
      life.Change();
    }
  });
  CHECK((considered < all * 9 / 10 || FewSeeds()));
}

// A queue that may admit one device, and jobs that wait for that.
struct Admission : ClaimWorld {
  Admission() {
    DeviceClass("gpu.com");
    Node("n");
    Put<types::Queue>(
        R"({"metadata":{"name":"q"},"spec":{"capability":{"deviceclass/gpu.com":"1"}},)"
        R"("status":{"state":"Open"}})");
  }
  void Group(const std::string& name, const std::string& phase) {
    Put<types::PodGroup>(
        StrCat(R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
               R"("},"spec":{"queue":"q","minMember":1},"status":{"phase":")", phase, R"("}})"));
  }
  void PodOf(const std::string& group, const std::string& claim) {
    const std::string of =
        StrCat(R"(,"annotations":{"scheduling.k8s.io/group-name":")", group, R"("})");
    Pod(group + "-0", {.metadata = of, .spec = Uses(claim)});
  }
  // Made anew each time: what a claim asks for never changes.
  void ClaimFor(const std::string& name, int devices) {
    Put<types::ResourceClaim>(StrCat(
        R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", ++claims_,
        R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.com",)",
        R"("count":)", devices, "}}]}}}"));
  }
  bool Admits(const std::string& group) {
    return policy_.RunFully(Publish().snapshot).phases["ns/" + group] == "Inqueue";
  }

 private:
  int claims_ = 0;
  PolicyBed policy_{R"(
actions: "enqueue"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: capacity}]
)"};
};

TEST_CASE("left alone: a job that is not admitted for its claims, until they ask for less",
          "[framework][claims]") {
  Admission objects;
  objects.ClaimFor("c", 2);
  objects.Group("g", "Pending");
  objects.PodOf("g", "c");
  CHECK(!objects.Admits("g"));
  CHECK(!objects.Admits("g"));
  objects.ClaimFor("c", 1);
  CHECK(objects.Admits("g"));
}

// The queue holds as much as before: what the job shares with it is not new to it.
TEST_CASE("left alone: a job that is not admitted for its claims, until another one has them",
          "[framework][claims]") {
  Admission objects;
  objects.ClaimFor("own", 1);
  objects.ClaimFor("shared", 1);
  objects.Group("g", "Pending");
  objects.PodOf("g", "shared");
  objects.Group("h", "Inqueue");
  objects.PodOf("h", "own");
  CHECK(!objects.Admits("g"));
  CHECK(!objects.Admits("g"));
  objects.PodOf("h", "shared");
  CHECK(objects.Admits("g"));
}

// Nodes on which eleven devices of which the last one has an attribute are searched for in vain.
struct Searches : ClaimWorld {
  explicit Searches(int nodes) {
    Put<types::Queue>(R"({"metadata":{"name":"default"},"spec":{},"status":{"state":"Open"}})");
    DeviceClass("any");
    std::string devices;
    for (int d = 0; d < 40; ++d) StrAppend(&devices, d == 0 ? "" : ",", R"({"name":"d)", d, "\"}");
    for (int n = 0; n < nodes; ++n) {
      Node(Name("n", static_cast<uint64_t>(n)));
      Slice(Name("n", static_cast<uint64_t>(n)), devices);
    }
  }
  // A pod with nothing but CPUs on the node, which ends.
  void Plain(const std::string& name, const std::string& node, std::string_view phase) {
    Put<types::Pod>(StrCat(
        R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
        R"("},"spec":{"schedulerName":"other","nodeName":")", node,
        R"(","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"60"}}}]},)",
        R"("status":{"phase":")", phase, R"("}})"));
  }
  void Job(const std::string& name, int devices, const std::string& constraints,
           const std::string& spec = "") {
    std::string requests;
    for (int r = 1; r <= devices; ++r) {
      StrAppend(&requests, r == 1 ? "" : ",", R"({"name":"r)", r,
                R"(","exactly":{"deviceClassName":"any"}})");
    }
    Claim(name, StrCat(R"({"requests":[)", requests, R"(],"constraints":[)", constraints, "]}"));
    Put<types::PodGroup>(
        StrCat(R"({"metadata":{"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
               R"("},"spec":{"queue":"default","minMember":1},"status":{"phase":"Inqueue"}})"));
    Pod(name,
        {.metadata = StrCat(R"(,"annotations":{"scheduling.k8s.io/group-name":")", name, R"("})"),
         .spec = Uses(name) + spec});
  }
  CycleResult RunCycle() { return policy_.RunFully(Publish().snapshot); }

 private:
  PolicyBed policy_{R"(
actions: "allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins: [{name: predicates, arguments: {dynamicresources.filterTimeoutSeconds: 1}}]
)"};
};

TEST_CASE("left alone: not who was given up for what others search for", "[framework][claims]") {
  Searches objects(8);
  for (const char* job : {"a", "b", "c"}) {
    objects.Job(job, 11, R"({"requests":["r11"],"matchAttribute":"x.io/none"})");
  }
  objects.Job("z", 32, "");  // Some two thousand looks: not free.
  const auto considered = [&](const std::map<std::string, std::string>& binds) {
    const CycleResult result = objects.RunCycle();
    CHECK(result.binds == binds);
    return result.jobs_considered;
  };
  CHECK(considered({}) == 4);
  // The last one was not searched for, and the one before it on half of the nodes.
  CHECK(considered({{"ns/z", "n0"}}) == 2);
  CHECK(considered({{"ns/z", "n0"}}) == 1);
}

// Whether devices that came free are for a job is asked before the session's own searches, and
// others ask, too.
TEST_CASE("left alone: not who has devices now, whatever others search for",
          "[framework][claims]") {
  constexpr int kFreed = 8;
  Searches objects(kFreed);
  for (int n = 0; n < kFreed; ++n) {
    objects.Plain(Name("p", static_cast<uint64_t>(n)), Name("n", static_cast<uint64_t>(n)),
                  "Running");
  }
  // Each of another kind, so that most of them are asked about before the one that waits. A few use
  // up what a session has.
  constexpr int kVain = 40;
  for (int job = 0; job < kVain; ++job) {
    objects.Job(Name("vain", static_cast<uint64_t>(job)), 11,
                StrCat(R"({"requests":["r11"],"matchAttribute":"x.io/none)", job, "\"}"),
                StrCat(R"(,"overhead":{"cpu":")", 1 + job, R"(m"})"));
  }
  objects.Job("waits", 32, "", R"(,"overhead":{"cpu":"10"})");
  const auto considered = [&] {
    const CycleResult result = objects.RunCycle();
    CHECK(result.binds.empty());
    return result.jobs_considered;
  };
  for (int cycle = 0; considered() > 0; ++cycle) REQUIRE(cycle < kVain);
  for (int n = 0; n < kFreed; ++n) {
    objects.Plain(Name("p", static_cast<uint64_t>(n)), Name("n", static_cast<uint64_t>(n)),
                  "Succeeded");
  }
  std::map<std::string, std::string> binds;
  for (int cycle = 0; binds.empty(); ++cycle) {
    REQUIRE(cycle < kVain);
    binds = objects.RunCycle().binds;
  }
  REQUIRE(binds.size() == 1);
  CHECK(binds.begin()->first == "ns/waits");
}

}  // namespace
}  // namespace bth::test
