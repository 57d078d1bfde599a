#include "cmd/common/state_folder.h"

#include <sys/stat.h>

#include "client/kubeconfig.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'790'000'000);

TEST_CASE("state folder: identity and port are found again", "[cmd][unit]") {
  const test::TempFolder temp;
  const std::string path = temp.Sub("deep/state");
  std::string token;
  std::string authority;
  {
    auto folder = StateFolder::Open(path, kNow);
    REQUIRE(folder.status().ToString() == "OK");
    token = folder->token();
    authority = folder->authority_pem();
    CHECK(token.size() == 48);
    CHECK(folder->last_port() == 0);
    CHECK(folder->RememberPort(4711).ok());
    CHECK(folder->IssueServerCertificate(kNow).ok());
  }
  const auto again = StateFolder::Open(path, kNow);
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->token() == token);
  CHECK(again->authority_pem() == authority);
  CHECK(again->last_port() == 4711);
  CHECK(again->store() == path + "/store");
  struct stat info {};
  REQUIRE(stat((path + "/token").c_str(), &info) == 0);
  CHECK((info.st_mode & 077) == 0);
}

TEST_CASE("state folder: one process at a time", "[cmd][unit]") {
  const test::TempFolder temp;
  const auto first = StateFolder::Open(temp.path(), kNow);
  REQUIRE(first.ok());
  const auto second = StateFolder::Open(temp.path(), kNow);
  CHECK_THAT(std::string(second.status().message()), Catch::Contains("another process"));
}

TEST_CASE("state folder: without a path nothing is kept", "[cmd][unit]") {
  auto folder = StateFolder::Open("", kNow);
  REQUIRE(folder.ok());
  CHECK(folder->store().empty());
  CHECK(folder->RememberPort(1).ok());
  CHECK(StateFolder::Open("", kNow)->token() != folder->token());
}

TEST_CASE("state folder: a path that cannot be made is named", "[cmd][unit]") {
  const auto folder = StateFolder::Open("/proc/none/state", kNow);
  CHECK_THAT(std::string(folder.status().message()), Catch::Contains("/proc/none/state"));
}

TEST_CASE("kubeconfig: clients read it", "[cmd][unit]") {
  const std::string text = KubeconfigText("https://127.0.0.1:6443", "PEM", "secret");
  const auto parsed = client::ParseKubeconfig(text, "file");
  REQUIRE(parsed.status().ToString() == "OK");
  const auto config = client::SelectContext(*parsed, "");
  REQUIRE(config.status().ToString() == "OK");
  CHECK(config->server.tls);
  CHECK(config->server.port == 6443);
  CHECK(config->ca.text == "PEM");
  CHECK(config->credentials.token.text == "secret");
  CHECK(KubeconfigText("http://127.0.0.1:1", "", "t").find("authority") == std::string::npos);
}

}  // namespace
}  // namespace bth::cmd
