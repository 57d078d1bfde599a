// The clusters that benchmarks of whole cycles work on, and how they run cycles.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::bench {

using namespace test;  // NOLINT(google-build-using-namespace): its builders are this file's words.

inline constexpr int64_t kGi = int64_t{1} << 30;
inline constexpr int64_t kZones = 8;

// What Volcano's chart configures, and the built-in default.
inline constexpr char kConf[] = R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
)";

class Cluster {
 public:
  Cluster() : clock_(absl::FromUnixSeconds(1'000'000)), mirror_(clock_, {}) {
    Put(QueueSpec{.name = "default"}, mirror_);
  }

  void AddNodes(int64_t count, int64_t gpus = 0) {
    for (int64_t i = 0; i < count; ++i) {
      Put(NodeSpec{.name = StrCat("node-", absl::Dec(i, absl::kZeroPad6)),
                   .cpu_milli = 64'000,
                   .memory_bytes = 256 * kGi,
                   .gpu_milli = gpus * 1000,
                   .pods = 250,
                   .zone = StrCat("zone-", i % kZones)},
          mirror_);
    }
    nodes_ = count;
  }

  // Gangs of `gang` pods; `vary` makes every pod's request different.
  void AddPending(int64_t pods, int64_t gang, bool vary) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) AddJob(StrCat("ns/pending-", ++jobs_), gang);
      Put(PodSpec{.name = StrCat("pending-", jobs_, "-", i),
                  .job = StrCat("ns/pending-", jobs_),
                  .cpu_milli = 500 + (vary ? i % 1000 : 0),
                  .memory_bytes = kGi + (vary ? (i / 1000) * 4096 : 0),
                  .created_us = i},
          mirror_);
    }
  }

  // Gangs whose pods are labelled with their gang and ask for places accordingly.
  void AddPeers(int64_t pods, int64_t gang,
                const std::function<void(const SelectorSpec& of_gang, PeerSpecs*)>& ask) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) AddJob(StrCat("ns/pending-", ++jobs_), gang);
      PodSpec pod{.name = StrCat("pending-", jobs_, "-", i),
                  .job = StrCat("ns/pending-", jobs_),
                  .cpu_milli = 500,
                  .memory_bytes = kGi,
                  .created_us = i};
      pod.peers.labels = {{"gang", StrCat(jobs_)}, {"index", StrCat(i % gang)}};
      ask({.label = "gang", .value = StrCat(jobs_)}, &pod.peers);
      Put(pod, mirror_);
    }
  }

  // Gangs whose PodGroups show already that they run: nothing is left to do for them. They stand in
  // `queues` in turn.
  void AddRunning(int64_t pods, int64_t gang, int64_t cpu_milli = 500,
                  const std::vector<std::string>& queues = {"default"}) {
    for (int64_t i = 0; i < pods; ++i) {
      if (i % gang == 0) {
        ++jobs_;
        AddSettledJob(StrCat("running-", jobs_), gang, queues[jobs_ % queues.size()]);
      }
      Put(PodSpec{.name = StrCat("running-", jobs_, "-", i),
                  .job = StrCat("ns/running-", jobs_),
                  .node = StrCat("node-", absl::Dec(i % nodes_, absl::kZeroPad6)),
                  .status = model::TaskStatus::kRunning,
                  .cpu_milli = cpu_milli,
                  .memory_bytes = kGi},
          mirror_);
    }
  }

  // Jobs of one pod that asks for more than any node has.
  void AddHopeless(int64_t jobs) {
    for (int64_t i = 0; i < jobs; ++i) {
      AddJob(StrCat("ns/hopeless-", i), 1);
      Put(PodSpec{.name = StrCat("hopeless-", i),
                  .job = StrCat("ns/hopeless-", i),
                  .cpu_milli = 100'000},
          mirror_);
    }
  }

  void RemovePending(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      mirror_.RemovePod(StrCat("ns/pending-", jobs_, "-", i));
    }
    mirror_.RemovePodGroup(StrCat("ns/pending-", jobs_));
  }

  // A running pod that no scheduler of ours placed.
  void AddForeign(const std::string& name, int64_t node) {
    Put(PodSpec{.name = name,
                .node = StrCat("node-", absl::Dec(node, absl::kZeroPad6)),
                .status = model::TaskStatus::kRunning,
                .cpu_milli = 500,
                .memory_bytes = kGi},
        mirror_);
  }
  void RemoveForeign(const std::string& name) { mirror_.RemovePod("ns/" + name); }

  cache::Mirror& mirror() { return mirror_; }

 private:
  void AddJob(const std::string& name, int64_t gang) {
    Put(JobSpec{.name = name, .queue = "default", .min = static_cast<int32_t>(gang)}, mirror_);
  }
  void AddSettledJob(const std::string& name, int64_t gang, const std::string& queue) {
    cache::CompiledPodGroup group;
    group.facts = std::make_shared<model::JobFacts>();
    group.facts->ns = "ns";
    group.facts->name = name;
    group.facts->uid = "uid-" + name;
    group.queue = queue;
    group.min_member = static_cast<int32_t>(gang);
    group.shown.phase = model::PodGroupPhase::kRunning;
    group.shown.running = static_cast<int32_t>(gang);
    mirror_.PutPodGroup(std::move(group));
  }

  ManualClock clock_;
  cache::Mirror mirror_;
  int64_t nodes_ = 0;
  int64_t jobs_ = 0;
};

// Runs cycles of one policy, as the daemon does: plugins and caches live on between them. The
// change that leads to each cycle counts too, because what it writes is copied first.
inline void RunCycles(benchmark::State& state, Cluster& cluster,
                      const std::function<void()>& change, const std::string& conf = kConf) {
  PolicyBed bed(conf);
  size_t binds = bed.RunOnce(cluster.mirror().Publish());  // What only a first cycle does.
  int64_t jobs = 0;                                        // Most that one cycle looked at.
  for (auto _ : state) {
    change();
    binds = bed.RunOnce(cluster.mirror().Publish());
    jobs = std::max(jobs, bed.jobs_considered());
  }
  state.counters["binds"] = static_cast<double>(binds);
  state.counters["jobs"] = static_cast<double>(jobs);
}

}  // namespace bth::bench
