// Answers that come after the end of what they tell of.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

// The server's next answer to such a request comes late.
void AnswerLate(JobBed& bed, const std::string& method, const std::string& target_end,
                absl::Duration delay) {
  bed.line->script = [&bed, method, target_end,
                      delay](const net::Request& request) -> std::optional<Fault> {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (request.method != method || !absl::EndsWith(path, target_end)) return std::nullopt;
    bed.executor.Post([&bed] { bed.line->script = nullptr; });
    Fault fault;
    fault.answer_delay = delay;
    return fault;
  };
}

void Remove(JobBed& bed, const std::string& target) {
  bed.Call("DELETE", target + "?gracePeriodSeconds=0");
  bed.Settle();
}

TEST_CASE("job ghosts: a job that is gone when its status is answered stays gone",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  AnswerLate(bed, "PATCH", "/jobs/j/status", absl::Seconds(10));
  bed.SetPodPhase("j-t-0", "Succeeded");
  REQUIRE(bed.line->script == nullptr);
  Remove(bed, StrCat(JobBed::kJobs, "/j"));
  bed.Wait(absl::Seconds(1));
  int requests = 0;
  bed.line->on_request = [&requests](const net::Request& request) {
    requests += absl::StrContains(request.target, "watch=") ? 0 : 1;
  };
  bed.Wait(absl::Hours(1));
  CHECK(requests == 0);
  CHECK(bed.Names(JobBed::kGroups).empty());
  // Nor are its series there again.
  CHECK_FALSE(absl::StrContains(bed.metric_registry.RenderText(), "default/j"));
  bed.line->on_request = nullptr;
}

TEST_CASE("job ghosts: a pod that is gone when its mark is answered does not keep the job",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  AnswerLate(bed, "PATCH", "/pods/j-t-0", absl::Seconds(10));
  bed.Command("c", "j", "RestartJob");
  REQUIRE(bed.line->script == nullptr);
  Remove(bed, JobBed::PodPath("j-t-0"));
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "terminating") == 0);
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
}

// What is made for it is collected at once, and would be made again without end.
TEST_CASE("job ghosts: what a job lost that is gone and not told of yet is made anew with pauses",
          "[controllers][job]") {
  JobBed bed;
  bed.TellLate("jobs", absl::Seconds(10));
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 3));
  bed.Wait(absl::Seconds(11));
  const bool has_pods = GENERATE(true, false);
  CAPTURE(has_pods);
  if (has_pods) bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Seconds(11));
  REQUIRE(bed.Pods().size() == (has_pods ? 3 : 0));
  int made = 0;
  bed.line->on_answer = [&made](const std::string& what, int code) {
    made += absl::StartsWith(what, "POST") && !absl::EndsWith(what, "/events") && code == 201;
  };
  bed.Call("DELETE", StrCat(JobBed::kJobs, "/j?propagationPolicy=Background"));
  REQUIRE(bed.executor.Advance(absl::Seconds(9), 50'000));
  CHECK(made > 0);
  CHECK(made < 60);
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Pods().empty());
  CHECK(bed.Names(JobBed::kGroups).empty());
  bed.line->on_answer = nullptr;
}

// As the kubelet's or a user's deletion: a ReplicaSet does likewise.
TEST_CASE("job ghosts: a pod that goes as soon as it is made is made anew at once, once",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1));
  bed.SetGroup("j", "Inqueue");
  bed.Call("DELETE", JobBed::PodPath("j-t-0"));
  CHECK(bed.Pods().size() == 1);
  bed.Call("DELETE", JobBed::PodPath("j-t-0"));
  CHECK(bed.Pods().empty());
  bed.Wait(absl::Milliseconds(5));
  CHECK(bed.Pods().size() == 1);
}

TEST_CASE("job ghosts: pods that the controller deletes itself are made anew without a pause",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1), R"("maxRetry":50)");
  std::set<std::string> uids;
  const absl::Time start = bed.executor.Now();
  for (int i = 0; i < 10; ++i) {
    bed.Command(StrCat("c", i), "j", "RestartJob");
    bed.FinishDeletions();
    bed.SetGroup("j", "Inqueue");
    REQUIRE(bed.Pods().size() == 1);
    uids.emplace(bed.Get(JobBed::PodPath("j-t-0")).At({"metadata", "uid"}).AsString());
  }
  CHECK(uids.size() == 10);
  CHECK(bed.executor.Now() - start < absl::Seconds(10));
}

TEST_CASE("job ghosts: a group that is gone when its creation is answered is made anew",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  AnswerLate(bed, "POST", "/podgroups", absl::Seconds(10));
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1));
  REQUIRE(bed.Names(JobBed::kGroups).size() == 1);
  Remove(bed, StrCat(JobBed::kGroups, "/", bed.GroupOf("j")));
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Names(JobBed::kGroups).size() == 1);
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Running");
  CHECK(bed.Phase("j") == "Running");
}

TEST_CASE("job ghosts: a pod whose annotations were changed is forgotten where it was",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  const std::string mark =
      GENERATE(R"("volcano.sh/task-spec":"other")", R"("volcano.sh/job-name":"other")",
               R"("volcano.sh/job-version":"?")");
  CAPTURE(mark);
  bed.Patch(JobBed::PodPath("j-t-0"), StrCat(R"({"metadata":{"annotations":{)", mark, "}}}"));
  bed.Settle();
  Remove(bed, JobBed::PodPath("j-t-0"));
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Pods() == std::vector<std::string>{"j-t-0"});
}

TEST_CASE("job ghosts: pods that leave do not make the group unknown that comes after them",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 2),
             R"("maxRetry":9,"policies":[{"event":"PodFailed","action":"RestartJob"},)"
             R"({"event":"Unknown","action":"RestartJob"}])");
  // This one has a kubelet, which ends it in its own time.
  bed.Create("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  bed.Create(JobBed::PodPath("j-t-0") + "/binding",
             R"({"metadata":{"name":"j-t-0"},"target":{"kind":"Node","name":"n1"}})");
  bed.SetPodPhase("j-t-1", "Failed");
  REQUIRE(bed.Phase("j") == "Pending");
  REQUIRE(bed.Pods() == std::vector<std::string>{"j-t-0"});
  bed.SetGroup("j", "Unknown");
  CHECK(bed.Count("j", "retryCount") == 1);
  // What the new pods make of it counts.
  bed.SetGroup("j", "Inqueue");
  REQUIRE(bed.Pods() == std::vector<std::string>{"j-t-0", "j-t-1"});
  bed.SetPodPhase("j-t-1", "Running");
  bed.SetGroup("j", "Unknown");
  CHECK(bed.Count("j", "retryCount") == 2);
}

TEST_CASE("job ghosts: what is left of jobs does not grow with their number",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  const auto come_and_go = [&bed](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = StrCat("j", i);
      bed.RunJob(name, 1, JobBed::TaskText("t", 1));
      bed.SetPodPhase(StrCat(name, "-t-0"), "Succeeded");
      Remove(bed, StrCat(JobBed::kJobs, "/", name));
      bed.FinishDeletions();
    }
    bed.Wait(absl::Hours(2));
    size_t objects = 0;
    for (const auto& [kind, collection] : bed.server->store().collections()) {
      objects += collection->size();
    }
    return std::make_pair(objects, bed.metric_registry.RenderText().size());
  };
  const auto few = come_and_go(0, 5);
  const auto more = come_and_go(5, 50);
  CHECK(few.first == more.first);
  // Texts of the same series with larger numbers.
  CHECK(more.second < few.second + 200);
}

}  // namespace
}  // namespace bth::test
