#include "controllers/job/job_book.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "controllers/job/job_events.h"
#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::JobBook;
using controllers::RequestOfGonePod;
using controllers::RequestOfGroup;
using controllers::RequestOfJob;
using controllers::RequestOfNewPod;
using controllers::RequestOfPod;
using types::BusEvent;
using types::Pod;

constexpr const char* kTwo = R"({"tasks":[{"name":"task1","replicas":2}]})";

Pod Without(Pod pod, std::string_view annotation) {
  pod.meta.annotations.Erase(annotation);
  return pod;
}

Pod Marked(Pod pod) {
  pod.meta.annotations.Set(controllers::kOutOfSyncKey, "true");
  return pod;
}

Pod Deleted(Pod pod) {
  pod.meta.deletion_time = absl::FromUnixSeconds(1);
  return pod;
}

Pod Restarted(Pod pod, int32_t count) {
  pod.status.container_statuses.resize(1);
  pod.status.container_statuses[0].restart_count = count;
  return pod;
}

TEST_CASE("job book: jobs come, change and go", "[controllers][job]") {
  JobBook book;
  CHECK(book.Get("test/job1").status().message() == "failed to find job <test/job1>");
  CHECK(book.Update(Shared(ParseJob(kTwo))).message() == "failed to find job <test/job1>");
  CHECK(book.Delete("test/job1").message() == "failed to find job <test/job1>");
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  CHECK(book.Add(Shared(ParseJob(kTwo))).message() == "duplicated jobInfo <test/job1>");
  CHECK(book.Update(Shared(ParseJob(kTwo))).ok());
  types::BatchJob old = ParseJob(kTwo);
  old.meta.resource_version = "6";
  CHECK(book.Update(Shared(std::move(old))).message() ==
        "job <test/job1> has too old resource version: 6 (7)");
  CHECK(book.Get("test/job1").ok());
  CHECK(book.Delete("test/job1").ok());
  CHECK(book.Get("test/job1").status().message() == "failed to find job <test/job1>");
  CHECK(book.size() == 0);
}

TEST_CASE("job book: pods may come before their job and outlive it", "[controllers][job]") {
  JobBook book;
  CHECK(book.AddPod(Shared(MakePod("p1", "task1", "Running"))).ok());
  CHECK(book.Get("test/job1").status().message() == "job <test/job1> is not ready");
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  CHECK(book.Get("test/job1")->PodsOf("task1").size() == 1);
  CHECK(book.Delete("test/job1").ok());
  CHECK(book.size() == 1);
  book.DeletePod(MakePod("p1", "task1", "Running"));
  CHECK(book.size() == 0);
}

TEST_CASE("job book: pods say where they belong", "[controllers][job]") {
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  const Pod pod = MakePod("pod1", "task1", "Pending");
  CHECK_FALSE(book.HasPod(pod));
  CHECK(book.AddPod(Shared(pod)).ok());
  CHECK(book.HasPod(pod));
  CHECK(book.AddPod(Shared(pod)).message() == "duplicated pod");
  CHECK(book.AddPod(Shared(Without(pod, controllers::kJobNameKey))).message() ==
        "failed to find job name of pod <test/pod1>");
  CHECK_FALSE(book.AddPod(Shared(Without(pod, controllers::kTaskSpecKey))).ok());
  CHECK_FALSE(book.AddPod(Shared(Without(pod, controllers::kJobVersionKey))).ok());
  CHECK_FALSE(book.HasPod(Without(pod, controllers::kTaskSpecKey)));
  CHECK_FALSE(book.HasPod(Without(pod, controllers::kJobVersionKey)));
  CHECK_FALSE(book.HasPod(MakePod("pod1", "task2", "Pending")));
  CHECK_FALSE(book.HasPod(MakePod("pod2", "task1", "Pending")));

  CHECK(book.UpdatePod(Shared(MakePod("pod1", "task1", "Running"))).ok());
  CHECK(book.Get("test/job1")->FindPod("task1", "pod1")->status.phase == "Running");
  CHECK(book.UpdatePod(Shared(MakePod("pod1", "task2", "Running"))).message() ==
        "can not find task task2 in cache");
  CHECK(book.UpdatePod(Shared(MakePod("pod2", "task1", "Running"))).message() ==
        "can not find pod <test/pod2> in cache");
  book.DeletePod(MakePod("pod3", "task1", "Running"));
  CHECK(book.HasPod(pod));
  book.DeletePod(pod);
  CHECK_FALSE(book.HasPod(pod));
}

