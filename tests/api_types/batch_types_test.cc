// Batch jobs, commands, cron jobs and flows as objects of the API.
#include <string>
#include <string_view>
#include <vector>

#include "api/types/batch_job.h"
#include "api/types/codec.h"
#include "api/types/colocation.h"
#include "api/types/command.h"
#include "api/types/config_map.h"
#include "api/types/cron_job.h"
#include "api/types/fragment_view.h"
#include "api/types/job_flow.h"
#include "api/types/network_policy.h"
#include "api/types/numa_topology.h"
#include "api/types/service.h"
#include "api/types/workload.h"
#include "base/strings.h"
#include "tests/support/catch.h"

using namespace bth::types;

namespace {

constexpr const char* kJob = R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",
 "metadata":{"name":"train","namespace":"ml"},
 "spec":{"queue":"research","minAvailable":3,"maxRetry":3,"ttlSecondsAfterFinished":600,
  "plugins":{"env":[],"svc":[],"ssh":["--ssh-port=2222"]},
  "policies":[{"event":"PodEvicted","action":"RestartJob"},
   {"event":"PodPending","action":"AbortJob","timeout":"1h"},
   {"exitCode":137,"action":"TerminateJob"}],
  "volumes":[{"mountPath":"/data","volumeClaim":{"accessModes":["ReadWriteMany"],
   "resources":{"requests":{"storage":"1Gi"}},"dataSource":{"kind":"VolumeSnapshot"}}}],
  "tasks":[{"name":"ps","replicas":1,
    "policies":[{"event":"TaskCompleted","action":"CompleteJob"}],
    "template":{"spec":{"containers":[{"name":"c","image":"img","lifecycle":{"x":1}}]}}},
   {"name":"worker","replicas":4,"minAvailable":0,
    "dependsOn":{"name":["ps"],"iteration":"all"},
    "partitionPolicy":{"totalPartitions":2,"partitionSize":2,"minPartitions":1},
    "template":{"metadata":{"labels":{"a":"b"}},
     "spec":{"priorityClassName":"high","containers":[{"name":"c","image":"img"}]}}}]},
 "status":{"state":{"phase":"Running","lastTransitionTime":"2026-01-02T03:04:05Z"},
  "taskStatusCount":{"worker":{"phase":{"Running":4}}},"running":4,"version":1,
  "runningDuration":"1m30s","conditions":[{"status":"Pending"},{"status":"Running"}]}})";

template <class T>
T Read(const std::string& text) {
  auto object = Decode<T>(text);
  CAPTURE(text);
  REQUIRE(object.status().ToString() == "OK");
  const auto again = Decode<T>(Encode(*object));
  REQUIRE(again.status().ToString() == "OK");
  CHECK(*again == *object);
  return *std::move(object);
}

std::string JobWithTask(const std::string& task) {
  return R"({"kind":"Job","metadata":{"name":"a","namespace":"d"},"spec":{"tasks":[)" + task +
         "]}}";
}

}  // namespace

