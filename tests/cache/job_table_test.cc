#include "cache/cluster/job_table.h"

#include <string>
#include <vector>

#include "cache/cluster/tables.h"
#include "net/executor_clock.h"
#include "net/virtual_executor.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::JobId;
using model::TaskId;
using testing::MakeGroup;
using testing::PodText;

// Queue default, and the tables without their front.
struct JobsBed {
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  net::ExecutorClock clock{executor};
  Vocabulary vocabulary;
  Tables tables{clock, vocabulary};
  JobTable& jobs = tables.jobs;

  JobsBed() { tables.queues.Put(testing::MakeQueue("default"), vocabulary, &tables.draft.now); }
  // As the front hands it on.
  static CompiledPodGroup Group(const std::string& name, int min_member,
                                std::string_view status = "{}") {
    CompiledPodGroup group = MakeGroup(name, min_member, "", status);
    group.facts->queue = "default";
    return group;
  }
  void PutGroup(const std::string& name, int min_member = 1) {
    jobs.Put(Group(name, min_member), [this](TaskId id) { return tables.pods.IdentityOf(id); });
  }
  void RemoveGroup(const std::string& name) {
    jobs.Remove("ns/" + name, [this](TaskId id) { return tables.pods.IdentityOf(id); });
  }
  TaskId AddPod(const PodText& text, bool ours = true) {
    CompiledPod pod = testing::MakePod(text, vocabulary.symbols());
    pod.ours = ours;
    tables.pods.Announce(pod);
    return tables.pods.Add(pod);
  }
  std::vector<std::string> Active() {
    jobs.Publish();
    jobs.Recycle();
    std::vector<std::string> names;
    for (JobId job : *tables.draft.now.active_jobs) names.push_back(jobs.RecordOf(job).key);
    return names;
  }
  std::vector<std::string> Unclaimed() const {
    std::vector<std::string> names;
    jobs.VisitUnclaimed([&](TaskId id, const std::string& group) {
      names.push_back(tables.draft.now.tasks[id].names->name + " of " + group);
    });
    return names;
  }
  std::string Fault() const { return jobs.Check().ToString(); }
};

