#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "api/types/codec.h"
#include "base/strings.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"
#include "controllers/job_plugins/job_plugin.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Json;

using Args = std::vector<std::string>;
using Tasks = std::vector<std::pair<std::string, int>>;

const JobPluginTools kTools = {[]() -> absl::StatusOr<SshKeys> {
  return SshKeys{"made private\n", "ssh-rsa made\n"};
}};

BatchJob MakePluginJob(const std::string& name, const Tasks& tasks,
                       const std::map<std::string, Args>& plugins) {
  BatchJob job;
  job.meta.ns = "ns";
  job.meta.name = name;
  for (const auto& [task, replicas] : tasks) {
    types::BatchTask& made = job.spec.tasks.emplace_back();
    made.name = task;
    made.replicas = replicas;
  }
  for (const auto& [plugin, args] : plugins) job.spec.plugins.Set(plugin, args);
  return job;
}

JobPlugins PluginsOf(const BatchJob& job) {
  absl::StatusOr<JobPlugins> made = MakeJobPlugins(job.spec, kTools);
  REQUIRE(made.ok());
  return *std::move(made);
}

// The pod of that task and index, after all plugins. `spec` is the template's.
const Json Created(const BatchJob& job, const std::string& task, int index,
                   const std::string& spec = R"({"containers":[{"name":"c"}]})") {
  Json object = Json::MakeObject();
  object.MutableAt({"metadata", "name"}) = StrCat(job.meta.name, "-", task, "-", index);
  object.MutableAt({"metadata", "labels"}) =
      Json::MakeObject({{"volcano.sh/task-index", StrCat(index)}});
  object.MutableAt({"metadata", "annotations"}) = Json::MakeObject();
  object.Set("spec", *Json::Parse(spec));
  PodDraft draft(object, task, index);
  for (const auto& plugin : PluginsOf(job).plugins) {
    REQUIRE(plugin->OnPodCreate(job, draft).ok());
  }
  return draft.object();
}

// "NAME=VALUE" of each variable of the first container (or init container).
Args Env(const Json& pod, const std::string& list = "containers") {
  Args texts;
  for (const Json& variable : pod["spec"][list][size_t{0}]["env"].items()) {
    const Json& from = variable.At({"valueFrom", "configMapKeyRef"});
    texts.push_back(StrCat(
        std::string(variable["name"].AsString()), "=",
        from.is_object() ? std::string(from["name"].AsString()) + "/" : "",
        std::string(from.is_object() ? from["key"].AsString() : variable["value"].AsString())));
  }
  return texts;
}
std::string EnvValue(const Json& pod, const std::string& name) {
  for (const std::string& text : Env(pod)) {
    if (absl::StartsWith(text, name + "=")) return text.substr(name.size() + 1);
  }
  return "absent";
}
std::vector<int64_t> Ports(const Json& pod) {
  std::vector<int64_t> ports;
  for (const Json& port : pod["spec"]["containers"][size_t{0}]["ports"].items()) {
    ports.push_back(port["containerPort"].AsInt());
  }
  return ports;
}
std::string Decoded(const Json& data, const std::string& key) {
  std::string text;
  REQUIRE(absl::Base64Unescape(std::string(data[key].AsString()), &text));
  return text;
}

// --- The set ------------------------------------------------------------------------------------

TEST_CASE("job plugins: one fixed order", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("j", {},
                                     {{"hcclrank", {}},
                                      {"ray", {}},
                                      {"pytorch", {}},
                                      {"mpi", {}},
                                      {"tensorflow", {}},
                                      {"ssh", {}},
                                      {"svc", {}},
                                      {"env", {}}});
  Args names;
  for (const auto& plugin : PluginsOf(job).plugins) names.emplace_back(plugin->name());
  CHECK(names == Args{"env", "svc", "ssh", "tensorflow", "mpi", "pytorch", "ray", "hcclrank"});
}