TEST_CASE("job book: pods of an earlier job of that name are not the job's", "[controllers][job]") {
  const auto view = ViewOf(ParseJob(kTwo), {MakePod("a", "task1", "Succeeded", "uid-0"),
                                            MakePod("b", "task1", "Succeeded")});
  CHECK(view.PodsOf("task1").size() == 1);
  CHECK(view.FindPod("task1", "a") == nullptr);
}

TEST_CASE("job book: a task is complete when all its replicas succeeded", "[controllers][job]") {
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  CHECK(book.AddPod(Shared(MakePod("a", "task1", "Succeeded"))).ok());
  CHECK(book.AddPod(Shared(MakePod("b", "task1", "Running"))).ok());
  CHECK_FALSE(book.TaskCompleted("test/job1", "task1"));
  CHECK(book.UpdatePod(Shared(MakePod("b", "task1", "Succeeded"))).ok());
  CHECK(book.TaskCompleted("test/job1", "task1"));
  CHECK_FALSE(book.TaskCompleted("test/job1", "task2"));
  CHECK_FALSE(book.TaskCompleted("test/job2", "task1"));
}

TEST_CASE("job book: a task fails when its containers restart too often", "[controllers][job]") {
  struct Case {
    std::string task;
    int init_restarts, restarts;
    std::string phase;
    bool failed;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"name":"task1","replicas":1})", 1, 1, "Running", false},
      {R"({"name":"task1","replicas":1})", 1, 2, "Running", true},
      {R"({"name":"task1","replicas":1})", 1, 2, "Pending", true},
      {R"({"name":"task1","replicas":1})", 1, 2, "Failed", false},
      {R"({"name":"task1","replicas":1,"maxRetry":5})", 2, 2, "Running", false},
      {R"({"name":"task1","replicas":1,"maxRetry":5})", 2, 3, "Running", true},
      {R"({"name":"task1","replicas":1,"maxRetry":-1})", 99, 99, "Running", false},
      {R"({"name":"task1","replicas":0})", 99, 99, "Running", false},
  }));
  CAPTURE(c.task, c.init_restarts, c.restarts, c.phase);
  Pod pod = MakePod("a", "task1", c.phase);
  pod.status.init_container_statuses.resize(1);
  pod.status.init_container_statuses[0].restart_count = c.init_restarts;
  pod.status.container_statuses.resize(1);
  pod.status.container_statuses[0].restart_count = c.restarts;
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(StrCat(R"({"tasks":[)", c.task, "]}")))).ok());
  CHECK(book.AddPod(Shared(pod)).ok());
  CHECK(book.TaskFailed("test/job1", "task1") == c.failed);
}

