#include "admission/webhooks/certificate_keeper.h"

#include <utility>

#include "admission/webhooks/authorities.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/backoff.h"
#include "net/certificates.h"

namespace bth::admission {
namespace {

constexpr absl::Duration kPauseFirst = absl::Milliseconds(500);
constexpr absl::Duration kPauseMax = absl::Seconds(15);

// Until the next certificate is served the API server must trust both. Where the next authorities
// signed the one that is served, they are enough: one that was taken out does not come back.
absl::StatusOr<std::string> AuthoritiesMeanwhile(const ServingCertificate& next,
                                                 const ServingCertificate& served, absl::Time now) {
  if (next.authorities_pem == served.authorities_pem) return next.authorities_pem;
  if (CertificatesIn(next.authorities_pem).empty()) {
    return absl::InvalidArgumentError(
        "the new authorities: no certificate can be read in them; the former certificate is served "
        "until the file of --ca-cert-file is mended");
  }
  if (net::IsSignedBy(served.certificate_pem, next.authorities_pem)) return next.authorities_pem;
  return Bundle(StrCat(next.authorities_pem, "\n", served.authorities_pem), {}, now);
}

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
  now_until_ = facts.front().valid_until;
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
  if (status.ok()) published_pem_ = now_->authorities_pem;
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

bool CertificateKeeper::MayServeUnpublished(const ServingCertificate& next) const {
  return net::IsSignedBy(next.certificate_pem, published_pem_) ||
         now_until_ <= parts_.executor.Now();
}

net::Awaitable<absl::Status> CertificateKeeper::Look() {
  const absl::StatusOr<ServingCertificate> current = co_await parts_.source.Current();
  if (!current.ok()) co_return current.status();
  const bool is_new = *current != *now_;
  const absl::Duration now = parts_.executor.Monotonic();
  if (!is_new && now - registered_at_ < options_.register_every) co_return absl::OkStatus();
  const absl::StatusOr<std::string> meanwhile =
      AuthoritiesMeanwhile(*current, *now_, parts_.executor.Now());
  if (!meanwhile.ok()) co_return meanwhile.status();
  std::string authorities = *meanwhile;
  const absl::Status registered = co_await parts_.registration.Renew(std::move(authorities));
  if (registered.ok()) registered_at_ = now;
  // A configuration that is not there calls nobody.
  const bool published = registered.ok() || absl::IsNotFound(registered);
  if (published) published_pem_ = *meanwhile;
  if (!is_new || !(published || MayServeUnpublished(*current))) co_return registered;
  const absl::Status served = Serve(*current);
  co_return served.ok() ? registered : served;
}

}  // namespace bth::admission
