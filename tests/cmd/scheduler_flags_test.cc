#include "cmd/common/scheduler_flags.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "cmd/common/endpoint.h"
#include "tests/cmd/environment_value.h"
#include "tests/cmd/known_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

using Parsed = ParsedFlags<SchedulerFlags>;

// Every flag that the scheduler that this one stands in for has alone.
const KnownFlag kKnown[] = {
    {"scheduler-name", "x", Fate::kWorks},
    {"version", "true", Fate::kWorks},
    {"feature-gates", "PriorityClass=false", Fate::kWorks},
    {"scheduler-conf", "/c", Fate::kWorks},
    {"schedule-period", "2s", Fate::kWorks},
    {"resync-period", "1h", Fate::kNoted},
    {"default-queue", "x", Fate::kWorks},
    {"priority-class", "false", Fate::kWorks},
    {"minimum-feasible-nodes", "7", Fate::kNoted},
    {"minimum-percentage-nodes-to-find", "7", Fate::kNoted},
    {"percentage-nodes-to-find", "7", Fate::kNoted},
    {"plugins-dir", "/p", Fate::kWorks},
    {"csi-storage", "false", Fate::kWorks},
    {"enable-pprof", "true", Fate::kNoted},
    {"node-selector", "a:b", Fate::kWorks},
    {"cache-dumper", "false", Fate::kWorks},
    {"cache-dump-dir", "/d", Fate::kWorks},
    {"node-worker-threads", "7", Fate::kNoted},
    {"gate-removal-worker-num", "7", Fate::kNoted},  // With its feature gate it works.
    {"ignored-provisioners", "x", Fate::kNoted},
    {"resource-sync-timeout", "7s", Fate::kWorks},
    {"disable-default-scheduler-config", "true", Fate::kWorks},
    {"scheduler-sharding-mode", "soft", Fate::kWorks},
    {"scheduler-sharding-name", "x", Fate::kNoted},  // With a mode it works.
};

// Those that are ours.
const KnownFlag kOurs[] = {
    {"debug-bind-address", "127.0.0.1:3", Fate::kWorks},
    {"debug-tls-cert-file", "/d", Fate::kRefused},         // Without its key.
    {"debug-tls-private-key-file", "/e", Fate::kRefused},  // Without its certificate.
    {"debug-self-signed", "true", Fate::kWorks},
};

std::vector<KnownFlag> AllSchedulerFlags() {
  std::vector<KnownFlag> all(std::begin(kKnown), std::end(kKnown));
  all.insert(all.end(), std::begin(kOurs), std::end(kOurs));
  all.insert(all.end(), std::begin(kApiFlags), std::end(kApiFlags));
  all.insert(all.end(), std::begin(kPageFlags), std::end(kPageFlags));
  all.insert(all.end(), std::begin(kLeaderFlags), std::end(kLeaderFlags));
  all.insert(all.end(), std::begin(kLogFlags), std::end(kLogFlags));
  return all;
}

// What the daemon takes from its flags.
std::string TraceOfScheduler(const SchedulerFlags& flags) {
  const scheduler::SchedulerOptions options = flags.Options(1);
  const auto& labels = options.node_labels;
  return StrCat(TraceOf(flags.api), TraceOf(flags.pages), TraceOf(flags.leader), TraceOf(flags.log),
                flags.version, flags.plugins_dir, "|", flags.dump_on_signal, flags.dump_folder, "|",
                flags.debug.bind_address, flags.debug.self_signed, "|",
                absl::StrJoin(options.scheduler_names, ","), "|", options.policy.path,
                options.policy.disable_default, "|", options.default_queue, "|",
                absl::FormatDuration(options.sync_timeout), "|",
                absl::FormatDuration(options.period), "|",
                absl::StrJoin(labels, ",", absl::PairFormatter(":")), "|", options.priority_classes,
                options.storage_capacity, "|", options.gate_removals, "|",
                static_cast<int>(options.shard.mode), options.shard.name);
}

TEST_CASE("scheduler flags: each one works, or says why not, and there are no others",
          "[cmd][unit]") {
  CheckEachFlag<SchedulerFlags>(AllSchedulerFlags(), TraceOfScheduler);
}

