// Words turned into numbers for the mirror: label keys and values, resource dimensions.
#pragma once

#include "api/model/resource_vec.h"
#include "base/interner.h"
#include "cache/cluster/dimension_book.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Thread: I/O.
class Vocabulary {
 public:
  Interner& symbols() { return symbols_; }
  const Interner& symbols() const { return symbols_; }
  DimensionBook& dimensions() { return dimensions_; }
  const DimensionBook& dimensions() const { return dimensions_; }
  const model::DimensionTable& dims() const { return dimensions_.table(); }

  // Amounts whose name has a dimension; others are left out: nobody asks for them, or they found no
  // room.
  model::ResourceVec Vector(const NamedAmounts& amounts) const;
  model::ResourceSet Set(const NamedAmounts& amounts) const;
  // What a pod uses, as far as it counts.
  model::ResourceVec Use(const NamedAmounts& amounts) const;

 private:
  Interner symbols_;
  DimensionBook dimensions_;
};

}  // namespace bth::cache
