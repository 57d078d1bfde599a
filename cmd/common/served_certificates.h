// The certificate a server shows, in files that are read again when they change, or made by itself.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/awaitable.h"
#include "net/server.h"

namespace bth::cmd {

// PEM files.
struct CertificateFiles {
  std::string certificate;
  std::string key;
  std::string client_ca;  // Empty: no client is asked for a certificate.
};

// Thread: the executor's.
class ServedCertificates final {
 public:
  // Errors name the file.
  static absl::StatusOr<std::unique_ptr<ServedCertificates>> Read(net::Executor& executor,
                                                                  CertificateFiles files);
  // A certificate of its own making, which stays as long as the process.
  static absl::StatusOr<std::unique_ptr<ServedCertificates>> Make(net::Executor& executor);
  ServedCertificates(const ServedCertificates&) = delete;
  ~ServedCertificates();

  const net::ServerTls& now() const { return now_; }
  // From now on the server gets what is new in the files, every half minute. Files that are half
  // rotated for the moment leave the former certificate in use, and are logged. `server` outlives
  // this object.
  void Follow(net::Server& server);

 private:
  ServedCertificates(net::Executor& executor, CertificateFiles files, net::ServerTls now);
  absl::Status Refresh();

  net::Executor& executor_;
  const CertificateFiles files_;  // No certificate: it is its own.
  net::ServerTls now_;
  net::Server* server_ = nullptr;
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::cmd
