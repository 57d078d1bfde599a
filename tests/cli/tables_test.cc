// What commands print of given objects, byte for byte.
#include "cli/job/list.h"
#include "cli/job/view.h"
#include "cli/pod/list.h"
#include "cli/pod/status.h"
#include "cli/queue/show.h"
#include "cli/session/bus_command.h"
#include "cli/slurm/vqueues.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using types::Json;

const absl::Time kNow = absl::FromUnixSeconds(1'767'225'600);  // 2026-01-01T00:00:00Z
const TimeStyle kUsualTimes = {kNow, TimeForm::kUsual, absl::UTCTimeZone()};

Json Parsed(const std::string& text) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return *json;
}

Json Job(const std::string& ns, const std::string& name, const std::string& rest = "") {
  return Parsed(R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name + "\"}" +
                (rest.empty() ? "" : "," + rest) + "}");
}

std::string JobText(const std::vector<Json>& jobs, const JobFilter& filter, bool with_namespace) {
  return TextOf(JobTable{jobs, filter, with_namespace, absl::UTCTimeZone()});
}

TEST_CASE("job table: the worked case", "[cli][job]") {
  CHECK(JobText({Job("default", "test-job")}, {}, false) ==
        "Name       Creation       Phase       JobType     Replicas    Min   Pending   Running   "
        "Succeeded   Failed    Unknown     RetryCount\n"
        "test-job   0001-01-01                 Batch       0           0     0         0         "
        "0           0         0           0         \n");
}

TEST_CASE("job table: the worked case of all namespaces", "[cli][job]") {
  CHECK(JobText({Job("kube-sysyem", "test-job"), Job("default", "test-queue")}, {}, true) ==
        "Namespace     Name         Creation       Phase       JobType     Replicas    Min   "
        "Pending   Running   Succeeded   Failed    Unknown     RetryCount\n"
        "kube-sysyem   test-job     0001-01-01                 Batch       0           0     "
        "0         0         0           0         0           0         \n"
        "default       test-queue   0001-01-01                 Batch       0           0     "
        "0         0         0           0         0           0         \n");
}

TEST_CASE("job table: every column has its value", "[cli][job]") {
  const Json job = Parsed(R"({
    "metadata": {"name": "a", "creationTimestamp": "2025-12-31T23:59:59Z",
                 "labels": {"volcano.sh/job-type": "Cron"}},
    "spec": {"minAvailable": 99, "tasks": [{"replicas": 2}, {"replicas": 3}, {}]},
    "status": {"state": {"phase": "Running"}, "minAvailable": 1, "pending": 2, "running": 3,
               "succeeded": 4, "failed": 5, "unknown": 6, "retryCount": 7}})");
  CHECK(JobText({job}, {}, false) ==
        "Name   Creation       Phase       JobType     Replicas    Min   Pending   Running   "
        "Succeeded   Failed    Unknown     RetryCount\n"
        "a      2025-12-31     Running     Cron        5           1     2         3         "
        "4           5         6           7         \n");
}

TEST_CASE("job filter: queue and scheduler are equal, names contain", "[cli][job]") {
  const Json job =
      Job("default", "my-test-job", R"("spec":{"queue":"q","schedulerName":"volcano"})");
  CHECK(Passes(job, {}));
  CHECK(Passes(job, {"q", "volcano", "test-job"}));
  CHECK_FALSE(Passes(job, {"q2", "", ""}));
  CHECK_FALSE(Passes(job, {"", "other", ""}));
  CHECK_FALSE(Passes(job, {"", "", "test-jobs"}));
}

TEST_CASE("job table: rows that are left out may still count for the widths", "[cli][slurm]") {
  const std::string text =
      JobText({Job("default", "a"), Job("default", "long-name")}, {"", "", "none"}, false);
  CHECK(text ==
        "Name        Creation       Phase       JobType     Replicas    Min   Pending   Running   "
        "Succeeded   Failed    Unknown     RetryCount\n");
}

