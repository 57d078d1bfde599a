// The ways in which an API server refuses a request: one table of HTTP codes, the words for them on
// the wire (meta/v1 Status `reason`), and what they mean to the program that asked.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace bth::types {

enum class Refusal {
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kRequestTimeout,
  kConflict,
  kAlreadyExists,
  kExpired,
  kTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kNotImplemented,
  kServiceUnavailable,
  kTimeout,
};

struct RefusalRow {
  Refusal refusal;
  int http_code;
  std::string_view reason;
  absl::StatusCode code;
};

const RefusalRow& RowOf(Refusal refusal);

// Of any answer: by code and reason, else by code alone; other 5xx are kUnavailable, other codes
// kUnknown.
absl::StatusCode StatusCodeOf(int http_code, std::string_view reason);

}  // namespace bth::types