TEST_CASE("batch job: every feature of a job is read", "[types][unit]") {
  const BatchJob job = Read<BatchJob>(kJob);
  CHECK(job.spec.queue == "research");
  CHECK(job.spec.min_available == 3);
  CHECK(job.spec.max_retry == 3);
  CHECK(job.spec.ttl_seconds_after_finished == 600);
  CHECK_FALSE(job.spec.min_success.has_value());
  REQUIRE(job.spec.plugins.size() == 3);
  CHECK(job.spec.plugins.Find("env")->empty());
  CHECK(*job.spec.plugins.Find("ssh") == std::vector<std::string>{"--ssh-port=2222"});
  REQUIRE(job.spec.policies.size() == 3);
  CHECK(job.spec.policies[0].event == BusEvent::kPodEvicted);
  CHECK(job.spec.policies[0].action == BusAction::kRestartJob);
  CHECK(job.spec.policies[1].timeout == absl::Hours(1));
  CHECK(job.spec.policies[2].event.empty());
  CHECK(job.spec.policies[2].exit_code == 137);
  REQUIRE(job.spec.tasks.size() == 2);
  const BatchTask& worker = job.spec.tasks[1];
  CHECK(worker.replicas == 4);
  CHECK(worker.depends_on->names == std::vector<std::string>{"ps"});
  CHECK(worker.partition_policy->partition_size == 2);
  CHECK(worker.pod_template.view.meta.Label("a") == "b");
  CHECK(worker.pod_template.view.spec.priority_class_name == "high");
  CHECK(job.status.state.phase == JobPhase::kRunning);
  CHECK(*job.status.task_status_count.Find("worker")->phase.Find("Running") == 4);
  CHECK(job.status.running_duration == absl::Seconds(90));
  REQUIRE(job.status.conditions.size() == 2);
  CHECK(job.status.conditions[1].status == JobPhase::kRunning);
}

TEST_CASE("batch job: absent, zero and empty are three things", "[types][unit]") {
  const auto task = [](const std::string& more) {
    return Read<BatchJob>(JobWithTask(R"({"name":"t")" + more + "}")).spec.tasks[0];
  };
  CHECK_FALSE(task("").min_available.has_value());
  CHECK(task(R"(,"minAvailable":0)").min_available == 0);
  CHECK_FALSE(task(R"(,"minAvailable":null)").min_available.has_value());
  CHECK_FALSE(task("").depends_on.has_value());
  CHECK(task(R"(,"dependsOn":{})").depends_on.has_value());
  CHECK_FALSE(task("").pod_template.present());
  CHECK(task(R"(,"template":{})").pod_template.present());
  const auto spec = [](const std::string& more) {
    return Read<BatchJob>(R"({"metadata":{"name":"a"},"spec":{)" + more + "}}").spec;
  };
  CHECK_FALSE(spec("").ttl_seconds_after_finished.has_value());
  CHECK(spec(R"("ttlSecondsAfterFinished":0)").ttl_seconds_after_finished == 0);
  CHECK_FALSE(spec("").max_retry.has_value());
  CHECK(spec(R"("maxRetry":0)").max_retry == 0);
  CHECK(spec(R"("plugins":{"env":null})").plugins.Contains("env"));
}

TEST_CASE("raw view: fields nobody knows survive", "[types][unit]") {
  const BatchJob job = Read<BatchJob>(kJob);
  CHECK(job.spec.tasks[0].pod_template.raw.Dump() ==
        R"({"spec":{"containers":[{"name":"c","image":"img","lifecycle":{"x":1}}]}})");
  const RawView<PersistentVolumeClaimSpec>& claim = job.spec.volumes[0].claim;
  CHECK(claim.raw["dataSource"]["kind"].AsString() == "VolumeSnapshot");
  CHECK(claim.view.access_modes == std::vector<std::string>{"ReadWriteMany"});
  CHECK_THAT(Encode(job), Catch::Contains(R"("lifecycle":{"x":1})"));
  // Every kind of value, and of keys that repeat the last.
  const std::string values =
      R"({"a":[1,-2,2.5,true,false,null,"s",[],{}],"b":{"c":{"d":[[{"e":"\u00e4"}]]}}})";
  const auto repeated = Decode<BatchJob>(
      JobWithTask(R"({"template":{"z":1,"a":0,"b":{"c":1,"c":{"d":[[{"e":"x","e":"\u00e4"}]]}},)" +
                  values.substr(1, values.find(R"(,"b")") - 1) + "}}"));
  REQUIRE(repeated.ok());
  Json raw = repeated->spec.tasks[0].pod_template.raw;
  CHECK(raw.Erase("z"));
  CHECK(raw == *Json::Parse(values));
  const auto twice = Decode<BatchJob>(JobWithTask(
      R"({"template":{"spec":{"hostname":"h"}},"template":{"metadata":{"name":"n"}}})"));
  REQUIRE(twice.ok());
  const RawView<PodTemplate>& last = twice->spec.tasks[0].pod_template;
  CHECK(last.raw.Dump() == R"({"metadata":{"name":"n"}})");
  CHECK(last.view.spec.hostname.empty());
  CHECK(last.view.meta.name == "n");
}

