#include <string>
#include <vector>

#include "admission/rules/rules.h"
#include "base/strings.h"
#include "tests/admission_rules/bed.h"

namespace bth::admission::testing {
namespace {

FakeCluster Cluster() {
  FakeCluster cluster;
  cluster.AddQueue("root");
  cluster.AddQueue("default", "root");
  cluster.AddQueue("parent", "root");
  cluster.AddQueue("leaf", "parent");
  cluster.AddQueue("leaf2", "parent");
  cluster.AddQueue("closed", "root", "Closed");
  cluster.AddQueue("new", "root", "");
  return cluster;
}

const char* const kPod = R"("template":{"spec":{"containers":[{"name":"c","image":"busybox"}]}})";

std::string Task(const std::string& fields, const std::string& name = "t") {
  return StrCat(R"({"name":")", name, R"(",)", kPod, fields.empty() ? "" : ",", fields, "}");
}

// The message about a new job with these members of its spec, or "".
std::string Told(const std::string& tasks, const std::string& more = "",
                 const Settings& settings = {}, const std::string& name = "job") {
  const bool has_queue = more.find("\"queue\"") != std::string::npos;
  const Asked asked("CREATE",
                    StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"ns"},"spec":{)",
                           has_queue ? "" : R"("queue":"default",)", R"("tasks":[)", tasks, "]",
                           more.empty() ? "" : ",", more, "}}"));
  const Verdict verdict = ValidateJob(asked.request(), settings, Cluster());
  CHECK(verdict.allowed == verdict.message.empty());
  CHECK(verdict.reason.empty() == verdict.allowed);
  CHECK_FALSE(verdict.patch.has_value());
  return verdict.message;
}

const std::string kOne = Task(R"("replicas":1)");
const char* const kLists =
    " valid events are [* JobUpdated PodEvicted PodFailed PodPending TaskCompleted TaskFailed "
    "Unknown], valid actions are [AbortJob CompleteJob RestartJob RestartPartition RestartPod "
    "RestartTask ResumeJob TerminateJob];";

TEST_CASE("jobs/validate: other operations are refused", "[admission]") {
  for (const char* operation : {"DELETE", "CONNECT", ""}) {
    const Asked asked(operation, "{}");
    CHECK(ValidateJob(asked.request(), {}, FakeCluster()).message ==
          "expect operation to be 'CREATE' or 'UPDATE'");
  }
}

TEST_CASE("jobs/validate: a simple job is allowed", "[admission]") {
  CHECK(Told(kOne, R"("minAvailable":1)").empty());
  CHECK(Told(kOne, R"("queue":"leaf")").empty());
  CHECK(Told(kOne, R"("queue":"new")").empty());
}

TEST_CASE("jobs/validate: a job without tasks is nothing", "[admission]") {
  CHECK(Told("") == "No task specified in job spec");
  Request request;
  request.operation = "CREATE";
  CHECK(ValidateJob(request, {}, FakeCluster()).message == "No task specified in job spec");
}

TEST_CASE("jobs/validate: numbers of tasks", "[admission]") {
  CHECK(Told(Task(R"("replicas":1,"minAvailable":2)")) ==
        "'minAvailable' is greater than 'replicas' in task: t, job: job;");
  CHECK(Told(Task(R"("replicas":-1)"), R"("minAvailable":1)") ==
        "job 'minAvailable' should not be greater than total replicas in tasks;");
  CHECK(Told(StrCat(kOne, ",", kOne), R"("minAvailable":3)") ==
        "duplicated task name t; job 'minAvailable' should not be greater than total replicas in "
        "tasks;");
  // The replicas of the second one count, those behind it do not.
  CHECK(Told(StrCat(kOne, ",", kOne, ",", Task(R"("replicas":5)", "u")), R"("minAvailable":2)") ==
        "duplicated task name t;");
  CHECK(Told(StrCat(Task(R"("replicas":2147483647)"), ",", Task(R"("replicas":2147483647)", "u")),
             R"("minAvailable":2147483647)")
            .empty());
}

