#include "client/credential_source.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "api/types/json.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::client {
namespace {

using test::TempFolder;
using testing::Await;
using testing::StartTime;

constexpr char kVersion[] = "client.authentication.k8s.io/v1";

std::string Answer(const std::string& token, const std::string& expiry) {
  return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kVersion +
         R"(","status":{"token":")" + token + R"(")" +
         (expiry.empty() ? "" : R"(,"expirationTimestamp":")" + expiry + R"(")") + "}}";
}

// A credential program that answers what `output` says after `delay`.
struct FakeProgram {
  net::VirtualExecutor executor{StartTime()};
  absl::StatusOr<std::string> output = absl::UnknownError("exit code 1");
  std::vector<ProcessRequest> runs;
  absl::Duration delay = absl::Seconds(2);

  CredentialSource Source() {
    Credentials credentials;
    credentials.exec = ExecCommand();
    credentials.exec->api_version = kVersion;
    credentials.exec->command = "login";
    credentials.exec->install_hint = "install it";
    return CredentialSource(executor, credentials,
                            [this](ProcessRequest request) { return Run(std::move(request)); });
  }
  net::Awaitable<absl::StatusOr<std::string>> Run(ProcessRequest request) {
    runs.push_back(std::move(request));
    co_await net::Sleep(executor, delay);
    co_return output;
  }
};

TEST_CASE("credentials: a token file is read again after a while and kept when it vanishes",
          "[client]") {
  net::VirtualExecutor executor(StartTime());
  const TempFolder folder;
  Credentials credentials;
  credentials.token.file = folder.Write("t", "one\n");
  CredentialSource source(executor, credentials, nullptr);
  CHECK(Await(executor, source.Get())->authorization == "Bearer one");
  folder.Write("t", "two");
  CHECK(Await(executor, source.Get())->authorization == "Bearer one");
  executor.Advance(absl::Seconds(10));
  CHECK(Await(executor, source.Get())->authorization == "Bearer two");
  (void)std::remove(credentials.token.file.c_str());
  executor.Advance(absl::Seconds(10));
  CHECK(Await(executor, source.Get())->authorization == "Bearer two");
}

TEST_CASE("credentials: a missing token file and control characters are errors", "[client]") {
  net::VirtualExecutor executor(StartTime());
  const TempFolder folder;
  Credentials credentials;
  credentials.token.file = folder.Sub("none");
  CredentialSource missing(executor, credentials, nullptr);
  CHECK(absl::IsNotFound(Await(executor, missing.Get()).status()));
  credentials.token.file = folder.Write("t", "a\nX-Evil: 1");
  CredentialSource evil(executor, credentials, nullptr);
  CHECK(absl::IsInvalidArgument(Await(executor, evil.Get()).status()));
}

TEST_CASE("credentials: user and password become a basic header", "[client]") {
  net::VirtualExecutor executor(StartTime());
  Credentials credentials;
  credentials.username = "u";
  credentials.password = "p";
  CredentialSource source(executor, credentials, nullptr);
  CHECK(Await(executor, source.Get())->authorization == "Basic dTpw");
  CHECK_FALSE(source.renewable());
}

TEST_CASE("credentials: who somebody acts as is in headers", "[client]") {
  net::VirtualExecutor executor(StartTime());
  Credentials credentials;
  credentials.impersonate_user = "me";
  credentials.impersonate_groups = {"a", "b"};
  credentials.impersonate_extra = {{"scopes", "x"}, {"scopes", "y"}, {"example.com/z w", "v"}};
  const CredentialSource source(executor, credentials, nullptr);
  using Headers = std::vector<std::pair<std::string, std::string>>;
  CHECK(source.extra_headers() == Headers{{"Impersonate-User", "me"},
                                          {"Impersonate-Group", "a"},
                                          {"Impersonate-Group", "b"},
                                          {"Impersonate-Extra-scopes", "x"},
                                          {"Impersonate-Extra-scopes", "y"},
                                          {"Impersonate-Extra-example.com%2Fz%20w", "v"}});
}

TEST_CASE("credentials: a program runs once for callers that ask together", "[client]") {
  FakeProgram program;
  program.output = Answer("t1", "2023-11-14T23:13:20Z");  // One hour after the start.
  CredentialSource source = program.Source();
  int answers = 0;
  auto ask = [](CredentialSource& s, int* n) -> net::Awaitable<void> {
    const absl::StatusOr<Identity> identity = co_await s.Get();
    *n += identity.ok() && identity->authorization == "Bearer t1";
  };
  for (int i = 0; i < 3; ++i) net::Spawn(program.executor, ask(source, &answers));
  program.executor.Advance(absl::Seconds(3));
  CHECK(answers == 3);
  CHECK(program.runs.size() == 1);
  const auto& [name, info] = program.runs[0].env.back();
  CHECK(name == "KUBERNETES_EXEC_INFO");
  CHECK((*types::Json::Parse(info))["spec"]["interactive"] == types::Json(false));
}

TEST_CASE("credentials: a program runs again when its answer expires or is refused", "[client]") {
  FakeProgram program;
  program.output = Answer("t1", "2023-11-14T23:13:20Z");
  CredentialSource source = program.Source();
  const auto first = Await(program.executor, source.Get());
  program.executor.Advance(absl::Minutes(50));
  CHECK(Await(program.executor, source.Get())->generation == first->generation);
  program.output = Answer("t2", "");
  program.executor.Advance(absl::Minutes(10));
  const auto second = Await(program.executor, source.Get());
  CHECK(second->authorization == "Bearer t2");
  source.Refused(first->generation);  // Too late: replaced already.
  program.executor.Advance(absl::Hours(100));
  CHECK(Await(program.executor, source.Get())->generation == second->generation);
  source.Refused(second->generation);
  CHECK(Await(program.executor, source.Get())->generation != second->generation);
  CHECK(program.runs.size() == 3);
}

TEST_CASE("credentials: a failing program is not run in a tight loop", "[client]") {
  FakeProgram program;
  CredentialSource source = program.Source();
  const absl::Status first = Await(program.executor, source.Get()).status();
  CHECK(absl::IsUnauthenticated(first));
  CHECK(absl::StrContains(first.message(), "install it"));
  CHECK(Await(program.executor, source.Get()).status() == first);
  CHECK(program.runs.size() == 1);
  program.executor.Advance(absl::Seconds(5));
  program.output = Answer("t", "");
  CHECK(Await(program.executor, source.Get()).ok());
}

TEST_CASE("credentials: bad answers of a program are named", "[client]") {
  struct Case {
    std::string text, expect;
  };
  const std::string head = std::string(R"({"kind":"ExecCredential","apiVersion":")") + kVersion;
  const auto c = GENERATE_COPY(values<Case>({
      {"nonsense", "ExecCredential"},
      {R"({"kind":"Pod"})", "kind is not ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"v1"})", "apiVersion is not"},
      {head + R"("})", "neither token nor"},
      {head + R"(","status":{"clientCertificateData":"x"}})", "must come together"},
      {head + R"(","status":{"token":"a\nb"}})", "control characters"},
      {head + R"(","status":{"token":"a","expirationTimestamp":"soon"}})", "RFC 3339"},
  }));
  const auto answer = ParseExecCredential(c.text, kVersion);
  CHECK_THAT(std::string(answer.status().message()), Catch::Contains(c.expect));
}