TEST_CASE("raw view: what is built without JSON is written from the view", "[types][unit]") {
  BatchJob job;
  job.meta.name = "a";
  job.spec.tasks.emplace_back().name = "t";
  CHECK_THAT(Encode(job), !Catch::Contains("template"));
  job.spec.tasks[0].pod_template.view.spec.containers.emplace_back().name = "c";
  CHECK_THAT(Encode(job), Catch::Contains(R"("template":{"spec":{"containers":[{"name":"c"}]}})"));
  job.spec.tasks[0].pod_template.raw = Json::MakeObject({{"x", 1}});
  CHECK_THAT(Encode(job), Catch::Contains(R"("template":{"x":1})"));
}

TEST_CASE("raw view: a value the view cannot read makes the object malformed", "[types][unit]") {
  const auto [task, message] = GENERATE(table<std::string, std::string>({
      {R"({"template":[]})", "spec.tasks[0].template: expected an object, found an array"},
      {R"({"template":"x"})", "spec.tasks[0].template: expected an object, found the string"},
      {R"({"template":{"spec":{"containers":[{},{"name":3}]}}})",
       "spec.tasks[0].template.spec.containers[1].name: expected a string, found the number 3"},
      {R"({"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}}})",
       "spec.tasks[0].template.spec.containers[0].resources.requests.cpu: quantity"},
      {R"({"policies":[{"timeout":"soon"}]})", "spec.tasks[0].policies[0].timeout: duration"},
      {R"({"policies":[{"action":3}]})", "policies[0].action: expected a string"},
  }));
  CAPTURE(task);
  for (const std::string& text : {JobWithTask(task), JobWithTask(task + ",{}")}) {
    const auto from_text = Decode<BatchJob>(text);
    REQUIRE_FALSE(from_text.ok());
    CHECK_THAT(std::string(from_text.status().message()), Catch::StartsWith("job d/a: "));
    CHECK_THAT(std::string(from_text.status().message()), Catch::Contains(message));
    const auto from_tree = Decode<BatchJob>(*Json::Parse(text));
    REQUIRE_FALSE(from_tree.ok());
    CHECK(from_tree.status() == from_text.status());
  }
  // Its neighbours in a list are not disturbed.
  const auto list = DecodeList<BatchJob>(R"({"items":[)" + JobWithTask(task) + "," +
                                         JobWithTask(R"({"name":"t","template":{}})") + "]}");
  REQUIRE(list.ok());
  CHECK(list->items.size() == 1);
  CHECK(list->malformed.size() == 1);
}

TEST_CASE("raw view: its JSON is bounded like the rest", "[types][unit]") {
  std::string deep;
  for (int i = 0; i < kDecodeDepthMax; ++i) deep += "[";
  for (int i = 0; i < kDecodeDepthMax; ++i) deep += "]";
  const auto nested = Decode<BatchJob>(JobWithTask(R"({"template":{"x":)" + deep + "}}"));
  REQUIRE_FALSE(nested.ok());
  CHECK_THAT(std::string(nested.status().message()), Catch::Contains("nested deeper"));
  std::string items = "0";
  for (size_t i = 0; i < kElementsMax; ++i) items += ",0";
  const auto wide = Decode<BatchJob>(JobWithTask(R"({"template":{"x":[)" + items + "]}}"));
  REQUIRE_FALSE(wide.ok());
  CHECK_THAT(std::string(wide.status().message()), Catch::Contains("elements"));
}

