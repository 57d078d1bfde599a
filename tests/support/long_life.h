// Programs that live for long: what came and went leaves nothing behind in them.
#pragma once

#include <cstddef>

#include "tests/support/catch.h"
#include "tests/support/live_heap.h"

namespace bth::test {

// What a program has at its end, when all that came has gone.
struct LongLifeLeft {
  size_t heap_bytes = 0;    // That goes with it.
  size_t series_bytes = 0;  // Metrics as text.
};

// `live(rounds)` tells what is left after so many rounds, each of one of `sorts` sorts in turn.
// `few` and `more`, in rounds of every sort, are so many that tables have grown to the size they
// keep.
template <typename Live>
void CheckLeavesNothing(int sorts, int few, int more, const Live& live) {
  if (!LiveHeapBytes()) return;
  static_cast<void>(live(sorts));  // What is made once in a process.
  const LongLifeLeft after_few = live(few * sorts);
  const LongLifeLeft after_more = live(more * sorts);
  const auto rounds = static_cast<size_t>(more - few) * static_cast<size_t>(sorts);
  INFO("heap " << after_few.heap_bytes << ", " << after_more.heap_bytes);
  // One string for each round of one sort would be more.
  CHECK(after_more.heap_bytes < after_few.heap_bytes + 8 * rounds);
  // Numbers grow longer, and that is all.
  CHECK(after_more.series_bytes < after_few.series_bytes + rounds / 8);
}

}  // namespace bth::test
