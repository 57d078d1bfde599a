// Several cycles of one policy, and what it publishes about queues and jobs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/session/cycle.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {

// Cycles of one policy with one set of metrics.
class Cycles {
 public:
  explicit Cycles(conf::Policy policy) {
    std::vector<conf::Finding> findings;
    auto instance = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(std::move(policy)), Builtins(), &findings);
    REQUIRE(instance.ok());
    instance_ = *std::move(instance);
  }

  // Returns the jobs that were looked at.
  std::vector<model::JobId> Run(const World& world) {
    framework::Cycle cycle(*instance_, {.snapshot = world.snapshot,
                                        .sink = &sink_,
                                        .clock = &clock_,
                                        .metrics = &metrics_,
                                        .uid = "session"});
    REQUIRE(cycle.Run().ok());
    return cycle.session().active_jobs();
  }
  void Run(const std::string& world_text) { Run(MakeWorld(world_text)); }

  // Of the last cycle.
  const framework::CycleReport& report() const { return sink_.report; }

  // The value of a series such as `volcano_job_share{job_id="a",job_ns="ns"}`; empty when it is not
  // there.
  std::string Value(const std::string& series) const {
    const std::string text = registry_.RenderText();
    const size_t at = text.find("\n" + series + " ");
    if (at == std::string::npos) return "";
    const size_t begin = at + series.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  // The value of a queue's gauge such as `allocated_milli_cpu`.
  std::string Gauge(const std::string& name, const std::string& queue,
                    const std::string& resource = "") const {
    std::string series = "volcano_queue_" + name + "{queue_name=\"" + queue + "\"";
    if (!resource.empty()) series += ",resource=\"" + resource + "\"";
    return Value(series + "}");
  }
  metrics::SchedulerMetrics& metrics() { return metrics_; }

 private:
  metrics::Registry registry_;
  metrics::SchedulerMetrics metrics_{registry_};
  ManualClock clock_{absl::UnixEpoch()};
  RecordingSink sink_;
  std::unique_ptr<framework::PolicyInstance> instance_;
};

}  // namespace bth::test
