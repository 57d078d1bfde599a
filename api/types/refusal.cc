#include "api/types/refusal.h"

#include <cstddef>
#include <iterator>

namespace bth::types {
namespace {

using Code = absl::StatusCode;

// In the order of the enumerators. Of several rows with one HTTP code, the first is the one that
// an answer without a known reason gets.
constexpr RefusalRow kRows[] = {
    {Refusal::kBadRequest, 400, "BadRequest", Code::kInvalidArgument},
    {Refusal::kUnauthorized, 401, "Unauthorized", Code::kUnauthenticated},
    {Refusal::kForbidden, 403, "Forbidden", Code::kPermissionDenied},
    {Refusal::kNotFound, 404, "NotFound", Code::kNotFound},
    {Refusal::kMethodNotAllowed, 405, "MethodNotAllowed", Code::kInvalidArgument},
    {Refusal::kNotAcceptable, 406, "NotAcceptable", Code::kInvalidArgument},
    {Refusal::kRequestTimeout, 408, "Timeout", Code::kDeadlineExceeded},
    {Refusal::kConflict, 409, "Conflict", Code::kAborted},
    {Refusal::kAlreadyExists, 409, "AlreadyExists", Code::kAlreadyExists},
    {Refusal::kExpired, 410, "Expired", Code::kOutOfRange},
    {Refusal::kTooLarge, 413, "RequestEntityTooLarge", Code::kInvalidArgument},
    {Refusal::kUnsupportedMediaType, 415, "UnsupportedMediaType", Code::kInvalidArgument},
    {Refusal::kInvalid, 422, "Invalid", Code::kInvalidArgument},
    {Refusal::kTooManyRequests, 429, "TooManyRequests", Code::kResourceExhausted},
    {Refusal::kInternalError, 500, "InternalError", Code::kUnavailable},
    {Refusal::kNotImplemented, 501, "NotImplemented", Code::kUnavailable},
    {Refusal::kServiceUnavailable, 503, "ServiceUnavailable", Code::kUnavailable},
    {Refusal::kTimeout, 504, "Timeout", Code::kDeadlineExceeded},
};

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].refusal) != i) return false;
  }
  return std::size(kRows) == static_cast<size_t>(Refusal::kTimeout) + 1;
}
static_assert(RowsAreInOrder());

}  // namespace

const RefusalRow& RowOf(Refusal refusal) {
  return kRows[static_cast<size_t>(refusal)];
}

absl::StatusCode StatusCodeOf(int http_code, std::string_view reason) {
  const RefusalRow* by_code = nullptr;
  for (const RefusalRow& row : kRows) {
    if (row.http_code != http_code) continue;
    if (row.reason == reason) return row.code;
    if (by_code == nullptr) by_code = &row;
  }
  if (by_code != nullptr) return by_code->code;
  return http_code >= 500 && http_code < 600 ? Code::kUnavailable : Code::kUnknown;
}

}  // namespace bth::types
