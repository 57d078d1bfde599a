#include "algo/queue_claims.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"

namespace bth::algo {
namespace {

using test::MakeWorld;
using test::World;

TEST_CASE("claims: what succeeded tasks had is neither asked for nor counted as inqueue",
          "[algo][unit]") {
  struct Case {
    std::string job;
    int64_t lacks, inqueue, in_cluster;
  };
  // Eight cores are the minimum; a task that runs holds three, one that has succeeded held two.
  const Case c = GENERATE(values<Case>({
      {"phase=pending min=4", 3, 0, 0},
      {"phase=inqueue min=4", 3, 3, 6},  // Below its minimum it counts in whole in the cluster.
      {"phase=inqueue min=1", 3, 3, 3},
      {"phase=running min=1", 3, 3, 3},
      {"phase=running min=4", 3, 0, 0},
  }));
  CAPTURE(c.job);
  const World world = MakeWorld("node n cpu=20; job j minres.cpu=8 " + c.job +
                                "; task a job=j cpu=2 node=n status=succeeded; task b job=j cpu=3 "
                                "node=n; task c job=j cpu=1");
  const model::JobId job = world.job("j");
  const model::Snapshot& base = *world.snapshot;
  const model::JobCounts& counts = base.usage.jobs[job];
  const DimMask dims = InqueueDims(*base.dims);
  CHECK(counts.succeeded[model::kCpu] == 2000);
  CHECK(LacksOfMinimum({base, base.usage, job})[model::kCpu] == c.lacks * 1000);
  CHECK(InqueueAmount(base.jobs[job], counts, dims)[model::kCpu] == c.inqueue * 1000);
  CHECK(InqueueInCluster(base.jobs[job], counts, dims)[model::kCpu] == c.in_cluster * 1000);
}

}  // namespace
}  // namespace bth::algo
