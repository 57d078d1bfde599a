// Commands: in order, none lost, none for ever.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/job_bed.h"

namespace bth::test {
namespace {

TEST_CASE("job commands: carried out in the order in which they were made", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  bed.Kill();
  bed.Command("z", "j", "AbortJob");  // The server lists it last.
  bed.Command("a", "j", "ResumeJob");
  bed.StartJobs();
  bed.Wait(absl::Seconds(5));
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Names(JobBed::kCommands).empty());
}

TEST_CASE("job commands: a job of which the watch has not told is waited for",
          "[controllers][job]") {
  JobBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/jobs?watch=")) return std::nullopt;
    Fault slow;
    slow.piece_delay = absl::Seconds(20);
    return slow;
  };
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("t", 1));
  bed.Command("c", "j", "AbortJob");
  bed.Wait(absl::Seconds(5));
  CHECK_FALSE(bed.Names(JobBed::kCommands).empty());
  bed.Wait(absl::Minutes(5));
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.Names(JobBed::kCommands).empty());
  bed.line->script = nullptr;
}

TEST_CASE("job commands: those for nothing go", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  int number = 0;
  for (const char* target : {"missing", "", "a/b", ".."}) {
    bed.Create(JobBed::kCommands,
               StrCat(R"({"metadata":{"name":"c)", ++number, R"("},"action":"AbortJob",)",
                      R"("target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",)",
                      R"("name":")", target, R"(","uid":"u"}})"));
  }
  bed.Wait(absl::Seconds(5));
  CHECK(bed.Names(JobBed::kCommands).empty());
}

TEST_CASE("job commands: one for an earlier job of the name leaves its successor alone",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  const std::string earlier(bed.Job("j").At({"metadata", "uid"}).AsString());
  bed.Call("DELETE", StrCat(JobBed::kJobs, "/j"));
  bed.FinishDeletions();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  const std::string now(bed.Job("j").At({"metadata", "uid"}).AsString());
  REQUIRE(now != earlier);

  SECTION("told, and deleted") {
    bed.Command("c", "j", earlier, "AbortJob");
    bed.Wait(absl::Seconds(5));
    CHECK(bed.Phase("j") == "Running");
    CHECK(bed.Events("c") ==
          std::vector<std::string>{
              StrCat("Warning TargetReplaced nobody carries out this Command: its target has the "
                     "uid ",
                     earlier, ", and the Job of that name now has ", now,
                     ": create it with that uid, or with none to mean whichever has the name")});
  }
  SECTION("none is named") {
    bed.Command("c", "j", "", "AbortJob");
    bed.Wait(absl::Seconds(5));
    CHECK(bed.Phase("j") == "Aborted");
    CHECK(bed.Events("c").empty());
  }
  CHECK(bed.Names(JobBed::kCommands).empty());
}

TEST_CASE("job commands: those for things of another kind are told, and left alone",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  const auto send = [&bed](const std::string& name, const std::string& target) {
    bed.Create(JobBed::kCommands,
               StrCat(R"({"metadata":{"name":")", name, R"("},"action":"AbortJob")", target, "}"));
  };
  send("a", R"(,"target":{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":""})");
  send("b", R"(,"target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Jobs","name":"j",)"
            R"("uid":""})");
  send("c", "");
  bed.Wait(absl::Seconds(5));
  const std::string tail =
      ", and Commands are for batch.volcano.sh/v1alpha1 Job and scheduling.volcano.sh/v1beta1 "
      "Queue: delete it and create it with one of them";
  const std::string head = "Warning UnknownTarget nobody carries out this Command: ";
  using Texts = std::vector<std::string>;
  CHECK(bed.Events("a") == Texts{head + "its target is a batch/v1 Job" + tail});
  CHECK(bed.Events("b") == Texts{head + "its target is a batch.volcano.sh/v1alpha1 Jobs" + tail});
  CHECK(bed.Events("c") == Texts{head + "it has no target" + tail});
  CHECK(bed.Names(JobBed::kCommands) == Texts{"a", "b", "c"});
}

