#include "cmd/common/standalone.h"
#include "tests/cmd/known_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("standalone flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-standalone", "");
  StandaloneFlags flags;
  flags.AddTo(set);
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

// Every flag that it has alone.
const KnownFlag kOfStandalone[] = {
    {"port", "7", Fate::kWorks},
    {"insecure-http", "true", Fate::kWorks},
    {"write-kubeconfig", "/k", Fate::kWorks},
    {"data-dir", "/d", Fate::kWorks},
    {"no-scheduler", "true", Fate::kWorks},
    {"no-controllers", "true", Fate::kWorks},
    {"agent-scheduler", "true", Fate::kWorks},
    {"agent-listen-address", ":7", Fate::kRefused},  // Without --agent-scheduler.
    {"no-volumes", "true", Fate::kWorks},
    {"admission", "false", Fate::kWorks},
    {"enable-page", "false", Fate::kWorks},
    {"scheduler-conf", "/c", Fate::kWorks},
    {"plugins-dir", "/p", Fate::kWorks},
    {"scheduler-name", "x", Fate::kWorks},
    {"listen-address", ":7", Fate::kWorks},
    {"debug-bind-address", "127.0.0.1:7", Fate::kWorks},
    {"nodes", "7", Fate::kWorks},
    {"node-cpu", "7", Fate::kWorks},
    {"node-memory", "7Gi", Fate::kWorks},
    {"node-pods", "7", Fate::kWorks},
    {"node-resource", "nvidia.com/gpu=7", Fate::kWorks},
    {"node-device", "gpu.example.com=7", Fate::kWorks},
    {"node-label", "rack=r7", Fate::kWorks},
    {"node-annotation", "card={node}-7", Fate::kWorks},
    {"pod-start-delay", "7s", Fate::kWorks},
    {"pod-stop-delay", "7s", Fate::kWorks},
    {"crash-backoff", "7s", Fate::kWorks},
    {"crash-backoff-max", "7h", Fate::kWorks},
    {"node-status-report-frequency", "7s", Fate::kWorks},
    {"version", "true", Fate::kWorks},
};

// What the program takes from its flags. It reads them one by one, so that each must be named in
// its source, too.
std::string TraceOfStandalone(const StandaloneFlags& flags) {
  static const std::string source = test::ReadFile(test::SourceRoot() / "cmd/common/standalone.cc");
  std::string trace = TraceOf(flags.log);
  const auto read = [&trace](std::string_view member, const auto& value) {
    const bool is_read = StrContains(source, StrCat("flags_.", member));
    StrAppend(&trace, is_read ? StrCat(value) : "", "|");
  };
  read("port", flags.port);
  read("insecure_http", flags.insecure_http);
  read("kubeconfig", flags.kubeconfig);
  read("data_dir", flags.data_dir);
  read("no_scheduler", flags.no_scheduler);
  read("no_controllers", flags.no_controllers);
  read("agent_scheduler", flags.agent_scheduler);
  read("agent_listen_address", flags.agent_listen_address);
  read("no_volumes", flags.no_volumes);
  read("admission", flags.admission);
  read("enable_page", flags.enable_page);
  read("scheduler_conf", flags.scheduler_conf);
  read("plugins_dir", flags.plugins_dir);
  read("scheduler_names", absl::StrJoin(flags.scheduler_names, ","));
  read("listen_address", flags.listen_address);
  read("debug_bind_address", flags.debug_bind_address);
  const nodesim::NodeTemplate& nodes = flags.nodes.nodes;
  read("nodes.nodes",
       StrCat(nodes.count, nodes.cpu, nodes.memory, nodes.pods, absl::StrJoin(nodes.extended, ","),
              absl::StrJoin(nodes.devices, ","), absl::StrJoin(nodes.labels, ","),
              absl::StrJoin(nodes.annotations, ",")));
  const nodesim::SimulatorOptions options = flags.nodes.Options();
  const nodesim::Timing& timing = options.timing;
  for (const absl::Duration time : {timing.start_delay, timing.stop_delay, timing.crash_backoff,
                                    timing.crash_backoff_max, options.heartbeat}) {
    read("nodes.Options()", absl::FormatDuration(time));
  }
  return StrCat(trace, flags.version);
}

TEST_CASE("standalone flags: each one works, or says why not, and there are no others",
          "[cmd][unit]") {
  std::vector<KnownFlag> all(std::begin(kOfStandalone), std::end(kOfStandalone));
  all.insert(all.end(), std::begin(kLogFlags), std::end(kLogFlags));
  CheckEachFlag<StandaloneFlags>(all, TraceOfStandalone);
}

TEST_CASE("standalone flags: debug pages stay on loopback", "[cmd][unit]") {
  StandaloneFlags flags;
  CHECK(flags.Check().ToString() == "OK");
  flags.debug_bind_address = GENERATE("", "0.0.0.0:0", ":80", "10.0.0.1:80");
  CHECK_THAT(std::string(flags.Check().message()), Catch::StartsWith("--debug-bind-address: "));
}

}  // namespace
}  // namespace bth::cmd
