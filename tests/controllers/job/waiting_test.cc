#include <string>
#include <vector>

#include "controllers/job/delayed_actions.h"
#include "controllers/job/job_inbox.h"
#include "controllers/job/wake_list.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

using controllers::DelayedActions;
using controllers::JobInbox;
using controllers::JobRequest;
using types::BusAction;
using types::BusEvent;

JobRequest About(const std::string& pod, BusEvent event, const std::string& uid = "u") {
  JobRequest request;
  request.ns = "ns";
  request.job = "j";
  request.task = "t";
  request.pod = pod;
  request.pod_uid = uid;
  request.partition = "0";
  request.event = event;
  return request;
}

struct WaitingBed {
  net::VirtualExecutor executor{absl::UnixEpoch()};
  std::vector<std::string> fired;
  DelayedActions delayed{executor, [this](JobRequest request) {
                           CHECK(request.is_due);
                           fired.push_back(request.pod + " " + std::string(request.action.text()));
                         }};
};

TEST_CASE("delayed actions: each acts once, in its time", "[controllers][job]") {
  WaitingBed bed;
  bed.delayed.Add(About("a", BusEvent::kPodEvicted), BusAction::kAbortJob, absl::Seconds(10));
  bed.delayed.Add(About("b", BusEvent::kPodPending), BusAction::kRestartPod, absl::Seconds(5));
  // The same action on the same pod waits already; another one waits beside it.
  bed.delayed.Add(About("a", BusEvent::kPodFailed), BusAction::kAbortJob, absl::Seconds(1));
  bed.delayed.Add(About("a", BusEvent::kPodFailed), BusAction::kRestartPod, absl::Seconds(7));
  CHECK(bed.delayed.size() == 3);
  bed.executor.Advance(absl::Seconds(6));
  CHECK(bed.fired == std::vector<std::string>{"b RestartPod"});
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.fired == std::vector<std::string>{"b RestartPod", "a RestartPod", "a AbortJob"});
  CHECK(bed.delayed.size() == 0);
}

TEST_CASE("delayed actions: one on a pending pod gives its place to what its end asks for",
          "[controllers][job]") {
  WaitingBed bed;
  bed.delayed.Add(About("a", BusEvent::kPodPending), BusAction::kRestartPod, absl::Seconds(5));
  bed.delayed.Add(About("a", BusEvent::kPodPending), BusAction::kRestartPod, absl::Seconds(1));
  bed.delayed.Add(About("a", BusEvent::kTaskCompleted), BusAction::kRestartPod, absl::Seconds(9));
  CHECK(bed.delayed.size() == 1);
  bed.executor.Advance(absl::Seconds(8));
  CHECK(bed.fired.empty());
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.fired == std::vector<std::string>{"a RestartPod"});
}

TEST_CASE("delayed actions: news of a pod makes them pointless", "[controllers][job]") {
  struct Case {
    BusEvent waiting, news;
    std::string pod, uid;
    bool dropped;
  };
  const Case c = GENERATE(values<Case>({
      {BusEvent::kPodPending, BusEvent::kPodRunning, "a", "u", true},
      {BusEvent::kPodPending, BusEvent::kPodFailed, "a", "u", true},
      {BusEvent::kPodPending, BusEvent::kPodEvicted, "a", "u", true},
      {BusEvent::kPodPending, BusEvent::kPodRunning, "a", "other", false},
      {BusEvent::kPodPending, BusEvent::kPodRunning, "b", "u", false},
      {BusEvent::kPodPending, BusEvent::kPodPending, "a", "u", false},
      {BusEvent::kPodPending, BusEvent::kOutOfSync, "a", "u", false},
      {BusEvent::kPodFailed, BusEvent::kPodRunning, "a", "other", true},
      {BusEvent::kPodEvicted, BusEvent::kPodRunning, "a", "other", true},
      {BusEvent::kPodEvicted, BusEvent::kPodFailed, "a", "u", false},
      {BusEvent::kTaskCompleted, BusEvent::kPodRunning, "a", "u", false},
  }));
  CAPTURE(static_cast<int>(c.waiting), static_cast<int>(c.news), c.pod, c.uid);
  WaitingBed bed;
  bed.delayed.Add(About("a", c.waiting), BusAction::kAbortJob, absl::Seconds(10));
  bed.delayed.DropOutdatedBy(About(c.pod, c.news, c.uid));
  CHECK(bed.delayed.size() == (c.dropped ? 0 : 1));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.fired.empty() == c.dropped);
}