TEST_CASE("job view: every line in its place", "[cli][job]") {
  const Json job = Parsed(R"({
    "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
    "metadata": {"name": "j", "namespace": "ns", "labels": {"b": "2", "a": "<1>"},
                 "creationTimestamp": "2025-12-31T23:59:59Z", "generation": 3,
                 "resourceVersion": "42", "uid": "u-1"},
    "spec": {"minAvailable": 2, "schedulerName": "volcano",
             "plugins": {"ssh": [], "env": ["--a", "b"]},
             "tasks": [{"name": "w", "replicas": 2, "template": {
               "metadata": {"annotations": {"kubernetes.io/availablezone": "z1"}},
               "spec": {"restartPolicy": "Never",
                        "imagePullSecrets": [{"name": "pull"}],
                        "containers": [{"name": "c", "image": "busybox", "workingDir": "/w",
                          "command": ["sh", "-c"],
                          "ports": [{"containerPort": 80, "name": "http"}],
                          "resources": {"limits": {"cpu": "1000m"},
                                        "requests": {"cpu": 1, "memory": "1024Mi"}}}]}}}]},
    "status": {"state": {"phase": "Running"}, "running": 2, "minAvailable": 2, "version": 1,
               "controlledResources": {"plugin-ssh": "ssh", "plugin-env": "env"},
               "conditions": [{"status": "Pending", "lastTransitionTime": "2026-01-01T00:00:00Z"},
                              {"status": "Running"}]}})");
  const std::string until_conditions =
      "Name:       \tj\n"
      "Namespace:  \tns\n"
      "Labels:     \t{\"a\":\"\\u003c1\\u003e\",\"b\":\"2\"}\n"
      "Annotations:\t<none>\n"
      "API Version:\t\n"
      "Kind:       \t\n"
      "Metadata:\n"
      "  Creation Timestamp:\t2025-12-31 23:59:59 +0000 UTC\n"
      "  Generate Name:     \t\n"
      "  Generation:        \t3\n"
      "  Resource Version:  \t42\n"
      "  UID:               \tu-1\n"
      "Spec:\n"
      "  Min Available:     \t2\n"
      "  Plugins:\n"
      "    Env:\t[--a b]\n"
      "    Ssh:\t[]\n"
      "  Scheduler Name:    \tvolcano\n"
      "  Tasks:\n"
      "    Name:\tw\n"
      "    Replicas:\t2\n"
      "    Template:\n"
      "      Metadata:\n"
      "        Annotations:\n"
      "          Cri . Cci . Io / Container - Type:          \t\n"
      "          Kubernetes . Io / Availablezone:            \tz1\n"
      "          Network . Alpha . Kubernetes . Io / Network:\t\n"
      "        Creation Timestamp:\t0001-01-01 00:00:00 +0000 UTC\n"
      "      Spec:\n"
      "        Containers:\n"
      "          Command:\n"
      "            sh\n"
      "            -c\n"
      "          Image:\tbusybox\n"
      "          Name: \tc\n"
      "          Ports:\n"
      "            Container Port:\t80\n"
      "            Name:          \thttp\n"
      "          Resources:\n"
      "            Limits:\n"
      "              Cpu:   \t1\n"
      "              Memory:\t0\n"
      "            Requests:\n"
      "              Cpu:   \t1\n"
      "              Memory:\t1Gi\n"
      "            Working Dir:\t/w\n"
      "        Image Pull Secrets:\n"
      "          Name:     \tpull\n"
      "        Restart Policy:   \tNever\n"
      "Status:\n"
      "  Running:      \t2\n"
      "  Min Available:\t2\n"
      "  Version:      \t1\n"
      "  State:\n"
      "    Phase:\tRunning\n"
      "  Controlled Resources:\n"
      "    plugin-env: \tenv\n"
      "    plugin-ssh: \tssh\n";
  CHECK(JobDescription(job, ViewParts::kWithoutConditions, kUsualTimes) == until_conditions);
  CHECK(JobDescription(job, ViewParts::kAll, kUsualTimes) ==
        until_conditions +
            "  Conditions:\n"
            "    Status\tTransitionTime\n"
            "    Pending \t2026-01-01 00:00:00 +0000 UTC \n"
            "    Running \t<nil> \n");
}