TEST_CASE("job plugins: an unknown one stops the job", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("j", {}, {{"new", {}}});
  CHECK(MakeJobPlugins(job.spec, kTools).status().message() == "failed to get plugin new");
}

TEST_CASE("job plugins: no list of more pods than an object can name",
          "[controllers][job_plugins]") {
  constexpr int kMost = std::numeric_limits<int32_t>::max();
  for (const std::string plugin : {"svc", "ssh", "tensorflow", "mpi"}) {
    const BatchJob job = MakePluginJob("j", {{"a", kMost}, {"b", kMost}}, {{plugin, {}}});
    CHECK(MakeJobPlugins(job.spec, kTools).status().message() ==
          "plugin " + plugin +
              " lists the pods of the job, and 4294967294 are more than fit into " +
              "an object: at most 100000 are possible");
  }
  CHECK(MakeJobPlugins(MakePluginJob("j", {{"a", kMost}}, {{"env", {}}}).spec, kTools).ok());
}

TEST_CASE("job plugins: world and ranks of any size are counted", "[controllers][job_plugins]") {
  constexpr int kMost = std::numeric_limits<int32_t>::max();
  const BatchJob job = MakePluginJob("j", {{"master", kMost}, {"worker", kMost}},
                                     {{"pytorch", {}}, {"hcclrank", {}}});
  const Json pod = Created(job, "worker", 7);
  CHECK(EnvValue(pod, "WORLD_SIZE") == "4294967294");
  CHECK(pod.At({"metadata", "annotations", "hccl/rankIndex"}).AsString() == "8");
  const Json alone = Created(
      MakePluginJob("j", {{"master", kMost}, {"worker", kMost}}, {{"hcclrank", {}}}), "worker", 7);
  CHECK(alone.At({"metadata", "annotations", "hccl/rankIndex"}).AsString() == "2147483654");
}

TEST_CASE("job plugins: flags in Go's style", "[controllers][job_plugins]") {
  struct Case {
    Args args;
    std::string text;
    int32_t number;
    bool yes;
    std::string complaint;
  };
  const Case c = GENERATE(values<Case>({
      {{}, "x", 1, false, ""},
      {{"--text=a", "-number=5", "-yes"}, "a", 5, true, ""},
      {{"-text", "a", "--number", "-7", "--yes=false"}, "a", -7, false, ""},
      {{"-text=", "-yes=T"}, "", 1, true, ""},
      {{"-yes", "true", "-number=5"}, "x", 1, true, "\"true\" is no flag"},
      {{"number=5", "-yes"}, "x", 1, false, "\"number=5\" is no flag"},
      {{"-text=a", "-", "-yes"}, "a", 1, false, "\"-\" is no flag"},
      {{"--", "-number=5"}, "x", 1, false, ""},
      {{"-yes", "", "-number=5"}, "x", 1, true, ""},
      {{"-text=a", "-number=many", "-yes"},
       "a",
       1,
       false,
       "invalid value \"many\" for flag -number"},
      {{"-numbr=5"},
       "x",
       1,
       false,
       "flag provided but not defined: -numbr (did you mean \"number\"?)"},
      {{"-text"}, "x", 1, false, "flag needs an argument: -text"},
      {{"-yes=perhaps"}, "x", 1, false, "invalid value \"perhaps\" for flag -yes"},
  }));
  CAPTURE(c.args);
  std::string text = "x";
  int32_t number = 1;
  bool yes = false;
  PluginFlags flags;
  flags.Add("text", &text);
  flags.Add("number", &number);
  flags.Add("yes", &yes);
  CHECK(flags.Parse(c.args) == c.complaint);
  CHECK(text == c.text);
  CHECK(number == c.number);
  CHECK(yes == c.yes);
}

