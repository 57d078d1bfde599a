// Field tables joined with the messages of the API: which member a field number is read into.
// Private to the .cc files of api/types.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/types/codec.h"
#include "api/types/type_ops.h"

namespace bth::types {

struct MessagePlan;

// What the bytes of a field are.
enum class WireKind : uint8_t {
  kInt,
  kBool,
  kText,
  kBytes,        // Read as base64, as JSON has them.
  kQuantity,     // A message around a text.
  kIntOrString,  // A message around either.
  kTime,         // Seconds and nanoseconds, of which the latter do not count.
  kMicroTime,    // The same to the microsecond.
  kMessage,
};

// One field that is read. Its name, number and kind come from the message (schema.h), the member
// from the field table of the struct: they meet under the JSON name, so that each fact is written
// down once.
struct FieldPlan {
  WireKind kind = WireKind::kText;
  bool always = false;  // Present even when it is zero.
  std::string_view name{};
  void* (*get)(void* object) = nullptr;  // Null: the fields of the message stand in the object.
  const TypeOps* ops = nullptr;          // Of the member.
  const MessagePlan* message = nullptr;  // Of kMessage.
};

struct MessagePlan {
  const TypeOps* ops = nullptr;
  std::vector<FieldPlan> fields;
  std::vector<FieldPlan> maps;  // Those of `fields` that are finished when the message ends.
  std::vector<uint8_t> at;      // By number: 1 + the place in `fields`, or 0.

  const FieldPlan* Find(uint32_t number) const {
    return number < at.size() && at[number] != 0 ? &fields[at[number] - 1] : nullptr;
  }
};

// Made on first use, then shared; any thread. Null: no such message, or a member is kept as JSON.
// Members that the message does not have are never filled.
const MessagePlan* PlanOf(std::string_view message, const TypeOps& ops);
// Of the kind that a struct stands for.
const MessagePlan* PlanOf(const codec_internal::Resource& resource);

}  // namespace bth::types