TEST_CASE("words: known ones are enumerators, unknown ones are kept", "[types][unit]") {
  CHECK(Word<BusAction>(std::string_view("RestartPartition")) == BusAction::kRestartPartition);
  CHECK(Word<BusEvent>(std::string_view("*")) == BusEvent::kAny);
  CHECK(Word<BusEvent>(std::string_view("Unknown")) == BusEvent::kJobUnknown);
  CHECK(Word<JobPhase>(std::string_view("")).empty());
  const Word<JobPhase> other(std::string_view("Napping"));
  CHECK(other == JobPhase::kOther);
  CHECK(other.text() == "Napping");
  CHECK_FALSE(other == Word<JobPhase>(std::string_view("Nodding")));
  CHECK_FALSE(other.empty());
  // Case matters.
  CHECK(Word<JobPhase>(std::string_view("running")) == JobPhase::kOther);
  for (const std::string_view text : KnownWords<BusAction>()) {
    CHECK(Word<BusAction>(text).text() == text);
    CHECK_FALSE(Word<BusAction>(text) == BusAction::kOther);
  }
  CHECK(KnownWords<BusAction>().size() == 13);
  CHECK(KnownWords<BusEvent>().size() == 11);
  CHECK(KnownWords<JobPhase>().size() == 10);
}

TEST_CASE("words: internal actions and events, finished phases", "[types][unit]") {
  std::vector<std::string> actions, events, finished;
  for (const std::string_view text : KnownWords<BusAction>()) {
    if (IsInternal(ParseWord<BusAction>(text))) actions.emplace_back(text);
  }
  for (const std::string_view text : KnownWords<BusEvent>()) {
    if (IsInternal(ParseWord<BusEvent>(text))) events.emplace_back(text);
  }
  for (const std::string_view text : KnownWords<JobPhase>()) {
    if (IsFinished(ParseWord<JobPhase>(text))) finished.emplace_back(text);
  }
  CHECK(actions ==
        std::vector<std::string>{"SyncJob", "EnqueueJob", "SyncQueue", "OpenQueue", "CloseQueue"});
  CHECK(events == std::vector<std::string>{"PodRunning", "OutOfSync", "CommandIssued"});
  CHECK(finished == std::vector<std::string>{"Completed", "Terminated", "Failed"});
}

TEST_CASE("command: an unknown action passes through", "[types][unit]") {
  const Command command = Read<Command>(
      R"({"metadata":{"name":"c","namespace":"ml"},"action":"Dance","reason":"r",
      "target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"train","uid":""}})");
  CHECK(command.action == BusAction::kOther);
  CHECK(command.action.text() == "Dance");
  REQUIRE(command.target.has_value());
  CHECK(command.target->name == "train");
  CHECK_FALSE(Read<Command>(R"({"metadata":{"name":"c"},"target":null})").target.has_value());
}

TEST_CASE("cron job: the template is kept whole beside its view", "[types][unit]") {
  const CronJob cron = Read<CronJob>(
      R"({"metadata":{"name":"n"},"spec":{"schedule":"@every 1m","timeZone":"",
      "concurrencyPolicy":"Replace","suspend":false,"failedJobsHistoryLimit":0,
      "jobTemplate":{"metadata":{"labels":{"a":"b"}},"spec":{"queue":"q","future":1,
        "tasks":[{"name":"t","template":{"spec":{"x":1}}}]}}},
      "status":{"active":[{"name":"n-1","uid":"u"}],"lastScheduleTime":"2026-01-02T03:04:05Z"}})");
  CHECK(cron.spec.time_zone == "");
  CHECK(cron.spec.suspend == false);
  CHECK(cron.spec.concurrency_policy == ConcurrencyPolicy::kReplace);
  CHECK_FALSE(cron.spec.successful_jobs_history_limit.has_value());
  CHECK(cron.spec.failed_jobs_history_limit == 0);
  CHECK(cron.spec.job_template.meta.Label("a") == "b");
  CHECK(cron.spec.job_template.spec.view.queue == "q");
  CHECK(cron.spec.job_template.spec.raw["future"].AsInt() == 1);
  CHECK(cron.spec.job_template.spec.view.tasks[0].pod_template.raw["spec"]["x"].AsInt() == 1);
  CHECK(cron.status.active[0].uid == "u");
}

