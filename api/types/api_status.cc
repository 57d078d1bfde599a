#include "api/types/api_status.h"

#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "api/types/decoder.h"
#include "api/types/protobuf/documents.h"
#include "api/types/protobuf/wire.h"
#include "api/types/reader.h"
#include "api/types/refusal.h"
#include "api/types/status_body.h"
#include "base/strings.h"

namespace bth::types {
namespace {

constexpr char kReasonUrl[] = "batholith/reason";
constexpr char kCodeUrl[] = "batholith/http-code";
constexpr char kRetryUrl[] = "batholith/retry-after-ms";
// Server messages and foreign bodies are quoted up to this many bytes.
constexpr size_t kMessageMax = 4096;
constexpr size_t kBodyQuoteMax = 256;

std::string Payload(const absl::Status& status, const char* url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload.has_value() ? std::string(*payload) : std::string();
}

bool ReadJsonStatus(std::string text, StatusBody* body) {
  Decoder decoder(StatusBodyOps(), body);
  return ReadInPlace(&text, &decoder).ok() && decoder.error().ok();
}

}  // namespace

absl::Status ToStatus(const StatusBody& body) {
  std::string message = body.message;
  if (message.empty()) {
    message = body.reason.empty() ? StrCat("HTTP ", body.code) : body.reason;
  }
  if (message.size() > kMessageMax) message.resize(kMessageMax);
  absl::Status status(StatusCodeOf(body.code, body.reason), message);
  if (!body.reason.empty()) status.SetPayload(kReasonUrl, absl::Cord(body.reason));
  status.SetPayload(kCodeUrl, absl::Cord(StrCat(body.code)));
  if (body.retry_after_seconds > 0) {
    SetRetryAfter(absl::Seconds(body.retry_after_seconds), &status);
  }
  return status;
}

absl::Status StatusFromResponse(int http_code, std::string_view body) {
  StatusBody parsed;
  const bool is_protobuf = body.starts_with(kProtobufMagic);
  const bool readable =
      is_protobuf ? ReadProtobufStatus(body, &parsed) : ReadJsonStatus(std::string(body), &parsed);
  if (!readable || (parsed.message.empty() && parsed.reason.empty())) {
    parsed = StatusBody{};
    parsed.message = StrCat("HTTP ", http_code);
    if (!body.empty() && !is_protobuf) {
      StrAppend(&parsed.message, ": ", body.substr(0, kBodyQuoteMax));
    }
  }
  parsed.code = http_code;
  return ToStatus(parsed);
}

std::string ReasonOf(const absl::Status& status) {
  return Payload(status, kReasonUrl);
}

int HttpCodeOf(const absl::Status& status) {
  int code = 0;
  return absl::SimpleAtoi(Payload(status, kCodeUrl), &code) ? code : 0;
}

std::optional<absl::Duration> RetryAfterOf(const absl::Status& status) {
  int64_t milliseconds = 0;
  if (!absl::SimpleAtoi(Payload(status, kRetryUrl), &milliseconds)) return std::nullopt;
  return absl::Milliseconds(milliseconds);
}

void SetRetryAfter(absl::Duration delay, absl::Status* status) {
  status->SetPayload(kRetryUrl, absl::Cord(StrCat(absl::ToInt64Milliseconds(delay))));
}

}  // namespace bth::types