TEST_CASE("job plugins: a bad argument is told and changes nothing", "[controllers][job_plugins]") {
  const JobPlugins made = PluginsOf(MakePluginJob(
      "j", {}, {{"svc", {"disable-network-policy=true"}}, {"ssh", {"--ssh-port=x"}}}));
  CHECK(made.plugins.size() == 2);
  const std::string ignored = ": this and what follows it in spec.plugins is ignored; mend it";
  CHECK(made.complaints == Args{"plugin svc: \"disable-network-policy=true\" is no flag" + ignored,
                                "plugin ssh: invalid value \"x\" for flag -ssh-port" + ignored});
}

TEST_CASE("job plugins: indices of pod names", "[controllers][job_plugins]") {
  CHECK(IndexText("job-task-3") == "3");
  CHECK(IndexText("a-b-c-12") == "12");
  CHECK(IndexText("task-3").empty());
  CHECK(IndexNumber("job-task-x") == std::nullopt);
  CHECK(IndexNumber("job-task-7") == 7);
}

// --- env, svc, ssh ------------------------------------------------------------------------------

TEST_CASE("env: each container is told its index", "[controllers][job_plugins]") {
  const Json pod = Created(MakePluginJob("j", {{"t", 3}}, {{"env", {}}}), "t", 2,
                           R"({"containers":[{"name":"c","env":[{"name":"A","value":"1"}]}],)"
                           R"("initContainers":[{"name":"i"}]})");
  CHECK(Env(pod) == Args{"A=1", "VK_TASK_INDEX=2", "VC_TASK_INDEX=2"});
  CHECK(Env(pod, "initContainers") == Args{"VK_TASK_INDEX=2", "VC_TASK_INDEX=2"});
}

TEST_CASE("svc: host name, variables and the mounted lists", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("j", {{"ps", 1}, {"my-worker", 2}}, {{"svc", {}}});
  const Json pod = Created(job, "ps", 0);
  CHECK(pod.At({"spec", "hostname"}).AsString() == "j-ps-0");
  CHECK(pod.At({"spec", "subdomain"}).AsString() == "j");
  CHECK(Env(pod) == Args{"VC_PS_HOSTS=j-svc/VC_PS_HOSTS", "VC_PS_NUM=j-svc/VC_PS_NUM",
                         "VC_MY_WORKER_HOSTS=j-svc/VC_MY_WORKER_HOSTS",
                         "VC_MY_WORKER_NUM=j-svc/VC_MY_WORKER_NUM"});
  const Json& mount = pod["spec"]["containers"][size_t{0}]["volumeMounts"][size_t{0}];
  CHECK(mount["mountPath"].AsString() == "/etc/volcano");
  CHECK(pod["spec"]["volumes"][size_t{0}].At({"configMap", "name"}).AsString() == "j-svc");
  const Json named = Created(job, "ps", 0, R"({"hostname":"h","subdomain":"s","containers":[]})");
  CHECK(named.At({"spec", "hostname"}).AsString() == "h");
  CHECK(named.At({"spec", "subdomain"}).AsString() == "s");
}

TEST_CASE("svc: the objects of a job", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("j", {{"ps", 1}, {"my-worker", 2}}, {{"svc", {}}});
  const auto wanted = PluginsOf(job).plugins[0]->OnJobAdd(job);
  REQUIRE(wanted.ok());
  REQUIRE(wanted->size() == 3);
  const Json& data = (*wanted)[0].object["data"];
  CHECK(data["my_worker.host"].AsString() == "j-my-worker-0.j\nj-my-worker-1.j");
  CHECK(data["VC_MY_WORKER_HOSTS"].AsString() == "j-my-worker-0.j,j-my-worker-1.j");
  CHECK(data["VC_MY_WORKER_NUM"].AsString() == "2");
  CHECK(data["ps.host"].AsString() == "j-ps-0.j");
  const Json& service = (*wanted)[1].object;
  CHECK(service.At({"metadata", "name"}).AsString() == "j");
  CHECK(service.At({"spec", "clusterIP"}).AsString() == "None");
  CHECK(service.At({"spec", "publishNotReadyAddresses"}).AsBool() == false);
  CHECK(service.At({"spec", "selector", "volcano.sh/job-namespace"}).AsString() == "ns");
  CHECK((*wanted)[2].type.kind == "NetworkPolicy");
  CHECK((*wanted)[2].object["spec"].Dump() ==
        R"({"podSelector":{"matchLabels":{"volcano.sh/job-name":"j","volcano.sh/job-namespace":)"
        R"("ns"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"podSelector":{"matchLabels":)"
        R"({"volcano.sh/job-name":"j","volcano.sh/job-namespace":"ns"}}}]}]})");
  CHECK(PluginsOf(job).plugins[0]->OnJobDelete(job).size() == 3);
}

