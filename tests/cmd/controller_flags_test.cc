#include "cmd/common/controller_flags.h"

#include <string>

#include "tests/cmd/environment_value.h"
#include "tests/cmd/known_flags.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cmd {
namespace {

TEST_CASE("controller flags: the manual has them all", "[cmd][unit]") {
  FlagSet set("vc-controller-manager", "");
  ControllerFlags flags;
  flags.AddTo(set);
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  CHECK(set.Values().size() > 20);
  for (const auto& [name, value] : set.Values()) {
    INFO(name);
    CHECK((manual.find("`--" + name + "`") != manual.npos ||
           manual.find("`-" + name + "`") != manual.npos));
  }
}

// Every flag that the controllers have alone.
const KnownFlag kOfControllers[] = {
    {"version", "true", Fate::kWorks},
    {"controllers", "queue-controller", Fate::kWorks},
    {"scheduler-name", "x", Fate::kWorks},
    {"worker-threads", "7", Fate::kWorks},
    {"worker-threads-for-cronjob", "7", Fate::kWorks},
    {"worker-threads-for-podgroup", "7", Fate::kWorks},
    {"worker-threads-for-queue", "7", Fate::kWorks},
    {"worker-threads-for-gc", "7", Fate::kWorks},
    {"max-requeue-num", "7", Fate::kWorks},
    {"inherit-owner-annotations", "false", Fate::kWorks},
    {"feature-gates", "QueueCommandSync=false", Fate::kWorks},
    {"scheduler-configs", "volcano:volcano:0.0:0.5:false:2:100", Fate::kWorks},
    {"shard-sync-period", "7s", Fate::kWorks},
    {"enable-node-event-trigger", "false", Fate::kWorks},
    {"sharding-configmap", "x", Fate::kWorks},
    {"sharding-configmap-namespace", "x", Fate::kWorks},
};

// What the daemon takes from its flags.
std::string TraceOfControllers(const ControllerFlags& flags) {
  const controllers::ManagerOptions options = flags.Options();
  const controllers::ManagerOptions::Gates& gates = options.gates;
  return StrCat(TraceOf(flags.api), TraceOf(flags.pages), TraceOf(flags.leader), TraceOf(flags.log),
                flags.version, absl::StrJoin(options.controllers, ","), "|",
                absl::StrJoin(options.scheduler_names, ","), "|", options.worker_threads, "|",
                options.worker_threads_for_cronjob, "|", options.worker_threads_for_podgroup, "|",
                options.worker_threads_for_queue, "|", options.worker_threads_for_gc, "|",
                options.max_requeue_num, options.inherit_owner_annotations,
                gates.queue_command_sync, "|", absl::StrJoin(options.scheduler_configs, ","), "|",
                absl::FormatDuration(options.shard_sync_period), options.enable_node_event_trigger,
                options.sharding_configmap, "|", options.sharding_configmap_namespace);
}

TEST_CASE("controller flags: each one works, or says why not, and there are no others",
          "[cmd][unit]") {
  std::vector<KnownFlag> all(std::begin(kOfControllers), std::end(kOfControllers));
  all.insert(all.end(), std::begin(kApiFlags), std::end(kApiFlags));
  all.insert(all.end(), std::begin(kPageFlags), std::end(kPageFlags));
  all.insert(all.end(), std::begin(kLeaderFlags), std::end(kLeaderFlags));
  all.insert(all.end(), std::begin(kLogFlags), std::end(kLogFlags));
  CheckEachFlag<ControllerFlags>(all, TraceOfControllers);
}

TEST_CASE("controller flags: a feature that is switched is acted on or told", "[cmd][unit]") {
  ControllerFlags flags;
  flags.feature_gates = "VolcanoJobSupport=false,PriorityClass=false";
  CHECK(flags.Notes().empty());
  CHECK_FALSE(flags.Options().gates.volcano_job_support);
  flags.feature_gates = "PodDisruptionBudgetsSupport=false";
  CHECK(flags.Notes() ==
        std::vector<std::string>{"--feature-gates: PodDisruptionBudgetsSupport=false: only "
                                 "vc-scheduler acts on it"});
}

TEST_CASE("controller flags: the environment says where discovery is configured (I16)",
          "[cmd][unit]") {
  struct Case {
    const char* release;
    const char* ns;
    std::string map;
    std::string map_ns;
  };
  const Case cases[] = {
      {nullptr, nullptr, "volcano-controller-configmap", "volcano-system"},
      {"", "", "volcano-controller-configmap", "volcano-system"},
      {"mine", nullptr, "mine-controller-configmap", "volcano-system"},
      {nullptr, "batch", "volcano-controller-configmap", "batch"},
      {"mine", "batch", "mine-controller-configmap", "batch"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.map, test.map_ns);
    const EnvironmentValue release("HELM_RELEASE_NAME", test.release);
    const EnvironmentValue ns("KUBE_POD_NAMESPACE", test.ns);
    const controllers::ManagerOptions options = ControllerFlags().Options();
    CHECK(options.discovery_configmap == test.map);
    CHECK(options.discovery_configmap_namespace == test.map_ns);
  }
}

TEST_CASE("controller flags: an unknown feature gate is malformed", "[cmd][unit]") {
  const ParsedFlags<ControllerFlags> parsed({"--feature-gates=Nothing=true"});
  CHECK_FALSE(parsed.outcome.run);
  CHECK(parsed.outcome.exit_code == 2);
  CHECK_THAT(parsed.err,
             Catch::EndsWith("invalid argument \"Nothing=true\" for \"--feature-gates\" "
                             "flag: unrecognized feature gate: Nothing\n"));
}

TEST_CASE("controller flags: feature gates add up over several flags", "[cmd][unit]") {
  const ParsedFlags<ControllerFlags> parsed(
      {"--feature-gates=VolcanoJobSupport=false", "--feature-gates", "PriorityClass=false"});
  REQUIRE(parsed.status.ok());
  const auto gates = parsed.flags.Options().gates;
  CHECK_FALSE(gates.volcano_job_support);
  CHECK_FALSE(gates.priority_class);
  const ParsedFlags<ControllerFlags> wrong(
      {"--feature-gates=Nothing=true", "--feature-gates=PriorityClass=false"});
  CHECK(wrong.outcome.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::EndsWith("flag: unrecognized feature gate: Nothing\n"));
}

TEST_CASE("controller flags: configurations of shards are split at commas", "[cmd][unit]") {
  const ParsedFlags<ControllerFlags> parsed(
      {"--scheduler-configs=a:volcano:0.0:0.5:false:2:100,b:agent:0.5:1.0:true:1:10"});
  CHECK(parsed.status.ok());
  CHECK(parsed.flags.Options().scheduler_configs ==
        std::vector<std::string>{"a:volcano:0.0:0.5:false:2:100", "b:agent:0.5:1.0:true:1:10"});
}

TEST_CASE("controller flags: a controller that does not exist is refused", "[cmd][unit]") {
  ControllerFlags flags;
  flags.options.controllers = {"job-controler"};
  CHECK(flags.Check().message() ==
        "--controllers: job-controler: no such controller (did you mean \"job-controller\"?)");
  flags.options.controllers = {"*", "-job-controler"};
  CHECK(flags.Check().ok());
  CHECK(flags.Notes().size() == 1);
}

}  // namespace
}  // namespace bth::cmd