TEST_CASE("scheduler flags: the manual has them all", "[cmd][unit]") {
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  for (const KnownFlag& flag : AllSchedulerFlags()) {
    const std::string name = WithDashes(flag.name);
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

TEST_CASE("scheduler flags: defaults given once more ask for nothing", "[cmd][unit]") {
  CHECK(Parsed({"--csi-storage=true", "--node-worker-threads=20", "--logtostderr"}).notes.empty());
}

TEST_CASE("scheduler flags: nodes are chosen by labels, odd entries are passed over",
          "[cmd][unit]") {
  const Parsed parsed({"--node-selector=a:b, c : d ,odd", "--node_selector=e:f"});
  REQUIRE(parsed.status.ok());
  using Labels = std::vector<std::pair<std::string, std::string>>;
  CHECK(parsed.flags.Options(1).node_labels == Labels{{"a", "b"}, {"c", "d"}, {"e", "f"}});
  REQUIRE(parsed.notes.size() == 1);
  CHECK_THAT(parsed.notes[0], Catch::Contains("\"odd\""));
}

TEST_CASE("scheduler flags: what the options carry", "[cmd][unit]") {
  const Parsed parsed({"--schedule-period=3s", "--priority-class=false"});
  CHECK(parsed.flags.Options(1).period == absl::Seconds(3));
  CHECK_FALSE(parsed.flags.Options(1).priority_classes);
  CHECK_FALSE(Parsed({"--feature-gates=PriorityClass=false"}).flags.Options(1).priority_classes);
  CHECK(Parsed({}).flags.Options(1).priority_classes);
  CHECK_FALSE(Parsed({"--feature-gates=PodDisruptionBudgetsSupport=false"})
                  .flags.Options(1)
                  .disruption_budgets);
  CHECK(Parsed({}).flags.Options(1).disruption_budgets);
  CHECK_THAT(Parsed({"--lock-object-namespace=old"}).err,
             Catch::StartsWith("Flag --lock-object-namespace has been deprecated, This flag"));
}

TEST_CASE("scheduler flags: sharing by hashing, which the environment asks for, is refused",
          "[cmd][unit]") {
  struct Case {
    const char* enabled;
    const char* count;
    bool ok;
  };
  const Case cases[] = {{nullptr, nullptr, true}, {"true", nullptr, true}, {"true", "1", true},
                        {"true", "many", true},   {"false", "3", true},    {nullptr, "3", true},
                        {"true", "3", false}};
  for (const Case& c : cases) {
    const EnvironmentValue enabled("MULTI_SCHEDULER_ENABLE", c.enabled);
    const EnvironmentValue count("SCHEDULER_NUM", c.count);
    const absl::Status status = Parsed({}).status;
    CAPTURE(std::string(status.message()));
    CHECK(status.ok() == c.ok);
    if (c.ok) continue;
    CHECK_THAT(std::string(status.message()),
               Catch::StartsWith("MULTI_SCHEDULER_ENABLE=true, SCHEDULER_NUM=3: ") &&
                   Catch::Contains("--scheduler-sharding-mode=hard"));
  }
}

TEST_CASE("log flags: where the log goes, and how much", "[cmd][unit]") {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  CHECK(Parsed({"--log_file=/f"}).flags.log.Target("p", now).empty());
  CHECK(Parsed({"--log_file=/f", "--logtostderr=false"}).flags.log.Target("p", now) == "/f");
  CHECK(Parsed({"--log_file=/f", "--logtostderr=false"}).notes.empty());
  const Parsed folder({"--log_dir=/d", "--logtostderr=false"});
  CHECK_THAT(folder.flags.log.Target("p", now),
             Catch::StartsWith("/d/p.") && Catch::Contains(".20231114-221320."));
  CHECK(Parsed({}).flags.log.level() == LogLevel::kInfo);
  CHECK(Parsed({"-v=4"}).flags.log.level() == LogLevel::kDebug);
  CHECK(Parsed({"--stderrthreshold=warning"}).flags.log.level() == LogLevel::kWarning);
  CHECK(Parsed({"--stderrthreshold=2", "-v=5"}).flags.log.level() == LogLevel::kError);
}

TEST_CASE("log file: takes what goes to stderr while it lives, and appends", "[cmd][unit]") {
  const test::TempFolder folder;
  const std::string path = folder.Write("log", "before\n");
  {
    const absl::StatusOr<std::unique_ptr<StderrFile>> file = StderrFile::Open(path);
    REQUIRE(file.ok());
    std::fputs("one\n", stderr);
    std::cerr << "two\n";
  }
  std::fputs("", stderr);
  CHECK(test::ReadFile(path) == "before\none\ntwo\n");
  const auto missing = StderrFile::Open(folder.Sub("no/such"));
  CHECK_THAT(std::string(missing.status().message()),
             Catch::Contains("/no/such: No such file or directory"));
}

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
  const client::LeaderElectionOptions election = parsed.flags.leader.Election("me");
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

TEST_CASE("scheduler flags: a feature that is switched is acted on or told", "[cmd][unit]") {
  const auto options = [](const char* feature) {
    return Parsed({StrCat("--feature-gates=", feature).c_str()}).flags.Options(1);
  };
  CHECK_FALSE(options("WorkLoadSupport=false").workloads);
  CHECK_FALSE(options("PodLevelResources=false").pod_level_resources);
  CHECK_FALSE(options("MatchLabelKeysInPodTopologySpread=false").spread_by_own_labels);
  CHECK(options("DRADeviceTaintRules=true").device_taint_rules);
  CHECK_FALSE(options("DRAExtendedResource=false").extended_devices);
  CHECK(options("StorageCapacityScoring=true").scores_volumes);
  const scheduler::SchedulerOptions usual = options("");
  CHECK((usual.workloads && usual.pod_level_resources && usual.spread_by_own_labels));
  CHECK(usual.extended_devices);
  CHECK_FALSE((usual.device_taint_rules || usual.scores_volumes));
  struct Case {
    const char* setting;
    std::vector<std::string> notes;
  };
  const Case cases[] = {
      {"WorkLoadSupport=false,PodLevelResources=false,PriorityClass=false", {}},
      {"DRADeviceTaints=true,SidecarContainers=true,CSIStorage=false", {}},  // As they are.
      {"DRADeviceTaints=false", {"--feature-gates: DRADeviceTaints=false: it is always on"}},
      {"SidecarContainers=false", {"--feature-gates: SidecarContainers=false: it is always on"}},
      {"VolcanoJobSupport=false,CSIStorage=true",
       {"--feature-gates: VolcanoJobSupport=false: only vc-controller-manager acts on it",
        "--feature-gates: CSIStorage=true: no program acts on it: see --csi-storage"}},
      {"AllAlpha=true", {}},
      {"AllBeta=true", {}},  // DRADeviceTaintRules.
      {"DRADeviceTaintRules=true,DRAExtendedResource=false,StorageCapacityScoring=true", {}},
  };
  for (const Case& c : cases) {
    INFO(c.setting);
    CHECK(Parsed({StrCat("--feature-gates=", c.setting).c_str()}).notes == c.notes);
  }
}

TEST_CASE("scheduler flags: gates are removed only with their feature, so many at once",
          "[cmd][unit]") {
  const std::string feature = "--feature-gates=SchedulingGatesQueueAdmission=true";
  CHECK(Parsed({}).flags.Options(1).gate_removals == 0);
  CHECK(Parsed({"--gate-removal-worker-num=7"}).flags.Options(1).gate_removals == 0);
  CHECK(Parsed({feature.c_str()}).flags.Options(1).gate_removals == 5);
  CHECK(Parsed({feature.c_str(), "--gate-removal-worker-num=7"}).flags.Options(1).gate_removals ==
        7);
  CHECK(Parsed({feature.c_str(), "--gate-removal-worker-num=0"}).flags.Options(1).gate_removals ==
        5);
}

TEST_CASE("scheduler flags: another scheduler name does not change the lease", "[cmd][unit]") {
  const Parsed parsed({"--scheduler-name=x", "--lock-object-namespace=old"});
  CHECK(parsed.flags.leader.Election("me").lease_name == "volcano");
  CHECK(parsed.flags.leader.Election("me").namespace_name == "old");
}

TEST_CASE("scheduler flags: what cannot be done is refused by name", "[cmd][unit]") {
  const auto [arg, message] = GENERATE(table<const char*, const char*>({
      {"--scheduler-sharding-mode=firm",
       "scheduler-sharding-mode: \"firm\" is none of none, hard, soft"},
      {"--scheduler-sharding-name=", "scheduler-sharding-name: must not be empty"},
      {"--node-selector=a,:b,c:", "--node-selector: no entry has the form key:value"},
      {"--schedule-period=0s", "--schedule-period"},
      {"--stderrthreshold=loud", "--stderrthreshold: \"loud\""},
      {"--kube-api-qps=0", "kube-api-qps must be greater than zero"},
      {"--kube-api-content-type=application/yaml",
       "--kube-api-content-type: must be application/vnd.kubernetes.protobuf or application/json"},
      {"--kube-api-burst=0", "kube-api-burst must be greater than zero"},
      {"--leader-elect-resource-lock=configmaps", "leader-elect-resource-lock"},
      {"--leader-elect-lease-duration=10s", "must be greater than `RenewDeadline`"},
      {"--leader-elect-resource-name=", "leaderElection.resourceName: Required value"},
      {"--scheduler-name=", "--scheduler-name"},
      {"--listen-address=8080", "--listen-address: \"8080\" is not an address"},
      {"--healthz-address=:x", "--healthz-address: \":x\" is not an address"},
      {"--tls-cert-file=/c",
       "--tls-cert-file: give --ca-cert-file and --tls-private-key-file too: without all three"},
      {"--default-queue=", "--default-queue"},
  }));
  const Parsed parsed({arg});
  REQUIRE(parsed.outcome.run);
  CHECK_THAT(std::string(parsed.status.message()), Catch::Contains(message));
}

TEST_CASE("scheduler flags: an unknown feature gate is malformed", "[cmd][unit]") {
  const Parsed parsed({"--feature-gates=Nothing=true"});
  CHECK_FALSE(parsed.outcome.run);
  CHECK(parsed.outcome.exit_code == 2);
  CHECK_THAT(parsed.err,
             Catch::EndsWith("invalid argument \"Nothing=true\" for \"--feature-gates\" "
                             "flag: unrecognized feature gate: Nothing\n"));
}

TEST_CASE("page flags: what is served needs no word, what is not does", "[cmd][unit]") {
  const std::vector<const char*> tls = {"--ca-cert-file=/a", "--tls-cert-file=/b",
                                        "--tls-private-key-file=/c"};
  std::vector<const char*> all = tls;
  for (const char* flag :
       {"--enable-healthz", "--healthz-address=:1", "--enable-metrics", "--listen-address=:2"}) {
    all.push_back(flag);
  }
  CHECK(Parsed(all).status.ToString() == "OK");
  CHECK(Parsed(all).notes.empty());
  CHECK(Parsed({"--healthz-address=:11251", "--listen-address=:8080"}).notes.empty());
  CHECK(Parsed(tls).notes ==
        std::vector<std::string>{
            "--tls-cert-file: no health pages are served: add --enable-healthz"});
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

TEST_CASE("endpoints: loopback is what other machines cannot reach", "[cmd][unit]") {
  struct Case {
    std::string text;
    bool loopback;
  };
  const Case c = GENERATE(values<Case>({
      {"127.0.0.1:1", true},
      {"127.9.8.7:1", true},
      {"localhost:1", true},
      {"[::1]:1", true},
      {":1", false},
      {"0.0.0.0:1", false},
      {"[::]:1", false},
      {"10.0.0.1:1", false},
      {"128.0.0.1:1", false},
      {"127.0.0.1.example.com:1", false},
  }));
  CAPTURE(c.text);
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(c.text);
  REQUIRE(endpoint.ok());
  CHECK(IsLoopback(*endpoint) == c.loopback);
}

TEST_CASE("scheduler flags: debug pages leave loopback with a certificate only", "[cmd][unit]") {
  struct Case {
    std::vector<const char*> args;
    std::string refusal;  // Empty: accepted.
  };
  const char* certificate = "--debug-tls-cert-file=/c";
  const char* key = "--debug-tls-private-key-file=/k";
  const Case c = GENERATE_COPY(values<Case>({
      {{}, ""},
      {{"--debug-bind-address="}, ""},
      {{"--debug-bind-address=[::1]:1"}, ""},
      {{"--debug-bind-address=127.0.0.1:1", certificate, key}, ""},
      {{"--debug-bind-address=:1", certificate, key}, ""},
      {{"--debug-bind-address=:1", "--debug-self-signed"}, ""},
      {{"--debug-bind-address=:1", "--debug-self-signed", certificate, key},
       "--debug-self-signed: there is a certificate"},
      {{"--debug-bind-address=:1"}, "--debug-bind-address: :1 is not on loopback"},
      {{"--debug-bind-address=10.0.0.1:1"}, "--debug-bind-address: 10.0.0.1:1 is not on loopback"},
      {{"--debug-bind-address=:1", certificate}, "--debug-tls-cert-file: give"},
      {{"--debug-bind-address=:1", key}, "--debug-tls-private-key-file: give"},
      {{"--debug-bind-address=here"}, "--debug-bind-address: \"here\" is not an address"},
  }));
  const Parsed parsed(c.args);
  REQUIRE(parsed.outcome.run);
  CHECK(parsed.status.ok() == c.refusal.empty());
  CHECK_THAT(std::string(parsed.status.message()), Catch::StartsWith(c.refusal));
}

}  // namespace
}  // namespace bth::cmd