TEST_CASE("svc: its arguments", "[controllers][job_plugins]") {
  const BatchJob job =
      MakePluginJob("j", {{"t", 1}},
                    {{"svc",
                      {"--publish-not-ready-addresses", "--disable-network-policy=true",
                       "--inject-hosts-env=false"}}});
  const auto wanted = PluginsOf(job).plugins[0]->OnJobAdd(job);
  REQUIRE(wanted.ok());
  REQUIRE(wanted->size() == 2);
  CHECK((*wanted)[1].object.At({"spec", "publishNotReadyAddresses"}).AsBool());
  CHECK(Env(Created(job, "t", 0)).empty());
  CHECK(PluginsOf(job).plugins[0]->OnJobDelete(job).size() == 2);
}

TEST_CASE("hosts: a template with a host name has one", "[controllers][job_plugins]") {
  BatchJob job = MakePluginJob("j", {{"t", 3}}, {});
  CHECK(HostsOf(job, job.spec.tasks[0]) == Args{"j-t-0.j", "j-t-1.j", "j-t-2.j"});
  job.spec.tasks[0].pod_template.view.spec.hostname = "h";
  job.spec.tasks[0].pod_template.view.spec.subdomain = "s";
  CHECK(HostsOf(job, job.spec.tasks[0]) == Args{"h.s"});
  CHECK(HostNamesOf(job, job.spec.tasks[0]) == Args{"h"});
}

TEST_CASE("ssh: secret, mount and mode", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("j", {{"t", 2}}, {{"ssh", {}}});
  const auto wanted = PluginsOf(job).plugins[0]->OnJobAdd(job);
  REQUIRE(wanted.ok());
  REQUIRE(wanted->size() == 1);
  Json object = (*wanted)[0].object;
  CHECK(Decoded(object["data"], "config") ==
        "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n"
        "Host j-t-0\n  HostName j-t-0.j\n  Port 22\nHost j-t-1\n  HostName j-t-1.j\n  Port 22\n");
  CHECK(object["data"].Find("id_rsa") == nullptr);  // Made only when it is written.
  REQUIRE((*wanted)[0].complete(object).ok());
  CHECK(Decoded(object["data"], "id_rsa") == "made private\n");
  CHECK(Decoded(object["data"], "authorized_keys") == "ssh-rsa made\n");
  CHECK(Decoded(object["data"], "id_rsa.pub") == "ssh-rsa made\n");

  const Json pod = Created(job, "t", 0);
  const Json& mount = pod["spec"]["containers"][size_t{0}]["volumeMounts"][size_t{0}];
  CHECK(mount["mountPath"].AsString() == "/root/.ssh");
  CHECK(mount["subPath"].AsString() == ".ssh");
  const Json& secret = pod["spec"]["volumes"][size_t{0}]["secret"];
  CHECK(secret["secretName"].AsString() == "j-ssh");
  CHECK(secret["defaultMode"].AsInt() == 0600);
  CHECK(secret["items"].size() == 4);
}

