// Properties over many random cases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::test {

// BTH_SEED=n replays one case, BTH_WORLDS=n sets their number, BTH_WORLDS_MOST=n bounds it,
// BTH_FIRST_SEED=n begins elsewhere: what must come about in many cases need not in these.
inline bool FewSeeds() {
  return std::getenv("BTH_SEED") != nullptr || std::getenv("BTH_WORLDS") != nullptr ||
         std::getenv("BTH_WORLDS_MOST") != nullptr || std::getenv("BTH_FIRST_SEED") != nullptr;
}

// Throws for a number with which every property would pass.
inline uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  uint64_t count = 0;
  if (!absl::SimpleAtoi(text, &count) || count < 1) {
    throw std::invalid_argument(StrCat(variable, "=", text, ": a number from 1 on is needed"));
  }
  return count;
}

// Calls `body` with the seeds from 1 to `seeds`; what fails names its seed.
template <typename Body>
void ForEachSeed(uint64_t seeds, const Body& body) {
  const bool replays = std::getenv("BTH_SEED") != nullptr;
  const uint64_t first = replays ? NumberFrom("BTH_SEED", 1) : NumberFrom("BTH_FIRST_SEED", 1);
  const uint64_t asked = replays ? 1 : NumberFrom("BTH_WORLDS", seeds);
  const uint64_t count = std::min(asked, NumberFrom("BTH_WORLDS_MOST", asked));
  for (uint64_t seed = first; seed < first + count; ++seed) {
    INFO("BTH_SEED=" << seed);
    body(seed);
  }
}

}  // namespace bth::test
