// Tells a story to a whole system and looks at what is left of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/hostile/deeds.h"

namespace bth::hostile {

// Shared with the process that watches over the one that tells.
struct Progress {
  std::atomic<uint64_t> step;      // Number of the deed under way, over all rounds.
  std::atomic<uint64_t> objects;   // Sent to the server.
  std::atomic<uint64_t> accepted;  // By it.
  std::atomic<uint64_t> cycles;
  std::atomic<uint64_t> neighbours;  // Plain jobs that ran under the policy of their story.
  std::atomic<uint64_t> rounds;
};

struct TellingOptions {
  bool print_memory = false;
  bool trace = false;  // Prints which allocations the last round leaves behind.
};

// Empty: all is well. `skip` has a place for each deed of all rounds, and leaves those out that
// are true; it may be empty.
std::string Tell(const Story& story, const std::vector<bool>& skip, const TellingOptions& options,
                 Progress* progress);

}  // namespace bth::hostile
