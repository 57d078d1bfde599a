// A cluster in which evicted pods come back as pending ones, for properties of evicting actions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/task_status.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"
#include "framework/session/effects.h"

namespace bth::test {

struct EvictionPod {
  std::string name;  // Of the object; a replacement gets another one.
  std::string root;  // The same for a pod and its replacements.
  std::string job;
  std::string node;
  std::string nominated;
  model::TaskStatus status = model::TaskStatus::kPending;
  int32_t priority = 1;
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int32_t port = 0;
  bool fixed = false;
  int64_t created_us = 0;
  int leaves_in = 0;  // Cycles, while releasing.
  std::string part;   // Of its job, where that has parts.
  std::optional<int64_t> index = {};
};

struct EvictionJob {
  std::string name;
  std::string queue;
  int32_t min = 0;
  std::string priority_class;
  int32_t part_size = 0;  // Pods that make a part whole; 0: the job has no parts.
  int32_t parts_min = 0;  // Whole parts that the job needs.
};

struct EvictionNode {
  std::string name;
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int64_t pods = 10;
};

struct EvictionRecord {
  std::string victim;
  std::string victim_job;
  std::string beneficiary;
  std::string beneficiary_job;
};

// What one cycle did, and what was wrong with it.
struct EvictionCycle {
  std::vector<EvictionRecord> evictions;
  std::map<std::string, std::string> binds;
  std::set<std::string> beyond_share;  // Pending pods that their queue may not place now.
  std::vector<std::string> faults;
};

// Runs cycles of one policy and answers them as a cluster with a job controller would. One thread.
class EvictionWorld {
 public:
  // `leave_cycles`: how long victims take to go. There are the priority classes low, mid and high.
  EvictionWorld(std::string_view conf, int leave_cycles)
      : EvictionWorld(conf, leave_cycles, UsualRegistry()) {}
  // With `registry` there are no other plugins and actions than its own.
  EvictionWorld(std::string_view conf, int leave_cycles, const framework::Registry& registry);

  void Add(EvictionNode node);
  void AddQueue(const std::string& name, int32_t weight, int32_t priority);
  void Add(EvictionJob job);
  void Add(EvictionPod pod);
  // Random nodes, queues, jobs and pods, a good part of them running.
  void Fill(Rng& rng);
  // Makes pairs of pods the parts of some jobs. For a filled world.
  void Split(Rng& rng);

  EvictionCycle Step();
  const std::map<std::string, EvictionPod>& pods() const { return pods_; }
  const EvictionJob& job(const std::string& name) const { return jobs_.at(name); }
  // Parts of the job of which enough pods run.
  int WholeParts(const std::string& job) const;

 private:
  static const framework::Registry& UsualRegistry();
  void Put(const EvictionPod& pod);
  void Apply(const framework::CycleReport& report, EvictionCycle* cycle);
  void LetVictimsGo();

  ManualClock clock_;
  cache::Mirror mirror_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  const int leave_cycles_;
  std::map<std::string, EvictionJob> jobs_;
  std::map<std::string, EvictionPod> pods_;  // By name.
  int64_t replacements_ = 0;
};

}  // namespace bth::test
