#include "client/server_contact.h"

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/strip.h"
#include "base/log.h"
#include "base/strings.h"
#include "net/client.h"

namespace bth::client {
namespace {

constexpr size_t kCausesMax = 8;
constexpr char kToldUrl[] = "batholith/told";

}  // namespace

ServerContact::ServerContact(net::Executor& executor, ServerContactOptions options)
    : executor_(executor), options_(std::move(options)) {}

void ServerContact::Answered() {
  if (ever_answered_ && !failing_) return;
  ever_answered_ = true;
  untrusted_since_ = absl::InfiniteDuration();
  if (!std::exchange(failing_, false)) return;
  const int64_t failures = std::exchange(failures_, 0);
  if (!std::exchange(told_, false)) return;
  Log(LogLevel::kInfo, "server.contact",
      {{"server", options_.server},
       {"after", executor_.Monotonic() - failing_since_},
       {"requests_failed", failures}});
}

// What is wrong, without what differs from request to request.
std::string ServerContact::TextOf(Kind kind, const absl::Status& status) const {
  const std::string& server = options_.server;
  absl::string_view why = status.message();
  absl::ConsumeSuffix(&why, "; not sent");
  absl::ConsumePrefix(&why, StrCat("connect to ", server, ": "));
  absl::ConsumePrefix(&why, "connect: ");
  absl::ConsumePrefix(&why, "TLS handshake: certificate refused: ");
  switch (kind) {
    case Kind::kUntrusted:
      return StrCat("the certificate of the API server ", server, " does not verify: ", why);
    case Kind::kRefused:
      return StrCat("the API server ", server, " does not accept the credentials: ", why);
    case Kind::kNoCredentials:
      return StrCat("there are no credentials for the API server ", server, ": ", why);
    case Kind::kNoAnswer:
      break;
  }
  return StrCat("the API server ", server, " does not answer: ", why);
}

std::string ServerContact::RemedyOf(Kind kind) const {
  const std::string where = options_.origin.empty() ? "" : StrCat(" (", options_.origin, ")");
  switch (kind) {
    case Kind::kUntrusted:
      return StrCat(
          "give the authority that signed it as certificate-authority, and an address or "
          "tls-server-name that it names",
          where);
    case Kind::kRefused:
      return StrCat("give a valid token, client certificate or exec program", where);
    case Kind::kNoCredentials:
      return StrCat("mend the credentials", where);
    case Kind::kNoAnswer:
      break;
  }
  return StrCat("start the server, or mend its address", where, " or the way to it");
}

void ServerContact::Failed(absl::Status* status, std::string_view request) {
  Kind kind = Kind::kNoAnswer;
  if (net::IsCertificateRefused(*status)) kind = Kind::kUntrusted;
  if (absl::IsUnauthenticated(*status)) kind = Kind::kRefused;
  Note(kind, status, request);
}

void ServerContact::NoCredentials(absl::Status* status, std::string_view request) {
  Note(Kind::kNoCredentials, status, request);
}

void ServerContact::Note(Kind kind, absl::Status* status, std::string_view request) {
  const absl::Duration now = executor_.Monotonic();
  if (!std::exchange(failing_, true)) failing_since_ = now;
  ++failures_;
  Cause& cause = CauseOf(kind, TextOf(kind, *status), now);
  ++cause.failures;
  if (now >= cause.next_at) Tell(cause, request, now);
  WatchHope(cause, now);
  status->SetPayload(kToldUrl, absl::Cord());
}

// A cause that has been away for longer than its pause begins anew.
ServerContact::Cause& ServerContact::CauseOf(Kind kind, std::string text, absl::Duration now) {
  auto found = std::find_if(causes_.begin(), causes_.end(),
                            [&text](const Cause& cause) { return cause.text == text; });
  if (found != causes_.end() && now >= found->next_at + found->pause) {
    causes_.erase(found);
    found = causes_.end();
  }
  if (found != causes_.end()) {
    std::rotate(found, found + 1, causes_.end());
    return causes_.back();
  }
  if (causes_.size() >= kCausesMax) causes_.erase(causes_.begin());
  causes_.push_back({.kind = kind,
                     .text = std::move(text),
                     .remedy = RemedyOf(kind),
                     .begun_at = now,
                     .next_at = now,
                     .pause = options_.pause_first});
  return causes_.back();
}

void ServerContact::Tell(Cause& cause, std::string_view request, absl::Duration now) {
  Log(LogLevel::kWarning, "server.no_contact",
      {{"why", cause.text},
       {"remedy", cause.remedy},
       {"requests_failed", cause.failures - cause.failures_told},
       {"request", request},
       {"since", now - cause.begun_at},
       {"next_line_in", cause.pause}});
  told_ = true;
  cause.failures_told = cause.failures;
  cause.next_at = now + cause.pause;
  cause.pause = std::min(2 * cause.pause, options_.pause_max);
}

void ServerContact::WatchHope(const Cause& cause, absl::Duration now) {
  if (ever_answered_ || cause.kind != Kind::kUntrusted) {
    untrusted_since_ = absl::InfiniteDuration();
    return;
  }
  untrusted_since_ = std::min(untrusted_since_, now);
  if (now - untrusted_since_ < options_.hopeless_after || std::exchange(given_up_, true)) return;
  Log(LogLevel::kError, "server.given_up", {{"why", cause.text}, {"remedy", cause.remedy}});
  if (!options_.on_hopeless) return;
  const absl::Status last = absl::FailedPreconditionError(StrCat(cause.text, "; ", cause.remedy));
  executor_.Post([tell = options_.on_hopeless, last] { tell(last); });
}

std::string ServerContact::LastError() const {
  if (!failing_ || causes_.empty()) return "";
  return StrCat(
      causes_.back().text, " (for ",
      absl::FormatDuration(absl::Trunc(executor_.Monotonic() - failing_since_, absl::Seconds(1))),
      ", ", failures_, failures_ == 1 ? " request" : " requests", ")");
}

bool WasTold(const absl::Status& status) {
  return status.GetPayload(kToldUrl).has_value();
}

}  // namespace bth::client
