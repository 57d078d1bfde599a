// What an API server's refusal means for the caller. The codes are those of api/types/refusal.h:
// kInvalidArgument give up, kAborted conflict, kOutOfRange version too old, kResourceExhausted wait
// as long as RetryAfter says, kUnavailable and kDeadlineExceeded back off.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "net/http.h"

namespace bth::client {

// The meaning of an answer with a code other than 2xx; `body` is usually a meta/v1 Status.
absl::Status ErrorFromResponse(int code, const net::Headers& headers, std::string_view body);

// `status` with "<doing>: " before its message. Unlike Annotate it keeps what the functions below
// and types::ReasonOf read.
absl::Status WithContext(const absl::Status& status, std::string_view doing);

// How long the server asked to wait, if it did; ten minutes at most.
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

// The server has refused it, and would again; other failures may be gone with the next attempt.
bool IsRefusal(const absl::Status& status);

// True when the request may have been carried out although it failed: only the watch, or a read,
// can tell. Creating or binding again then may answer kAlreadyExists or kAborted.
bool OutcomeUnknown(const absl::Status& status);

}  // namespace bth::client