TEST_CASE("ssh: its arguments", "[controllers][job_plugins]") {
  struct Case {
    Args args;
    std::string folder;
    int64_t mode;
    std::string port;
    std::string key;
  };
  const Case c = GENERATE(values<Case>({
      {{"--ssh-key-file-path=/a/b"}, "/a/b", 0644, "Port 22", "made private\n"},
      {{"--ssh-port=2026"}, "/root/.ssh", 0600, "Port 2026", "made private\n"},
      {{"--ssh-port=-10"}, "/root/.ssh", 0600, "Port 22", "made private\n"},
      {{"--ssh-port=65536"}, "/root/.ssh", 0600, "Port 22", "made private\n"},
      {{"--ssh-private-key=p", "--ssh-public-key=q"}, "/root/.ssh", 0600, "Port 22", "p"},
  }));
  CAPTURE(c.args);
  const BatchJob job = MakePluginJob("j", {{"t", 1}}, {{"ssh", c.args}});
  const auto wanted = PluginsOf(job).plugins[0]->OnJobAdd(job);
  REQUIRE(wanted.ok());
  Json object = (*wanted)[0].object;
  REQUIRE((*wanted)[0].complete(object).ok());
  CHECK(absl::StrContains(Decoded(object["data"], "config"), c.port + "\n"));
  CHECK(Decoded(object["data"], "id_rsa") == c.key);
  const Json pod = Created(job, "t", 0);
  CHECK(pod["spec"]["containers"][size_t{0}]["volumeMounts"][size_t{0}]["mountPath"].AsString() ==
        c.folder);
  CHECK(pod["spec"]["volumes"][size_t{0}].At({"secret", "defaultMode"}).AsInt() == c.mode);
}

// --- mpi, pytorch, tensorflow -------------------------------------------------------------------

TEST_CASE("mpi: port everywhere, hosts at the master", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("m", {{"master", 1}, {"worker", 2}}, {{"mpi", {}}});
  const Json master = Created(job, "master", 0);
  CHECK(Env(master) == Args{"MPI_HOST=m-worker-0.m,m-worker-1.m"});
  CHECK(Ports(master) == std::vector<int64_t>{22});
  const Json worker = Created(job, "worker", 1);
  CHECK(Env(worker).empty());
  CHECK(Ports(worker) == std::vector<int64_t>{22});
  const BatchJob other = MakePluginJob("m", {{"a", 1}, {"b", 0}},
                                       {{"mpi", {"--master=a", "--worker=b", "--port=5000"}}});
  CHECK(Env(Created(other, "a", 0)) == Args{"MPI_HOST="});
  CHECK(Ports(Created(other, "a", 0)) == std::vector<int64_t>{5000});
}

TEST_CASE("mpi: a master without workers is left alone", "[controllers][job_plugins]") {
  const Json pod = Created(MakePluginJob("m", {{"master", 1}}, {{"mpi", {}}}), "master", 0);
  CHECK(Env(pod).empty());
  CHECK(Ports(pod).empty());
}

TEST_CASE("pytorch: variables of the rendezvous", "[controllers][job_plugins]") {
  const BatchJob job =
      MakePluginJob("p", {{"master", 1}, {"worker", 2}, {"other", 4}}, {{"pytorch", {}}});
  CHECK(Env(Created(job, "master", 0)) ==
        Args{"MASTER_ADDR=p-master-0.p", "MASTER_PORT=23456", "WORLD_SIZE=3", "RANK=0"});
  CHECK(EnvValue(Created(job, "worker", 0), "RANK") == "1");
  CHECK(EnvValue(Created(job, "worker", 1), "RANK") == "2");
  CHECK(EnvValue(Created(job, "other", 1), "RANK") == "absent");
  CHECK(Ports(Created(job, "master", 0,
                      R"({"containers":[{"name":"c","ports":[{"containerPort":123}]}]})")) ==
        std::vector<int64_t>{123, 23456});
  CHECK(Ports(Created(job, "master", 0,
                      R"({"containers":[{"name":"c","ports":[{"containerPort":23456}]}]})")) ==
        std::vector<int64_t>{23456});
  const BatchJob alone = MakePluginJob("p", {{"worker", 1}}, {{"pytorch", {}}});
  CHECK(Env(Created(alone, "worker", 0)).empty());
}

