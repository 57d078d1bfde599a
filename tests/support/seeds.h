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

// BTH_SEED=n replays one case, BTH_WORLDS=n sets their number, BTH_WORLDS_MOST=n bounds it: what
// must come about in many cases need not in these.
inline bool FewSeeds() {
  return std::getenv("BTH_SEED") != nullptr || std::getenv("BTH_WORLDS") != nullptr ||
         std::getenv("BTH_WORLDS_MOST") != nullptr;
}

// Throws for a number with which every property would pass.
inline int NumberFrom(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  int count = 0;
  if (!absl::SimpleAtoi(text, &count) || count < 1) {
    throw std::invalid_argument(StrCat(variable, "=", text, ": a number from 1 on is needed"));
  }
  return count;
}

// Calls `body` with the seeds from 1 to `seeds`; what fails names its seed.
template <typename Body>
void ForEachSeed(int seeds, const Body& body) {
  if (const char* seed = std::getenv("BTH_SEED")) {
    body(static_cast<uint64_t>(std::strtoull(seed, nullptr, 10)));
    return;
  }
  const int asked = NumberFrom("BTH_WORLDS", seeds);
  const int count = std::min(asked, NumberFrom("BTH_WORLDS_MOST", asked));
  for (int seed = 1; seed <= count; ++seed) {
    INFO("BTH_SEED=" << seed);
    body(static_cast<uint64_t>(seed));
  }
}

}  // namespace bth::test
