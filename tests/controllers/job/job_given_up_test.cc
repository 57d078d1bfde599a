// Jobs that nobody tries any more: what ends them, and what they say.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/controllers/job/told_bed.h"

namespace bth::test {
namespace {

TEST_CASE("given up: a job says why, to its end", "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.StartJobs();
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "POST" || !absl::EndsWith(request.target, "/pods")) return std::nullopt;
    return JobBed::OverQuota();
  };
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Phase("j") == "Terminated");
  CHECK(bed.Reason("j") == "RetryLimitReached");
  CHECK(absl::StartsWith(bed.Message("j"),
                         "retry limit reached: given up after 4 attempts (--max-requeue-num), the "
                         "last one: failed to create 1 pods of 1: task a: "));
  CHECK(absl::StrContains(bed.Message("j"), "exceeded quota: q"));
  CHECK(absl::EndsWith(bed.Message("j"), "; mend that, then delete the job and create it anew"));
  CHECK(bed.Told("j", "Warning RetryLimitReached") == 1);
  bed.Restart();
  CHECK(bed.Reason("j") == "RetryLimitReached");
}

TEST_CASE("given up: also when that cannot be written at once", "[controllers][job]") {
  ToldBed bed;
  bed.options.max_requeue_num = 3;
  bed.StartJobs();
  int refused = 0;
  int unanswered = 0;
  constexpr int kUnansweredMax = 10;
  const int code = GENERATE(503, 403);
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (request.method == "POST" && absl::EndsWith(request.target, "/pods")) {
      ++refused;
      return JobBed::OverQuota();
    }
    // Whatever is written to the job when it is given up.
    if (refused < 4 || unanswered >= kUnansweredMax || request.method == "GET" ||
        !absl::StrContains(request.target, "/jobs/j")) {
      return std::nullopt;
    }
    ++unanswered;
    Fault fault;
    fault.code = code;
    fault.reason = code == 403 ? "Forbidden" : "ServiceUnavailable";
    return fault;
  };
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1));
  bed.SetGroup("j", "Inqueue");
  bed.Wait(absl::Minutes(10));
  CHECK(unanswered == kUnansweredMax);
  CHECK(bed.Phase("j") == "Terminated");
  CHECK(bed.Reason("j") == "RetryLimitReached");
  CHECK(absl::StrContains(bed.Message("j"), "exceeded quota: q"));
  CHECK(bed.Told("j", "Normal ExecuteAction Job failed on action SyncJob") == 1);
  // No pod is tried any more once the job is given up.
  CHECK(refused == 4);
}

TEST_CASE("given up: a job whose retries are used up", "[controllers][job]") {
  ToldBed bed;
  bed.StartJobs();
  bed.CreateJob("j", 1, JobBed::TaskText("a", 1),
                R"("maxRetry":1,"policies":[{"event":"PodFailed","action":"RestartJob"}])");
  bed.SetGroup("j", "Inqueue");
  bed.SetPods("Failed");
  bed.FinishDeletions();
  bed.Wait(absl::Seconds(5));
  CHECK(bed.Phase("j") == "Failed");
  CHECK(bed.Reason("j") == "RetryLimitReached");
  CHECK(bed.Message("j") ==
        "retry limit reached: 1 restarts were begun, and maxRetry is 1: pod j-a-0 failed; mend "
        "that, then delete the job and create it anew");
  CHECK(bed.Told("j", "Warning RetryLimitReached") == 1);
  bed.Restart();
  CHECK(bed.IsQuiet(absl::Minutes(20)));
  CHECK(bed.Reason("j") == "RetryLimitReached");
}

}  // namespace
}  // namespace bth::test