TEST_CASE("jobs/validate: lifecycle policies of jobs and tasks", "[admission]") {
  struct Case {
    std::string policies, text;  // With %: the path.
  };
  const Case c = GENERATE(values<Case>({
      {R"({"event":"PodFailed","action":"AbortJob"},{"exitCode":1,"action":"Nonsense"})", ""},
      {R"({"event":"PodFailed","action":"AbortJob","timeout":"1h"},{"events":["PodEvicted","PodPending"],"action":"RestartPartition"})",
       ""},
      {R"({"event":"PodFailed","action":"AbortJob"},{"event":"PodFailed","action":"RestartJob"})",
       "1 error occurred:\n\t* duplicate event PodFailed  across different policy\n\n"},
      {R"({"event":"PodFailed","exitCode":1,"action":"AbortJob"})",
       "1 error occurred:\n\t* must not specify event and exitCode simultaneously\n\n"},
      {R"({"action":"AbortJob"})",
       "1 error occurred:\n\t* either event and exitCode should be specified\n\n"},
      {R"({"event":"*","action":"AbortJob"},{"event":"PodFailed","action":"RestartJob"})",
       "1 error occurred:\n\t* if there's * here, no other policy should be here\n\n"},
      {R"({"events":["*","PodFailed","fakeEvent"],"action":"AbortJob"})",
       "2 errors occurred:\n\t* %: Invalid value: \"fakeEvent\": invalid policy event\n\t* if "
       "there's * here, no other policy should be here\n\n"},
      {R"({"event":"fakeEvent","action":"AbortJob"})",
       "1 error occurred:\n\t* %: Invalid value: \"fakeEvent\": invalid policy event\n\n"},
      {R"({"event":"OutOfSync","action":"AbortJob"})",
       "1 error occurred:\n\t* %: Invalid value: \"OutOfSync\": invalid policy event\n\n"},
      {R"({"event":"PodFailed","action":"fakeAction"})",
       "1 error occurred:\n\t* %: Invalid value: \"fakeAction\": invalid policy action\n\n"},
      {R"({"event":"PodFailed","action":"SyncJob"})",
       "1 error occurred:\n\t* %: Invalid value: \"SyncJob\": invalid policy action\n\n"},
      {R"({"event":"PodFailed"})",
       "1 error occurred:\n\t* %: Invalid value: \"\": invalid policy action\n\n"},
      {R"({"exitCode":0,"action":"AbortJob"})",
       "1 error occurred:\n\t* 0 is not a valid error code\n\n"},
      {R"({"exitCode":1,"action":"AbortJob"},{"exitCode":1,"action":"RestartJob"})",
       "1 error occurred:\n\t* duplicate exitCode 1\n\n"},
  }));
  CAPTURE(c.policies);
  const auto text = [&c](const std::string& path) {
    if (c.text.empty()) return std::string();
    std::string told = c.text;
    if (const size_t at = told.find('%'); at != told.npos) told.replace(at, 1, path);
    return told + kLists;
  };
  CHECK(Told(kOne, StrCat(R"("policies":[)", c.policies, "]")) == text("spec.policies"));
  CHECK(Told(Task(StrCat(R"("replicas":1,"policies":[)", c.policies, "]"))) ==
        text("spec.tasks.policies"));
}

TEST_CASE("jobs/validate: names of jobs and of the pods that they would make", "[admission]") {
  const std::string part =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  CHECK(Told(kOne, "", {}, "-j") == StrCat("create pod with name -j-t-0 validate failed [", part,
                                           "];create job with name -j validate failed [", part,
                                           "]"));
  const std::string longest(63, 'a');
  CHECK(Told(kOne, "", {}, longest) ==
        StrCat("create pod with name ", longest,
               "-t-0 validate failed [name part must be no more than 63 bytes];"));
  CHECK(Told(kOne, "", {}, std::string(59, 'a')).empty());
}

