// A cluster that a policy looks at, cycle after cycle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {

using Binds = std::map<std::string, std::string>;

class Watched {
 public:
  Watched(const WorldSpec& world, std::string_view conf, cache::MirrorOptions options = {})
      : mirror_(clock_, std::move(options)), policy_(conf) {
    PutPriorities(mirror_);
    Feed(world, mirror_, 0);
  }
  cache::Mirror& mirror() { return mirror_; }

  // Of a cycle that binds these and nothing else: how many jobs it looked at.
  int64_t Considered(const Binds& binds) {
    last_ = policy_.RunFully(mirror_.Publish());
    CHECK(last_.binds == binds);
    CHECK(last_.violations == std::vector<std::string>());
    return last_.jobs_considered;
  }
  // The last cycle.
  const CycleResult& last() const { return last_; }

 private:
  const ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror_;
  PolicyBed policy_;
  CycleResult last_;
};

// A running pod of job ns/runs.
inline PodSpec Runs(std::string name, std::string node, int64_t cpu_milli) {
  return {.name = std::move(name),
          .job = "ns/runs",
          .node = std::move(node),
          .status = model::TaskStatus::kRunning,
          .cpu_milli = cpu_milli};
}

}  // namespace bth::test
