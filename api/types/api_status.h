// Failures as the API server tells them (meta/v1 Status) and as absl::Status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace bth::types {

// Turns an error response into a status with the code that the table of api/types/refusal.h gives
// it. A body that is no Status object is quoted (its beginning). The server's reason and
// retryAfterSeconds travel as payloads.
absl::Status StatusFromResponse(int http_code, std::string_view body);

// The `reason` of the server ("Conflict", "Expired", "NotFound" ...), or empty.
std::string ReasonOf(const absl::Status& status);
// The HTTP code, or 0.
int HttpCodeOf(const absl::Status& status);

// How long the server asks to wait before the next try.
std::optional<absl::Duration> RetryAfterOf(const absl::Status& status);
// For callers that read a Retry-After header.
void SetRetryAfter(absl::Duration delay, absl::Status* status);

}  // namespace bth::types
