#include <string>

#include "base/strings.h"
#include "controllers/job/min_resources.h"
#include "controllers/job/names.h"
#include "controllers/job/pod_builder.h"
#include "controllers/job/pod_group_builder.h"
#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::BuildPod;
using controllers::BuildPodGroup;
using controllers::KeptQueue;
using controllers::MinResources;
using controllers::PodDraft;
using controllers::UpdatedPodGroup;
using types::Json;

PodDraft FirstPod(const types::BatchJob& job) {
  return BuildPod(job, job.spec.tasks[0], 0, false);
}

types::BatchJob JobOf(const std::string& task, const std::string& more = "",
                      const std::string& meta = "") {
  return ParseJob(
      StrCat(R"({"queue":"test-queue","schedulerName":"volcano","tasks":[)", task, "]", more, "}"),
      R"({"version":1,"retryCount":2})", meta);
}

TEST_CASE("pod builder: names, owner, labels and annotations", "[controllers][job]") {
  const types::BatchJob job = JobOf(
      R"({"name":"task1","topologyPolicy":"restricted","template":{"metadata":{"labels":{"app":"x","volcano.sh/job-name":"no"},"annotations":{"note":"y","volcano.sh/controller-out-of-sync":"true"}},"spec":{"containers":[{"name":"c","unknownField":[1]}],"odd":{"kept":true}}}})",
      "",
      R"("annotations":{"volcano.sh/preemptable":"true","volcano.sh/jdb-min-available":"1","volcano.sh/jdb-max-unavailable":"2"},"labels":{"volcano.sh/cooldown-time":"5m"})");
  const PodDraft pod = BuildPod(job, job.spec.tasks[0], 3, false);
  CHECK(pod.name() == "job1-task1-3");
  CHECK(pod.object().At({"metadata", "namespace"}).AsString() == "test");
  const Json& owner = pod.object().At({"metadata", "ownerReferences"})[size_t{0}];
  CHECK(owner["uid"].AsString() == "uid-1");
  CHECK(owner["apiVersion"].AsString() == "batch.volcano.sh/v1alpha1");
  CHECK(owner["controller"].AsBool());
  CHECK(owner["blockOwnerDeletion"].AsBool());
  CHECK(pod.spec()["schedulerName"].AsString() == "volcano");
  CHECK(pod.spec().At({"odd", "kept"}).AsBool());
  CHECK(pod.spec()["containers"][size_t{0}]["unknownField"].size() == 1);
  const std::string labels = pod.object().At({"metadata", "labels"}).Pretty();
  CHECK(*Json::Parse(labels) ==
        *Json::Parse(R"({"app":"x","volcano.sh/job-name":"job1","volcano.sh/task-index":"3",
          "volcano.sh/task-spec":"task1","volcano.sh/job-namespace":"test",
          "volcano.sh/queue-name":"test-queue","volcano.sh/cooldown-time":"5m"})"));
  CHECK(pod.object().At({"metadata", "annotations"}) ==
        *Json::Parse(R"({"note":"y","volcano.sh/task-index":"3","volcano.sh/task-spec":"task1",
          "scheduling.k8s.io/group-name":"job1-uid-1","volcano.sh/job-name":"job1",
          "volcano.sh/queue-name":"test-queue","volcano.sh/job-version":"1",
          "volcano.sh/template-uid":"job1-task1","volcano.sh/job-retry-count":"2",
          "volcano.sh/numa-topology-policy":"restricted","volcano.sh/preemptable":"true",
          "volcano.sh/jdb-min-available":"1"})"));
}

TEST_CASE("pod builder: the template goes before the job", "[controllers][job]") {
  const std::string own =
      R"({"name":"t","template":{"spec":{"schedulerName":"mine","priorityClassName":"high"}}})";
  const PodDraft kept = FirstPod(JobOf(own, R"(,"priorityClassName":"low")"));
  CHECK(kept.spec()["schedulerName"].AsString() == "mine");
  CHECK(kept.spec()["priorityClassName"].AsString() == "high");
  const PodDraft filled =
      FirstPod(JobOf(R"({"name":"t","template":{"spec":{}}})", R"(,"priorityClassName":"low")"));
  CHECK(filled.spec()["priorityClassName"].AsString() == "low");
  CHECK(FirstPod(JobOf(R"({"name":"t"})")).spec()["priorityClassName"].is_null());
}

