#include "admission/webhooks/certificate_source.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "net/certificates.h"

namespace bth::admission {
namespace {

constexpr size_t kPemBytesMax = 1 << 20;

absl::StatusOr<std::string> ReadPem(std::string_view what, const std::string& path) {
  absl::StatusOr<std::string> text = client::ReadSmallFile(path, kPemBytesMax);
  if (text.ok()) return text;
  return absl::Status(text.status().code(), StrCat("failed to read ", what, " file (", path,
                                                   "): ", ToStd(text.status().message())));
}

}  // namespace

absl::StatusOr<ServingCertificate> ReadCertificateFiles(const CertificatePaths& paths) {
  ServingCertificate read;
  BTH_ASSIGN_OR_RETURN(read.authorities_pem, ReadPem("cacert", paths.authorities));
  BTH_ASSIGN_OR_RETURN(read.certificate_pem, ReadPem("cert", paths.certificate));
  BTH_ASSIGN_OR_RETURN(read.key_pem, ReadPem("key", paths.key));
  BTH_RETURN_IF_ERROR(
      Annotate(net::CheckKeyPair(read.certificate_pem, read.key_pem), paths.certificate));
  return read;
}

net::Awaitable<absl::StatusOr<ServingCertificate>> FileCertificates::Current() {
  co_return ReadCertificateFiles(paths_);
}

}  // namespace bth::admission
