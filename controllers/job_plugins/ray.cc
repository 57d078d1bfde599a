// ray: starts a Ray head and its workers, with a service in front of the head.
#include <set>
#include <utility>

#include "api/types/service.h"
#include "base/strings.h"
#include "controllers/job/keys.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"
#include "controllers/job_plugins/task_roles.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Json;

struct RayOptions {
  std::string head = "head";
  std::string head_container = "head";
  std::string worker = "worker";
  std::string worker_container = "worker";
  int32_t port = 6379;
  int32_t dashboard_port = 8265;
  int32_t client_port = 10001;
};

struct Port {
  const char* name;
  int32_t number;
};

std::string ServiceName(const BatchJob& job) {
  return job.meta.name + "-head-svc";
}

void SetCommand(Json& container, const std::string& line) {
  container.Set("command", Json::MakeArray({"sh", "-c", line}));
}

// Empty when the task has it, or is not there.
std::string MissingContainer(const types::BatchJobSpec& spec, std::string_view task,
                             const TaskRole& role) {
  for (const types::BatchTask& one : spec.tasks) {
    if (one.name != task) continue;
    for (const types::Container& container : one.pod_template.view.spec.containers) {
      if (container.name == role.name) return "";
    }
    return StrCat("no container of task ", task, " is named ", role.name, " (--", role.flag,
                  "), so it does not start ray");
  }
  return "";
}

class Ray final : public JobPlugin {
 public:
  explicit Ray(RayOptions options) : options_(std::move(options)) {}
  std::string_view name() const override { return "ray"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    const types::BatchTask* head = FindTask(job, options_.head);
    if (head == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("job ", job.meta.name, " doesn't have head task ", options_.head));
    }
    if (pod.task() == options_.head) {
      for (Json* container : pod.Containers()) {
        if ((*container)["name"].AsString() == options_.head_container) MakeHead(*container);
      }
    } else if (pod.task() == options_.worker) {
      for (Json* container : pod.Containers()) {
        if ((*container)["name"].AsString() != options_.worker_container) continue;
        SetCommand(*container, StrCat("ray start --block --address=", HostOf(job, *head, 0), ":",
                                      options_.port));
      }
    }
    return absl::OkStatus();
  }

  std::string RefusedOf(const BatchJob& job) const override {
    std::string text = WrongPortText("port", options_.port);
    if (text.empty()) text = WrongPortText("dashboardPort", options_.dashboard_port);
    if (text.empty()) text = WrongPortText("clientPort", options_.client_port);
    if (!text.empty()) return text;
    const std::set<int32_t> different = {options_.port, options_.dashboard_port,
                                         options_.client_port};
    if (different.size() < 3) {
      return "-port, -dashboardPort and -clientPort must differ: mend spec.plugins";
    }
    return NoHostNameText(StrCat("a Service of the name ", ServiceName(job)), ServiceName(job));
  }

  // That there is no head is an error.
  std::string GapIn(const types::BatchJobSpec& spec) const override {
    const TaskRole role = {"worker", options_.worker, "worker"};
    const std::string worker = MissingBeside(spec, options_.head, role);
    if (!worker.empty()) return worker + ", so only the head starts ray";
    return JoinedGaps(
        MissingContainer(spec, options_.head, {"headContainer", options_.head_container, ""}),
        MissingContainer(spec, options_.worker,
                         {"workerContainer", options_.worker_container, ""}));
  }

  absl::StatusOr<std::vector<WantedObject>> OnJobAdd(const BatchJob& job) const override {
    WantedObject wanted;
    wanted.type = types::ResourceTraits<types::Service>::type();
    wanted.object.MutableAt({"metadata", "name"}) = ServiceName(job);
    Json selector = Json::MakeObject();
    selector.Set(kJobNameKey, job.meta.name);
    selector.Set(kJobNamespaceKey, job.meta.ns);
    selector.Set(kTaskSpecKey, options_.head);
    Json ports = Json::MakeArray();
    for (const Port& port : Ports()) {
      ports.MutableItems().push_back(Json::MakeObject({{"name", port.name},
                                                       {"protocol", "TCP"},
                                                       {"port", port.number},
                                                       {"targetPort", port.name}}));
    }
    Json& spec = wanted.object["spec"];
    spec.Set("selector", std::move(selector));
    spec.Set("ports", std::move(ports));
    return std::vector<WantedObject>{std::move(wanted)};
  }
  std::vector<ObjectName> OnJobDelete(const BatchJob& job) const override {
    return {{types::ResourceTraits<types::Service>::type(), ServiceName(job)}};
  }

 private:
  std::vector<Port> Ports() const {
    return {{"gcs", options_.port},
            {"dashboard", options_.dashboard_port},
            {"client-server", options_.client_port}};
  }
  void MakeHead(Json& container) const {
    for (const Port& port : Ports()) PodDraft::AddPort(container, port.name, port.number);
    SetCommand(container, StrCat("ray start --head --block --dashboard-host=0.0.0.0 --port=",
                                 options_.port, " --dashboard-port=", options_.dashboard_port,
                                 " --ray-client-server-port=", options_.client_port));
  }

  const RayOptions options_;
};

}  // namespace

MadePlugin MakeRayPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  RayOptions options;
  PluginFlags flags;
  flags.Add("head", &options.head);
  flags.Add("headContainer", &options.head_container);
  flags.Add("worker", &options.worker);
  flags.Add("workerContainer", &options.worker_container);
  flags.Add("port", &options.port);
  flags.Add("dashboardPort", &options.dashboard_port);
  flags.Add("clientPort", &options.client_port);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Ray>(std::move(options)), std::move(complaint)};
}

}  // namespace bth::controllers