TEST_CASE("pytorch: workers wait for the master", "[controllers][job_plugins]") {
  const Args wait = {"--wait-master-enabled=true"};
  const BatchJob job = MakePluginJob("p", {{"master", 1}, {"worker", 1}}, {{"pytorch", wait}});
  const Json waiter = Created(job, "worker", 0)["spec"]["initContainers"][size_t{0}];
  CHECK(waiter["name"].AsString() == "wait-for-master");
  CHECK(waiter["image"].AsString() == "busybox:1.36.1");
  const std::string script(waiter["command"][size_t{2}].AsString());
  CHECK(absl::StrContains(script, "host=p-master-0.p\nport=23456\nlimit=300\n"));
  CHECK(Created(job, "master", 0)["spec"].Find("initContainers") == nullptr);
  const Json twice = Created(job, "worker", 0,
                             R"({"containers":[{"name":"c"}],)"
                             R"("initContainers":[{"name":"wait-for-master"}]})");
  CHECK(twice["spec"]["initContainers"].size() == 1);
  const BatchJob custom = MakePluginJob("p", {{"master", 1}, {"worker", 1}},
                                        {{"pytorch",
                                          {"--wait-master-enabled", "--wait-master-timeout=600",
                                           "--wait-master-image=alpine:latest"}}});
  const Json other = Created(custom, "worker", 0)["spec"]["initContainers"][size_t{0}];
  CHECK(other["image"].AsString() == "alpine:latest");
  CHECK(absl::StrContains(std::string(other["command"][size_t{2}].AsString()), "limit=600\n"));
  const BatchJob off = MakePluginJob("p", {{"master", 1}, {"worker", 1}}, {{"pytorch", {}}});
  CHECK(Created(off, "worker", 0)["spec"].Find("initContainers") == nullptr);
}

TEST_CASE("tensorflow: TF_CONFIG", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("train-123", {{"ps", 2}, {"worker", 2}, {"chief", 1}},
                                     {{"tensorflow", {"--port=5000"}}});
  CHECK(EnvValue(Created(job, "ps", 0), "TF_CONFIG") ==
        R"({"cluster":{"ps":["train-123-ps-0.train-123:5000","train-123-ps-1.train-123:5000"],)"
        R"("worker":["train-123-worker-0.train-123:5000","train-123-worker-1.train-123:5000"],)"
        R"("chief":["train-123-chief-0.train-123:5000"]},"task":{"type":"ps","index":0}})");
  const std::string worker = EnvValue(Created(job, "worker", 1), "TF_CONFIG");
  CHECK(absl::EndsWith(worker, R"("task":{"type":"worker","index":1}})"));
  const BatchJob named = MakePluginJob("j", {{"a", 1}, {"b", 1}, {"x", 1}},
                                       {{"tensorflow", {"--chief=a", "--evaluator=b"}}});
  const std::string chief = EnvValue(Created(named, "a", 0), "TF_CONFIG");
  CHECK(chief == R"({"cluster":{"chief":["j-a-0.j:2222"],"evaluator":["j-b-0.j:2222"]},)"
                 R"("task":{"type":"chief","index":0}})");
  CHECK(absl::StrContains(EnvValue(Created(named, "x", 0), "TF_CONFIG"), R"("type":"x")"));
  const BatchJob alone = MakePluginJob("j", {{"worker", 1}}, {{"tensorflow", {}}});
  CHECK(EnvValue(Created(alone, "worker", 0), "TF_CONFIG") == "absent");
}

// --- ray, hcclrank ------------------------------------------------------------------------------