TEST_CASE("jobs/validate: pod templates", "[admission]") {
  const auto told = [](const std::string& pod_template, const Settings& settings = {}) {
    return Told(StrCat(R"({"name":"t","replicas":1,"template":)", pod_template, "}"), "", settings);
  };
  CHECK(told("{}") == "spec.task[0].template.spec.containers: Required value.");
  CHECK(told("null") == "spec.task[0].template.spec.containers: Required value.");
  CHECK(told(R"({"spec":{"containers":[{}]}})") ==
        "spec.task[0].template.spec.containers[0].name: Required value. "
        "template.spec.containers[0].image: Required value.");
  CHECK(told(R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"a","image":"i"}]}})") ==
        "spec.task[0].template.spec.containers[1].name: Duplicate value: \"a\".");
  CHECK(
      told(R"({"spec":{"containers":[{"name":"Bad_Name","image":"i"}]}})") ==
      "spec.task[0].template.spec.containers[0].name: Invalid value: \"Bad_Name\": a lowercase RFC "
      "1123 label must consist of lower case alphanumeric characters or '-', and must start and "
      "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
      "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?').");
  CHECK(
      told(
          R"({"spec":{"restartPolicy":"Often","containers":[{"name":"a","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"}]}]}})") ==
      "spec.task[0].template.spec.containers[0].volumeMounts[0].name: Not found: \"v\". "
      "template.spec.restartPolicy: Unsupported value: \"Often\": supported values: \"Always\", "
      "\"Never\", \"OnFailure\".");
  CHECK(
      told(
          R"({"spec":{"ephemeralContainers":[{"name":"e","image":"i"}],"containers":[{"name":"a","image":"i"}]}})") ==
      "spec.task[0].template.spec.ephemeralContainers: Forbidden: ephemeral containers not "
      "allowed in pod template.");
  const std::string privileged =
      R"([{"name":"a","image":"i","securityContext":{"privileged":true}}])";
  CHECK(told(StrCat(R"({"spec":{"containers":)", privileged, "}}")).empty());
  CHECK(told(StrCat(R"({"spec":{"containers":[{"name":"c","image":"i"}],"initContainers":)",
                    privileged, "}}"))
            .empty());
}

TEST_CASE("jobs/validate: amounts of a pod as a whole, when servers know them", "[admission]") {
  const std::string two = R"("image":"i","resources":{"requests":{"cpu":"2"}}})";
  const auto told = [&two](const std::string& resources, bool enabled) {
    Settings settings;
    settings.pod_level_resources = enabled;
    return Told(StrCat(R"({"name":"t","replicas":1,"template":{"spec":{"containers":[{"name":"a",)",
                       two, R"(,{"name":"b",)", two, R"(],"resources":)", resources, "}}}"),
                "", settings);
  };
  CHECK(told(R"({"requests":{"cpu":"2"}})", true) ==
        "spec.task[0].template.spec.resources.requests[cpu]: Invalid value: \"2\": must be greater "
        "than or equal to aggregate container requests of 4.");
  CHECK(told(R"({"requests":{"cpu":"2"}})", false).empty());
  CHECK(told(R"({"requests":{"cpu":"6"},"limits":{"cpu":"4"}})", true) ==
        "spec.task[0].template.spec.resources.requests: Invalid value: \"6\": must be less than or "
        "equal to cpu limit of 4.");
}