TEST_CASE("job view: an empty job has all that is always there", "[cli][job]") {
  const std::string text = JobDescription(Job("ns", "j"), ViewParts::kAll, kUsualTimes);
  CHECK(text.ends_with(
      "  Plugins:\n    Env:\t[]\n    Ssh:\t[]\n  Scheduler Name:    \t\n  Tasks:\nStatus:\n"
      "  State:\n    Phase:\t\n"));
}

TEST_CASE("job view: events of the job's name and a dot", "[cli][job]") {
  const auto event = [](const std::string& name, const std::string& rest) {
    return Parsed(R"({"metadata":{"name":")" + name + "\"}," + rest + "}");
  };
  const std::vector<Json> events = {
      event("j.1", R"("type":"Normal","reason":"Started","message":" it runs\n",
                      "source":{"component":"vc","host":"h"},"count":1,
                      "firstTimestamp":"2025-12-31T23:58:58Z")"),
      event("jj.2", R"("type":"Normal")"),
      event("j.3", R"("type":"Warning","reason":"Odd","message":"x","source":{"component":"vc"},
                      "count":3,"firstTimestamp":"2025-12-31T23:00:00Z",
                      "lastTimestamp":"2025-12-31T23:59:50Z")"),
      event("j.4", R"("type":"Normal")")};
  const auto line = [](std::string a, std::string b, std::string c, std::string d,
                       const std::string& e) {
    a.resize(15, ' ');
    b.resize(40, ' ');
    c.resize(30, ' ');
    d.resize(40, ' ');
    return a + "\t" + b + "\t" + c + "\t" + d + "\t" + e + "\n";
  };
  CHECK(EventsDescription(events, "j", kUsualTimes) ==
        "Events:\n" + line("Type", "Reason", "Age", "Form", "Message") +
            line("-------", "-------", "-------", "-------", "-------") +
            line("Normal", "Started", "62s", "vc, h", "it runs") +
            line("Warning", "Odd", "10s (x3 over 60m)", "vc", "x") +
            line("Normal", "", "<unknown>", "", ""));
  CHECK(EventsDescription(events, "k", kUsualTimes) == "Events: \t<none>\n");
}

Json Group(const std::string& queue, const std::string& phase) {
  return Parsed(R"({"spec":{"queue":")" + queue + R"("},"status":{"phase":")" + phase + "\"}}");
}

TEST_CASE("queue table: the worked case counts pod groups by phase", "[cli][queue]") {
  const Json queue = Parsed(R"({"metadata":{"name":"test-queue"},
      "spec":{"weight":1,"parent":"root"},"status":{"state":"Open","running":77}})");
  std::vector<Json> groups = {Group("missing", "Running"), Group("test-queue", ""),
                              Group("test-queue", "Odd")};
  const std::vector<std::string> phases = {"Inqueue", "Pending", "Running", "Unknown", "Completed"};
  for (size_t i = 0; i < phases.size(); ++i) {
    for (size_t n = 0; n <= i; ++n) groups.push_back(Group("test-queue", phases[i]));
  }
  CHECK(QueueTable({queue}, groups) ==
        "Name                     Weight  State   Parent  Inqueue Pending Running Unknown "
        "Completed\n"
        "test-queue               1       Open    root    1       2       3       4       "
        "5       \n");
  CHECK(QueueTable({Parsed(R"({"metadata":{"name":"a"}})")}, {}) ==
        "Name                     Weight  State   Parent  Inqueue Pending Running Unknown "
        "Completed\n"
        "a                        0                       0       0       0       0       "
        "0       \n");
}

