// What schemas are to expressions: types with bounds, and the values of objects as such types.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/structural.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::apiserver {

// A request's largest size in bytes, from which sizes follow that a schema does not bound.
inline constexpr int64_t kRequestBytesMax = 3 * 1024 * 1024;

struct DeclaredType;
using DeclaredTypePtr = std::shared_ptr<const DeclaredType>;

// One node as expressions see it. Immutable.
struct DeclaredType {
  cel::TypePtr type;
  // The fewest bytes that a value of it takes in a request.
  int64_t bytes_min = 0;
  DeclaredTypePtr element;  // Of lists and of maps' values.
  // Of lists that are sets or maps; null: the order counts.
  std::shared_ptr<const cel::ListKeys> keys;
  // Of objects, by escaped name.
  struct Field {
    std::string property;  // As in JSON.
    DeclaredTypePtr type;
  };
  std::map<std::string, Field, std::less<>> fields;
};

// Null: expressions cannot tell what is there (no type is given). `whole`: an object with
// apiVersion, kind and metadata, whatever the schema says of them.
DeclaredTypePtr DeclareType(const SchemaNode& node, bool whole);

}  // namespace bth::apiserver