TEST_CASE("jobs/validate: tasks that want one NUMA node ask for whole CPUs", "[admission]") {
  struct Case {
    std::string containers, policy, text;
  };
  const std::string one = R"({"name":"a","image":"i","resources":{"requests":{"cpu":"1"}}})";
  const Case c = GENERATE_COPY(values<Case>({
      {R"("containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"1"}}}])",
       "restricted", ""},
      {R"("containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"500m"}}}])",
       "restricted", "the cpu request isn't an integer in spec.task[0] container[0]."},
      {R"("containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"500m"}}}])", "none",
       ""},
      {R"("containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"500m"}}}])", "", ""},
      {R"("containers":[{"name":"a","image":"i"}])", "best-effort",
       "the cpu request isn't an integer in spec.task[0] container[0]."},
      {R"("containers":[{"name":"a","image":"i","resources":{"requests":{"memory":"1"},"limits":{"cpu":"1"}}}])",
       "best-effort", "the cpu request isn't an integer in spec.task[0] container[0]."},
      {R"("containers":[{"name":"a","image":"i","resources":{"requests":{"cpu":"0"}}}])",
       "single-numa-node", "the cpu request isn't an integer in spec.task[0] container[0]."},
      {R"("initContainers":[{"name":"b","image":"i"}],"containers":[)" + one + "]", "restricted",
       "the cpu request isn't an integer in spec.task[0] container[1]."},
      {R"("containers":[)" + one + "]", "restricted", ""},
  }));
  CAPTURE(c.containers, c.policy);
  CHECK(Told(StrCat(R"({"name":"t","replicas":1,"topologyPolicy":")", c.policy,
                    R"(","template":{"spec":{)", c.containers, "}}}")) == c.text);
}

TEST_CASE("jobs/validate: partitions", "[admission]") {
  struct Case {
    std::string fields, text;
  };
  const Case c = GENERATE(values<Case>({
      {R"("replicas":4,"minAvailable":2,"partitionPolicy":{"totalPartitions":2,"partitionSize":2})",
       ""},
      {R"("replicas":4,"minAvailable":2,"partitionPolicy":{"totalPartitions":2,"partitionSize":2,"minPartitions":1})",
       ""},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":-1,"partitionSize":-1})",
       "'TotalPartitions' must be greater than 0 in task: t, job: job"},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":-1})",
       "'PartitionSize' must be greater than 0 in task: t, job: job"},
      {R"("replicas":5,"partitionPolicy":{"totalPartitions":2,"partitionSize":2})",
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: job"},
      {R"("replicas":0,"partitionPolicy":{"totalPartitions":65536,"partitionSize":65536})",
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: job"},
      {R"("replicas":4,"minAvailable":3,"partitionPolicy":{"totalPartitions":2,"partitionSize":2,"minPartitions":1})",
       "'MinAvailable' is not equal to MinPartitions*PartitionSize in task: t, job: job"},
      {R"("replicas":5,"partitionPolicy":{"totalPartitions":2,"partitionSize":2,"networkTopology":{"highestTierAllowed":1,"highestTierName":"x"}})",
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: jobmust not "
       "specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":2,"networkTopology":{"highestTierAllowed":0,"highestTierName":"x"}})",
       "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
       "simultaneously"},
  }));
  CAPTURE(c.fields);
  CHECK(Told(Task(c.fields)) == c.text);
}

TEST_CASE("jobs/validate: a topology names its tier once", "[admission]") {
  const std::string text =
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
      "simultaneously";
  CHECK(Told(kOne, R"("networkTopology":{"highestTierAllowed":0,"highestTierName":"x"})") == text);
  CHECK(Told(kOne, R"("networkTopology":{"highestTierAllowed":1,"highestTierName":""})").empty());
  CHECK(Told(kOne, R"("networkTopology":{"highestTierName":"x"})").empty());
  // Nothing stands between it and what follows.
  CHECK(Told(Task(R"("replicas":1,"minAvailable":2)"),
             R"("networkTopology":{"highestTierAllowed":0,"highestTierName":"x"})") ==
        text + " 'minAvailable' is greater than 'replicas' in task: t, job: job;");
}

