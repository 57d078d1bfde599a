#include "cmd/common/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "cmd/common/private_file.h"
#include "net/pem.h"

namespace bth::cmd {
namespace {

constexpr size_t kFileBytesMax = 64 << 10;
constexpr absl::Duration kValidFor = absl::Hours(24 * 365 * 10);

absl::Status SystemError(const std::string& path) {
  return absl::UnavailableError(StrCat(path, ": ", std::strerror(errno)));
}

}  // namespace

StateFolder::StateFolder(StateFolder&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      authority_(std::move(other.authority_)),
      token_(std::move(other.token_)),
      last_port_(other.last_port_) {}

StateFolder::~StateFolder() {
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<StateFolder> StateFolder::Open(const std::string& path, absl::Time now) {
  StateFolder folder(path);
  if (!path.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder.store(), error);
    if (error) {
      return absl::UnavailableError(StrCat("--data-dir ", path, ": ", error.message()));
    }
    BTH_RETURN_IF_ERROR(folder.Lock());
    const absl::Status loaded = folder.Load();
    if (loaded.ok() || !absl::IsNotFound(loaded)) {
      if (!loaded.ok()) return Annotate(loaded, "--data-dir");
      return folder;
    }
  }
  BTH_RETURN_IF_ERROR(folder.Make(now));
  return folder;
}

absl::Status StateFolder::Lock() {
  const std::string path = path_ + "/lock";
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_ < 0) return SystemError(path);
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(StrCat("--data-dir ", path_, ": another process uses it"));
}

absl::Status StateFolder::Load() {
  // Written last, so that its presence tells that the others are whole.
  BTH_ASSIGN_OR_RETURN(token_, client::ReadSmallFile(path_ + "/token", kFileBytesMax));
  BTH_ASSIGN_OR_RETURN(authority_.certificate_pem,
                       client::ReadSmallFile(path_ + "/ca.pem", kFileBytesMax));
  BTH_ASSIGN_OR_RETURN(authority_.key_pem, client::ReadSmallFile(path_ + "/ca.key", kFileBytesMax));
  const auto port = client::ReadSmallFile(path_ + "/port", kFileBytesMax);
  uint32_t number = 0;
  if (port.ok() && absl::SimpleAtoi(*port, &number) && number < 65536) {
    last_port_ = static_cast<uint16_t>(number);
  }
  return absl::OkStatus();
}

absl::Status StateFolder::Make(absl::Time now) {
  net::CertificateRequest request;
  request.common_name = "batholith-standalone";
  request.now = now;
  request.valid_for = kValidFor;
  BTH_ASSIGN_OR_RETURN(net::Identity made, net::GenerateAuthority(request));
  authority_ = {std::move(made.certificate_pem), std::move(made.key_pem)};
  token_ = net::RandomHex(24);
  if (path_.empty()) return absl::OkStatus();
  BTH_RETURN_IF_ERROR(WritePrivateFile(path_ + "/ca.key", authority_.key_pem));
  BTH_RETURN_IF_ERROR(WritePrivateFile(path_ + "/ca.pem", authority_.certificate_pem));
  return WritePrivateFile(path_ + "/token", token_);
}

absl::StatusOr<net::ServerTls> StateFolder::IssueServerCertificate(absl::Time now) const {
  net::CertificateRequest request;
  request.common_name = "localhost";
  request.hosts = {"localhost",  "127.0.0.1",          "::1",
                   "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
  request.now = now;
  BTH_ASSIGN_OR_RETURN(
      net::Identity issued,
      net::IssueCertificate({authority_.certificate_pem, authority_.key_pem}, request));
  net::ServerTls tls;
  tls.certificate_pem = std::move(issued.certificate_pem);
  tls.key_pem = std::move(issued.key_pem);
  return tls;
}

absl::Status StateFolder::RememberPort(uint16_t port) {
  if (path_.empty() || port == last_port_) return absl::OkStatus();
  last_port_ = port;
  return WritePrivateFile(path_ + "/port", StrCat(port));
}

std::string KubeconfigText(const std::string& server_url, const std::string& authority_pem,
                           const std::string& token) {
  const std::string authority =
      authority_pem.empty()
          ? ""
          : StrCat("    certificate-authority-data: ", net::Base64Encode(authority_pem), "\n");
  return StrCat("apiVersion: v1\nkind: Config\nclusters:\n- name: batholith\n  cluster:\n",
                "    server: ", server_url, "\n", authority,
                "users:\n- name: admin\n  user:\n    token: ", token,
                "\ncontexts:\n- name: batholith\n  context:\n    cluster: batholith\n",
                "    user: admin\n    namespace: default\ncurrent-context: batholith\n");
}

}  // namespace bth::cmd
