// `vc-sim storm`: many stories, several processes, one summary.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "apiserver/api_server.h"

namespace bth::sim {

struct StormFlags {
  std::string seeds = "1..20";  // "A..B" or "A"
  double hours = 1;             // Of simulated time in each story, roughly.
  std::string profile = "rough";
  int64_t jobs = 0;      // Stories told at once; 0: as many as there are processors.
  int64_t seconds = 0;   // Not 0: ends after so many, whatever the last seed is.
  int64_t failures = 3;  // Ends after so many.
  std::string only;      // "3,17,20": the deeds that are done, by number; empty: all.
  std::string story;     // Of a story file: told instead of the seeds.
  std::string save;      // A folder that stories of failures are written to, once they are shrunk.
  bool tell = false;     // Prints what is done and written; of one seed.
  bool log = false;      // The programs' log lines on `err` as well; of one seed.
  bool shrink = true;    // What fails is told again with ever fewer deeds.
};

// Exit codes as of `vc-sim run`: 1 when a promise was broken, 2 for bad flags.
// `extend`: see WorldHooks.
int RunStorm(const StormFlags& flags, std::function<void(apiserver::ApiServer&)> extend,
             std::ostream& out, std::ostream& err);

}  // namespace bth::sim