TEST_CASE("jobs/validate: plugins", "[admission]") {
  CHECK(Told(kOne, R"("plugins":{"big_plugin":[]})") == "unable to find job plugin: big_plugin;");
  CHECK(Told(kOne, R"("plugins":{"z":[],"a":[],"svc":[]})") ==
        "unable to find job plugin: a; unable to find job plugin: z;");
  CHECK(
      Told(
          kOne,
          R"("plugins":{"ssh":[],"env":[],"svc":[],"tensorflow":[],"pytorch":[],"hcclrank":[],"ray":[]})")
          .empty());
}

TEST_CASE("jobs/validate: mpi needs its master", "[admission]") {
  struct Case {
    std::string arguments, task;
    bool allowed;
  };
  const Case c = GENERATE(values<Case>({
      {R"(["--master=launcher"])", "launcher", true},
      {R"(["-master","launcher"])", "launcher", true},
      {R"(["--master=launcher"])", "master", false},
      {"[]", "master", true},
      {"null", "master", true},
      {"[]", "t", false},
      // A mistake ends the reading; what was read until then counts.
      {R"(["--master=launcher","--port=x"])", "launcher", true},
      {R"(["--port=x","--master=launcher"])", "launcher", false},
      {R"(["--port=x","--master=launcher"])", "master", true},
      {R"(["--worker=w","--port=2222","--master=launcher"])", "launcher", true},
  }));
  CAPTURE(c.arguments, c.task);
  const std::string text = c.allowed ? "" : "The specified mpi master task was not found";
  const std::string plugins = StrCat(R"("plugins":{"mpi":)", c.arguments, "}");
  const std::string task = Task(R"("replicas":1)", c.task);
  CHECK(Told(task, plugins) == text);
  // Whether the other task of theirs is there does not matter.
  CHECK(Told(StrCat(task, ",", Task(R"("replicas":2)", "worker")), plugins) == text);
}

TEST_CASE("jobs/validate: volumes, the first finding only", "[admission]") {
  struct Case {
    std::string volumes, text;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"mountPath":"/a","volumeClaimName":"x"},{"mountPath":"/b","volumeClaim":{"accessModes":["ReadWriteOnce"]}})",
       ""},
      {R"({"volumeClaimName":"x"})", "mountPath is required;"},
      {R"({"mountPath":"/a","volumeClaimName":"x"},{"mountPath":"/a"})",
       "duplicated mountPath: /a;"},
      {R"({"mountPath":"/a"},{"volumeClaimName":"x"})",
       "either VolumeClaim or VolumeClaimName must be specified;"},
      {R"({"mountPath":"/a","volumeClaimName":"x","volumeClaim":{}})",
       "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to "
       "create a new PVC, you do not need to specify VolumeClaimName"},
      {R"({"mountPath":"/a","volumeClaimName":"X"})",
       "invalid VolumeClaimName X : [a lowercase RFC 1123 subdomain must consist of lower case "
       "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character "
       "(e.g. 'example.com', regex used for validation is "
       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]"},
  }));
  CAPTURE(c.volumes);
  CHECK(Told(kOne, StrCat(R"("volumes":[)", c.volumes, "]")) == c.text);
}

TEST_CASE("jobs/validate: queues", "[admission]") {
  struct Case {
    std::string queue, text;
  };
  const Case c = GENERATE(values<Case>({
      {"leaf", ""},
      {"none", "unable to find job queue: queue.scheduling.volcano.sh \"none\" not found;"},
      {"", "unable to find job queue: queue.scheduling.volcano.sh \"\" not found;"},
      {"closed",
       "can only submit job to queue with state `Open`, queue `closed` status is `Closed`;"},
      {"root", "can not submit job to root queue;"},
      {"parent", "can only submit job to leaf queue, queue `parent` has 2 child queues;"},
  }));
  CAPTURE(c.queue);
  CHECK(Told(kOne, StrCat(R"("queue":")", c.queue, R"(")")) == c.text);
}