TEST_CASE("job book: pods that leave count for nothing that the others do", "[controllers][job]") {
  using Leave = Pod (*)(Pod);
  const Leave leave = GENERATE(values<Leave>({&Deleted, &Marked}));
  const Pod restarted = Restarted(MakePod("a", "task1", "Running"), 3);
  const Pod succeeded = MakePod("b", "task1", "Succeeded");
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  CHECK(book.AddPod(Shared(restarted)).ok());
  CHECK(book.AddPod(Shared(succeeded)).ok());
  CHECK(book.AddPod(Shared(MakePod("c", "task1", "Succeeded"))).ok());
  CHECK(book.TaskFailed("test/job1", "task1"));
  CHECK(book.TaskCompleted("test/job1", "task1"));
  CHECK(book.UpdatePod(Shared(leave(restarted))).ok());
  CHECK(book.UpdatePod(Shared(leave(succeeded))).ok());
  CHECK_FALSE(book.TaskFailed("test/job1", "task1"));
  CHECK_FALSE(book.TaskCompleted("test/job1", "task1"));
  // Nor when they are gone: what did not count is not taken off.
  book.DeletePod(restarted);
  book.DeletePod(succeeded);
  CHECK(book.AddPod(Shared(Restarted(MakePod("a", "task1", "Running"), 2))).ok());
  CHECK_FALSE(book.TaskFailed("test/job1", "task1"));
  CHECK(book.UpdatePod(Shared(Restarted(MakePod("a", "task1", "Running"), 3))).ok());
  CHECK(book.TaskFailed("test/job1", "task1"));
  CHECK(book.AddPod(Shared(MakePod("b", "task1", "Succeeded"))).ok());
  CHECK(book.TaskCompleted("test/job1", "task1"));
}

TEST_CASE("job book: the sums of a task are those of its pods, whatever happened",
          "[controllers][job][property]") {
  const std::vector<std::string> phases = {"Pending", "Running", "Succeeded", "Failed"};
  Rng rng(7);
  JobBook book;
  CHECK(
      book.Add(Shared(ParseJob(R"({"tasks":[{"name":"task1","replicas":3,"maxRetry":8}]})"))).ok());
  std::map<std::string, Pod> pods;
  int completed = 0;
  int failed = 0;
  for (int step = 0; step < 3000; ++step) {
    const std::string name = StrCat("p", rng.Below(5));
    Pod pod = Restarted(MakePod(name, "task1", phases[rng.Below(phases.size())]),
                        static_cast<int32_t>(rng.Below(5)));
    if (rng.Below(8) == 0) pod = Deleted(std::move(pod));
    if (rng.Below(8) == 0) pod = Marked(std::move(pod));
    if (rng.Below(3) == 0) {
      book.DeletePod(pod);
      pods.erase(name);
    } else if (pods.contains(name)) {
      CHECK_FALSE(book.AddPod(Shared(pod)).ok());
      CHECK(book.UpdatePod(Shared(pod)).ok());
      pods[name] = pod;
    } else {
      CHECK_FALSE(book.UpdatePod(Shared(pod)).ok());
      CHECK(book.AddPod(Shared(pod)).ok());
      pods[name] = pod;
    }
    int succeeded = 0;
    int restarts = 0;
    for (const auto& [key, known] : pods) {
      if (known.meta.deletion_time.has_value() || controllers::IsMarkedOutOfSync(known)) continue;
      const std::string& phase = known.status.phase;
      if (phase == "Succeeded") ++succeeded;
      if (phase == "Pending" || phase == "Running") {
        restarts += known.status.container_statuses[0].restart_count;
      }
    }
    CHECK(book.TaskCompleted("test/job1", "task1") == (succeeded >= 3));
    CHECK(book.TaskFailed("test/job1", "task1") == (restarts >= 8));
    CHECK(book.PodsOf("test/job1") == pods.size());
    completed += succeeded >= 3 ? 1 : 0;
    failed += restarts >= 8 ? 1 : 0;
  }
  CHECK(completed > 10);
  CHECK(failed > 10);
}

TEST_CASE("job book: the version grows before the server knows", "[controllers][job]") {
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo, R"({"version":2})"))).ok());
  book.RaiseVersion("test/job1");
  CHECK(book.Get("test/job1")->version == 3);
  CHECK(book.Update(Shared(ParseJob(kTwo, R"({"version":2})"))).ok());
  CHECK(book.VersionOf("test/job1") == 3);
  CHECK(book.Update(Shared(ParseJob(kTwo, R"({"version":5})"))).ok());
  CHECK(book.VersionOf("test/job1") == 5);
}

