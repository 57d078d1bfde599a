// svc: host names for the pods of a job, lists of them, and who may reach them.
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "api/types/config_map.h"
#include "api/types/network_policy.h"
#include "api/types/service.h"
#include "base/strings.h"
#include "controllers/job/keys.h"
#include "controllers/job/names.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::Json;

struct SvcOptions {
  bool publish_not_ready = false;
  bool no_network_policy = false;
  bool inject_hosts = true;
};

std::string MapName(const BatchJob& job) {
  return job.meta.name + "-svc";
}

std::string Underscored(const std::string& task) {
  return absl::StrReplaceAll(task, {{"-", "_"}});
}
std::string HostsKey(const BatchTask& task) {
  return StrCat("VC_", absl::AsciiStrToUpper(Underscored(task.name)), "_HOSTS");
}
std::string CountKey(const BatchTask& task) {
  return StrCat("VC_", absl::AsciiStrToUpper(Underscored(task.name)), "_NUM");
}

Json PodLabels(const BatchJob& job) {
  Json labels = Json::MakeObject();
  labels.Set(kJobNameKey, job.meta.name);
  labels.Set(kJobNamespaceKey, job.meta.ns);
  return labels;
}

WantedObject HostsMap(const BatchJob& job) {
  Json data = Json::MakeObject();
  for (const BatchTask& task : job.spec.tasks) {
    const std::vector<std::string> hosts = HostsOf(job, task);
    data.Set(StrCat(Underscored(task.name), ".host"), absl::StrJoin(hosts, "\n"));
    data.Set(HostsKey(task), absl::StrJoin(hosts, ","));
    data.Set(CountKey(task), StrCat(hosts.size()));
  }
  WantedObject wanted;
  wanted.type = types::ResourceTraits<types::ConfigMap>::type();
  wanted.object.MutableAt({"metadata", "name"}) = MapName(job);
  wanted.object.Set("data", std::move(data));
  wanted.compared = {"data"};
  return wanted;
}

WantedObject HeadlessService(const BatchJob& job, const SvcOptions& options) {
  WantedObject wanted;
  wanted.type = types::ResourceTraits<types::Service>::type();
  wanted.object.MutableAt({"metadata", "name"}) = job.meta.name;
  Json& spec = wanted.object["spec"];
  spec.Set("clusterIP", "None");
  spec.Set("selector", PodLabels(job));
  spec.Set("publishNotReadyAddresses", options.publish_not_ready);
  return wanted;
}

WantedObject PodsOfTheJobOnly(const BatchJob& job) {
  const Json pods = Json::MakeObject({{"matchLabels", PodLabels(job)}});
  const Json from = Json::MakeArray({Json::MakeObject({{"podSelector", pods}})});
  WantedObject wanted;
  wanted.type = types::ResourceTraits<types::NetworkPolicy>::type();
  wanted.object.MutableAt({"metadata", "name"}) = job.meta.name;
  Json& spec = wanted.object["spec"];
  spec.Set("podSelector", pods);
  spec.Set("policyTypes", Json::MakeArray({"Ingress"}));
  spec.Set("ingress", Json::MakeArray({Json::MakeObject({{"from", from}})}));
  return wanted;
}

void AddHostEnv(const BatchJob& job, Json& container) {
  for (const BatchTask& task : job.spec.tasks) {
    for (const std::string& key : {HostsKey(task), CountKey(task)}) {
      Json variable = Json::MakeObject({{"name", key}});
      variable.MutableAt({"valueFrom", "configMapKeyRef"}) =
          Json::MakeObject({{"name", MapName(job)}, {"key", key}});
      container["env"].MutableItems().push_back(std::move(variable));
    }
  }
}

class Svc final : public JobPlugin {
 public:
  explicit Svc(SvcOptions options) : options_(options) {}
  std::string_view name() const override { return "svc"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    if (pod.spec()["hostname"].AsString().empty()) pod.spec().Set("hostname", pod.name());
    if (pod.spec()["subdomain"].AsString().empty()) pod.spec().Set("subdomain", job.meta.name);
    const std::string map = MapName(job);
    for (Json* container : pod.AllContainers()) {
      if (options_.inject_hosts) AddHostEnv(job, *container);
      PodDraft::AddMount(*container,
                         Json::MakeObject({{"name", map}, {"mountPath", "/etc/volcano"}}));
    }
    pod.AddVolume(
        Json::MakeObject({{"name", map}, {"configMap", Json::MakeObject({{"name", map}})}}));
    return absl::OkStatus();
  }

  std::string RefusedOf(const BatchJob& job) const override {
    std::string text =
        NoHostNameText(StrCat("the name of its Service, ", job.meta.name, ","), job.meta.name);
    for (const BatchTask& task : job.spec.tasks) {
      if (!text.empty()) return text;
      if (task.replicas <= 0 || !task.pod_template.view.spec.hostname.empty()) continue;
      const std::string pod = PodName(job.meta.name, task.name, task.replicas - 1);
      text = NoHostNameText(StrCat("the host name of pod ", pod), pod);
    }
    return text;
  }

  absl::StatusOr<std::vector<WantedObject>> OnJobAdd(const BatchJob& job) const override {
    std::vector<WantedObject> wanted = {HostsMap(job), HeadlessService(job, options_)};
    if (!options_.no_network_policy) wanted.push_back(PodsOfTheJobOnly(job));
    return wanted;
  }
  absl::StatusOr<std::vector<WantedObject>> OnJobUpdate(const BatchJob& job) const override {
    return std::vector<WantedObject>{HostsMap(job)};
  }
  std::vector<ObjectName> OnJobDelete(const BatchJob& job) const override {
    std::vector<ObjectName> names = {
        {types::ResourceTraits<types::ConfigMap>::type(), MapName(job)},
        {types::ResourceTraits<types::Service>::type(), job.meta.name}};
    if (!options_.no_network_policy) {
      names.push_back({types::ResourceTraits<types::NetworkPolicy>::type(), job.meta.name});
    }
    return names;
  }

 private:
  const SvcOptions options_;
};

}  // namespace

MadePlugin MakeSvcPlugin(const PluginArguments& args, const JobPluginTools& /*tools*/) {
  SvcOptions options;
  PluginFlags flags;
  flags.Add("publish-not-ready-addresses", &options.publish_not_ready);
  flags.Add("disable-network-policy", &options.no_network_policy);
  flags.Add("inject-hosts-env", &options.inject_hosts);
  std::string complaint = flags.Parse(args);
  return {std::make_unique<Svc>(options), std::move(complaint)};
}

}  // namespace bth::controllers
