// How each scalar type is read and written.
#include <cmath>
#include <limits>

#include "api/types/duration.h"
#include "api/types/field_table.h"
#include "api/types/int_or_string.h"
#include "api/types/selector.h"
#include "api/types/text_codec.h"
#include "api/types/time.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// Takes the value of a StatusOr, or its message as the reason.
template <class T>
bool Take(absl::StatusOr<T> result, T* target, std::string* reason) {
  if (!result.ok()) {
    *reason = std::string(result.status().message());
    return false;
  }
  *target = *std::move(result);
  return true;
}

template <class Int>
bool SetInt(void* target, const Scalar& value, std::string* reason) {
  if (value.kind != ScalarKind::kInt) return false;
  if (value.whole < std::numeric_limits<Int>::min() ||
      value.whole > std::numeric_limits<Int>::max()) {
    *reason = StrCat(value.whole, " is out of range");
    return false;
  }
  *static_cast<Int*>(target) = static_cast<Int>(value.whole);
  return true;
}

template <class Int>
constexpr TypeOps IntOps() {
  return {.shape = Shape::kScalar,
          .expected = "an integer",
          .set = &SetInt<Int>,
          .write = [](const void* p,
                      std::string* out) { AppendJsonInt(*static_cast<const Int*>(p), out); },
          .empty = [](const void* p) { return *static_cast<const Int*>(p) == 0; },
          .with_scratch = &WithScratch<Int>};
}

// JSON writers may leave away the quotes of plain numbers.
bool SetQuantity(void* target, const Scalar& value, std::string* reason) {
  auto* quantity = static_cast<Quantity*>(target);
  switch (value.kind) {
    case ScalarKind::kString: {
      std::string_view text = value.text;
      while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      return Take(Quantity::Parse(text), quantity, reason);
    }
    case ScalarKind::kInt:
      if (value.whole == INT64_MIN)
        return Take(Quantity::Parse("-9223372036854775808"), quantity, reason);
      *quantity = Quantity::FromValue(value.whole);
      return true;
    case ScalarKind::kDouble: {
      std::string text;
      AppendJsonDouble(value.real, &text);
      return Take(Quantity::Parse(text), quantity, reason);
    }
    default:
      return false;
  }
}

bool SetTime(void* target, const Scalar& value, std::string* reason) {
  if (value.kind == ScalarKind::kTime) {
    *static_cast<absl::Time*>(target) = value.time;
    return true;
  }
  if (value.kind != ScalarKind::kString) return false;
  return Take(ParseTimestamp(value.text), static_cast<absl::Time*>(target), reason);
}

bool SetMicroTime(void* target, const Scalar& value, std::string* reason) {
  return SetTime(&static_cast<MicroTime*>(target)->time, value, reason);
}

bool SetDuration(void* target, const Scalar& value, std::string* reason) {
  if (value.kind != ScalarKind::kString) return false;
  return Take(ParseDuration(value.text), static_cast<absl::Duration*>(target), reason);
}

bool SetSelectorOp(void* target, const Scalar& value, std::string* reason) {
  if (value.kind != ScalarKind::kString) return false;
  const std::optional<SelectorOp> op = ParseSelectorOp(value.text);
  if (!op) {
    *reason = StrCat("unknown operator \"", value.text.substr(0, 64),
                     "\"; expected In, NotIn, Exists, DoesNotExist, Gt or Lt");
    return false;
  }
  *static_cast<SelectorOp*>(target) = *op;
  return true;
}

bool SetIntOrString(void* target, const Scalar& value, std::string* reason) {
  auto* field = static_cast<IntOrString*>(target);
  if (value.kind == ScalarKind::kString) {
    *field = {true, 0, std::string(value.text)};
    return true;
  }
  field->is_string = false;
  return SetInt<int32_t>(&field->number, value, reason);
}

}  // namespace

