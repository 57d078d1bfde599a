#include "cmd/common/page_servers.h"

#include "base/strings.h"
#include "net/io_context.h"
#include "net/pem.h"
#include "net/text_response.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

net::Awaitable<net::Response> SomePage(net::Request) {
  co_return net::TextResponse(200, "ok");
}

PageFlags BothServed() {
  PageFlags flags;
  flags.healthz = flags.metrics = true;
  flags.healthz_address = "127.0.0.1:0";
  flags.listen_address = "localhost:0";
  return flags;
}

TEST_CASE("page servers: each says where it listens, and whether over TLS", "[cmd][unit]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  const test::TempFolder folder;
  PageFlags flags = BothServed();
  const bool tls = GENERATE(false, true);
  if (tls) {
    const auto made = net::GenerateSelfSigned({"127.0.0.1"}, absl::Now(), absl::Hours(1));
    REQUIRE(made.ok());
    flags.ca_file = folder.Write("ca", made->ca_pem);
    flags.certificate_file = folder.Write("crt", made->certificate_pem);
    flags.key_file = folder.Write("key", made->key_pem);
  }
  REQUIRE(flags.Check().ToString() == "OK");
  test::CapturedLog lines(LogLevel::kInfo);
  const auto servers = PageServers::Start(*io, flags, SomePage);
  REQUIRE(servers.ok());
  const std::vector<std::string> said = lines.Take();
  REQUIRE(said.size() == 2);
  // The port that was taken, not the one that was asked for.
  CHECK_THAT(said[0],
             Catch::Matches(StrCat("health\\.served address=127\\.0\\.0\\.1:[1-9]\\d* tls=",
                                   tls ? "true" : "false")));
  CHECK_THAT(said[1],
             Catch::Matches("metrics\\.served address=127\\.0\\.0\\.1:[1-9]\\d* tls=false"));
}

TEST_CASE("page servers: an address that is taken ends health, and is told of metrics",
          "[cmd][unit]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  const auto first = ServePages(*io, "127.0.0.1:0", SomePage);
  REQUIRE(first.ok());
  const std::string taken = StrCat("127.0.0.1:", (*first)->port());
  test::CapturedLog lines(LogLevel::kInfo);
  PageFlags flags = BothServed();
  flags.listen_address = taken;
  CHECK(PageServers::Start(*io, flags, SomePage).ok());
  const std::vector<std::string> said = lines.Take();
  REQUIRE(said.size() == 2);
  CHECK_THAT(said[1], Catch::StartsWith(StrCat("metrics.not_served address=", taken, " ")));
  flags.healthz_address = taken;
  flags.listen_address = "127.0.0.1:0";
  CHECK_THAT(std::string(PageServers::Start(*io, flags, SomePage).status().message()),
             Catch::StartsWith(StrCat("--healthz-address ", taken, ": ")));
}

}  // namespace
}  // namespace bth::cmd
