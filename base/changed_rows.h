// The rows of a column that may differ from those of an older version of it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/cow_vector.h"

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

// Calls visit(id, old, value) for the rows of either whose values differ; where one of the two has
// no such row, its value is T(). Cost: as above.
template <typename Id, typename T, size_t kChunkRows, typename Visit>
void ForDifferentRows(const CowVector<Id, T, kChunkRows>& now,
                      const CowVector<Id, T, kChunkRows>& before, const Visit& visit) {
  const T none{};
  const auto look = [&](size_t row) {
    const Id id = Id::FromIndex(row);
    const T& old = before.Contains(id) ? before[id] : none;
    const T& value = now.Contains(id) ? now[id] : none;
    if (!(old == value)) visit(id, old, value);
  };
  ForChangedRows(now, before, look);
  for (size_t row = now.size(); row < before.size(); ++row) look(row);
}

}  // namespace bth