TEST_CASE("job flow: targets that are absent and empty differ", "[types][unit]") {
  const JobFlow flow = Read<JobFlow>(
      R"({"metadata":{"name":"f"},"spec":{"jobRetainPolicy":"retain","flows":[{"name":"a"},
      {"name":"b","dependsOn":{"probe":{"tcpSocketList":[{"port":0}]}}},
      {"name":"c","dependsOn":{"targets":[]},"patch":{"jobSpec":{"queue":"q"}}}]},
      "status":{"unKnowJobs":["f-a"],"state":{"phase":"Succeed"},
       "conditions":{"f-a":{"phase":"Aborted","runningDuration":"2s"}}}})");
  REQUIRE(flow.spec.flows.size() == 3);
  CHECK_FALSE(flow.spec.flows[0].depends_on.has_value());
  CHECK_FALSE(flow.spec.flows[1].depends_on->targets.has_value());
  REQUIRE(flow.spec.flows[2].depends_on->targets.has_value());
  CHECK(flow.spec.flows[2].depends_on->targets->empty());
  CHECK(flow.spec.flows[2].patch.view.queue == "q");
  CHECK(flow.spec.job_retain_policy == JobRetainPolicy::kRetain);
  CHECK(flow.status.unknown_jobs == std::vector<std::string>{"f-a"});
  CHECK(flow.status.phase == FlowPhase::kSucceed);
  CHECK(flow.status.conditions.Find("f-a")->phase == JobPhase::kAborted);
  const JobTemplate job = Read<JobTemplate>(
      R"({"metadata":{"name":"a"},"spec":{"queue":"q"},"status":{"jobDependsOnList":["f-a"]}})");
  CHECK(job.spec.raw.Dump() == R"({"queue":"q"})");
  CHECK(job.job_depends_on == std::vector<std::string>{"f-a"});
}

TEST_CASE("colocation: settings are handed on as they were given", "[types][unit]") {
  const auto settings = [](const std::string& spec) {
    const auto object =
        Read<ColocationConfiguration>(R"({"metadata":{"name":"c"},"spec":)" + spec + "}");
    return EncodeFragment(object.settings);
  };
  CHECK(settings(R"({"selector":{},"memoryQos":{"highRatio":100}})") ==
        R"({"memoryQos":{"highRatio":100}})");
  CHECK(settings(R"({"memoryQos":{"highRatio":0,"lowRatio":0}})") ==
        R"({"memoryQos":{"highRatio":0,"lowRatio":0}})");
  CHECK(settings("{}") == "{}");
  CHECK_FALSE(Read<ColocationConfiguration>(R"({"metadata":{"name":"c"}})").selector.has_value());
  CHECK(Read<ColocationConfiguration>(R"({"metadata":{"name":"c"},"spec":{"selector":{}}})")
            .selector.has_value());
}

TEST_CASE("fragment: a status is written without what is empty", "[types][unit]") {
  BatchJobStatus status;
  CHECK(EncodeFragment(status) == "{}");
  status.state.phase = JobPhase::kPending;
  status.min_available = 2;
  status.task_status_count["t"].phase["Pending"] = 0;
  status.conditions.push_back({JobPhase::kPending, absl::FromUnixSeconds(1)});
  const std::string text = EncodeFragment(status);
  CHECK(text ==
        R"({"state":{"phase":"Pending"},"minAvailable":2,)"
        R"("taskStatusCount":{"t":{"phase":{"Pending":0}}},)"
        R"("conditions":[{"status":"Pending","lastTransitionTime":"1970-01-01T00:00:01Z"}]})");
  CHECK(FragmentToJson(status).Dump() == text);
  const auto again = FragmentFromJson<BatchJobStatus>(FragmentToJson(status));
  REQUIRE(again.ok());
  CHECK(*again == status);
  const auto wrong = FragmentFromJson<BatchJobStatus>(*Json::Parse(R"({"running":"x"})"));
  REQUIRE_FALSE(wrong.ok());
  CHECK_THAT(std::string(wrong.status().message()), Catch::StartsWith("running: expected an int"));
}

