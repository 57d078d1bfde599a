#include "cmd/common/controller_flags.h"

#include <string>

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
