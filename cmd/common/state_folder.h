// What vc-standalone keeps from one run to the next: who it is, and where it was reached.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "net/server.h"

namespace bth::cmd {

// A certificate authority and a token. With a folder they are made once and found again, so that
// kubeconfigs of an earlier run stay valid. Thread: one.
class StateFolder final {
 public:
  // `path` is made if need be; empty: nothing is kept. Errors: it cannot be used, or another
  // process uses it.
  static absl::StatusOr<StateFolder> Open(const std::string& path, absl::Time now);
  StateFolder(StateFolder&& other) noexcept;
  StateFolder& operator=(StateFolder&&) = delete;
  ~StateFolder();

  // Where the API server keeps its data; empty: in memory.
  std::string store() const { return path_.empty() ? "" : path_ + "/store"; }
  const std::string& authority_pem() const { return authority_.certificate_pem; }
  const std::string& token() const { return token_; }
  // A fresh certificate for a server on loopback.
  absl::StatusOr<net::ServerTls> IssueServerCertificate(absl::Time now) const;
  // Of the last run; 0: unknown.
  uint16_t last_port() const { return last_port_; }
  absl::Status RememberPort(uint16_t port);

 private:
  struct Authority {
    std::string certificate_pem;
    std::string key_pem;
  };
  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  absl::Status Lock();
  absl::Status Load();
  absl::Status Make(absl::Time now);

  std::string path_;
  int lock_ = -1;
  Authority authority_;
  std::string token_;
  uint16_t last_port_ = 0;
};

// A kubeconfig for one server; `authority_pem` empty: plain HTTP.
std::string KubeconfigText(const std::string& server_url, const std::string& authority_pem,
                           const std::string& token);

}  // namespace bth::cmd