TEST_CASE("job commands: on a job that has ended they are said to have no effect",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  const auto told = [&bed](const std::string& text) {
    const std::vector<std::string> events = bed.Events("j");
    return std::count(events.begin(), events.end(), text) == 1;
  };
  const std::string head = "Warning CommandWithoutEffect the job is ";
  SECTION("aborted") {
    bed.Command("c", "j", "AbortJob");
    bed.FinishDeletions();
    REQUIRE(bed.Phase("j") == "Aborted");
    bed.Command("d", "j", "RestartJob");
    CHECK(told(head + "Aborted: RestartJob has no effect; ResumeJob starts it again"));
    CHECK(bed.Phase("j") == "Aborted");
  }
  SECTION("completed") {
    bed.SetPods("Succeeded");
    REQUIRE(bed.Phase("j") == "Completed");
    bed.Command("d", "j", "ResumeJob");
    CHECK(told(head + "Completed: ResumeJob has no effect; delete the job and create it anew to "
                      "run it once more"));
    CHECK(bed.Phase("j") == "Completed");
  }
  CHECK_FALSE(told("Normal ExecuteAction Start to execute action RestartJob "));
  CHECK(bed.Names(JobBed::kCommands).empty());
}

TEST_CASE("job commands: an action that jobs do not have is told, and nothing is done",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  bed.Command("c", "j", "OpenQueue");
  const std::vector<std::string> events = bed.Events("j");
  const std::string told =
      "Warning UnknownAction jobs have no action \"OpenQueue\"; there are AbortJob, RestartJob, "
      "RestartTask, RestartPod, RestartPartition, TerminateJob, CompleteJob, ResumeJob";
  CHECK(std::count(events.begin(), events.end(), told) == 1);
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Pods() == std::vector<std::string>{"j-t-0"});
  CHECK(bed.Names(JobBed::kCommands).empty());
}

TEST_CASE("job commands: one that something keeps is carried out once", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  bed.Create(JobBed::kCommands,
             R"({"metadata":{"name":"c","finalizers":["example.com/mine"]},"action":"RestartJob",)"
             R"("target":{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j",)"
             R"("uid":""}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Phase("j") == "Pending");
  for (int i = 0; i < 3; ++i) bed.Restart();
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Count("j", "retryCount") == 1);
}

TEST_CASE("job commands: of a restart whose answer is lost one retry is counted",
          "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  bool lost = false;
  bed.line->script = [&lost](const net::Request& request) -> std::optional<Fault> {
    const bool is_status = absl::StrContains(request.target, "/jobs/j/status");
    if (lost || request.method != "PATCH" || !is_status) return std::nullopt;
    Fault fault;
    fault.answer_lost = lost = true;
    return fault;
  };
  bed.Command("c", "j", "RestartJob");
  bed.Wait(absl::Minutes(1));
  CHECK(lost);
  CHECK(bed.Phase("j") == "Pending");
  CHECK(bed.Count("j", "retryCount") == 1);
  CHECK(bed.Names(JobBed::kCommands).empty());
  bed.line->script = nullptr;
}

TEST_CASE("job commands: one that fails for ever holds up no other job", "[controllers][job]") {
  JobBed bed;
  bed.StartJobs();
  bed.RunJob("j", 1, JobBed::TaskText("t", 1));
  bed.RunJob("k", 1, JobBed::TaskText("t", 1));
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/pods/j-t-0")) return std::nullopt;
    Fault fault;
    fault.code = 503;
    fault.reason = "ServiceUnavailable";
    return fault;
  };
  bed.Command("c1", "j", "AbortJob");
  bed.Command("c2", "k", "AbortJob");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Phase("k") == "Aborted");
  CHECK(bed.Phase("j") == "Running");
  CHECK(bed.Names(JobBed::kCommands) == std::vector<std::string>{"c1"});
  bed.line->script = nullptr;
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Phase("j") == "Aborted");
  CHECK(bed.Names(JobBed::kCommands).empty());
}

}  // namespace
}  // namespace bth::test
