// What the process has allocated and not freed, to the byte.
#pragma once

#include <cstdint>
#include <string>

namespace bth::hostile {

// This program counts in malloc itself; a program under a sanitizer has a malloc of its own, and
// does not count: 0. Counts all threads.
int64_t LiveBytes();

// From now on each allocation is kept with the stack that asked for it. Slow. Thread: one.
void TraceAllocations();
// Remembers what is there now of what was allocated since.
void MarkAllocations();
// The stacks that hold more bytes than at the mark, those that grew most first, each frame as
// "program(+0x...)" for addr2line.
std::string AllocationGrowth(size_t stacks_max);

}  // namespace bth::hostile
