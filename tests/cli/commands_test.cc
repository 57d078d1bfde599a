// Whole commands against an API server.
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;
using Line = std::vector<std::string>;

constexpr char kJobs[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
constexpr char kQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues";
constexpr char kCommands[] = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands";

const Json& ContainerIn(const Json& job) {
  return job["spec"]["tasks"][0]["template"]["spec"]["containers"][0];
}

void CheckRuns(CliBed& cli, const Line& line, const std::string& out) {
  const Ran ran = cli.Run(line);
  INFO(line[0] << " " << (line.size() > 2 ? line[2] : ""));
  CHECK(ran.out == out);
  CHECK(ran.err.empty());
  CHECK(ran.code == 0);
}

void CheckFails(CliBed& cli, const Line& line, const std::string& out) {
  const Ran ran = cli.Run(line);
  CHECK(ran.out == out + "\n");
  CHECK(ran.err.empty());
  CHECK(ran.code == 255);
}

TEST_CASE("job run: the flags become a job", "[cli][job]") {
  CliBed cli;
  CheckRuns(cli, {"vcctl", "job", "run", "-N", "a"}, "run job a successfully\n");
  const Json job = cli.bed.Get(std::string(kJobs) + "/a");
  CHECK(job["spec"]["minAvailable"].AsInt() == 1);
  CHECK(job["spec"]["schedulerName"].AsString() == "volcano");
  const Json expected = *Json::Parse(R"({
      "metadata": {"name": "a", "labels": {"job.volcano.sh": "a"}},
      "spec": {"restartPolicy": "Never", "containers": [
        {"image": "busybox", "name": "a", "imagePullPolicy": "IfNotPresent",
         "resources": {"limits": {"cpu": "1", "memory": "100Mi"},
                       "requests": {"cpu": "1", "memory": "100Mi"}}}]}})");
  CHECK(job["spec"]["tasks"][0]["template"] == expected);
  CheckRuns(cli,
            {"vcctl", "job", "run", "--name=b", "-i", "nginx", "-m2", "-r=3", "-R", "cpu=500m",
             "-L", "", "-S", "mine"},
            "run job b successfully\n");
  const Json other = cli.bed.Get(std::string(kJobs) + "/b");
  CHECK(other["spec"]["tasks"][0]["replicas"].AsInt() == 3);
  CHECK(other["spec"]["schedulerName"].AsString() == "mine");
  const Json& container = ContainerIn(other);
  CHECK(container["resources"] == *Json::Parse(R"({"requests":{"cpu":"500m"}})"));
}

TEST_CASE("job run: mistakes in the order in which they are looked for", "[cli][job]") {
  CliBed cli;
  CheckFails(cli, {"vcctl", "job", "run", "-R", "cpu"},
             "Failed to run job: job name cannot be left blank");
  CheckFails(cli, {"vcctl", "job", "run", "-N", "a", "-R", "cpu", "-L", "x"},
             "Failed to run job: invalid argument syntax cpu, expected <resource>=<value>");
  CheckFails(cli, {"vcctl", "job", "run", "-f", "/no/job.txt", "-L", "cpu=1x"},
             "Failed to run job: quantities must match the regular expression "
             "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CheckFails(cli, {"vcctl", "job", "run", "-f", "/no/job.txt"},
             "Failed to run job: only support yaml file");
  CheckFails(cli, {"vcctl", "job", "run", "-f", "/no/job.yaml"},
             "Failed to run job: failed to read file, err: open /no/job.yaml: no such file or "
             "directory");
}

