// What is done to a cluster, drawn in advance from a seed: one seed, one story.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/hostile/kinds.h"

namespace bth::hostile {

enum class Verb {
  kCreate,   // POST, or PUT when it is there.
  kReplace,  // PUT, or POST when it is not.
  kPatch,    // A merge patch of one part.
  kStatus,   // Likewise of the status.
  kDelete,
  kTouch,  // A merge patch of whatever live object `pick` falls on.
  kDrop,   // Deletes that.
  kBind,   // As another scheduler does.
  kEvict,
  kWait,
  kPolicy,
  kFaults,  // Of the lines to the API server, for `wait`.
  kRestartScheduler,
  kRestartControllers,
};
std::string_view VerbName(Verb verb);

struct Deed {
  Verb verb = Verb::kWait;
  const Kind* kind = nullptr;  // Null where there is no object.
  std::string ns;
  std::string name;
  Json body;
  std::string text;     // A policy; or the query of a deletion.
  absl::Duration wait;  // Of virtual time.
  uint64_t pick = 0;
};
// One line of JSON.
std::string Describe(const Deed& deed);

struct Story {
  uint64_t seed = 0;
  bool lax = false;  // The server checks no custom object against its schema.
  int gate_removals = 0;
  bool shards = false;                    // See SystemOptions.
  std::vector<std::string> policies;      // The one at the start of each round.
  std::vector<std::vector<Deed>> rounds;  // After each, everything is deleted.
};
struct StoryOptions {
  int rounds = 3;
  int deeds = 250;  // In each round.
};
Story DrawStory(uint64_t seed, const StoryOptions& options);

}  // namespace bth::hostile
