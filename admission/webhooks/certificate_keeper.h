// Keeps three things in step: the certificate that is to be served, the one that is, and the
// authorities that the API server trusts.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "admission/webhooks/certificate_source.h"
#include "admission/webhooks/registration.h"
#include "base/rng.h"
#include "base/spaced_lines.h"
#include "client/background.h"
#include "metrics/admission_metrics.h"
#include "net/awaitable.h"

namespace bth::admission {

// Whether the same request to the API server may go better later.
bool IsTransient(const absl::Status& status);

struct KeeperOptions {
  absl::Duration look_every = absl::Seconds(30);
  // Registrations are gone over even if nothing changed: somebody may have written them anew.
  absl::Duration register_every = absl::Minutes(1);
};

// Authorities are published before a certificate of theirs is served, and, unless they signed the
// one that is, beside those of that, so that the API server never meets one that it does not trust.
// Where they cannot be published, the certificate that is served stays until it expires. Lifetime:
// what it is given outlives it. Thread: the executor's.
class CertificateKeeper final {
 public:
  struct Parts {
    net::Executor& executor;
    CertificateSource& source;
    Registration& registration;
    metrics::AdmissionMetrics& metrics;
  };
  // Serves the certificate from now on.
  using Install = std::function<absl::Status(const ServingCertificate&)>;

  CertificateKeeper(const Parts& parts, Install install, KeeperOptions options = {});
  CertificateKeeper(const CertificateKeeper&) = delete;

  // The first certificate, installed before the registrations know of it: nobody calls yet. Tried
  // again while it cannot be had and may be later on. Errors: it never can, or cannot be served.
  net::Awaitable<absl::Status> Begin(Rng& rng);
  // Writes the registrations for the first time; see Registration::Begin.
  net::Awaitable<absl::Status> Register();
  // From now on follows what changes. What fails is logged and tried again.
  void Follow();

  bool has_certificate() const { return now_.has_value(); }

 private:
  net::Awaitable<void> Loop();
  net::Awaitable<absl::Status> Look();
  absl::Status Serve(const ServingCertificate& certificate);
  // Although its authorities could not be published: those that are signed it too, or the one that
  // is served has expired.
  bool MayServeUnpublished(const ServingCertificate& next) const;

  const Parts parts_;
  const Install install_;
  const KeeperOptions options_;
  std::optional<ServingCertificate> now_;  // What is served.
  absl::Time now_until_;                   // When that expires.
  std::string published_pem_;  // The authorities that every registration was last seen to have.
  absl::Duration registered_at_;
  SpacedLines failures_;
  client::Background loop_;
};

}  // namespace bth::admission