TEST_CASE("queue status table: counters of the status", "[cli][slurm]") {
  const Json queue = Parsed(R"({"metadata":{"name":"q"},"spec":{"weight":4},
      "status":{"state":"Closed","inqueue":1,"pending":2,"running":3,"unknown":4}})");
  CHECK(QueueStatusTable({queue}) ==
        "Name                     Weight  State   Inqueue Pending Running Unknown \n"
        "q                        4       Closed  1       2       3       4       \n");
}

TEST_CASE("bus command: owner and target are the same", "[cli][session]") {
  const types::ResourceType type{"batch.volcano.sh", "v1alpha1", "jobs", "Job", true};
  const Json job = Parsed(R"({"metadata":{"name":"j","uid":"u"}})");
  const Json reference = Parsed(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",
      "name":"j","uid":"u","controller":true,"blockOwnerDeletion":true})");
  CHECK(BusCommandFor(type, job, "AbortJob") ==
        Json::MakeObject(
            {{"metadata", Json::MakeObject({{"generateName", "j-abortjob-"},
                                            {"ownerReferences", Json::MakeArray({reference})}})},
             {"target", reference},
             {"action", "AbortJob"}}));
}

TEST_CASE("pod table: the worked case", "[cli][pod]") {
  const Json pod = Parsed(R"({"metadata":{"name":"my-pod","namespace":"default",
      "creationTimestamp":"2025-12-29T00:00:00Z"},"spec":{"containers":[{"name":"c"}]},
      "status":{"phase":"Running"}})");
  CHECK(PodTable({pod}, false, {kNow}) ==
        "Name          Ready      Status         Restart  Age       \n"
        "my-pod        0/1        Running        0        3d        \n");
}

TEST_CASE("pod table: sorted by namespace, then name", "[cli][pod]") {
  const auto pod = [](const std::string& ns, const std::string& name) {
    return Parsed(R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns + "\"}}");
  };
  CHECK(PodTable({pod("b", "a"), pod("a", "z"), pod("a", "b")}, true, {kNow}) ==
        "Namespace  Name     Ready      Status  Restart  Age              \n"
        "a          b        0/0                0        <unknown>        \n"
        "a          z        0/0                0        <unknown>        \n"
        "b          a        0/0                0        <unknown>        \n");
}

struct PodCase {
  std::string claim;
  std::string pod;
  std::string ready;
  std::string status;
  std::string restarts = "0";
};

void CheckPods(const std::vector<PodCase>& cases) {
  for (const PodCase& c : cases) {
    INFO(c.claim);
    const PodState state = StateOf(Parsed(c.pod));
    CHECK(std::to_string(state.ready) + "/" + std::to_string(state.containers) == c.ready);
    CHECK(state.status == c.status);
    CHECK(RestartsText(state, kNow) == c.restarts);
  }
}

