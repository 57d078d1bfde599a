// What a well-known message is made of, and which value it stands for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/environment.h"
#include "cel/messages/field_kinds.h"
#include "cel/values/value.h"

namespace bth::cel {

struct FieldSpec {
  std::string_view name;
  uint32_t number;  // In encoded messages.
  FieldKind kind;
};

// Values of fields by their place in MessageSpec::fields; nothing: not set. Each is as FitField
// makes it.
using FieldValues = std::span<const std::optional<Value>>;

// How far the making of one message has come.
struct MakingState {
  uint64_t members = 0;  // Values it went through: what it costs.
  int depth = 0;         // Messages within messages.
};

struct MessageSpec {
  std::string_view name;
  std::span<const FieldSpec> fields;
  TypePtr (*type)();
  // May be an error.
  Value (*value)(const MessageSpec& spec, FieldValues fields, MakingState& state);
  bool is_union = false;  // A field that is set unsets the others.
};

// Null: none of that name.
const MessageSpec* FindWellKnownMessage(std::string_view name);

// The value of a message of which `given` is given.
Value MakeMessage(const MessageSpec& spec, std::span<const Message::GivenField> given,
                  MakingState& state);

}  // namespace bth::cel