TEST_CASE("jobs/validate: tasks that wait for each other", "[admission]") {
  // "a>b" for a task a that depends on b; tasks t1 to t3 are there.
  const auto told = [](const std::string& t1, const std::string& t2, const std::string& t3) {
    const auto task = [](const char* name, const std::string& names) {
      return Task(names == "-" ? R"("replicas":1)"
                               : StrCat(R"("replicas":1,"dependsOn":{"name":[)", names, "]}"),
                  name);
    };
    return Told(StrCat(task("t1", t1), ",", task("t2", t2), ",", task("t3", t3)));
  };
  const std::string wrong =
      "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);";
  CHECK(told(R"("t2","t3")", R"("t3")", "-").empty());
  CHECK(told(R"("t2")", R"("t1")", "-") == wrong);
  CHECK(told("-", R"("t2")", "-") == wrong);
  CHECK(told(R"("t2","t3")", "-", R"("t2")").empty());
  CHECK(told(R"("t9")", "-", "-") == wrong);
  CHECK(told(R"("t2","t2")", "-", "-") == wrong);
  CHECK(told("", "", "").empty());
}

TEST_CASE("jobs/validate: all findings in their order, trimmed as a whole", "[admission]") {
  const std::string bad =
      R"({"name":"T","replicas":1,"minAvailable":2,"policies":[{"exitCode":0}],"template":{},"partitionPolicy":{}})";
  const std::string told =
      Told(bad, R"("queue":"root","minAvailable":9,"plugins":{"x":[]},"volumes":[{}])", {}, "j_");
  const std::vector<std::string> parts = {
      "'minAvailable' is greater than 'replicas' in task: T, job: j_;",
      "1 error occurred:\n\t* 0 is not a valid error code\n\n valid events are [",
      "spec.task[0].metadata.name: Invalid value: \"T\": a lowercase RFC 1123 subdomain",
      "template.spec.containers: Required value. 'TotalPartitions' must be greater than 0 in task: "
      "T, job: j_create job with name j_ validate failed [name part must consist of",
      " job 'minAvailable' should not be greater than total replicas in tasks; unable to find job "
      "plugin: x; mountPath is required; can not submit job to root queue;"};
  size_t at = 0;
  for (const std::string& part : parts) {
    CAPTURE(part, told);
    const size_t found = told.find(part, at);
    REQUIRE(found != told.npos);
    if (at == 0) CHECK(found == 0);
    at = found + part.size();
  }
  CHECK(at == told.size());
}

TEST_CASE("jobs/validate: a document of a wrong shape is refused with its place", "[admission]") {
  const Asked asked("CREATE", R"({"spec":{"tasks":[{"template":{"spec":{"containers":5}}}]}})");
  const Verdict verdict = ValidateJob(asked.request(), {}, Cluster());
  CHECK(verdict.reason == "unreadable");
  CHECK(verdict.message.starts_with("object: spec.tasks[0].template"));
}

