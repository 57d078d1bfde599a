#include "client/credential_source.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/file.h"
#include "net/http.h"

namespace bth::client {
namespace {

constexpr size_t kTokenBytesMax = 64 << 10;
constexpr size_t kExecOutputBytesMax = 1 << 20;
constexpr absl::Duration kTokenReadPeriod = absl::Seconds(10);
// Whatever goes wrong, programs are not run more often than this.
constexpr absl::Duration kFailurePause = absl::Seconds(5);
constexpr absl::Duration kRunPause = absl::Seconds(1);
// An answer is renewed this long before it expires, so that none expires on its way.
constexpr absl::Duration kExpiryMargin = absl::Seconds(10);

// Header values must not be able to end the header.
bool HeaderSafe(std::string_view text) {
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ExecAnswer> ParseExecCredential(std::string_view json,
                                               std::string_view api_version) {
  absl::StatusOr<types::Json> parsed = types::Json::Parse(json);
  if (!parsed.ok()) return Annotate(parsed.status(), "ExecCredential");
  const types::Json& root = *parsed;
  if (root["kind"].AsString() != "ExecCredential") {
    return absl::InvalidArgumentError("ExecCredential: kind is not ExecCredential");
  }
  if (root["apiVersion"].AsString() != api_version) {
    return absl::InvalidArgumentError(
        StrCat("ExecCredential: apiVersion is not the ", api_version, " that was asked for"));
  }
  const types::Json& status = root["status"];
  ExecAnswer out;
  out.token = std::string(status["token"].AsString());
  out.certificate_pem = std::string(status["clientCertificateData"].AsString());
  out.key_pem = std::string(status["clientKeyData"].AsString());
  if (out.token.empty() && out.certificate_pem.empty()) {
    return absl::InvalidArgumentError(
        "ExecCredential: status has neither token nor clientCertificateData");
  }
  if (out.certificate_pem.empty() != out.key_pem.empty()) {
    return absl::InvalidArgumentError(
        "ExecCredential: clientCertificateData and clientKeyData must come together");
  }
  if (!HeaderSafe(out.token)) {
    return absl::InvalidArgumentError("ExecCredential: status.token holds control characters");
  }
  if (const types::Json& expiry = status["expirationTimestamp"]; !expiry.is_null()) {
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, ToAbsl(expiry.AsString()), &out.expires, &error)) {
      return absl::InvalidArgumentError(
          "ExecCredential: status.expirationTimestamp is not an RFC 3339 time");
    }
  }
  return out;
}

std::string ExecInfo(const ExecCommand& command) {
  types::Json spec = types::Json::MakeObject({{"interactive", false}});
  if (!command.cluster_json.empty()) {
    absl::StatusOr<types::Json> cluster = types::Json::Parse(command.cluster_json);
    if (cluster.ok()) spec.Set("cluster", *std::move(cluster));
  }
  return types::Json::MakeObject({{"kind", "ExecCredential"},
                                  {"apiVersion", command.api_version},
                                  {"spec", std::move(spec)}})
      .Dump();
}

std::vector<std::pair<std::string, std::string>> CredentialSource::extra_headers() const {
  std::vector<std::pair<std::string, std::string>> out;
  auto add = [&out](std::string name, const std::string& value) {
    if (!value.empty() && HeaderSafe(value)) out.emplace_back(std::move(name), value);
  };
  add("Impersonate-User", credentials_.impersonate_user);
  add("Impersonate-Uid", credentials_.impersonate_uid);
  for (const std::string& group : credentials_.impersonate_groups) add("Impersonate-Group", group);
  for (const auto& [key, value] : credentials_.impersonate_extra) {
    add(StrCat("Impersonate-Extra-", net::PercentEncode(key)), value);
  }
  return out;
}

absl::StatusOr<Identity> CredentialSource::FromToken() {
  const TextSource& source = credentials_.token;
  const absl::Duration now = executor_.Monotonic();
  if (source.file.empty() ? valid_ : valid_ && now - read_at_ < kTokenReadPeriod) return current_;
  std::string token = source.text;
  if (!source.file.empty()) {
    absl::StatusOr<std::string> content = ReadSmallFile(source.file, kTokenBytesMax);
    if (content.ok()) {
      token = std::string(absl::StripAsciiWhitespace(*content));
    } else if (current_.generation > 0) {
      return current_;  // The last good token; the file may be about to be replaced.
    } else if (token.empty()) {
      return Annotate(content.status(), "token file");
    }
  }
  if (!HeaderSafe(token)) {
    return absl::InvalidArgumentError(
        "token: holds control characters; check the token or its file");
  }
  read_at_ = now;
  valid_ = true;
  std::string authorization = token.empty() ? "" : StrCat("Bearer ", token);
  if (authorization.empty() && !credentials_.username.empty()) {
    const std::string pair = StrCat(credentials_.username, ":", credentials_.password);
    authorization = StrCat("Basic ", absl::Base64Escape(pair));
  }
  if (current_.generation == 0 || authorization != current_.authorization) {
    ++current_.generation;
    current_.authorization = std::move(authorization);
  }
  return current_;
}

bool CredentialSource::ProgramAnswerFresh() const {
  return valid_ && executor_.Now() + kExpiryMargin < expires_;
}

net::Awaitable<absl::StatusOr<ExecAnswer>> CredentialSource::AskProgram() {
  const ExecCommand& command = *credentials_.exec;
  ProcessRequest request;
  request.command = command.command;
  request.args = command.args;
  request.env = command.env;
  request.env.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo(command));
  request.timeout = command.timeout;
  request.shows_errors = command.shows_errors;
  request.output_bytes_max = kExecOutputBytesMax;
  const absl::StatusOr<std::string> output = co_await run_(std::move(request));
  if (!output.ok()) co_return output.status();
  co_return ParseExecCredential(*output, command.api_version);
}

