// The rows of a column that may differ from those of an older version of it.
#pragma once

#include <algorithm>
#include <cstddef>

namespace bth {

// Calls visit(row) for the rows of chunks that `now` does not share with `before`, both CowVectors.
// Cost: those rows; see CowVector::NextDifferentChunk.
template <typename Column, typename Visit>
void ForChangedRows(const Column& now, const Column& before, const Visit& visit) {
  constexpr size_t kRows = Column::kRowsPerChunk;
  for (size_t chunk = now.NextDifferentChunk(before, 0); chunk < now.chunk_count();
       chunk = now.NextDifferentChunk(before, chunk + 1)) {
    const size_t end = std::min(now.size(), (chunk + 1) * kRows);
    for (size_t row = chunk * kRows; row < end; ++row) visit(row);
  }
}

}  // namespace bth
