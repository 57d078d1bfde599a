// Words turned into numbers for the mirror: label keys and values, resource dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/model/resource_vec.h"
#include "base/interner.h"
#include "cache/compiled.h"

namespace bth::cache {

// Thread: I/O.
class Vocabulary {
 public:
  Vocabulary();

  Interner& symbols() { return symbols_; }
  const model::DimensionTable& dims() const { return *dims_; }
  // The table for snapshots; a new object whenever a dimension was added.
  std::shared_ptr<const model::DimensionTable> shared_dims() const { return dims_; }

  // Makes sure that every name with a non-zero amount has a dimension. The name that finds no
  // room is returned; nothing otherwise. Sets `*grew` when a dimension was added.
  std::optional<std::string> Reserve(const NamedAmounts& amounts, bool* grew);
  // Amounts whose name has a dimension; others are left out, because nobody asks for them.
  model::ResourceVec Vector(const NamedAmounts& amounts) const;
  model::ResourceSet Set(const NamedAmounts& amounts) const;

 private:
  Interner symbols_;
  std::shared_ptr<const model::DimensionTable> dims_;
};

}  // namespace bth::cache
