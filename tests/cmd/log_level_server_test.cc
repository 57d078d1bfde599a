#include "cmd/common/log_level_server.h"

#include <optional>

#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

// The level of the process is that of the tests again afterwards.
struct LogLevelBed {
  explicit LogLevelBed(int64_t verbosity) {
    log.verbosity = verbosity;
    SetLogLevel(log.level());
    server.emplace(executor, log);
  }
  ~LogLevelBed() { SetLogLevel(LogLevel::kInfo); }
  std::string Ask(const std::string& target, int code = 200) {
    const net::Response response = server->Answer(target);
    CHECK(response.status == code);
    CHECK(response.headers.Get("X-Content-Type-Options") == "nosniff");
    return response.body;
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(0)};
  LogFlags log;
  std::optional<LogLevelServer> server;
};

TEST_CASE("log level: set for a while, then the level of the start returns", "[cmd][unit]") {
  LogLevelBed bed(2);
  CHECK(bed.Ask("/getlevel") == "Current klog log level: 2\n");
  CHECK(bed.Ask("/setlevel?level=6&duration=60s") ==
        "Change klog log level to 6 successfully and  for 1m0s\n");
  CHECK(LogEnabled(LogLevel::kDebug));
  CHECK(bed.Ask("/getlevel") == "Current klog log level: 6\n");
  bed.executor.Advance(absl::Seconds(59));
  CHECK(LogEnabled(LogLevel::kDebug));
  bed.executor.Advance(absl::Seconds(2));
  CHECK_FALSE(LogEnabled(LogLevel::kDebug));
  CHECK(bed.Ask("/getlevel") == "Current klog log level: 2\n");
}

TEST_CASE("log level: a new call replaces the former one and its time", "[cmd][unit]") {
  LogLevelBed bed(4);
  bed.Ask("/setlevel?level=1&duration=10s");
  CHECK_FALSE(LogEnabled(LogLevel::kDebug));
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.Ask("/setlevel?duration=250ms&level=5") ==
        "Change klog log level to 5 successfully and  for 250ms\n");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Ask("/getlevel") == "Current klog log level: 4\n");
  bed.Ask("/setlevel?level=1&duration=1m");
  bed.executor.Advance(absl::Seconds(30));  // The first call's end would have been here.
  CHECK_FALSE(LogEnabled(LogLevel::kDebug));
}

TEST_CASE("log level: bad arguments change nothing and say how", "[cmd][unit]") {
  const char* target = GENERATE("/setlevel", "/setlevel?level=5", "/setlevel?duration=1s",
                                "/setlevel?level=0&duration=1s", "/setlevel?level=-1&duration=1s",
                                "/setlevel?level=x&duration=1s", "/setlevel?level=5&duration=1us",
                                "/setlevel?level=5&duration=-1s", "/setlevel?level=5&duration=5",
                                "/setlevel?level=99999999999&duration=1s");
  LogLevelBed bed(0);
  INFO(target);
  CHECK_THAT(bed.Ask(target, 400), Catch::Contains("http://localhost/setlevel?level=8"));
  CHECK(bed.Ask("/getlevel") == "Current klog log level: 0\n");
  CHECK_FALSE(LogEnabled(LogLevel::kDebug));
}

TEST_CASE("log level: other pages are named", "[cmd][unit]") {
  LogLevelBed bed(0);
  CHECK(bed.Ask("/", 404) == "pages: /getlevel /setlevel\n");
}

}  // namespace
}  // namespace bth::cmd