TEST_CASE("pod status: of containers", "[cli][pod]") {
  CheckPods({
      {"ready and running counts",
       R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running","containerStatuses":[
          {"ready":true,"state":{"running":{}},"restartCount":2,
           "lastState":{"terminated":{"finishedAt":"2025-12-31T23:55:00Z"}}},
          {"ready":false,"state":{"running":{}},"restartCount":1}]}})",
       "1/2", "Running", "3 (5m ago)"},
      {"restarts of an unknown time", R"({"status":{"phase":"Running","containerStatuses":[
          {"restartCount":2,"state":{"running":{}}}]}})",
       "0/0", "Running", "2"},
      {"the reason of the pod", R"({"status":{"phase":"Failed","reason":"Evicted"}})", "0/0",
       "Evicted"},
      {"gates", R"({"status":{"phase":"Pending","conditions":[
          {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
       "0/0", "SchedulingGated"},
      {"the first container has the last word",
       R"({"status":{"phase":"Running","containerStatuses":[
          {"state":{"waiting":{"reason":"CrashLoopBackOff"}}},
          {"state":{"terminated":{"reason":"Error"}}}]}})",
       "0/0", "CrashLoopBackOff"},
      {"a signal", R"({"status":{"phase":"Failed","containerStatuses":[
          {"state":{"terminated":{"signal":9,"exitCode":137}}}]}})",
       "0/0", "Signal:9"},
      {"an exit code", R"({"status":{"phase":"Failed","containerStatuses":[
          {"state":{"terminated":{"exitCode":3}}}]}})",
       "0/0", "ExitCode:3"},
      {"one is done and another ready", R"({"status":{"phase":"Running",
          "conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[
          {"state":{"terminated":{"reason":"Completed"}}},
          {"ready":true,"state":{"running":{}}}]}})",
       "1/0", "Running"},
      {"one is done and the pod not ready", R"({"status":{"phase":"Running","containerStatuses":[
          {"state":{"terminated":{"reason":"Completed"}}},
          {"ready":true,"state":{"running":{}}}]}})",
       "1/0", "NotReady"},
      {"leaving", R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
                      "status":{"phase":"Running"}})",
       "0/0", "Terminating"},
      {"leaving, and done", R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
                                "status":{"phase":"Succeeded"}})",
       "0/0", "Succeeded"},
      {"lost", R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
                   "status":{"phase":"Running","reason":"NodeLost"}})",
       "0/0", "Unknown"},
  });
}

TEST_CASE("pod status: of init containers", "[cli][pod]") {
  const auto with = [](const std::string& statuses, const std::string& more = "") {
    return R"({"spec":{"containers":[{"name":"c"}],"initContainers":[{"name":"a"},
        {"name":"s","restartPolicy":"Always"}]},"status":{"phase":"Pending",)" +
           more + R"("initContainerStatuses":[)" + statuses + R"(],"containerStatuses":[
        {"name":"c","restartCount":4,"state":{"waiting":{"reason":"PodInitializing"}}}]}})";
  };
  const std::string done = R"({"name":"a","restartCount":1,
      "state":{"terminated":{"exitCode":0,"reason":"Completed"}}})";
  CheckPods({
      {"the first one works", with(R"({"name":"a","state":{"running":{}}})"), "0/2", "Init:0/2"},
      {"it waits for the pod",
       with(R"({"name":"a","state":{"waiting":{"reason":"PodInitializing"}}})"), "0/2", "Init:0/2"},
      {"it waits for something",
       with(R"({"name":"a","restartCount":2,"state":{"waiting":{"reason":"ImagePullBackOff"}}})"),
       "0/2", "Init:ImagePullBackOff", "2"},
      {"it failed", with(R"({"name":"a","state":{"terminated":{"exitCode":1,"reason":"Error"}}})"),
       "0/2", "Init:Error"},
      {"it failed without a reason", with(R"({"name":"a","state":{"terminated":{"exitCode":1}}})"),
       "0/2", "Init:ExitCode:1"},
      {"a signal ended it",
       with(R"({"name":"a","state":{"terminated":{"exitCode":1,"signal":15}}})"), "0/2",
       "Init:Signal:15"},
      {"the sidecar is next", with(done + R"(,{"name":"s","state":{"running":{}}})"), "0/2",
       "Init:1/2", "1"},
      {"the sidecar is ready",
       with(done +
            R"(,{"name":"s","restartCount":8,"started":true,"ready":true,"state":{"running":{}}})"),
       "1/2", "PodInitializing", "12"},
      {"initialised once, the containers count again",
       with(R"({"name":"a","state":{"running":{}}})",
            R"("conditions":[{"type":"Initialized","status":"True"}],)"),
       "0/2", "PodInitializing", "4"},
  });
}

}  // namespace
}  // namespace bth::cli