TEST_CASE("job run: a file is the whole job", "[cli][job]") {
  CliBed cli;
  const test::TempFolder folder;
  const std::string file = folder.Write(
      "job.yaml",
      "apiVersion: other/v1\nkind: Other\nunknown: 1\nmetadata: {name: of-file}\n"
      "spec:\n  minAvailable: 2\n  tasks:\n  - replicas: 2\n    name: t\n    template:\n"
      "      spec: {containers: [{name: c, image: i}]}\n---\nmetadata: {name: second}\n");
  CheckRuns(cli, {"vcctl", "job", "run", "-N", "ignored", "-f", file},
            "run job of-file successfully\n");
  CHECK(cli.bed.Get(std::string(kJobs) + "/of-file")["spec"]["minAvailable"].AsInt() == 2);
  CHECK(cli.bed.Get(kJobs)["items"].size() == 1);
  const std::string elsewhere =
      folder.Write("b.yml", "{metadata: {name: b, namespace: other}, spec: {}}");
  const Ran mismatch = cli.Run({"vcctl", "job", "run", "-f", elsewhere});
  CHECK(mismatch.code == 255);
  CHECK(
      mismatch.out.starts_with("Failed to run job: the namespace of the provided object does not "
                               "match the namespace sent on the request"));
  const std::string broken = folder.Write("c.yaml", "spec: {tasks: 3}");
  const Ran ran = cli.Run({"vcctl", "job", "run", "-f", broken});
  CHECK(ran.code == 255);
  CHECK(ran.out.starts_with("Failed to run job: failed to unmarshal file, err:  "));
  const std::string torn = folder.Write("d.yaml", "spec: [");
  CHECK(cli.Run({"vcctl", "job", "run", "-f", torn})
            .out.starts_with("Failed to run job: failed to unmarshal file, err:  "));
}

TEST_CASE("job list: what is there and what is not", "[cli][job]") {
  CliBed cli;
  CheckRuns(cli, {"vcctl", "job", "list"}, "No resources found\n");
  CheckRuns(cli, {"vjobs"}, "No resources found\n");
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  CheckRuns(cli, {"vcctl", "job", "list", "--selector", "two"}, "No resources found\n");
  const std::string header =
      "Name   Creation       Phase       JobType     Replicas    Min   Pending   Running   "
      "Succeeded   Failed    Unknown     RetryCount\n";
  CheckRuns(cli, {"vjobs", "--selector", "two"}, header);
  CheckRuns(cli, {"vcctl", "job", "list", "--selector", "n"},
            header +
                "one    2026-01-01                 Batch       1           0     0         0       "
                "  0           0         0           0         \n");
  CheckRuns(cli, {"vcctl", "job", "list", "-n", "empty"}, "No resources found\n");
  const Ran all = cli.Run({"vcctl", "job", "list", "-n", "empty", "--all-namespaces"});
  CHECK(all.out.starts_with("Namespace   Name   "));
}

TEST_CASE("job view: names are needed and must exist", "[cli][job]") {
  CliBed cli;
  CheckFails(cli, {"vcctl", "job", "view"},
             "Failed to view job: job name (specified by --name or -N) is mandatory to view a "
             "particular job");
  CheckFails(cli, {"vcctl", "job", "view", "-N", "x"},
             "Failed to view job: jobs.batch.volcano.sh \"x\" not found");
  CheckFails(cli, {"vjobs", "-n", "x"}, "Failed to: jobs.batch.volcano.sh \"x\" not found");
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  const Ran shown = cli.Run({"vcctl", "job", "view", "-N", "one"});
  CHECK(shown.code == 0);
  CHECK(shown.out.starts_with("Name:       \tone\nNamespace:  \tdefault\n"));
  CHECK(shown.out.ends_with("  State:\n    Phase:\t\nEvents: \t<none>\n"));
  CHECK(cli.Run({"vjobs", "-n", "one"}).out == shown.out);
}