TEST_CASE("delayed actions: one that was carried out drops its siblings", "[controllers][job]") {
  struct Case {
    BusAction waiting, done;
    std::string pod, task, partition;
    bool dropped;
  };
  const Case c = GENERATE(values<Case>({
      {BusAction::kAbortJob, BusAction::kRestartJob, "b", "x", "9", true},
      {BusAction::kAbortJob, BusAction::kOther, "b", "x", "9", true},
      {BusAction::kAbortJob, BusAction::kSyncJob, "a", "t", "0", false},
      {BusAction::kAbortJob, BusAction::kRestartTask, "a", "t", "0", false},
      {BusAction::kRestartTask, BusAction::kRestartTask, "b", "t", "9", true},
      {BusAction::kRestartTask, BusAction::kRestartTask, "b", "x", "0", false},
      {BusAction::kRestartPod, BusAction::kRestartPod, "a", "x", "9", true},
      {BusAction::kRestartPod, BusAction::kRestartPod, "b", "t", "0", false},
      {BusAction::kRestartPartition, BusAction::kRestartPartition, "b", "t", "0", true},
      {BusAction::kRestartPartition, BusAction::kRestartPartition, "a", "t", "1", false},
      {BusAction::kRestartPartition, BusAction::kRestartPartition, "a", "x", "0", false},
  }));
  CAPTURE(static_cast<int>(c.waiting), static_cast<int>(c.done), c.pod, c.task, c.partition);
  WaitingBed bed;
  bed.delayed.Add(About("a", BusEvent::kPodFailed), c.waiting, absl::Seconds(10));
  JobRequest done = About(c.pod, BusEvent::kPodFailed);
  done.task = c.task;
  done.partition = c.partition;
  bed.delayed.DropSiblingsOf(done, c.done);
  CHECK(bed.delayed.size() == (c.dropped ? 0 : 1));
}

TEST_CASE("delayed actions: those of a job go with it", "[controllers][job]") {
  WaitingBed bed;
  bed.delayed.Add(About("a", BusEvent::kPodFailed), BusAction::kAbortJob, absl::Seconds(10));
  bed.delayed.DropJob("ns/j");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.fired.empty());
}

TEST_CASE("job inbox: of equal requests one waits, in order of arrival", "[controllers][job]") {
  JobInbox inbox;
  inbox.Put(About("a", BusEvent::kPodFailed));
  inbox.Put(About("b", BusEvent::kPodFailed));
  inbox.Put(About("a", BusEvent::kPodFailed));
  inbox.Put(About("a", BusEvent::kPodFailed, "other"));
  std::vector<JobRequest> taken = inbox.Take("ns/j");
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].pod == "a");
  CHECK(taken[1].pod == "b");
  CHECK(inbox.Take("ns/j").empty());
  inbox.Put(About("c", BusEvent::kPodFailed));
  taken.pop_back();
  inbox.PutBack("ns/j", std::move(taken));
  taken = inbox.Take("ns/j");
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].pod == "a");
  CHECK(taken[2].pod == "c");
}

TEST_CASE("job inbox: pauses double; news may come in between, but not often",
          "[controllers][job]") {
  JobInbox inbox;
  JobInbox::Failure failure;
  failure.pause_max = absl::Seconds(1000);
  for (int i = 0; i < 15; ++i) {
    failure.started = failure.now = inbox.PaceOf("ns/j").retry_at;
    inbox.NoteFailure("ns/j", failure);
    CHECK(inbox.PaceOf("ns/j").retry_at - failure.now == absl::Milliseconds(5) * (1 << i));
  }
  const JobInbox::Pace pace = inbox.PaceOf("ns/j");
  CHECK(pace.failures == 15);
  CHECK(pace.earliest == failure.now + absl::Seconds(1));
  // An attempt because of news fails as well: it does not count.
  failure.started = failure.now = pace.earliest;
  inbox.NoteFailure("ns/j", failure);
  CHECK(inbox.PaceOf("ns/j").failures == 15);
  CHECK(inbox.PaceOf("ns/j").retry_at == pace.retry_at);
  CHECK(inbox.PaceOf("ns/j").earliest == failure.now + absl::Seconds(1));
  inbox.NoteSuccess("ns/j");
  CHECK(inbox.PaceOf("ns/j").failures == 0);
  failure.at_least = absl::Minutes(1);
  inbox.NoteFailure("ns/j", failure);
  CHECK(inbox.PaceOf("ns/j").earliest == failure.now + absl::Minutes(1));
}

TEST_CASE("wake list: a job is woken by what it waits for, until it is forgotten",
          "[controllers][job]") {
  controllers::WakeList waits;
  waits.Wait("ns/b", "queue q");
  waits.Wait("ns/a", "queue q");
  waits.Wait("ns/a", "claim ns/p");
  CHECK(waits.WaitingFor("queue q") == std::vector<std::string>{"ns/a", "ns/b"});
  waits.Forget("ns/a");
  CHECK(waits.WaitingFor("queue q") == std::vector<std::string>{"ns/b"});
  CHECK(waits.WaitingFor("claim ns/p").empty());
}

}  // namespace
}  // namespace bth::test
