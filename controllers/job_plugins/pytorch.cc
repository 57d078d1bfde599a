// pytorch: the variables of torch.distributed's env:// rendezvous.
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

constexpr const char* kWaiter = "wait-for-master";

struct PyTorchOptions {
  std::string master = "master";
  std::string worker = "worker";
  int32_t port = 23456;
  bool wait = false;
  int32_t wait_seconds = 300;
  std::string wait_image = "busybox:1.36.1";
};

// Tries the master's port every two seconds, with nc or, where there is none, the shell's own
// means.
std::string WaitScript(const std::string& host, int32_t port, int32_t seconds) {
  return StrCat("host=", host, "\nport=", port, "\nlimit=", seconds, R"(
waited=0
echo "waiting for the master at $host:$port"
until nc -z "$host" "$port" 2>/dev/null || (: < "/dev/tcp/$host/$port") 2>/dev/null; do
  if [ "$waited" -ge "$limit" ]; then
    echo "no master at $host:$port after $limit seconds"
    exit 1
  fi
  echo "no master yet, next try in 2 seconds"
  sleep 2
  waited=$((waited + 2))
done
echo "the master is ready"
)");
}

class Pytorch final : public JobPlugin {
 public:
  explicit Pytorch(PyTorchOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "pytorch"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    const BatchTask* master = FindTask(job, options_.master);
    if (master == nullptr) return absl::OkStatus();  // Nobody to meet at.
    const bool is_worker = pod.task() == options_.worker;
    std::string rank;
    if (is_worker) {
      const std::optional<int32_t> index = IndexNumber(pod.name());
      if (!index.has_value()) {
        return absl::InvalidArgumentError(
            StrCat("plugin pytorch: pod ", pod.name(), " has no index in its name"));
      }
      rank = StrCat(int64_t{*index} + 1);
    } else if (pod.task() == options_.master) {
      rank = "0";
    }
    const std::string address = HostOf(job, *master, 0);
    SetVariables(address, WorldSize(job, *master), rank, pod);
    if (is_worker && options_.wait) AddWaiter(address, pod);
    return absl::OkStatus();
  }

  std::string RefusedOf(const BatchJob& /*job*/) const override {
    return WrongPortText("port", options_.port);
  }

  std::string GapIn(const types::BatchJobSpec& spec) const override {
    const std::string master = MissingTask(spec, {"master", options_.master, "master"});
    if (!master.empty()) {
      return master + ", so its pods get no MASTER_ADDR, RANK and WORLD_SIZE";
    }
    const TaskRole role = {"worker", options_.worker, "worker"};
    const std::string worker = MissingBeside(spec, options_.master, role);
    if (worker.empty()) return "";
    return worker + ", so only its master has a RANK and counts in WORLD_SIZE";
  }

 private:
  int64_t WorldSize(const BatchJob& job, const BatchTask& master) const {
    const BatchTask* worker = FindTask(job, options_.worker);
    return int64_t{master.replicas} + (worker == nullptr ? 0 : worker->replicas);
  }
  void SetVariables(const std::string& address, int64_t world, const std::string& rank,
                    PodDraft& pod) const {
    for (Json* container : pod.Containers()) {
      PodDraft::AddPort(*container, "pytorchjob-port", options_.port);
      PodDraft::AddEnv(*container, "MASTER_ADDR", address);
      PodDraft::AddEnv(*container, "MASTER_PORT", StrCat(options_.port));
      PodDraft::AddEnv(*container, "WORLD_SIZE", StrCat(world));
      if (!rank.empty()) PodDraft::AddEnv(*container, "RANK", rank);
    }
  }
  void AddWaiter(const std::string& address, PodDraft& pod) const {
    std::vector<Json>& containers = pod.spec()["initContainers"].MutableItems();
    for (const Json& container : containers) {
      if (container["name"].AsString() == kWaiter) return;
    }
    const std::string script = WaitScript(address, options_.port, options_.wait_seconds);
    Json waiter = Json::MakeObject({{"name", kWaiter}, {"image", options_.wait_image}});
    waiter.Set("command", Json::MakeArray({"sh", "-c", script}));
    containers.push_back(std::move(waiter));
  }

  const PyTorchOptions options_;
};

}  // namespace

MadePlugin MakePytorchPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  PyTorchOptions options;
  PluginFlags flags;
  flags.Add("master", &options.master);
  flags.Add("worker", &options.worker);
  flags.Add("port", &options.port);
  flags.Add("wait-master-enabled", &options.wait);
  flags.Add("wait-master-timeout", &options.wait_seconds);
  flags.Add("wait-master-image", &options.wait_image);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Pytorch>(std::move(options)), std::move(complaint)};
}

}  // namespace bth::controllers
