#include "client/api_error.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/match.h"
#include "api/types/api_status.h"
#include "base/strings.h"

namespace bth::client {
namespace {

constexpr absl::Duration kRetryAfterMax = absl::Minutes(10);

// Whole seconds; the form with a date is not used by API servers and is passed over.
std::optional<absl::Duration> RetryHeader(const net::Headers& headers) {
  const std::string_view text = headers.Get("Retry-After");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || seconds < 0) {
    return std::nullopt;
  }
  return absl::Seconds(seconds);
}

}  // namespace

absl::Status ErrorFromResponse(int code, const net::Headers& headers, std::string_view body) {
  absl::Status status = types::StatusFromResponse(code, body);
  if (const std::optional<absl::Duration> wait = RetryHeader(headers); wait.has_value()) {
    types::SetRetryAfter(std::min(*wait, kRetryAfterMax), &status);
  }
  return status;
}

absl::Status WithContext(const absl::Status& status, std::string_view doing) {
  if (status.ok()) return status;
  absl::Status out(status.code(), StrCat(doing, ": ", status.message()));
  status.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  const std::optional<absl::Duration> wait = types::RetryAfterOf(status);
  if (!wait.has_value()) return std::nullopt;
  return std::clamp(*wait, absl::ZeroDuration(), kRetryAfterMax);
}

bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kCancelled:
      return false;
    default:
      return true;
  }
}

bool OutcomeUnknown(const absl::Status& status) {
  if (status.ok()) return false;
  const int code = types::HttpCodeOf(status);
  if (code == 504 || code == 408) return true;
  // A server that is too busy (503) says so before it does anything.
  if (code != 0) return code >= 500 && code != 503;
  if (absl::IsDeadlineExceeded(status) || absl::IsCancelled(status)) return true;
  return absl::IsUnavailable(status) && !absl::StrContains(status.message(), "not sent");
}

}  // namespace bth::client