template <>
const TypeOps& OpsOf<std::string>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "a string",
      .set =
          [](void* p, const Scalar& value, std::string*) {
            if (value.kind != ScalarKind::kString) return false;
            static_cast<std::string*>(p)->assign(value.text);
            return true;
          },
      .write = [](const void* p,
                  std::string* out) { AppendJsonString(*static_cast<const std::string*>(p), out); },
      .empty = [](const void* p) { return static_cast<const std::string*>(p)->empty(); },
      .takes_any_text = true};
  return kOps;
}

template <>
const TypeOps& OpsOf<bool>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "true or false",
      .set =
          [](void* p, const Scalar& value, std::string*) {
            if (value.kind != ScalarKind::kBool) return false;
            *static_cast<bool*>(p) = value.truth;
            return true;
          },
      .write =
          [](const void* p, std::string* out) {
            out->append(*static_cast<const bool*>(p) ? "true" : "false");
          },
      .empty = [](const void* p) { return !*static_cast<const bool*>(p); },
      .with_scratch = &WithScratch<bool>};
  return kOps;
}

template <>
const TypeOps& OpsOf<int32_t>() {
  static constexpr TypeOps kOps = IntOps<int32_t>();
  return kOps;
}

template <>
const TypeOps& OpsOf<int64_t>() {
  static constexpr TypeOps kOps = IntOps<int64_t>();
  return kOps;
}

template <>
const TypeOps& OpsOf<Quantity>() {
  static constexpr TypeOps kOps = {.shape = Shape::kScalar,
                                   .expected = "a quantity",
                                   .set = &SetQuantity,
                                   .write =
                                       [](const void* p, std::string* out) {
                                         AppendJsonString(
                                             static_cast<const Quantity*>(p)->ToString(), out);
                                       },
                                   .with_scratch = &WithScratch<Quantity>};
  return kOps;
}

template <>
const TypeOps& OpsOf<absl::Time>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "a time",
      .set = &SetTime,
      .write =
          [](const void* p, std::string* out) {
            AppendJsonString(FormatTimestamp(*static_cast<const absl::Time*>(p)), out);
          },
      .empty =
          [](const void* p) { return *static_cast<const absl::Time*>(p) == absl::UnixEpoch(); },
      .with_scratch = &WithScratch<absl::Time>};
  return kOps;
}

template <>
const TypeOps& OpsOf<MicroTime>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "a time",
      .set = &SetMicroTime,
      .write =
          [](const void* p, std::string* out) {
            AppendJsonString(FormatMicroTimestamp(static_cast<const MicroTime*>(p)->time), out);
          },
      .empty =
          [](const void* p) { return static_cast<const MicroTime*>(p)->time == absl::UnixEpoch(); },
      .with_scratch = &WithScratch<MicroTime>};
  return kOps;
}

template <>
const TypeOps& OpsOf<absl::Duration>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "a duration",
      .set = &SetDuration,
      .write =
          [](const void* p, std::string* out) {
            AppendJsonString(DurationText(*static_cast<const absl::Duration*>(p)), out);
          },
      .with_scratch = &WithScratch<absl::Duration>};
  return kOps;
}

template <>
const TypeOps& OpsOf<SelectorOp>() {
  static constexpr TypeOps kOps = {
      .shape = Shape::kScalar,
      .expected = "an operator",
      .set = &SetSelectorOp,
      .write =
          [](const void* p, std::string* out) {
            AppendJsonString(SelectorOpName(*static_cast<const SelectorOp*>(p)), out);
          },
      .with_scratch = &WithScratch<SelectorOp>};
  return kOps;
}

template <>
const TypeOps& OpsOf<IntOrString>() {
  static constexpr TypeOps kOps = {.shape = Shape::kScalar,
                                   .expected = "an integer or a string",
                                   .set = &SetIntOrString,
                                   .write =
                                       [](const void* p, std::string* out) {
                                         const auto& field = *static_cast<const IntOrString*>(p);
                                         if (field.is_string) {
                                           AppendJsonString(field.text, out);
                                         } else {
                                           AppendJsonInt(field.number, out);
                                         }
                                       },
                                   .with_scratch = &WithScratch<IntOrString>};
  return kOps;
}

}  // namespace bth::types
