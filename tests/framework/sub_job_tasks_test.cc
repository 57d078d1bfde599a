#include "framework/topology/sub_job_tasks.h"

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"
#include "tests/support/seeds.h"

namespace bth::framework {
namespace {

TEST_CASE("sub-job tasks: each has its own in the order of the job, and the job is looked at once",
          "[framework][topology][property]") {
  test::ForEachSeed(20, [](uint64_t seed) {
    Rng rng(seed);
    std::string text;
    for (int j = 0; j < 20; ++j) {
      StrAppend(&text, "job j", j, " group.a=1:1 group.b=1:1; ");
      for (uint64_t t = rng.Below(12); t > 0; --t) {
        StrAppend(&text, "task j", j, "-", t, " job=j", j,
                  rng.Chance(0.3) ? "" : StrCat(" sub=", rng.Chance(0.5) ? "a/" : "b/", t % 3),
                  "; ");
      }
    }
    const test::World world = test::MakeWorld(text);
    const model::Snapshot& base = *world.snapshot;
    SubJobTasks tasks(base);
    std::vector<absl::Span<const model::TaskId>> first;
    for (model::SubJobId sub_job : base.sub_jobs.ids()) {
      std::vector<model::TaskId> expected;
      for (model::TaskId task : *base.jobs[base.sub_jobs[sub_job].job].tasks) {
        if (base.tasks[task].sub_job == sub_job) expected.push_back(task);
      }
      const absl::Span<const model::TaskId> found = first.emplace_back(tasks.Of(sub_job));
      CAPTURE(sub_job.value());
      CHECK(std::vector<model::TaskId>(found.begin(), found.end()) == expected);
    }
    for (model::SubJobId sub_job : base.sub_jobs.ids()) {
      const absl::Span<const model::TaskId> again = tasks.Of(sub_job);
      CAPTURE(sub_job.value());
      CHECK(again.data() == first[sub_job.index()].data());
      CHECK(again.size() == first[sub_job.index()].size());
    }
  });
}

}  // namespace
}  // namespace bth::framework