TEST_CASE("fragment: a view leaves out copies of what was written", "[types][unit]") {
  const Json job = *Json::Parse(
      R"({"spec":{"tasks":[{"name":"a","template":{"spec":{"containers":[{"name":"c","x":1}]}}},)"
      R"({"name":"b"}],"volumes":[{"mountPath":"/v","volumeClaim":{"storageClassName":"s"}}]}})");
  const auto whole = FragmentFromJson<BatchJob>(job);
  const auto view = FragmentViewFromJson<BatchJob>(job);
  REQUIRE(whole.ok());
  REQUIRE(view.ok());
  REQUIRE(view->spec.tasks.size() == 2);
  const RawView<PodTemplate>& pod_template = view->spec.tasks[0].pod_template;
  CHECK(pod_template.present());
  CHECK(pod_template.raw == Json::MakeObject());
  CHECK(pod_template.view == whole->spec.tasks[0].pod_template.view);
  CHECK(pod_template.view.spec.containers.at(0).name == "c");
  CHECK_FALSE(view->spec.tasks[1].pod_template.present());
  CHECK(view->spec.volumes.at(0).claim.present());
  CHECK(whole->spec.tasks[0].pod_template.raw == job["spec"]["tasks"][size_t{0}]["template"]);
}

TEST_CASE(
    "fragment: an outline has nothing of raw parts but that they are there, and refuses as a "
    "view does",
    "[types][unit]") {
  const auto job = [](std::string_view pod) {
    return *Json::Parse(bth::StrCat(R"({"metadata":{"name":"j"},"spec":{"tasks":[{"name":"a",)",
                                    R"("replicas":2,"template":)", pod, "},",
                                    R"({"name":"b"}]}})"));
  };
  const auto outline = FragmentOutlineFromJson<BatchJob>(
      job(R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}})"));
  REQUIRE(outline.ok());
  CHECK(outline->meta.name == "j");
  CHECK(outline->spec.tasks.at(0).replicas == 2);
  CHECK(outline->spec.tasks.at(0).pod_template.present());
  CHECK(outline->spec.tasks.at(0).pod_template.view == PodTemplate());
  CHECK_FALSE(outline->spec.tasks.at(1).pod_template.present());
  const std::string_view pod = GENERATE(values<std::string_view>(
      {"{}", "[]", "7", R"({"spec":{"containers":{}}})", R"({"spec":{"containers":[7]}})",
       R"({"spec":{"containers":[null]}})", R"({"spec":{"containers":[{"name":7}]}})",
       R"({"spec":{"hostNetwork":"yes"}})", R"({"spec":{"priority":2147483648}})",
       R"({"spec":{"priority":1.5}})", R"({"spec":{"nodeSelector":{"a":1}}})",
       R"({"spec":{"overhead":{"cpu":"1x"}}})", R"({"spec":{"overhead":{"cpu":[]}}})",
       R"({"spec":{"tolerations":[{"tolerationSeconds":"7"}]}})",
       R"({"spec":{"affinity":{"nodeAffinity":[]}}})",
       R"({"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
       R"([{"labelSelector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}]}}}})",
       R"({"metadata":{"creationTimestamp":"now"}})", R"({"metadata":{"labels":[]}})"}));
  CAPTURE(pod);
  CHECK(FragmentOutlineFromJson<BatchJob>(job(pod)).status() ==
        FragmentFromJson<BatchJob>(job(pod)).status());
  const Json large = job(bth::StrCat(R"({"metadata":{"annotations":{"a":")",
                                     std::string(kAnnotationBytesMax, 'x'), R"("}}})"));
  CHECK_FALSE(FragmentOutlineFromJson<BatchJob>(large).ok());
}