TEST_CASE("pod builder: each claim is mounted into every ordinary container once",
          "[controllers][job]") {
  const std::string task =
      R"({"name":"t","template":{"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"},{"name":"b"}]}}})";
  const PodDraft two = FirstPod(JobOf(
      task,
      R"(,"volumes":[{"mountPath":"/data1","volumeClaimName":"p1"},{"mountPath":"/data2","volumeClaimName":"p2"}])"));
  CHECK(two.spec()["volumes"].size() == 2);
  for (const Json& container : two.spec()["containers"].items()) {
    REQUIRE(container["volumeMounts"].size() == 2);
    CHECK(container["volumeMounts"][size_t{0}]["mountPath"].AsString() == "/data1");
    CHECK(container["volumeMounts"][size_t{1}]["mountPath"].AsString() == "/data2");
    CHECK(container["volumeMounts"][size_t{0}]["name"] == two.spec()["volumes"][size_t{0}]["name"]);
  }
  CHECK(two.spec()["initContainers"][size_t{0}]["volumeMounts"].is_null());
  const PodDraft same = FirstPod(JobOf(
      task,
      R"(,"volumes":[{"mountPath":"/data1","volumeClaimName":"p1"},{"mountPath":"/data2","volumeClaimName":"p1"}])"));
  CHECK(same.spec()["volumes"].size() == 1);
}

TEST_CASE("pod builder: pods for other clusters say so", "[controllers][job]") {
  const types::BatchJob job = JobOf(R"({"name":"t"})");
  const PodDraft pod = BuildPod(job, job.spec.tasks[0], 0, true);
  CHECK(pod.Label("volcano.sh/job-forwarding") == "true");
  CHECK(pod.Annotation("volcano.sh/job-forwarding") == "true");
  CHECK(FirstPod(job).Label("volcano.sh/job-forwarding").empty());
}

TEST_CASE("pod builder: partitions are filled one after another", "[controllers][job]") {
  CHECK(controllers::PartitionOf(0, 2) == 0);
  CHECK(controllers::PartitionOf(1, 2) == 0);
  CHECK(controllers::PartitionOf(2, 2) == 1);
  CHECK(controllers::PartitionOf(3, 2) == 1);
  CHECK(controllers::PartitionOf(10, 5) == 2);
  CHECK(controllers::PartitionOf(0, 1) == 0);
  CHECK(controllers::PartitionOf(5, 0) == 0);
  CHECK(controllers::PartitionOf(-2, 3) == 0);
  const types::BatchJob job =
      JobOf(R"({"name":"t","partitionPolicy":{"totalPartitions":2,"partitionSize":2}})");
  CHECK(BuildPod(job, job.spec.tasks[0], 3, false).Label("volcano.sh/partition-id") == "1");
  CHECK(FirstPod(JobOf(R"({"name":"t"})"))
            .object()
            .At({"metadata", "labels"})["volcano.sh/partition-id"]
            .is_null());
}

TEST_CASE("pod builder: odd templates break nothing", "[controllers][job]") {
  for (const char* task : {R"({"name":"t"})", R"({"name":"t","template":{}})", R"({})",
                           R"({"name":"t","template":{"metadata":null,"spec":null}})"}) {
    const types::BatchJob job =
        JobOf(task, R"(,"volumes":[{"mountPath":"/d","volumeClaimName":"p"}])");
    CHECK_FALSE(FirstPod(job).object().Dump().empty());
  }
}

struct MinCase {
  int minimum;
  std::string tasks;  // "master worker": minAvailable[xREPLICAS]/priority, "-": no minimum
  std::string cpu;
  int pods;
};