TEST_CASE("process: output, environment and exit code are told", "[client]") {
  const std::atomic<bool> stop{false};
  ProcessRequest request;
  request.command = "sh";
  request.args = {"-c", "printf '%s' \"$GREETING\"; cat"};
  request.env = {{"GREETING", "hello"}};
  const auto output = RunProcess(request, stop);
  REQUIRE(output.ok());
  CHECK(*output == "hello");
  request.args = {"-c", "echo oops >&2; exit 3"};
  const absl::Status failed = RunProcess(request, stop).status();
  CHECK(failed.message() == "sh: exit code 3: oops");
  request.command = "no-such-program-here";
  CHECK(absl::IsNotFound(RunProcess(request, stop).status()));
}

TEST_CASE("process: a program that a person watches has our stderr and process group", "[client]") {
  const std::atomic<bool> stop{false};
  ProcessRequest request;
  request.command = "sh";
  request.args = {"-c", "readlink /proc/$$/fd/2; cut -d' ' -f5 /proc/$$/stat"};
  const auto seen = RunProcess(request, stop);
  request.shows_errors = true;
  const auto shown = RunProcess(request, stop);
  REQUIRE(shown.ok());
  const std::string ours = std::filesystem::read_symlink("/proc/self/fd/2").string();
  CHECK(*shown == absl::StrCat(ours, "\n", ::getpgrp(), "\n"));
  REQUIRE(seen.ok());
  CHECK(*seen != *shown);
  request.args = {"-c", "sleep 60"};
  request.timeout = absl::Milliseconds(50);
  CHECK(absl::IsDeadlineExceeded(RunProcess(request, stop).status()));
}

TEST_CASE("process: time, output and stop are limits", "[client]") {
  ProcessRequest request;
  request.command = "sh";
  request.args = {"-c", "sleep 60 & sleep 60"};
  request.timeout = absl::Milliseconds(50);
  const std::atomic<bool> go{false};
  CHECK(absl::IsDeadlineExceeded(RunProcess(request, go).status()));
  request.timeout = absl::Seconds(30);
  const std::atomic<bool> stop{true};
  CHECK(absl::IsCancelled(RunProcess(request, stop).status()));
  request.args = {"-c", "while :; do echo 0123456789; done"};
  request.output_bytes_max = 1000;
  CHECK(absl::IsResourceExhausted(RunProcess(request, go).status()));
}

}  // namespace
}  // namespace bth::client
