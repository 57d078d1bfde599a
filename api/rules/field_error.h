// Broken rules of an object in the form and words of Kubernetes' field errors. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"

namespace bth::rules {

enum class FieldFault : uint8_t {
  kInvalid,       // "Invalid value"
  kRequired,      // "Required value"
  kDuplicate,     // "Duplicate value"
  kNotSupported,  // "Unsupported value"
  kForbidden,     // "Forbidden"
  kNotFound,      // "Not found"
  kTooLong,       // "Too long"
  kTooMany,       // "Too many"
  kTypeInvalid,   // "Invalid value" with the type expected
  kInternal,      // "Internal error"
};

struct FieldError {
  FieldFault fault = FieldFault::kInvalid;
  std::string field;
  types::Json value;   // Ignored by those that show none (required, forbidden, too long).
  std::string detail;  // May be empty.

  // `Invalid value: "x": detail`, without the path.
  std::string Body() const;
  // `spec.a: Invalid value: "x": detail`
  std::string ToString() const;
  friend bool operator==(const FieldError& a, const FieldError& b) = default;
};
using FieldErrors = std::vector<FieldError>;

FieldError Invalid(std::string field, types::Json value, std::string detail);
FieldError Required(std::string field, std::string detail = {});
FieldError Duplicate(std::string field, types::Json value);
// `supported values: "a", "b"`, in the order given.
FieldError NotSupported(std::string field, types::Json value,
                        const std::vector<std::string_view>& supported);
FieldError Forbidden(std::string field, std::string detail);
FieldError NotFound(std::string field, types::Json value);
FieldError TooLong(std::string field, int64_t length_max);

// The reason of a Status cause: "FieldValueInvalid", "FieldValueRequired" ...
std::string_view CauseReason(FieldFault fault);

// Without duplicates; one error as it is, several as "[a, b]"; empty for none.
std::string Aggregate(const FieldErrors& errors);

}  // namespace bth::rules