TEST_CASE("job suspend and resume: a Command of the job", "[cli][job]") {
  struct Case {
    Line line;
    std::string action;
    std::string prefix;
  };
  const std::vector<Case> cases = {
      {{"vcctl", "job", "suspend", "-N", "one"}, "AbortJob", "one-abortjob-"},
      {{"vcctl", "job", "resume", "-N", "one"}, "ResumeJob", "one-resumejob-"},
      {{"vsuspend", "-n", "one"}, "AbortJob", "one-abortjob-"},
      {{"vresume", "-n", "one"}, "ResumeJob", "one-resumejob-"},
  };
  for (const Case& c : cases) {
    CliBed cli;
    REQUIRE(cli.Run({"vsub", "-n", "one"}).code == 0);
    CheckRuns(cli, c.line, "");
    const Json commands = cli.bed.Get(kCommands);
    REQUIRE(commands["items"].size() == 1);
    const Json& command = commands["items"][0];
    CHECK(command["action"].AsString() == c.action);
    CHECK(command["metadata"]["name"].AsString().starts_with(c.prefix));
    CHECK(command["target"]["kind"].AsString() == "Job");
    CHECK(command["target"]["uid"] == cli.bed.Get(std::string(kJobs) + "/one")["metadata"]["uid"]);
    CHECK(command["metadata"]["ownerReferences"][0] == command["target"]);
  }
}

TEST_CASE("job leaves: without a name nothing is asked", "[cli][job]") {
  CliBed cli;
  const auto mandatory = [](const std::string& doing) {
    return "job name is mandatory to " + doing + " a particular job";
  };
  CheckFails(cli, {"vcctl", "job", "suspend"}, "Failed to suspend job: " + mandatory("suspend"));
  CheckFails(cli, {"vcctl", "job", "resume"}, "Failed to resume job: " + mandatory("resume"));
  CheckFails(cli, {"vcctl", "job", "delete"}, "Failed to delete job: " + mandatory("delete"));
  CheckFails(cli, {"vcancel"}, "Failed to: " + mandatory("cancel"));
  CheckFails(cli, {"vresume"}, "Failed to: " + mandatory("resume"));
  CheckFails(cli, {"vsuspend"}, "Failed to: " + mandatory("suspend"));
  CHECK(cli.bed.calls == 0);
  CheckFails(cli, {"vcctl", "job", "suspend", "-N", "x"},
             "Failed to suspend job: jobs.batch.volcano.sh \"x\" not found");
}

TEST_CASE("job delete: by both programs", "[cli][job]") {
  CliBed cli;
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  CheckRuns(cli, {"vcctl", "job", "delete", "-N", "one"}, "delete job one successfully\n");
  CHECK(cli.bed.Call("GET", std::string(kJobs) + "/one").code == 404);
  CheckFails(cli, {"vcctl", "job", "delete", "-N", "one"},
             "Failed to delete job: jobs.batch.volcano.sh \"one\" not found");
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  CheckRuns(cli, {"vcancel", "-n", "one"}, "cancel job one successfully\n");
}

TEST_CASE("vsub: defaults come from the environment, a command from a shell line", "[cli][slurm]") {
  CliBed cli;
  cli.bed.Create("/api/v1/namespaces", R"({"metadata":{"name":"mine"}})");
  cli.console.environment = {{"VOLCANO_DEFAULT_IMAGE", "from-env"},
                             {"VOLCANO_SCHEDULER_NAME", ""},
                             {"VOLCANO_DEFAULT_JOB_NAMESPACE", "mine"}};
  CheckRuns(cli, {"vsub", "-n", "a", "-c", "sh -c 'sleep 1' # wait"}, "run job a successfully\n");
  const Json job = cli.bed.Get("/apis/batch.volcano.sh/v1alpha1/namespaces/mine/jobs/a");
  const Json& container = ContainerIn(job);
  CHECK(container["image"].AsString() == "from-env");
  CHECK(container["command"] == *Json::Parse(R"(["sh","-c","sleep 1"])"));
  CHECK(job["spec"]["schedulerName"].AsString() == "volcano");
  CheckRuns(cli, {"vsub", "-n", "b", "-N", "default", "-i", "given"}, "run job b successfully\n");
  const Json second = cli.bed.Get(std::string(kJobs) + "/b");
  CHECK(ContainerIn(second)["image"].AsString() == "given");
  CheckFails(cli, {"vsub"}, "Failed to: job name cannot be left blank");
  CheckFails(cli, {"vsub", "-n", "c", "-c", "echo 'a"},
             "Failed to: EOF found when expecting closing quote");
}

