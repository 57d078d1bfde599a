#include "client/server_contact.h"

#include "absl/strings/match.h"
#include "base/strings.h"
#include "client/api_client.h"
#include "net/detail/tls.h"
#include "tests/client/fake_server.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::Await;
using testing::FakeServer;
using testing::StartTime;

// A line to "api:6443" whose answers the test chooses.
struct Line {
  net::VirtualExecutor executor{StartTime()};
  std::vector<absl::Status> given_up;
  ServerContact contact{
      executor,
      {.server = "api:6443",
       .origin = "kubeconfig k",
       .on_hopeless = [this](const absl::Status& why) { given_up.push_back(why); }}};

  void Fail(absl::Status status) {
    contact.Failed(&status, "GET /api/v1/pods");
    CHECK(WasTold(status));
    executor.RunUntilIdle();
  }
};

absl::Status Refused() {
  return absl::UnavailableError("connect to api:6443: connect: Connection refused; not sent");
}

TEST_CASE("server contact: a cause is told once, then ever more rarely, with what it cost",
          "[client]") {
  Line line;
  test::CapturedLog lines(LogLevel::kInfo);
  for (int i = 0; i < 19; ++i) line.Fail(Refused());
  CHECK(lines.Take() ==
        std::vector<std::string>{
            "server.no_contact why=\"the API server api:6443 does not answer: Connection refused\" "
            "remedy=\"start the server, or mend its address (kubeconfig k) or the way to it\" "
            "requests_failed=1 request=\"GET /api/v1/pods\" since=0 next_line_in=10s"});
  CHECK(line.contact.LastError() ==
        "the API server api:6443 does not answer: Connection refused (for 0, 19 requests)");
  size_t told = 0;
  for (int second = 0; second < 25 * 60; ++second) {
    line.executor.Advance(absl::Seconds(1));
    line.Fail(Refused());
    told += lines.Take().size();
  }
  // After 10 s, 30, 70, 150, 310, 630 and 1230 s.
  CHECK(told == 7);
}

TEST_CASE("server contact: the first answer after failures is told once", "[client]") {
  Line line;
  test::CapturedLog log(LogLevel::kInfo);
  line.contact.Answered();
  CHECK(line.contact.ever_answered());
  CHECK(log.Take().empty());
  line.Fail(Refused());
  line.executor.Advance(absl::Seconds(3));
  line.Fail(Refused());
  log.Take();
  line.contact.Answered();
  line.contact.Answered();
  CHECK(line.contact.LastError() == "");
  CHECK(log.Take() ==
        std::vector<std::string>{"server.contact server=api:6443 after=3s requests_failed=2"});
  // A line that comes and goes does not fill the log either.
  for (int i = 0; i < 1000; ++i) {
    line.Fail(Refused());
    line.contact.Answered();
  }
  CHECK(log.Take().empty());
}

TEST_CASE("server contact: each kind of failures has its words and its remedy", "[client]") {
  Line line;
  test::CapturedLog log(LogLevel::kInfo);
  line.Fail(absl::UnauthenticatedError("Unauthorized"));
  CHECK(absl::StartsWith(line.contact.LastError(),
                         "the API server api:6443 does not accept the credentials: Unauthorized"));
  absl::Status none = absl::NotFoundError("token file: /t: no such file");
  line.contact.NoCredentials(&none, "GET /x");
  CHECK(absl::StartsWith(
      line.contact.LastError(),
      "there are no credentials for the API server api:6443: token file: /t: no such file"));
  const std::vector<std::string> lines = log.Take();
  REQUIRE(lines.size() == 2);
  CHECK(absl::StrContains(lines[0], "give a valid token, client certificate or exec program"));
  CHECK(absl::StrContains(lines[1], "mend the credentials (kubeconfig k)"));
  CHECK(line.given_up.empty());
}

TEST_CASE("server contact: a certificate that never verified ends hope, in time", "[client]") {
  Line line;
  test::CapturedLog log(LogLevel::kError);
  const absl::Status untrusted = net::detail::CertificateRefused("self-signed certificate");
  line.Fail(untrusted);
  line.executor.Advance(absl::Seconds(19));
  line.Fail(untrusted);
  CHECK(line.given_up.empty());
  CHECK(log.Take().empty());
  line.executor.Advance(absl::Seconds(1));
  line.Fail(untrusted);
  line.Fail(untrusted);
  REQUIRE(line.given_up.size() == 1);
  CHECK(line.given_up[0].message() ==
        "the certificate of the API server api:6443 does not verify: self-signed certificate; give "
        "the authority that signed it as certificate-authority, and an address or tls-server-name "
        "that it names (kubeconfig k)");
  CHECK(log.Take().size() == 1);
}

TEST_CASE("server contact: who was let in once waits for better certificates", "[client]") {
  Line line;
  test::CapturedLog log(LogLevel::kError);
  const bool answered = GENERATE(true, false);
  // Without an answer other failures between is hope enough: somebody is at work there.
  if (answered) line.contact.Answered();
  for (int i = 0; i < 100; ++i) {
    line.Fail(net::detail::CertificateRefused("certificate has expired"));
    if (!answered && i % 10 == 0) line.Fail(Refused());
    line.executor.Advance(absl::Seconds(1));
  }
  CHECK(line.given_up.empty());
}

TEST_CASE("server contact: what is remembered of causes is bounded", "[client]") {
  Line line;
  test::CapturedLog log(LogLevel::kError);
  for (int i = 0; i < 1000; ++i) line.Fail(absl::UnavailableError(StrCat("odd ", i)));
  CHECK(absl::StrContains(line.contact.LastError(), "odd 999 (for 0, 1000 requests)"));
}

TEST_CASE("server contact: requests tell it, and their errors are marked", "[client]") {
  net::VirtualExecutor executor(StartTime());
  FakeServer server(executor);
  test::CapturedLog log(LogLevel::kInfo);
  ServerContact contact(executor, {.server = "api:6443"});
  ApiClientOptions options;
  options.contact = &contact;
  ApiClient api(executor, server.Transport(), options);
  server.script = [](const net::Request&) {
    return Answer(401, R"({"kind":"Status","message":"Unauthorized","code":401})");
  };
  const auto get = [&] { return Await(executor, api.Get({"pods", "/api/v1/pods"})).status(); };
  CHECK(WasTold(get()));
  CHECK_FALSE(contact.ever_answered());
  CHECK(absl::StrContains(log.Take().at(0), "request=\"GET /api/v1/pods\""));
  server.script = [](const net::Request&) { return Answer(403, "no"); };
  CHECK_FALSE(WasTold(get()));
  CHECK(contact.ever_answered());
  CHECK(contact.LastError() == "");
  CHECK(log.Take().size() == 1);
}

}  // namespace
}  // namespace bth::client