TEST_CASE("jobs/validate: ten thousand tasks in one circle get an answer", "[admission]") {
  std::string tasks;
  for (int i = 0; i < 10'000; ++i) {
    StrAppend(
        &tasks, i == 0 ? "" : ",",
        Task(StrCat(R"("replicas":2147483647,"dependsOn":{"name":["t)", (i + 1) % 10'000, R"("]})"),
             StrCat("t", i)));
  }
  CHECK(Told(tasks) ==
        "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
  std::string bad;
  for (int i = 0; i < 10'000; ++i) StrAppend(&bad, i == 0 ? "" : ",", R"({"name":"t)", i, "\"}");
  const std::string told = Told(bad);
  CHECK(told.size() > 1000);
  CHECK(told.size() < 200'000);
}

// Updates.

std::string ToldUpdate(const std::string& old_spec, const std::string& spec) {
  const Asked asked(
      "UPDATE", StrCat(R"({"metadata":{"name":"job","namespace":"ns"},"spec":)", spec, "}"),
      StrCat(R"({"metadata":{"name":"job","namespace":"ns"},"spec":)", old_spec, "}"));
  const Verdict verdict = ValidateJob(asked.request(), {}, Cluster());
  CHECK(verdict.allowed == verdict.message.empty());
  return verdict.message;
}

const char* const kFixedText =
    "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` "
    "and `PriorityClassName`";

TEST_CASE("jobs/validate: the first wrong number of an update is the message", "[admission]") {
  struct Case {
    std::string spec, text;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"minAvailable":5,"tasks":[{"name":"t","replicas":6}]})", ""},
      {R"({"tasks":[{"name":"t","replicas":-1,"minAvailable":-2}]})",
       "'replicas' must be >= 0 in task: t"},
      {R"({"tasks":[{"name":"t","replicas":5,"minAvailable":-2}]})",
       "'minAvailable' must be >= 0 in task: t"},
      {R"({"tasks":[{"name":"t","replicas":4,"minAvailable":5}]})",
       "'minAvailable' must be <= 'replicas' in task: t"},
      {R"({"tasks":[{"name":"t","replicas":4,"minAvailable":3}]})", ""},
      {R"({"tasks":[{"name":"t","replicas":5,"partitionPolicy":{"totalPartitions":2,"partitionSize":2}}]})",
       "'Replicas' are not equal to TotalPartitions*PartitionSize in task: t, job: job"},
      {R"({"minAvailable":6,"tasks":[{"name":"t","replicas":5}]})",
       "job 'minAvailable' must not be greater than total replicas"},
      {R"({"minAvailable":-1,"tasks":[{"name":"t","replicas":5}]})",
       "job 'minAvailable' must be >= 0"},
      {R"({"tasks":[{"name":"t","replicas":5}],"networkTopology":{"highestTierAllowed":1,"highestTierName":"x"}})",
       "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
       "simultaneously"},
      {R"({"tasks":[{"name":"t","replicas":5},{"name":"u","replicas":5}]})",
       "job updates may not add or remove tasks"},
      {R"({"tasks":[]})", "job updates may not add or remove tasks"},
      {R"({"tasks":[{"name":"u","replicas":5}]})", kFixedText},
      {R"({"queue":"other","tasks":[{"name":"t","replicas":5}]})", kFixedText},
      {R"({"priorityClassName":"high","tasks":[{"name":"t","replicas":5}]})", ""},
      {R"({"maxRetry":4,"tasks":[{"name":"t","replicas":5}]})", kFixedText},
      {R"({"tasks":[{"name":"t","replicas":5,"maxRetry":4}]})", kFixedText},
  }));
  CAPTURE(c.spec);
  CHECK(ToldUpdate(R"({"minAvailable":5,"tasks":[{"name":"t","replicas":5}]})", c.spec) == c.text);
}

TEST_CASE("jobs/validate: names of claims that were made may come", "[admission]") {
  const std::string before =
      R"({"tasks":[],"volumes":[{"mountPath":"/a","volumeClaim":{}},{"mountPath":"/b","volumeClaimName":"x"}]})";
  CHECK(
      ToldUpdate(
          before,
          R"({"tasks":[],"volumes":[{"mountPath":"/a","volumeClaim":{},"volumeClaimName":"made"},{"mountPath":"/b","volumeClaimName":"x"}]})")
          .empty());
  CHECK(
      ToldUpdate(
          before,
          R"({"tasks":[],"volumes":[{"mountPath":"/a","volumeClaim":{}},{"mountPath":"/b","volumeClaimName":"y"}]})") ==
      kFixedText);
}

TEST_CASE("jobs/validate: an update without an old object has no tasks to compare", "[admission]") {
  const Asked asked("UPDATE", R"({"spec":{"tasks":[{"name":"t","replicas":1}]}})");
  CHECK(ValidateJob(asked.request(), {}, Cluster()).message ==
        "job updates may not add or remove tasks");
}

}  // namespace
}  // namespace bth::admission::testing