TEST_CASE("fragment: input is bounded", "[types][unit]") {
  const auto told = [](const std::string& text) {
    const Json json = *Json::Parse(text, {.bytes_max = text.size(), .depth_max = 200});
    const absl::Status status = FragmentViewFromJson<BatchJob>(json).status();
    return std::string(status.message());
  };
  const auto nested = [](size_t levels) {
    return R"({"x":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  CHECK(told(nested(63)).empty());
  CHECK(told(nested(64)).empty());
  const auto names = [](size_t count) {
    std::string list = R"("")";
    for (size_t i = 1; i < count; ++i) list += R"(,"")";
    return list;
  };
  const auto task = [&names](size_t count) {
    return R"({"spec":{"tasks":[{"dependsOn":{"name":[)" + names(count) + "]}}]}}";
  };
  CHECK(told(task(kElementsMax - 1)).empty());
  CHECK_THAT(told(task(kElementsMax)), Catch::Contains("more than 200000 elements"));
  // What is not read does not count.
  CHECK(told(R"({"x":[)" + names(kElementsMax + 1) + "]}").empty());
}

TEST_CASE("batch job: what controllers create is written whole", "[types][unit]") {
  Service service;
  service.meta.name = "job";
  service.spec.cluster_ip = "None";
  service.spec.ports.push_back({"gcs", "TCP", 6379, IntOrString{true, 0, "gcs"}});
  CHECK(Encode(service) ==
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"job"},"spec":{)"
        R"("clusterIP":"None","ports":[{"name":"gcs","protocol":"TCP","port":6379,)"
        R"("targetPort":"gcs"}]}})");
  NetworkPolicy policy;
  policy.meta.name = "job";
  policy.policy_types = {"Ingress"};
  CHECK(Encode(policy) ==
        R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"job"},)"
        R"("spec":{"podSelector":{},"policyTypes":["Ingress"]}})");
  NetworkPolicyPeer peer;
  peer.pod_selector.emplace().match_labels = {{"a", "b"}};
  policy.ingress.emplace_back().from.push_back(peer);
  CHECK_THAT(
      Encode(policy),
      Catch::Contains(R"("ingress":[{"from":[{"podSelector":{"matchLabels":{"a":"b"}}}]}])"));
  CHECK(Read<NetworkPolicy>(Encode(policy)) == policy);
  CHECK(ResourceTraits<NetworkPolicy>::type().Path("ns", "job") ==
        "/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies/job");
  CHECK(ResourceTraits<KubeJob>::type().Path("ns", "j") == "/apis/batch/v1/namespaces/ns/jobs/j");
  CHECK(ResourceTraits<BatchJob>::type().Path("ns", "j", "status") ==
        "/apis/batch.volcano.sh/v1alpha1/namespaces/ns/jobs/j/status");
}

TEST_CASE("workloads: the revision of a stateful set is read", "[types][unit]") {
  const StatefulSet set = Read<StatefulSet>(
      R"({"metadata":{"name":"s","annotations":{"volcano.sh/x":"y"}},"spec":{"replicas":2,
      "selector":{"matchLabels":{"a":"b"}}},"status":{"updateRevision":"s-1"}})");
  CHECK(set.update_revision == "s-1");
  CHECK(set.replicas == 2);
  const Numatopology numa = Read<Numatopology>(
      R"({"metadata":{"name":"n"},"spec":{"podAllocations":[{"uid":"u","name":"p","namespace":"d",
      "containerAllocations":[{"name":"c","allocations":{"cpu":"0-3"}}]}]}})");
  REQUIRE(numa.pod_allocations.size() == 1);
  CHECK(*numa.pod_allocations[0].containers[0].allocations.Find("cpu") == "0-3");
}
