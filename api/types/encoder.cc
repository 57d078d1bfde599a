#include "api/types/encoder.h"

#include <cstdint>

#include "api/types/json.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

const void* Member(const FieldDef& field, const void* object) {
  // The accessor only computes an address; one that also serves the decoder cannot be const.
  return field.get(const_cast<void*>(object));
}

const Json& RawOf(const TypeOps& ops, const void* value) {
  return *ops.raw(const_cast<void*>(value));
}

enum class Always : uint8_t { kCounts, kCountsNot };  // Fields that are written always.

bool IsEmpty(const TypeOps& ops, const void* value, Always always = Always::kCounts) {
  if (ops.shape == Shape::kRaw) {
    // What is absent is not there because of its fields.
    return RawOf(ops, value).is_null() &&
           IsEmpty(ops.element(), ops.at(value, 0), Always::kCountsNot);
  }
  if (ops.shape != Shape::kObject) return ops.empty != nullptr && ops.empty(value);
  for (size_t i = 0; i < ops.fields->count; ++i) {
    const FieldDef& field = ops.fields->fields[i];
    if (field.when == When::kAlways && always == Always::kCounts) return false;
    if (!IsEmpty(field.ops(), Member(field, value), always)) return false;
  }
  return true;
}

}  // namespace

void AppendFields(const TypeOps& ops, const void* object, bool first, std::string* out) {
  for (size_t i = 0; i < ops.fields->count; ++i) {
    const FieldDef& field = ops.fields->fields[i];
    const void* value = Member(field, object);
    if (field.when == When::kNotEmpty && IsEmpty(field.ops(), value)) continue;
    if (!first) out->push_back(',');
    first = false;
    AppendJsonString(field.name, out);
    out->push_back(':');
    AppendValue(field.ops(), value, out);
  }
}

void AppendValue(const TypeOps& ops, const void* value, std::string* out) {
  switch (ops.shape) {
    case Shape::kScalar:
      ops.write(value, out);
      return;
    case Shape::kOptional:
      if (ops.empty(value)) {
        out->append("null");
      } else {
        AppendValue(ops.element(), ops.at(value, 0), out);
      }
      return;
    case Shape::kRaw:
      if (const Json& raw = RawOf(ops, value); raw.is_object()) {
        raw.DumpTo(out);
      } else {
        AppendValue(ops.element(), ops.at(value, 0), out);
      }
      return;
    case Shape::kObject:
      out->push_back('{');
      AppendFields(ops, value, /*first=*/true, out);
      out->push_back('}');
      return;
    case Shape::kList:
    case Shape::kMap: {
      const bool is_map = ops.shape == Shape::kMap;
      out->push_back(is_map ? '{' : '[');
      for (size_t i = 0; i < ops.size(value); ++i) {
        if (i > 0) out->push_back(',');
        if (is_map) {
          AppendJsonString(ops.key(value, i), out);
          out->push_back(':');
        }
        AppendValue(ops.element(), ops.at(value, i), out);
      }
      out->push_back(is_map ? '}' : ']');
      return;
    }
    case Shape::kDynamic:
    case Shape::kItems:
      return;  // Read only.
  }
}

void AppendFieldPaths(const TypeOps& ops, std::string_view prefix,
                      std::vector<std::string>* paths) {
  switch (ops.shape) {
    case Shape::kObject:
      for (size_t i = 0; i < ops.fields->count; ++i) {
        const FieldDef& field = ops.fields->fields[i];
        const std::string path = StrCat(prefix, prefix.empty() ? "" : ".", field.name);
        AppendFieldPaths(field.ops(), path, paths);
      }
      return;
    case Shape::kOptional:
    case Shape::kRaw:
      AppendFieldPaths(ops.element(), prefix, paths);
      return;
    case Shape::kList:
      AppendFieldPaths(ops.element(), StrCat(prefix, "[]"), paths);
      return;
    case Shape::kMap:
      AppendFieldPaths(ops.element(), StrCat(prefix, "{}"), paths);
      return;
    default:
      paths->emplace_back(prefix);
  }
}

}  // namespace bth::types
