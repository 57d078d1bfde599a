#include "cmd/common/scheduler_flags.h"

#include <sstream>

#include "cmd/common/page_servers.h"
#include "tests/support/catch.h"

namespace bth::cmd {
namespace {

// The flags as parsed, and what Check says of them.
struct Parsed {
  explicit Parsed(std::vector<const char*> args) {
    flags.AddTo(set);
    args.insert(args.begin(), "vc-scheduler");
    std::ostringstream err;
    outcome = set.Parse(static_cast<int>(args.size()), args.data(), err);
    if (outcome.run) status = flags.Check();
  }
  FlagSet set{"vc-scheduler", ""};
  SchedulerFlags flags;
  FlagSet::Outcome outcome;
  absl::Status status;
};

TEST_CASE("scheduler flags: the arguments of the manifests are understood", "[cmd][unit]") {
  const Parsed parsed({"--logtostderr",
                       "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf",
                       "--enable-healthz=true", "--enable-metrics=true", "--leader-elect=false",
                       "--kube-api-qps=3000", "--kube-api-burst=3000", "--schedule-period=1s",
                       "--node-worker-threads=20", "-v=3", "2>&1"});
  REQUIRE(parsed.outcome.run);
  CHECK(parsed.status.ok());
  CHECK(parsed.flags.scheduler_conf == "/volcano.scheduler/volcano-scheduler.conf");
  CHECK(parsed.flags.pages.healthz);
  CHECK(parsed.flags.pages.metrics);
  CHECK_FALSE(parsed.flags.leader.elect);
  CHECK(parsed.flags.api.qps == 3000);
  CHECK(parsed.flags.log.verbosity == 3);
}

TEST_CASE("scheduler flags: defaults are Volcano's", "[cmd][unit]") {
  const Parsed parsed({});
  CHECK(parsed.status.ok());
  CHECK(parsed.flags.leader.elect);
  const client::LeaderElectionOptions election = parsed.flags.Election("me");
  CHECK(election.lease_name == "volcano");
  CHECK(election.namespace_name == "volcano-system");
  CHECK(election.lease_duration == absl::Seconds(15));
  CHECK(election.renew_deadline == absl::Seconds(10));
  CHECK(election.retry_period == absl::Seconds(2));
  CHECK(parsed.flags.api.qps == 2000);
  CHECK(parsed.flags.pages.listen_address == ":8080");
  CHECK(parsed.flags.pages.healthz_address == ":11251");
  CHECK(parsed.flags.Options(1).scheduler_names == std::vector<std::string>{"volcano"});
}

TEST_CASE("scheduler flags: another scheduler name does not change the lease", "[cmd][unit]") {
  const Parsed parsed({"--scheduler-name=x", "--lock-object-namespace=old"});
  CHECK(parsed.flags.Election("me").lease_name == "volcano");
  CHECK(parsed.flags.Election("me").namespace_name == "old");
}

TEST_CASE("scheduler flags: what cannot be done is refused by name", "[cmd][unit]") {
  const auto [arg, message] = GENERATE(table<const char*, const char*>({
      {"--plugins-dir=/plugins", "--plugins-dir"},
      {"--scheduler-sharding-mode=hard", "--scheduler-sharding-mode: \"hard\""},
      {"--node-selector=a:b", "--node-selector"},
      {"--ignored-provisioners=x", "--ignored-provisioners"},
      {"--enable-pprof", "--enable-pprof"},
      {"--priority-class=false", "--priority-class"},
      {"--log-file=/tmp/x", "--log-file"},
      {"--log_dir=/tmp", "--log-dir"},
      {"--feature-gates=SchedulingGatesQueueAdmission=true", "SchedulingGatesQueueAdmission"},
      {"--feature-gates=PriorityClass=false", "PriorityClass"},
      {"--feature-gates=Unheard=true", "Unheard"},
      {"--kube-api-qps=0", "kube-api-qps must be greater than zero"},
      {"--kube-api-burst=0", "kube-api-burst must be greater than zero"},
      {"--leader-elect-resource-lock=configmaps", "leader-elect-resource-lock"},
      {"--leader-elect-lease-duration=10s", "must be greater than `RenewDeadline`"},
      {"--leader-elect-resource-name=", "leaderElection.resourceName: Required value"},
      {"--scheduler-name=", "--scheduler-name"},
      {"--default-queue=", "--default-queue"},
  }));
  const Parsed parsed({arg});
  REQUIRE(parsed.outcome.run);
  CHECK_THAT(std::string(parsed.status.message()), Catch::Contains(message));
}

TEST_CASE("scheduler flags: without election its flags are not judged", "[cmd][unit]") {
  CHECK(Parsed({"--leader-elect=false", "--leader-elect-lease-duration=1s"}).status.ok());
}

TEST_CASE("endpoints: hosts, every address, and mistakes", "[cmd][unit]") {
  struct Case {
    std::string text;
    std::string host;  // Empty: refused.
    int port;
  };
  const Case c = GENERATE(values<Case>({
      {":8080", "::", 8080},
      {"127.0.0.1:0", "127.0.0.1", 0},
      {"localhost:65535", "127.0.0.1", 65535},
      {"[::1]:80", "::1", 80},
      {"::1:80", "", 0},
      {"8080", "", 0},
      {":65536", "", 0},
      {":http", "", 0},
      {"", "", 0},
  }));
  CAPTURE(c.text);
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(c.text);
  REQUIRE(endpoint.ok() == !c.host.empty());
  if (!endpoint.ok()) return;
  CHECK(endpoint->host == c.host);
  CHECK(endpoint->port == c.port);
}

}  // namespace
}  // namespace bth::cmd
