// One story told to a world, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/world/story.h"
#include "sim/world/world.h"

namespace bth::sim {

// A promise that was not kept.
struct Breach {
  std::string promise;  // Its name in docs/promises.md.
  std::string what;
  absl::Duration at;  // Since the story began.
};

struct StormResult {
  std::vector<Breach> breaches;  // The first of each promise.
  uint64_t digest = 0;           // Of everything that was written.
  absl::Duration simulated;
  uint64_t events = 0;
  std::map<std::string, uint64_t> faults;  // By name, how often each came about.
  std::map<std::string, uint64_t> checks;  // By promise, how often it was looked at.
};

struct StormOptions {
  std::function<void(apiserver::ApiServer&)> extend;  // See WorldHooks.
  // Has a place for each deed of all rounds, and leaves those out that are true; may be empty.
  std::vector<bool> skip;
  // Ends the story after so many rounds; zero: all.
  size_t rounds_max = 0;
  // Is told what is done and written, line by line. May be empty.
  std::function<void(const std::string&)> tell;
};

StormResult TellStory(const Story& story, const StormOptions& options);

}  // namespace bth::sim
