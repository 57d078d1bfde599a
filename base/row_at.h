// Plain vectors that are read by id.
#pragma once

#include "base/defect.h"

namespace bth {

// The row of `id`, checked in every build as in IdVector. For single rows; loops over whole columns
// need no ids.
template <typename Rows, typename Id>
decltype(auto) RowAt(Rows& rows, Id id) {
  if (id.index() >= rows.size()) [[unlikely]]
    ThrowBadId(id.index(), rows.size());
  return rows[id.index()];
}

}  // namespace bth
