#include "cmd/common/served_certificates.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "client/file.h"
#include "net/pem.h"

namespace bth::cmd {
namespace {

constexpr size_t kPemBytesMax = 1 << 20;
constexpr absl::Duration kCertificatePeriod = absl::Seconds(30);
constexpr absl::Duration kOwnValidFor = absl::Hours(24 * 3650);  // Longer than any process lives.

absl::StatusOr<net::ServerTls> ReadFiles(const CertificateFiles& files) {
  net::ServerTls tls;
  if (!files.client_ca.empty()) {
    BTH_ASSIGN_OR_RETURN(tls.client_ca_pem, client::ReadSmallFile(files.client_ca, kPemBytesMax));
  }
  BTH_ASSIGN_OR_RETURN(tls.certificate_pem, client::ReadSmallFile(files.certificate, kPemBytesMax));
  BTH_ASSIGN_OR_RETURN(tls.key_pem, client::ReadSmallFile(files.key, kPemBytesMax));
  return tls;
}

bool Same(const net::ServerTls& a, const net::ServerTls& b) {
  return a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem &&
         a.client_ca_pem == b.client_ca_pem;
}

}  // namespace

ServedCertificates::ServedCertificates(net::Executor& executor, CertificateFiles files,
                                       net::ServerTls now)
    : executor_(executor), files_(std::move(files)), now_(std::move(now)) {}

ServedCertificates::~ServedCertificates() {
  if (timer_ != 0) executor_.CancelTimer(timer_);
}

absl::StatusOr<std::unique_ptr<ServedCertificates>> ServedCertificates::Read(
    net::Executor& executor, CertificateFiles files) {
  BTH_ASSIGN_OR_RETURN(net::ServerTls now, ReadFiles(files));
  return std::unique_ptr<ServedCertificates>(
      new ServedCertificates(executor, std::move(files), std::move(now)));
}

absl::StatusOr<std::unique_ptr<ServedCertificates>> ServedCertificates::Make(
    net::Executor& executor) {
  BTH_ASSIGN_OR_RETURN(net::GeneratedCertificates made,
                       net::GenerateSelfSigned({"localhost"}, executor.Now(), kOwnValidFor));
  net::ServerTls now;
  now.certificate_pem = std::move(made.certificate_pem);
  now.key_pem = std::move(made.key_pem);
  return std::unique_ptr<ServedCertificates>(
      new ServedCertificates(executor, CertificateFiles(), std::move(now)));
}

void ServedCertificates::Follow(net::Server& server) {
  if (files_.certificate.empty()) return;
  server_ = &server;
  timer_ = executor_.RunAfter(kCertificatePeriod, [this] {
    Follow(*server_);
    if (const absl::Status status = Refresh(); !status.ok()) {
      Log(LogLevel::kWarning, "certificate.refused",
          {{"file", files_.certificate}, {"status", status}});
    }
  });
}

absl::Status ServedCertificates::Refresh() {
  BTH_ASSIGN_OR_RETURN(net::ServerTls fresh, ReadFiles(files_));
  if (Same(fresh, now_)) return absl::OkStatus();
  BTH_RETURN_IF_ERROR(server_->ReplaceCertificates(fresh));
  now_ = std::move(fresh);
  Log(LogLevel::kInfo, "certificate.renewed", {{"file", files_.certificate}});
  return absl::OkStatus();
}

}  // namespace bth::cmd