std::string MinTask(const std::string& name, const std::string& cpu, const std::string& text) {
  const size_t slash = text.find('/');
  std::string minimum = text.substr(0, slash);
  const size_t times = minimum.find('x');
  const std::string replicas = times == std::string::npos ? "2" : minimum.substr(times + 1);
  minimum = minimum.substr(0, times);
  std::string task = StrCat(R"({"name":")", name, R"(","replicas":)", replicas);
  if (minimum != "-") StrAppend(&task, R"(,"minAvailable":)", minimum);
  return StrCat(task, R"(,"template":{"spec":{"priorityClassName":")", text.substr(slash + 1),
                R"(","containers":[{"resources":{"requests":{"cpu":")", cpu, R"("}}}]}}})");
}

TEST_CASE("min resources: the most important pods first, minima where all are asked for",
          "[controllers][job]") {
  // master: 50m, worker: 100m, two replicas each. Priority classes "1" and "2" mean what they say.
  const MinCase c = GENERATE(values<MinCase>({
      {2, "1/ 1/", "150m", 2},
      {3, "-/ 1/", "200m", 3},
      {3, "1/ -/", "250m", 3},
      {3, "1/2 1/1", "200m", 3},
      {3, "1/1 1/2", "250m", 3},
      {3, "0/1 1/2", "250m", 3},
      {4, "-/1 1/2", "300m", 4},
      {4, "1/1 1/2", "300m", 4},
      {2, "-/2 1/1", "100m", 2},
      {2, "-/1 1/2", "200m", 2},
      {2, "1/ -/", "100m", 2},
      {2, "-/ 1/", "100m", 2},
      {3, "-/ -/", "200m", 3},
      {3, "1/ 1/", "200m", 3},
      {2, "1/none 1/none", "150m", 2},
      {2, "-/1 1x1/2", "150m", 2},
      {2, "1x1/ -/", "150m", 2},
  }));
  CAPTURE(c.minimum, c.tasks);
  const size_t space = c.tasks.find(' ');
  const types::BatchJob job =
      ParseJob(StrCat(R"({"minAvailable":)", c.minimum, R"(,"tasks":[)",
                      MinTask("master", "50m", c.tasks.substr(0, space)), ",",
                      MinTask("worker", "100m", c.tasks.substr(space + 1)), "]}"));
  const auto sum = MinResources(job.spec, [](const std::string& name) {
    return name == "2" ? 2 : name == "1" ? 1 : 0;
  });
  REQUIRE(sum.ok());
  CHECK(sum->Find("requests.cpu")->ToString() == c.cpu);
  CHECK(sum->Find("cpu")->ToString() == c.cpu);
  CHECK(sum->Find("count/pods")->Value() == c.pods);
  CHECK(sum->Find("pods")->Value() == c.pods);
}

const controllers::PriorityOf kNoPriority = [](const std::string&) { return 0; };

types::BatchJob PartitionedJob(int min_partitions, const std::string& topology) {
  return ParseJob(
      StrCat(
          R"({"minAvailable":3,"priorityClassName":"new","queue":"q","networkTopology":)", topology,
          R"(,"tasks":[{"name":"task1","replicas":6,"partitionPolicy":{"totalPartitions":2,"partitionSize":3,"minPartitions":)",
          min_partitions, R"(,"networkTopology":)", topology, "}}]}"),
      "{}", R"("labels":{"a":"b"},"annotations":{"c":"d"})");
}
constexpr const char* kByNumber = R"({"mode":"hard","highestTierAllowed":1})";
constexpr const char* kByName = R"({"mode":"soft","highestTierName":"rack"})";