TEST_CASE("ray: head, workers and the service", "[controllers][job_plugins]") {
  const BatchJob job = MakePluginJob("r", {{"head", 1}, {"worker", 1}}, {{"ray", {}}});
  const Json head = Created(job, "head", 0, R"({"containers":[{"name":"head"}]})");
  const Json& command = head["spec"]["containers"][size_t{0}]["command"];
  CHECK(command[size_t{2}].AsString() ==
        "ray start --head --block --dashboard-host=0.0.0.0 --port=6379 --dashboard-port=8265 "
        "--ray-client-server-port=10001");
  CHECK(Ports(head) == std::vector<int64_t>{6379, 8265, 10001});
  const Json worker = Created(job, "worker", 0, R"({"containers":[{"name":"worker"}]})");
  CHECK(worker["spec"]["containers"][size_t{0}]["command"][size_t{2}].AsString() ==
        "ray start --block --address=r-head-0.r:6379");
  const auto wanted = PluginsOf(job).plugins[0]->OnJobAdd(job);
  REQUIRE(wanted.ok());
  REQUIRE(wanted->size() == 1);
  const Json& service = (*wanted)[0].object;
  CHECK(service.At({"metadata", "name"}).AsString() == "r-head-svc");
  CHECK(service.At({"spec", "ports"}).size() == 3);
  CHECK(service.At({"spec", "selector", "volcano.sh/task-spec"}).AsString() == "head");
  CHECK(PluginsOf(job).plugins[0]->OnJobDelete(job)[0].name == "r-head-svc");
}

TEST_CASE("ray: its arguments", "[controllers][job_plugins]") {
  const BatchJob job =
      MakePluginJob("r", {{"test-head", 1}, {"w", 1}},
                    {{"ray",
                      {"--head=test-head", "--headContainer=h", "--worker=w", "--workerContainer=k",
                       "--port=1234", "--dashboardPort=3456", "--clientPort=4567"}}});
  const Json head = Created(job, "test-head", 0, R"({"containers":[{"name":"h"}]})");
  CHECK(Ports(head) == std::vector<int64_t>{1234, 3456, 4567});
  const Json worker = Created(job, "w", 0, R"({"containers":[{"name":"k"}]})");
  CHECK(worker["spec"]["containers"][size_t{0}]["command"][size_t{2}].AsString() ==
        "ray start --block --address=r-test-head-0.r:1234");
  const BatchJob headless = MakePluginJob("r", {{"worker", 1}}, {{"ray", {}}});
  PodDraft draft(Json::MakeObject(), "worker", 0);
  CHECK(PluginsOf(headless).plugins[0]->OnPodCreate(headless, draft).message() ==
        "job r doesn't have head task head");
}

TEST_CASE("hcclrank: given, by variable, by task", "[controllers][job_plugins]") {
  const Args names = {"--master=m", "--worker=w"};
  const BatchJob job = MakePluginJob("h", {{"m", 2}, {"w", 3}, {"x", 1}}, {{"hcclrank", names}});
  const auto rank = [](const Json& pod) {
    return std::string(pod.At({"metadata", "annotations"})["hccl/rankIndex"].AsString("absent"));
  };
  CHECK(rank(Created(job, "m", 1)) == "1");
  CHECK(rank(Created(job, "w", 1)) == "3");
  CHECK(rank(Created(job, "x", 0)) == "absent");
  const std::string variables =
      R"({"containers":[{"name":"a"},{"name":"b","env":[{"name":"RANK","value":"5"},)"
      R"({"name":"RANK","value":"6"}]}]})";
  CHECK(rank(Created(job, "w", 1, variables)) == "5");
}

TEST_CASE("hcclrank: takes the rank that pytorch gave", "[controllers][job_plugins]") {
  const BatchJob job =
      MakePluginJob("h", {{"master", 1}, {"worker", 2}}, {{"hcclrank", {}}, {"pytorch", {}}});
  const Json pod = Created(job, "worker", 1);
  CHECK(pod.At({"metadata", "annotations"})["hccl/rankIndex"].AsString() == "2");
}

}  // namespace
}  // namespace bth::controllers