TEST_CASE("queue: made, shown, weighed, removed", "[cli][queue]") {
  CliBed cli;
  CheckRuns(cli, {"vcctl", "queue", "list"}, "No resources found\n");
  CheckRuns(cli, {"vqueues"}, "No resources found\n");
  CheckRuns(cli, {"vcctl", "queue", "create"}, "");
  CheckRuns(cli, {"vcctl", "queue", "create", "-n", "q", "-w", "3", "-S", "Closed"}, "");
  CheckFails(cli, {"vcctl", "queue", "create", "-n", "q"},
             "Failed to create queue: queues.scheduling.volcano.sh \"q\" already exists");
  CHECK(cli.bed.Get(std::string(kQueues) + "/q")["spec"]["weight"].AsInt() == 3);
  const std::string header =
      "Name                     Weight  State   Parent  Inqueue Pending Running Unknown "
      "Completed\n";
  const std::string zeros = "0       0       0       0       0       \n";
  const std::string row = "q                        3                       " + zeros;
  CheckRuns(cli, {"vcctl", "queue", "get", "-n", "q"}, header + row);
  CheckRuns(cli, {"vcctl", "queue", "list"},
            header + row + "test                     1                       " + zeros);
  CheckRuns(cli, {"vqueues", "-n", "q"},
            "Name                     Weight  State   Inqueue Pending Running Unknown \n"
            "q                        3               0       0       0       0       \n");
  CheckRuns(cli, {"vcctl", "queue", "operate", "-n", "q", "-a", "update", "-w", "5"}, "");
  CHECK(cli.bed.Get(std::string(kQueues) + "/q")["spec"]["weight"].AsInt() == 5);
  CheckRuns(cli, {"vcctl", "queue", "delete", "-n", "q"}, "");
  CheckFails(cli, {"vcctl", "queue", "delete", "-n", "q"},
             "Failed to delete queue: queues.scheduling.volcano.sh \"q\" not found");
  CheckFails(cli, {"vqueues", "-n", "q"},
             "Failed to: queues.scheduling.volcano.sh \"q\" not found");
}

TEST_CASE("queue: pod groups of all namespaces are counted", "[cli][queue]") {
  CliBed cli;
  REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q"}).code == 0);
  const std::string groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/other/podgroups";
  cli.bed.Create("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  cli.bed.Create(groups,
                 R"({"metadata":{"name":"g"},"spec":{"queue":"q"},"status":{"phase":"Running"}})");
  cli.bed.Create(
      groups, R"({"metadata":{"name":"h"},"spec":{"queue":"gone"},"status":{"phase":"Running"}})");
  const Ran ran = cli.Run({"vcctl", "queue", "get", "-n", "q"});
  CHECK(
      ran.out.ends_with("q                        1                       0       0       1       "
                        "0       0       \n"));
}

TEST_CASE("queue operate: what may be asked of a queue", "[cli][queue]") {
  CliBed cli;
  const auto fails = [&cli](Line flags, const std::string& what) {
    flags.insert(flags.begin(), {"vcctl", "queue", "operate"});
    CheckFails(cli, flags, "Failed to operate queue: " + what);
  };
  fails({}, "queue name must be specified");
  fails({"-n", "q"}, "action can not be null");
  fails({"-n", "q", "-a", "invalid"},
        "action invalid invalid, valid actions are open, close and update");
  fails({"-n", "q", "-a", "update"},
        "when update queue q, weight must be specified, the value must be greater than 0");
  fails({"-n", "q", "-a", "open"}, "queues.scheduling.volcano.sh \"q\" not found");
  CheckFails(cli, {"vcctl", "queue", "delete"},
             "Failed to delete queue: queue name must be specified");
  CheckFails(cli, {"vcctl", "queue", "get"},
             "Failed to get queue: name is mandatory to get the particular queue details");
  REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q"}).code == 0);
  CheckRuns(cli, {"vcctl", "queue", "operate", "-n", "q", "-a", "close"}, "");
  const Json commands = cli.bed.Get(kCommands);
  const Json& command = commands["items"][0];
  CHECK(command["action"].AsString() == "CloseQueue");
  CHECK(command["metadata"]["name"].AsString().starts_with("q-closequeue-"));
  CHECK(command["target"]["apiVersion"].AsString() == "scheduling.volcano.sh/v1beta1");
}

