#include "admission/webhooks/certificate_keeper.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/backoff.h"
#include "net/certificates.h"

namespace bth::admission {
namespace {

constexpr absl::Duration kPauseFirst = absl::Milliseconds(500);
constexpr absl::Duration kPauseMax = absl::Seconds(15);

}  // namespace

bool IsTransient(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kNotFound:  // The Secret's namespace.
    case absl::StatusCode::kInternal:
      return true;
    default:
      return false;
  }
}

CertificateKeeper::CertificateKeeper(const Parts& parts, Install install, KeeperOptions options)
    : parts_(parts), install_(std::move(install)), options_(options) {}

absl::Status CertificateKeeper::Serve(const ServingCertificate& certificate) {
  BTH_ASSIGN_OR_RETURN(const std::vector<net::CertificateFacts> facts,
                       net::DescribeCertificates(certificate.certificate_pem));
  BTH_RETURN_IF_ERROR(install_(certificate));
  parts_.metrics.CertificateServed(facts.front().valid_until);
  Log(LogLevel::kInfo, now_.has_value() ? "certificate.renewed" : "certificate.served",
      {{"subject", facts.front().subject},
       {"valid_until", absl::FormatTime(facts.front().valid_until, absl::UTCTimeZone())}});
  now_ = certificate;
  return absl::OkStatus();
}

net::Awaitable<absl::Status> CertificateKeeper::Begin(Rng& rng) {
  client::Backoff backoff(kPauseFirst, kPauseMax, rng);
  for (;;) {
    const absl::StatusOr<ServingCertificate> current = co_await parts_.source.Current();
    if (current.ok()) co_return Serve(*current);
    if (!IsTransient(current.status())) co_return current.status();
    Log(LogLevel::kWarning, "certificate.waiting", {{"status", current.status()}});
    co_await net::Sleep(parts_.executor, backoff.Next(current.status()));
  }
}

net::Awaitable<absl::Status> CertificateKeeper::Register() {
  std::string authorities = now_->authorities_pem;
  const absl::Status status = co_await parts_.registration.Begin(std::move(authorities));
  registered_at_ = parts_.executor.Monotonic();
  co_return status;
}

void CertificateKeeper::Follow() {
  loop_.Keep(parts_.executor, "certificates.keeper", [this] { return Loop(); });
}

net::Awaitable<void> CertificateKeeper::Loop() {
  constexpr std::string_view kCause = "certificates";
  for (;;) {
    co_await net::Sleep(parts_.executor, options_.look_every);
    const absl::Status status = co_await Look();
    if (status.ok()) {
      failures_.Over(kCause);
      continue;
    }
    const auto line = failures_.Note(kCause, parts_.executor.Monotonic());
    if (!line) continue;
    Log(LogLevel::kError, "certificate.not_followed",
        {{"status", status}, {"times", line->times}, {"next_line_in", line->next_in}});
  }
}

net::Awaitable<absl::Status> CertificateKeeper::Look() {
  const absl::StatusOr<ServingCertificate> current = co_await parts_.source.Current();
  if (!current.ok()) co_return current.status();
  const bool is_new = *current != *now_;
  const absl::Duration now = parts_.executor.Monotonic();
  if (!is_new && now - registered_at_ < options_.register_every) co_return absl::OkStatus();
  std::string authorities = current->authorities_pem;
  const absl::Status registered = co_await parts_.registration.Renew(std::move(authorities));
  if (!registered.ok()) {
    // A certificate of the authorities that are published may be served all the same.
    const bool trusted = net::IsSignedBy(current->certificate_pem, now_->authorities_pem);
    if (!is_new || !trusted) co_return registered;
  } else {
    registered_at_ = now;
  }
  if (!is_new) co_return registered;
  const absl::Status served = Serve(*current);
  co_return served.ok() ? registered : served;
}

}  // namespace bth::admission
