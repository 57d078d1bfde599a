// How the controllers of one process are to work: what the flags say.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace bth::controllers {

// Defaults are those of Volcano's flags of the same names.
struct ManagerOptions {
  std::vector<std::string> controllers = {"*", "-sharding-controller"};  // selection.h
  std::vector<std::string> scheduler_names = {"volcano"};
  int worker_threads = 3;  // Lanes of the Job controller, and so on.
  int worker_threads_for_cronjob = 3;
  int worker_threads_for_podgroup = 5;
  int worker_threads_for_queue = 5;
  int worker_threads_for_gc = 1;
  int max_requeue_num = 15;  // Negative: no limit.
  bool inherit_owner_annotations = true;
  // Requests of one job in flight at once; the client's rate limit holds beside it.
  int requests_in_flight = 64;

  struct Gates {
    bool workload_support = true;
    bool volcano_job_support = true;
    bool queue_command_sync = true;
    bool priority_class = true;
    bool cron_volcano_job_support = true;

    // Jobs of CronJobs are followed.
    bool follows_cron_jobs() const { return volcano_job_support && cron_volcano_job_support; }
  };
  Gates gates;

  // Sharding: schedulers as NAME:TYPE:MIN:MAX:PREFER_WARMUP:MIN_NODES:MAX_NODES.
  std::vector<std::string> scheduler_configs = {"volcano:volcano:0.0:0.6:false:2:100",
                                                "agent-scheduler:agent:0.7:1.0:true:2:100"};
  absl::Duration shard_sync_period = absl::Seconds(60);
  bool enable_node_event_trigger = true;
  std::string sharding_configmap = "volcano-sharding-configmap";
  std::string sharding_configmap_namespace = "volcano-system";
  // ConfigMap of the HyperNode discovery.
  std::string discovery_configmap = "volcano-controller-configmap";
  std::string discovery_configmap_namespace = "volcano-system";
};

}  // namespace bth::controllers
