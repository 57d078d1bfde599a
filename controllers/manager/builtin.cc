#include "controllers/manager/builtin.h"

#include "controllers/colocation/colocation_controller.h"
#include "controllers/cron_job/cron_job_controller.h"
#include "controllers/hyper_node/hyper_node_controller.h"
#include "controllers/job/job_controller.h"
#include "controllers/job_flow/job_flow_controller.h"
#include "controllers/job_flow/job_template_controller.h"
#include "controllers/pod_group/pod_group_controller.h"
#include "controllers/queue/queue_controller.h"
#include "controllers/sharding/sharding_controller.h"
#include "controllers/ttl/ttl_controller.h"

namespace bth::controllers {
namespace {

template <typename T>
std::unique_ptr<Controller> Make(const ControllerContext& context,
                                 const ControllerTools& /*tools*/) {
  return std::make_unique<T>(context);
}

std::unique_ptr<Controller> MakeJobController(const ControllerContext& context,
                                              const ControllerTools& tools) {
  return std::make_unique<JobController>(context, tools.job_plugins);
}

std::unique_ptr<Controller> MakeHyperNodeController(const ControllerContext& context,
                                                    const ControllerTools& tools) {
  return std::make_unique<HyperNodeController>(context, tools.fetch);
}

}  // namespace

const std::vector<BuiltinController>& BuiltinControllers() {
  static const std::vector<BuiltinController> controllers = {
      {"job-controller", &MakeJobController},
      {"queue-controller", &Make<QueueController>},
      {"pg-controller", &Make<PodGroupController>},
      {"jobflow-controller", &Make<JobFlowController>},
      {"jobtemplate-controller", &Make<JobTemplateController>},
      {"cronjob-controller", &Make<CronJobController>},
      {"gc-controller", &Make<TtlController>},
      {"hyperNode-controller", &MakeHyperNodeController},
      {"colocation-config-controller", &Make<ColocationController>},
      {"sharding-controller", &Make<ShardingController>},
  };
  return controllers;
}

std::vector<std::string_view> BuiltinControllerNames() {
  std::vector<std::string_view> names;
  for (const BuiltinController& builtin : BuiltinControllers()) names.push_back(builtin.name);
  return names;
}

}  // namespace bth::controllers
