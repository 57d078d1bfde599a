// The credentials of the next request: tokens read again from their files, credential programs run
// when their answer expires.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/background.h"
#include "client/client_config.h"
#include "client/process.h"
#include "net/awaitable.h"

namespace bth::client {

// What a request shows. `generation` tells two answers apart.
struct Identity {
  uint64_t generation = 0;
  std::string authorization;    // Value of the Authorization header; may be empty.
  std::string certificate_pem;  // From a credential program, else empty.
  std::string key_pem;
};

// The "status" of an ExecCredential document.
struct ExecAnswer {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  absl::Time expires = absl::InfiniteFuture();
};
// Errors (kInvalidArgument) name the field. `api_version` is the one that was asked for.
absl::StatusOr<ExecAnswer> ParseExecCredential(std::string_view json, std::string_view api_version);
// The text of $KUBERNETES_EXEC_INFO.
std::string ExecInfo(const ExecCommand& command);

// Runs a program and returns its stdout (ProcessRunner, or a fake).
using RunCommand =
    std::function<net::Awaitable<absl::StatusOr<std::string>>(ProcessRequest request)>;

// Callers that ask while a program runs share its one answer.
// Lifetime: longer than the calls of Get. Thread: the executor's.
class CredentialSource final {
 public:
  CredentialSource(net::Executor& executor, Credentials credentials, RunCommand run)
      : executor_(executor), credentials_(std::move(credentials)), run_(std::move(run)) {}
  CredentialSource(const CredentialSource&) = delete;

  // Errors: the token file was never readable, the program fails. A failed program is run again
  // after some seconds at the earliest.
  net::Awaitable<absl::StatusOr<Identity>> Get();
  // The server refused (401) this generation: the next Get asks anew. A generation that was
  // replaced already is not blamed on its successor.
  void Refused(uint64_t generation);
  // True when asking anew can give another answer.
  bool renewable() const {
    return credentials_.exec.has_value() || !credentials_.token.file.empty();
  }
  // Impersonation headers, constant.
  std::vector<std::pair<std::string, std::string>> extra_headers() const;

 private:
  absl::StatusOr<Identity> FromToken();
  net::Awaitable<absl::StatusOr<ExecAnswer>> AskProgram();
  net::Awaitable<void> RunProgram();
  bool ProgramAnswerFresh() const;

  net::Executor& executor_;
  const Credentials credentials_;
  const RunCommand run_;

  bool valid_ = false;  // `current_` may be shown.
  Identity current_;
  absl::Duration read_at_;  // Token file, monotonic.
  absl::Time expires_ = absl::InfiniteFuture();
  absl::Status failure_;  // Of the program's last run.
  absl::Duration ran_at_ = -absl::InfiniteDuration();
  std::vector<net::Promised<bool>> waiting_;
  Background program_;
};

}  // namespace bth::client
