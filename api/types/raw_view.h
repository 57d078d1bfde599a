// A part of an object that is passed on as it was written, beside the fields of it that we read:
// pod templates, job specs in templates, claims.
#pragma once

#include "api/types/json.h"

namespace bth::types {

// Reading fills both members; a value that T cannot read makes the object malformed, with the path
// to it. Writing takes `raw` when it is an object, else what `view` holds. The two are independent
// afterwards: who edits `raw` must not expect `view` to follow.
template <class T>
struct RawView {
  Json raw;  // null when absent
  T view;

  bool present() const { return !raw.is_null(); }
  friend bool operator==(const RawView& a, const RawView& b) {
    return a.raw == b.raw && a.view == b.view;
  }
};

}  // namespace bth::types
