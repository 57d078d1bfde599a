#include "cmd/common/agent_scheduler_flags.h"

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "tests/cmd/known_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

using Parsed = ParsedFlags<AgentSchedulerFlags>;

// Every flag that the agent scheduler that this one stands in for has alone, or with the scheduler.
const KnownFlag kOfAgent[] = {
    {"scheduler-name", "x", Fate::kWorks},
    {"scheduler-worker-count", "3", Fate::kWorks},
    {"version", "true", Fate::kWorks},
    {"feature-gates", "WorkLoadSupport=false", Fate::kWorks},
    {"scheduler-conf", "/c", Fate::kWorks},
    {"resync-period", "1h", Fate::kNoted},
    {"minimum-feasible-nodes", "7", Fate::kNoted},
    {"minimum-percentage-nodes-to-find", "7", Fate::kNoted},
    {"percentage-nodes-to-find", "7", Fate::kNoted},
    {"csi-storage", "false", Fate::kWorks},
    {"node-selector", "a:b", Fate::kWorks},
    {"cache-dumper", "false", Fate::kWorks},
    {"cache-dump-dir", "/d", Fate::kWorks},
    {"node-worker-threads", "7", Fate::kNoted},
    {"resource-sync-timeout", "7s", Fate::kWorks},
    {"disable-default-scheduler-config", "true", Fate::kWorks},
    {"scheduler-sharding-mode", "soft", Fate::kWorks},
    {"scheduler-sharding-name", "x", Fate::kNoted},  // With a mode it works.
    // Ours.
    {"debug-bind-address", "127.0.0.1:3", Fate::kWorks},
    {"debug-tls-cert-file", "/d", Fate::kRefused},         // Without its key.
    {"debug-tls-private-key-file", "/e", Fate::kRefused},  // Without its certificate.
    {"debug-self-signed", "true", Fate::kWorks},
};

std::vector<KnownFlag> AllAgentFlags() {
  std::vector<KnownFlag> all(std::begin(kOfAgent), std::end(kOfAgent));
  all.insert(all.end(), std::begin(kApiFlags), std::end(kApiFlags));
  all.insert(all.end(), std::begin(kPageFlags), std::end(kPageFlags));
  all.insert(all.end(), std::begin(kLeaderFlags), std::end(kLeaderFlags));
  all.insert(all.end(), std::begin(kLogFlags), std::end(kLogFlags));
  return all;
}

// What the daemon takes from its flags.
std::string TraceOfAgent(const AgentSchedulerFlags& flags) {
  const scheduler::SchedulerOptions options = flags.Options(1);
  return StrCat(TraceOf(flags.api), TraceOf(flags.pages), TraceOf(flags.leader), TraceOf(flags.log),
                flags.version, flags.workers, "|", flags.dump_on_signal, flags.dump_folder, "|",
                flags.debug.bind_address, flags.debug.self_signed, "|",
                absl::StrJoin(options.scheduler_names, ","), "|", options.policy.path,
                options.policy.disable_default, "|", absl::FormatDuration(options.sync_timeout),
                "|", absl::StrJoin(options.node_labels, ",", absl::PairFormatter(":")), "|",
                options.storage_capacity, options.workloads, "|",
                static_cast<int>(options.shard.mode), options.shard.name);
}

TEST_CASE("agent scheduler flags: each one works, or says why not, and there are no others",
          "[cmd][agent]") {
  CheckEachFlag<AgentSchedulerFlags>(AllAgentFlags(), TraceOfAgent);
}

TEST_CASE("agent scheduler flags: the manual has them all", "[cmd][agent]") {
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md") +
                             test::ReadFile(test::SourceRoot() / "docs/agent-scheduler.md");
  for (const KnownFlag& flag : AllAgentFlags()) {
    const std::string name = WithDashes(flag.name);
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

TEST_CASE("agent scheduler flags: its own defaults", "[cmd][agent]") {
  const Parsed none({});
  CHECK(none.flags.leader.Election("me").lease_name == "agent-scheduler");
  CHECK(none.flags.pages.healthz_address == ":11251");
  const scheduler::SchedulerOptions options = none.flags.Options(1);
  CHECK(options.scheduler_names == std::vector<std::string>{"agent-scheduler"});
  CHECK(options.shard.name == "agent-scheduler");
  CHECK(none.flags.workers == 1);
}

TEST_CASE("agent scheduler flags: nobody decides with no workers, nor with too many",
          "[cmd][agent]") {
  CHECK(Parsed({"--scheduler-worker-count=0"}).status.message() ==
        "scheduler-worker-count must be greater than 0");
  CHECK_FALSE(Parsed({"--scheduler-worker-count=65"}).status.ok());
  CHECK(Parsed({"--scheduler-worker-count=64"}).status.ok());
  CHECK_FALSE(Parsed({"--scheduler-name="}).status.ok());
  CHECK(Parsed({"--schedule-period=1s"}).outcome.exit_code == 2);
}

}  // namespace
}  // namespace bth::cmd