std::string PodOf(const std::string& name, const std::string& metadata) {
  return R"({"metadata":{"name":")" + name + "\"," + metadata +
         R"(},"spec":{"containers":[{"name":"c","image":"i"}]}})";
}

TEST_CASE("pod list: of a job, of a queue, of jobs at all", "[cli][pod]") {
  CliBed cli;
  CheckRuns(cli, {"vcctl", "pod", "list"}, "No resources found\n");
  const std::string pods = "/api/v1/namespaces/default/pods";
  cli.bed.Create(pods, PodOf("none", R"("labels":{"app":"x"})"));
  cli.bed.Create(pods, PodOf("b", R"("labels":{"volcano.sh/job-name":"j",
                                               "volcano.sh/queue-name":"q2"})"));
  cli.bed.Create(pods, PodOf("a", R"("labels":{"volcano.sh/job-name":"k"})"));
  cli.bed.Create(pods, PodOf("c", R"("annotations":{"scheduling.volcano.sh/queue-name":"q2"})"));
  const auto rows = [](const std::string& names) {
    std::string out;
    for (const char c : names) {
      // Names are one letter long, so that the title decides: 4 + 2, or 1 + 8.
      out += std::string(1, c) + "        0/1        Pending        0        0s        \n";
    }
    return "Name     Ready      Status         Restart  Age       \n" + out;
  };
  CheckRuns(cli, {"vcctl", "pod", "list"}, rows("ab"));
  CheckRuns(cli, {"vcctl", "pod", "list", "-j", "j"}, rows("b"));
  CheckRuns(cli, {"vcctl", "pod", "list", "-q", "q2"}, rows("bc"));
  CheckRuns(cli, {"vcctl", "pod", "list", "-q", "q2", "-j", "j"}, rows("b"));
  CheckRuns(cli, {"vcctl", "pod", "list", "-q", "q2", "-j", "k"}, rows("a"));
  for (const char* format : {"", "-o=name", "-o=json", "-o=wide", "--no-headers"}) {
    INFO(format);
    Line line = {"vcctl", "pod", "list", "-q", "q", "-j", "j"};
    if (*format != '\0') line.push_back(format);
    CheckFails(cli, line, "Failed to list pod: the input vcjob j does not match the queue q");
  }
  CheckRuns(cli, {"vcctl", "pod", "list", "-q", "q2", "-j", "j", "-o", "name"}, "pod/b\n");
  const Ran all = cli.Run({"vcctl", "pod", "list", "--all-namespaces", "-n", "x"});
  CHECK(all.out.starts_with("Namespace"));
}

TEST_CASE("pod list: a job whose name can be no label is refused before it is sent", "[cli][pod]") {
  CliBed cli;
  const Ran ran = cli.Run({"vcctl", "pod", "list", "-j", "a b"});
  CHECK(ran.code == 255);
  CHECK(
      ran.out.starts_with("Failed to list pod: values[0][volcano.sh/job-name]: Invalid value: "
                          "\"a b\": a valid label must be an empty string or consist of "));
  CHECK(cli.bed.calls == 0);
}

TEST_CASE("lists: all pages are read", "[cli][session]") {
  CliBed cli;
  constexpr int kMany = 501;
  for (int i = 0; i < kMany; ++i) {
    cli.bed.Create(kQueues, R"({"metadata":{"name":"q)" + std::to_string(i) + R"("},"spec":{}})");
  }
  const Ran ran = cli.Run({"vqueues"});
  CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == kMany + 1);
}

}  // namespace
}  // namespace bth::cli