net::Awaitable<void> CredentialSource::RunProgram() {
  const ExecCommand& command = *credentials_.exec;
  absl::StatusOr<ExecAnswer> answer = absl::InternalError("asking it ended with an exception");
  try {
    answer = co_await AskProgram();
  } catch (...) {
    executor_.barrier().Caught("credential_program", net::Consequence::kFailed);
  }
  if (answer.ok()) {
    failure_ = absl::OkStatus();
    valid_ = true;
    expires_ = answer->expires;
    ++current_.generation;
    current_.authorization = answer->token.empty() ? "" : StrCat("Bearer ", answer->token);
    current_.certificate_pem = std::move(answer->certificate_pem);
    current_.key_pem = std::move(answer->key_pem);
  } else {
    failure_ = absl::UnauthenticatedError(
        StrCat("credential program: ", answer.status().message(),
               command.install_hint.empty() ? "" : StrCat(" (", command.install_hint, ")")));
  }
  ran_at_ = executor_.Monotonic();
  for (const net::Promised<bool>& waiter : std::exchange(waiting_, {})) waiter.Set(true);
}

net::Awaitable<absl::StatusOr<Identity>> CredentialSource::Get() {
  if (!credentials_.exec.has_value()) co_return FromToken();
  if (ProgramAnswerFresh()) co_return current_;
  const absl::Duration since = executor_.Monotonic() - ran_at_;
  if (!failure_.ok() && since < kFailurePause) co_return failure_;
  if (failure_.ok() && since < kRunPause) co_return current_;
  const net::Promised<bool> ended(executor_);
  waiting_.push_back(ended);
  if (!program_.running()) {
    program_.Stop();
    program_.Start(executor_, RunProgram());
  }
  co_await ended.Wait();
  if (!failure_.ok()) co_return failure_;
  co_return current_;
}

void CredentialSource::Refused(uint64_t generation) {
  if (generation == current_.generation) valid_ = false;
}

}  // namespace bth::client
