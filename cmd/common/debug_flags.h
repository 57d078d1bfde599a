// Where the debug pages are served, and how.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "cmd/common/flags.h"

namespace bth::cmd {

struct DebugFlags {
  std::string bind_address = "127.0.0.1:11252";  // Empty: nowhere.
  // Both given: TLS, and only those are served whom the API server lets in.
  std::string certificate_file;
  std::string key_file;
  // The same with a certificate of its own making, which nobody can verify: for callers that come
  // through the API server's proxy of Services, which verifies none.
  bool self_signed = false;

  void AddTo(FlagSet& flags);
  // Off loopback nobody is served whom the API server does not know.
  absl::Status Check() const;
  bool tls() const { return self_signed || (!certificate_file.empty() && !key_file.empty()); }
};

}  // namespace bth::cmd
