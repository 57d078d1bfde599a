// env: tells each container the index of its pod within the task.
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/job_hosts.h"

namespace bth::controllers {
namespace {

class Env final : public JobPlugin {
 public:
  std::string_view name() const override { return "env"; }
  absl::Status OnPodCreate(const types::BatchJob& /*job*/, PodDraft& pod) const override {
    const std::string index = IndexText(pod.name());
    for (types::Json* container : pod.AllContainers()) {
      PodDraft::AddEnv(*container, "VK_TASK_INDEX", index);  // Its name in old manifests.
      PodDraft::AddEnv(*container, "VC_TASK_INDEX", index);
    }
    return absl::OkStatus();
  }
};

}  // namespace

MadePlugin MakeEnvPlugin(const PluginArguments& /*args*/, const JobPluginTools& /*tools*/) {
  return {std::make_unique<Env>(), ""};
}

}  // namespace bth::controllers
