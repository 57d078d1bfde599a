// Certificates of our own, which the replicas share in a Secret.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "admission/webhooks/certificate_plan.h"
#include "admission/webhooks/certificate_source.h"
#include "client/api_client.h"
#include "net/awaitable.h"

namespace bth::admission {

struct SecretOptions {
  std::string ns;
  std::string name;
  CertificateTerms terms;
};

// Makes authority and certificate where there are none, takes over those that are there, Volcano's
// too, and renews them in time. Replicas that do so at once agree by the Secret's resourceVersion:
// one writes, the others take what it wrote. Lifetime: shorter than `api`. Thread: the executor's.
class SecretCertificates final : public CertificateSource {
 public:
  SecretCertificates(client::ApiClient& api, SecretOptions options);

  // A renewal that fails leaves what is there in use as long as it can be.
  net::Awaitable<absl::StatusOr<ServingCertificate>> Current() override;

 private:
  net::Awaitable<absl::StatusOr<Json>> Read();
  // kAborted: somebody else wrote first.
  net::Awaitable<absl::Status> Write(Json secret, bool exists);
  client::ApiPath PathOf(bool with_name) const;

  client::ApiClient& api_;
  const SecretOptions options_;
  std::string trusted_pem_;  // What was served last, for a Secret that is lost.
  // What was found good last, and until when it needs no look: parsing keys costs milliseconds.
  KeptCertificates good_;
  absl::Time good_until_ = absl::InfinitePast();
};

}  // namespace bth::admission