TEST_CASE("job book: pods that we deleted are terminating until they are gone",
          "[controllers][job]") {
  JobBook book;
  const Pod pod = MakePod("a", "task1", "Running");
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  CHECK(book.AddPod(Shared(pod)).ok());
  book.NoteDeleted(pod);
  CHECK(book.Get("test/job1")->IsTerminating(pod));
  book.DeletePod(pod);
  book.NoteDeleted(pod);
  CHECK(book.AddPod(Shared(pod)).ok());
  CHECK_FALSE(book.Get("test/job1")->IsTerminating(pod));
}

TEST_CASE("job events: pods ask for what their change means", "[controllers][job]") {
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo))).ok());
  const auto event_of = [&book](const Pod& before, const Pod& after) {
    JobBook now = book;
    CHECK(now.AddPod(Shared(after)).ok());
    return RequestOfPod(before, after, now)->event;
  };
  const auto pod = [](const std::string& phase) { return MakePod("a", "task1", phase); };
  CHECK(RequestOfNewPod(pod("Pending"))->event == BusEvent::kPodPending);
  CHECK(RequestOfNewPod(Marked(pod("Pending")))->event == BusEvent::kOutOfSync);
  CHECK(event_of(pod("Pending"), pod("Running")) == BusEvent::kPodRunning);
  CHECK(event_of(pod("Running"), pod("Running")) == BusEvent::kOutOfSync);
  CHECK(event_of(pod("Running"), pod("Pending")) == BusEvent::kPodPending);
  CHECK(event_of(pod("Running"), pod("Failed")) == BusEvent::kPodFailed);
  CHECK(event_of(pod("Failed"), pod("Failed")) == BusEvent::kOutOfSync);
  CHECK(event_of(pod("Running"), pod("Succeeded")) == BusEvent::kOutOfSync);
  CHECK(event_of(pod("Running"), Marked(pod("Failed"))) == BusEvent::kOutOfSync);
  CHECK(RequestOfGonePod(pod("Running"), true)->event == BusEvent::kPodEvicted);
  CHECK(RequestOfGonePod(pod("Running"), false)->event == BusEvent::kOutOfSync);
  CHECK(RequestOfGonePod(Marked(pod("Running")), true)->event == BusEvent::kOutOfSync);

  const Pod restarted = Restarted(pod("Running"), 3);
  CHECK(event_of(pod("Running"), restarted) == BusEvent::kTaskFailed);
  CHECK(event_of(pod("Pending"), restarted) == BusEvent::kPodRunning);

  // Of an earlier incarnation, and still ending.
  CHECK(book.AddPod(Shared(Deleted(Restarted(MakePod("c", "task1", "Running"), 3)))).ok());
  CHECK(event_of(pod("Running"), pod("Running")) == BusEvent::kOutOfSync);

  CHECK(book.AddPod(Shared(MakePod("b", "task1", "Succeeded"))).ok());
  CHECK(event_of(pod("Running"), pod("Succeeded")) == BusEvent::kTaskCompleted);
}

TEST_CASE("job events: a failed pod tells its first exit code", "[controllers][job]") {
  Pod failed = MakePod("a", "task1", "Failed");
  failed.meta.labels.Set(controllers::kPartitionIdKey, "3");
  failed.meta.annotations.Set(controllers::kJobVersionKey, "4");
  failed.status.container_statuses.resize(2);
  failed.status.container_statuses[0].state.terminated.emplace().exit_code = 137;
  failed.status.container_statuses[1].state.terminated.emplace().exit_code = 1;
  const auto request = RequestOfPod(MakePod("a", "task1", "Running"), failed, JobBook());
  REQUIRE(request.has_value());
  CHECK(request->exit_code == 137);
  CHECK(request->partition == "3");
  CHECK(request->job_version == 4);
  CHECK(request->task == "task1");
  CHECK(request->job_uid == "uid-1");
  CHECK(request->pod_uid == "pod-a");
}