TEST_CASE("job table: a job lives while its PodGroup or a pod that names it does",
          "[cache][tables]") {
  JobsBed bed;
  const TaskId pod = bed.AddPod({});
  CHECK(bed.jobs.Find("ns/g").valid());
  CHECK(bed.jobs.Known("ns/g") == nullptr);
  CHECK(bed.jobs.pod_groups() == 0);
  CHECK(bed.Unclaimed() == std::vector<std::string>{"p of ns/g"});
  bed.PutGroup("g");
  CHECK(bed.jobs.pod_groups() == 1);
  CHECK(bed.Unclaimed().empty());
  CHECK(bed.Fault() == "OK");
  bed.tables.pods.Drop(pod);
  CHECK(bed.jobs.Find("ns/g").valid());
  bed.RemoveGroup("g");
  CHECK_FALSE(bed.jobs.Find("ns/g").valid());
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("job table: what names no PodGroup is told only of ours", "[cache][tables]") {
  JobsBed bed;
  bed.AddPod({.name = "other", .group = "", .spec = R"("nodeName":"n",)"}, false);
  CHECK_FALSE(bed.jobs.TakeUnclaimedChanged());
  CHECK(bed.Unclaimed().empty());
  const TaskId pod = bed.AddPod({.group = ""});
  CHECK(bed.jobs.TakeUnclaimedChanged());
  CHECK_FALSE(bed.jobs.TakeUnclaimedChanged());
  CHECK(bed.Unclaimed() == std::vector<std::string>{"p of "});
  bed.tables.pods.Drop(pod);
  CHECK(bed.Unclaimed().empty());
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("job table: whose a PodGroup is, its pods tell", "[cache][tables]") {
  JobsBed bed;
  bed.PutGroup("g");
  const JobId job = bed.jobs.Find("ns/g");
  CHECK(bed.jobs.Owns(job));
  bed.jobs.AddForeign("ns/f", "ns/g");
  CHECK_FALSE(bed.jobs.Owns(job));
  CHECK(bed.Active().empty());
  bed.tables.draft.changed = false;
  bed.jobs.RemoveForeign("ns/f");
  CHECK(bed.tables.draft.changed);
  CHECK(bed.Active() == std::vector<std::string>{"ns/g"});
  const TaskId foreign = bed.AddPod({.spec = R"("nodeName":"n",)"}, false);
  CHECK_FALSE(bed.jobs.Owns(job));
  bed.AddPod({.name = "mine"});
  CHECK(bed.jobs.Owns(job));
  bed.tables.pods.Drop(foreign);
  CHECK(bed.jobs.Owns(job));
}

TEST_CASE("job table: a job that backs off is no work until that ends", "[cache][tables]") {
  JobsBed bed;
  bed.PutGroup("g");
  bed.AddPod({});
  CHECK(bed.Active() == std::vector<std::string>{"ns/g"});
  CHECK(bed.jobs.UntilBackoffEnds() == absl::InfiniteDuration());
  const JobId job = bed.jobs.Find("ns/g");
  const model::Snapshot& now = bed.tables.draft.now;
  bed.jobs.BackOff(job, absl::Seconds(5));
  CHECK(bed.Active().empty());
  CHECK(*now.backing_off_jobs == std::vector<JobId>{job});
  CHECK(bed.jobs.UntilBackoffEnds() == absl::Seconds(5));
  const auto list = now.backing_off_jobs;
  bed.executor.Advance(absl::Seconds(4));
  CHECK(bed.Active().empty());
  CHECK(now.backing_off_jobs == list);  // Nothing changed: it is the same list.
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Active() == std::vector<std::string>{"ns/g"});
  CHECK(now.backing_off_jobs->empty());
}

TEST_CASE("job table: a job that backs off and has nothing more to do is in no list",
          "[cache][tables]") {
  JobsBed bed;
  bed.PutGroup("g");
  const TaskId pod = bed.AddPod({});
  bed.jobs.BackOff(bed.jobs.Find("ns/g"), absl::Seconds(5));
  CHECK(bed.Active().empty());
  CHECK(bed.tables.draft.now.backing_off_jobs->size() == 1);
  bed.tables.pods.Drop(pod);
  bed.RemoveGroup("g");
  CHECK(bed.Active().empty());
  CHECK(bed.tables.draft.now.backing_off_jobs->empty());
}

TEST_CASE("job table: a clock that is set moves no end of a backoff", "[cache][tables]") {
  JobsBed bed;
  bed.PutGroup("g");
  bed.AddPod({});
  bed.jobs.BackOff(bed.jobs.Find("ns/g"), absl::Seconds(5));
  bed.executor.SetClock(absl::Minutes(GENERATE(-3, 3)));
  CHECK(bed.Active().empty());
  CHECK(bed.jobs.UntilBackoffEnds() == absl::Seconds(5));
  bed.executor.Advance(absl::Seconds(4));
  CHECK(bed.Active().empty());
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.Active() == std::vector<std::string>{"ns/g"});
}

TEST_CASE("job table: what is only shown rewrites no row", "[cache][tables]") {
  JobsBed bed;
  bed.PutGroup("g", 2);
  const int64_t rewritten = bed.tables.draft.rows_rewritten;
  CompiledPodGroup shown = JobsBed::Group("g", 2, R"({"phase":"Running","running":2})");
  CHECK(bed.jobs.TakeShown(shown));
  CHECK(bed.jobs.Known("ns/g")->shown.running == 2);
  CHECK(bed.tables.draft.rows_rewritten == rewritten);
  CompiledPodGroup other = JobsBed::Group("g", 3);
  CHECK_FALSE(bed.jobs.TakeShown(other));
  CompiledPodGroup unknown = JobsBed::Group("h", 2);
  CHECK_FALSE(bed.jobs.TakeShown(unknown));
}

}  // namespace
}  // namespace bth::cache
