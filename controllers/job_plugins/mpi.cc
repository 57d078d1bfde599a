// mpi: tells the master where its workers are, and opens the port they talk on.
#include <utility>

#include "absl/strings/str_join.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"
#include "controllers/job_plugins/task_roles.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Json;

struct MpiOptions {
  std::string master = "master";
  std::string worker = "worker";
  int32_t port = 22;
};

class Mpi final : public JobPlugin {
 public:
  explicit Mpi(MpiOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "mpi"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    if (pod.task() == options_.master) {
      const types::BatchTask* worker = FindTask(job, options_.worker);
      if (worker == nullptr) return absl::OkStatus();
      const std::string hosts = absl::StrJoin(HostsOf(job, *worker), ",");
      for (Json* container : pod.AllContainers()) PodDraft::AddEnv(*container, "MPI_HOST", hosts);
    }
    for (Json* container : pod.AllContainers()) {
      PodDraft::AddPort(*container, "mpijob-port", options_.port);
    }
    return absl::OkStatus();
  }

  std::string RefusedOf(const BatchJob& /*job*/) const override {
    return WrongPortText("port", options_.port);
  }

  std::string GapIn(const types::BatchJobSpec& spec) const override {
    const std::string master = MissingTask(spec, {"master", options_.master, "master"});
    const TaskRole role = {"worker", options_.worker, "worker"};
    const std::string worker = MissingBeside(spec, options_.master, role);
    const std::string gap = JoinedGaps(master, worker);
    return gap.empty() ? "" : gap + ", so nobody gets MPI_HOST";
  }

 private:
  const MpiOptions options_;
};

}  // namespace

MadePlugin MakeMpiPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  MpiOptions options;
  PluginFlags flags;
  flags.Add("master", &options.master);
  flags.Add("worker", &options.worker);
  flags.Add("port", &options.port);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Mpi>(std::move(options)), std::move(complaint)};
}

}  // namespace bth::controllers
