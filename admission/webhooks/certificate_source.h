// Where the certificate of the webhooks' server comes from.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "net/awaitable.h"

namespace bth::admission {

// PEM texts. The API server trusts `authorities_pem` when it calls.
struct ServingCertificate {
  std::string certificate_pem;
  std::string key_pem;
  std::string authorities_pem;
  friend bool operator==(const ServingCertificate&, const ServingCertificate&) = default;
};

// Thread: the executor's.
class CertificateSource {
 public:
  virtual ~CertificateSource() = default;
  // What is to be served from now on: a pair that belongs together.
  virtual net::Awaitable<absl::StatusOr<ServingCertificate>> Current() = 0;
};

struct CertificatePaths {
  std::string certificate;
  std::string key;
  std::string authorities;
};

// Reads the three files, in Volcano's order and with its words where one cannot be read. Blocks for
// the reads.
absl::StatusOr<ServingCertificate> ReadCertificateFiles(const CertificatePaths& paths);

// Files that somebody else writes: a Secret that is mounted, cert-manager, a person.
class FileCertificates final : public CertificateSource {
 public:
  explicit FileCertificates(CertificatePaths paths) : paths_(std::move(paths)) {}
  net::Awaitable<absl::StatusOr<ServingCertificate>> Current() override;

 private:
  const CertificatePaths paths_;
};

}  // namespace bth::admission