TEST_CASE("job events: what does not belong to a batch job is passed over", "[controllers][job]") {
  Pod pod = MakePod("a", "task1", "Pending");
  CHECK_FALSE(RequestOfNewPod(Without(pod, controllers::kJobVersionKey)).has_value());
  pod.meta.owner_references[0].api_version = "batch/v1";
  CHECK_FALSE(RequestOfNewPod(pod).has_value());
  pod.meta.owner_references.clear();
  CHECK_FALSE(RequestOfNewPod(pod).has_value());
}

TEST_CASE("job events: a job asks when spec or phase change", "[controllers][job]") {
  const types::BatchJob before = ParseJob(kTwo, R"({"state":{"phase":"Pending"}})");
  CHECK_FALSE(RequestOfJob(before, ParseJob(kTwo, R"({"state":{"phase":"Pending"},"running":1})"))
                  .has_value());
  CHECK(RequestOfJob(before, ParseJob(kTwo, R"({"state":{"phase":"Running"}})")).has_value());
  CHECK(RequestOfJob(before, ParseJob(R"({"minAvailable":2})", R"({"state":{"phase":"Pending"}})"))
            .has_value());
}

TEST_CASE("job events: why a group is not admitted is news", "[controllers][job]") {
  JobBook book;
  types::PodGroup before;
  before.meta.name = "job1-uid-1";
  before.meta.ns = "test";
  before.meta.owner_references = MakePod("a", "task1", "").meta.owner_references;
  before.status.phase = "Pending";
  types::PodGroup after = before;
  CHECK_FALSE(RequestOfGroup(before, after, book).has_value());
  after.status.conditions = {{.type = "Unschedulable", .status = "True", .message = "no room"}};
  REQUIRE(RequestOfGroup(before, after, book).has_value());
  CHECK(RequestOfGroup(before, after, book)->event == BusEvent::kNone);
  // Of one that is admitted, that it lost its place, or has none; in what words its pods tell.
  before.status.phase = after.status.phase = "Inqueue";
  CHECK(RequestOfGroup(before, after, book).has_value());
  before.status.conditions = {
      {.type = "Unschedulable", .status = "True", .message = "other words"}};
  CHECK_FALSE(RequestOfGroup(before, after, book).has_value());
}

TEST_CASE("job events: the group of the present incarnation speaks for it", "[controllers][job]") {
  JobBook book;
  CHECK(book.Add(Shared(ParseJob(kTwo, R"({"version":2})"))).ok());
  types::PodGroup before;
  before.meta.name = "job1-uid-1";
  before.meta.ns = "test";
  before.meta.uid = "g";
  before.meta.owner_references = MakePod("a", "task1", "").meta.owner_references;
  before.status.phase = "Running";
  types::PodGroup after = before;
  CHECK_FALSE(RequestOfGroup(before, after, book).has_value());
  after.status.phase = "Unknown";
  CHECK(RequestOfGroup(before, after, book)->event == BusEvent::kJobUnknown);
  CHECK(RequestOfGroup(before, after, book)->job == "job1");
  CHECK(RequestOfGroup(before, after, book)->job_uid == before.meta.owner_references[0].uid);
  CHECK(RequestOfGroup(before, after, book)->job_version == 2);
  CHECK(RequestOfGroup(after, before, book)->event == BusEvent::kNone);
  book.NoteDeletedGroup("test/job1", "g");
  CHECK(RequestOfGroup(before, after, book)->job_version == 0);
  // One of nobody's says nothing of the pods of a job that is called like it.
  after.meta.owner_references.clear();
  CHECK_FALSE(RequestOfGroup(before, after, book).has_value());
  after.status.phase = "Inqueue";
  CHECK(RequestOfGroup(before, after, book)->job == "job1-uid-1");
}

}  // namespace
}  // namespace bth::test