TEST_CASE("pod group builder: minima, topology and partitions of the tasks", "[controllers][job]") {
  const auto group = BuildPodGroup(PartitionedJob(0, kByNumber), kNoPriority);
  REQUIRE(group.ok());
  CHECK(group->meta.name == "job1-uid-1");
  CHECK(group->meta.Label("a") == "b");
  CHECK(group->meta.annotations == types::LabelMap{{"c", "d"}, {"volcano.sh/job-queue", "q"}});
  CHECK(group->meta.Controller()->uid == "uid-1");
  CHECK(group->status.phase.empty());
  CHECK(group->spec.min_member == 3);
  CHECK(group->spec.queue == "q");
  CHECK(group->spec.priority_class_name == "new");
  CHECK(group->spec.min_task_member == types::SortedMap<int32_t>{{"task1", 6}});
  CHECK(group->spec.network_topology->highest_tier_allowed == 1);
  REQUIRE(group->spec.sub_group_policy.size() == 1);
  const types::SubGroupPolicy& sub = group->spec.sub_group_policy[0];
  CHECK(sub.name == "task1");
  CHECK(sub.sub_group_size == 3);
  CHECK(sub.min_sub_groups == 0);
  CHECK(sub.label_selector->match_labels == types::LabelMap{{"volcano.sh/task-spec", "task1"}});
  CHECK(sub.match_label_keys == std::vector<std::string>{"volcano.sh/partition-id"});
  CHECK(sub.network_topology->mode == "hard");
  CHECK(sub.network_topology->highest_tier_allowed == 1);

  const auto one = BuildPodGroup(PartitionedJob(1, kByNumber), kNoPriority);
  CHECK(one->spec.min_task_member == types::SortedMap<int32_t>{{"task1", 3}});
  CHECK(one->spec.sub_group_policy[0].min_sub_groups == 1);
  const auto named = BuildPodGroup(PartitionedJob(0, kByName), kNoPriority);
  CHECK(named->spec.min_task_member == types::SortedMap<int32_t>{{"task1", 6}});
  CHECK(named->spec.network_topology->highest_tier_name == "rack");
  CHECK_FALSE(named->spec.network_topology->highest_tier_allowed.has_value());
  CHECK(BuildPodGroup(PartitionedJob(3, kByName), kNoPriority)
            ->spec.sub_group_policy[0]
            .min_sub_groups == 3);
}

TEST_CASE("pod group builder: an update leaves queue, topology and lost tasks alone",
          "[controllers][job]") {
  types::PodGroupSpec old;
  old.queue = "elsewhere";
  old.min_task_member = {{"gone", 1}};
  const auto updated = UpdatedPodGroup(old, PartitionedJob(1, kByName), kNoPriority);
  REQUIRE(updated.ok());
  CHECK(updated->queue == "elsewhere");
  CHECK_FALSE(updated->network_topology.has_value());
  CHECK(updated->priority_class_name == "new");
  CHECK(updated->min_member == 3);
  CHECK(updated->min_task_member == types::SortedMap<int32_t>{{"gone", 1}, {"task1", 3}});
  CHECK(updated->sub_group_policy.size() == 1);
  CHECK(*UpdatedPodGroup(*updated, PartitionedJob(1, kByName), kNoPriority) == *updated);
  const types::BatchJob plain = ParseJob(R"({"tasks":[{"name":"task1","replicas":6}]})");
  CHECK(UpdatedPodGroup(*updated, plain, kNoPriority)->sub_group_policy.empty());
}

TEST_CASE("pod group builder: which queue a job is kept in", "[controllers][job]") {
  // `named`: when the group was made, empty: it does not tell; `now`: by the job.
  const auto [named, in, now, kept] = GENERATE(table<const char*, const char*, const char*, bool>({
      {"default", "default", "default", false},
      {"default", "default", "a", true},
      {"default", "research", "default", false},  // A webhook chose it.
      {"default", "research", "research", false},
      {"default", "research", "a", true},
      {"research", "research", "default", true},
      {"research", "moved", "research", false},
      {"research", "moved", "a", true},
      {"", "research", "default", false},
      {"", "research", "research", false},
      {"", "research", "a", true},
      {"", "default", "a", true},
      {"default", "", "a", false},
  }));
  CAPTURE(named, in, now);
  types::PodGroup group;
  if (*named != 0) group.meta.annotations.Set("volcano.sh/job-queue", named);
  group.spec.queue = in;
  types::BatchJobSpec spec;
  spec.queue = now;
  CHECK(KeptQueue(group, spec) == (kept ? in : ""));
}

TEST_CASE("pod group builder: the job has no say in what it is remembered by",
          "[controllers][job]") {
  const types::BatchJob job = ParseJob(R"({"queue":"q","tasks":[{"name":"t","replicas":1}]})", "{}",
                                       R"("annotations":{"volcano.sh/job-queue":"copied"})");
  const auto group = BuildPodGroup(job, kNoPriority);
  CHECK(group->meta.Annotation("volcano.sh/job-queue") == "q");
}

}  // namespace
}  // namespace bth::test
