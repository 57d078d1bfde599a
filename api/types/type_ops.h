// The type-erased description of a struct that the decoder and the encoder work from. One field
// table per struct drives reading, writing and the listing of fields. Private to this folder's .cc
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth::types {

class Json;

// kTime comes from protobuf only: JSON has times as texts.
enum class ScalarKind : uint8_t { kNull, kBool, kInt, kDouble, kString, kTime };

// One scalar of a document. The text points into the document.
struct Scalar {
  ScalarKind kind = ScalarKind::kNull;
  bool truth = false;
  int64_t whole = 0;
  double real = 0;
  std::string_view text{};
  absl::Time time{};
};

enum class Shape : uint8_t {
  kScalar,
  kObject,    // A struct with a field table.
  kList,      // std::vector
  kMap,       // SortedMap
  kOptional,  // std::optional around `element`
  kRaw,       // A RawView: kept as JSON, and read again as `element`.
  kDynamic,   // A DynamicTarget: what to fill is known at run time only.
  kItems,     // An ItemsTarget: the objects of a list response.
};

struct FieldTable;

// Function pointers that are null do not apply to the shape. A JSON null always leaves the default.
struct TypeOps {
  Shape shape = Shape::kScalar;
  std::string_view expected{};  // "a string": for messages and schemas
  // Scalars. Set returns false for another type, and then may give a reason.
  bool (*set)(void* target, const Scalar& value, std::string* reason) = nullptr;
  void (*write)(const void* source, std::string* out) = nullptr;
  bool (*empty)(const void* source) = nullptr;
  // Scalars that take every text, and nothing else.
  bool takes_any_text = false;
  // Of other scalars, and of objects with a check: use(context, target) with one that is thrown
  // away.
  bool (*with_scratch)(void* context, bool (*use)(void* context, void* target)) = nullptr;
  // Objects.
  const FieldTable* fields = nullptr;
  // Says what is wrong with a whole value; called when its closing bracket is read.
  bool (*check)(const void* object, std::string* reason) = nullptr;
  // Lists, maps, optionals and raw views. The address of a function breaks cycles of
  // initialisation.
  const TypeOps& (*element)() = nullptr;
  void* (*append)(void* container,
                  std::string_view key) = nullptr;  // optional: emplace; raw view: its empty JSON
  void (*finish)(void* container) = nullptr;
  void (*reserve)(void* container, size_t size) = nullptr;  // Lists.
  size_t (*size)(const void* container) = nullptr;
  const void* (*at)(const void* container, size_t index) = nullptr;
  std::string_view (*key)(const void* container, size_t index) = nullptr;
  // Raw views: the JSON; the view is at(view, 0).
  Json* (*raw)(void* view) = nullptr;
};

template <class T>
bool WithScratch(void* context, bool (*use)(void* context, void* target)) {
  T scratch{};
  return use(context, &scratch);
}

enum class When : uint8_t { kNotEmpty, kAlways };  // When the encoder writes a field.

struct FieldDef {
  std::string_view name;
  void* (*get)(void* object) = nullptr;
  const TypeOps& (*ops)() = nullptr;
  When when = When::kNotEmpty;
};

struct FieldTable {
  const FieldDef* fields = nullptr;
  size_t count = 0;
  // Looks at field number `from` first, then at those behind and at last at those before it:
  // servers write members in one order, mostly that of the table.
  const FieldDef* Find(std::string_view name, size_t from) const {
    for (size_t i = from; i < count; ++i) {
      if (IsNamed(fields[i], name)) return &fields[i];
    }
    for (size_t i = 0; i < from; ++i) {
      if (IsNamed(fields[i], name)) return &fields[i];
    }
    return nullptr;
  }

 private:
  // Most names that are compared differ in length or at their beginning. Fields have names.
  static bool IsNamed(const FieldDef& field, std::string_view name) {
    return field.name.size() == name.size() && field.name[0] == name[0] && field.name == name;
  }
};

}  // namespace bth::types
