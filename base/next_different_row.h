// Where two versions of a copy-on-write column begin to differ.
#pragma once

#include <algorithm>
#include <cstddef>

namespace bth {

// The first row at or after `row` that may differ: those before it lie in chunks that both share.
template <typename Column>
size_t NextRowThatMayDiffer(const Column& now, const Column& before, size_t row) {
  const size_t chunk = now.NextDifferentChunk(before, row / Column::kRowsPerChunk);
  return std::max(row, chunk * Column::kRowsPerChunk);
}

}  // namespace bth
