// tensorflow: the TF_CONFIG of tf.distribute's cluster resolver.
#include <utility>

#include "base/strings.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"
#include "controllers/job_plugins/task_roles.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::Json;

struct TensorFlowOptions {
  std::string ps = "ps";
  std::string worker = "worker";
  std::string chief = "chief";
  std::string evaluator = "evaluator";
  int32_t port = 2222;
};

class Tensorflow final : public JobPlugin {
 public:
  explicit Tensorflow(TensorFlowOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "tensorflow"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    // One pod alone is no cluster.
    if (job.spec.tasks.size() == 1 && job.spec.tasks[0].replicas == 1) return absl::OkStatus();
    const std::optional<int32_t> index = IndexNumber(pod.name());
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          StrCat("plugin tensorflow: pod ", pod.name(), " has no index in its name"));
    }
    Json config = Json::MakeObject();
    config.Set("cluster", ClusterOf(job));
    config.Set("task", Json::MakeObject({{"type", RoleOf(pod.task())}, {"index", *index}}));
    const std::string text = config.Dump();
    for (Json* container : pod.Containers()) PodDraft::AddEnv(*container, "TF_CONFIG", text);
    return absl::OkStatus();
  }

  std::string RefusedOf(const BatchJob& /*job*/) const override {
    return WrongPortText("port", options_.port);
  }

  std::string GapIn(const types::BatchJobSpec& spec) const override {
    const TaskRole roles[] = {{"ps", options_.ps, "ps"},
                              {"worker", options_.worker, "worker"},
                              {"chief", options_.chief, "chief"},
                              {"evaluator", options_.evaluator, "evaluator"}};
    std::string gap;
    bool has_any = false;
    for (const TaskRole& role : roles) {
      has_any = has_any || HasTask(spec, role.name);
      gap = JoinedGaps(std::move(gap), MissingIfNamed(spec, role));
    }
    if (!gap.empty()) return gap + ", so TF_CONFIG is without it";
    // One pod alone needs no roles.
    if (has_any || (spec.tasks.size() == 1 && spec.tasks[0].replicas == 1)) return "";
    return "no task is named ps, worker, chief or evaluator (--ps, --worker, --chief, "
           "--evaluator), so TF_CONFIG names nobody";
  }

 private:
  std::string RoleOf(const std::string& task) const {
    if (task == options_.ps) return "ps";
    if (task == options_.worker) return "worker";
    if (task == options_.chief) return "chief";
    if (task == options_.evaluator) return "evaluator";
    return task;
  }
  Json ClusterOf(const BatchJob& job) const {
    Json cluster = Json::MakeObject();
    for (const std::string_view role : {"ps", "worker", "chief", "evaluator"}) {
      Json hosts = Json::MakeArray();
      for (const BatchTask& task : job.spec.tasks) {
        if (RoleOf(task.name) != role) continue;
        for (int32_t i = 0; i < task.replicas; ++i) {
          hosts.MutableItems().push_back(StrCat(HostOf(job, task, i), ":", options_.port));
        }
      }
      if (!hosts.empty()) cluster.Set(role, std::move(hosts));
    }
    return cluster;
  }

  const TensorFlowOptions options_;
};

}  // namespace

MadePlugin MakeTensorflowPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  TensorFlowOptions options;
  PluginFlags flags;
  flags.Add("ps", &options.ps);
  flags.Add("worker", &options.worker);
  flags.Add("chief", &options.chief);
  flags.Add("evaluator", &options.evaluator);
  flags.Add("port", &options.port);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Tensorflow>(std::move(options)), std::move(complaint)};
}

}  // namespace bth::controllers
