// Fills typed structs from protobuf messages, guided by message plans. Private to the .cc files of
// api/types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/types/protobuf/message_plan.h"
#include "api/types/protobuf/wire.h"

namespace bth::types {

// One object. What is unknown is skipped without a look inside, so that nesting is bounded by the
// plan. A value of a wrong type is skipped and noted; the rest is still read, so that the name of a
// malformed object is known.
class MessageReader {
 public:
  void Read(const MessagePlan& plan, std::string_view bytes, void* object) {
    Message(plan, bytes, object, nullptr);
  }
  // The first thing that was wrong.
  const absl::Status& error() const { return error_; }

 private:
  // Where we are, from the inside out. Of lists and maps one step more.
  struct Step {
    const Step* outer;
    std::string_view name;
    size_t index = kNoIndex;
  };
  static constexpr size_t kNoIndex = SIZE_MAX;

  void Message(const MessagePlan& plan, std::string_view bytes, void* object, const Step* at);
  void Member(const FieldPlan& field, const WireField& wire, void* object, const Step* at);
  void Element(const FieldPlan& field, const WireField& wire, void* list, const Step* at);
  void Entry(const FieldPlan& field, const WireField& wire, void* map, const Step* at);
  void Value(const FieldPlan& field, const WireField& wire, const TypeOps* ops, void* target,
             const Step* at);
  void Set(const TypeOps& ops, void* target, const Scalar& value, const Step* at);
  void Time(const TypeOps& ops, void* target, const SmallMessage& small, uint64_t micros,
            const Step* at);
  void Text(const TypeOps& ops, void* target, std::string_view text, const Step* at);
  void Fail(const Step* at, std::string_view reason);

  size_t elements_ = 0;
  absl::Status error_;
};

}  // namespace bth::types
