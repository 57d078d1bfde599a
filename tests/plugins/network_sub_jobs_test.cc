// What HyperNodes are to sub-jobs, against a plain count over all tasks; and jobs with very many.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "framework/session/statement.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"
#include "plugins/network_topology_aware/options.h"
#include "plugins/network_topology_aware/packing.h"
#include "tests/plugins/network_bed.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using framework::Session;
using model::HyperNodeId;
using model::ResourceVec;
using model::SubJobId;
using model::TaskId;
using model::TaskStatus;
using network::BedOf;
using network::kAlike;
using network::kSizes;
using network::kThreeTiers;
using network::NodesOf;
using plugins::network_topology::Packing;

// Goes over all tasks for each question.
class SubJobTwin {
 public:
  SubJobTwin(const Session& session, const Packing& packing, SubJobId sub_job)
      : session_(session), packing_(packing) {
    for (TaskId task : session.base().tasks.ids()) {
      if (session.task(task).sub_job == sub_job) tasks_.push_back(task);
    }
    lacking_ = framework::TasksLacking(session, sub_job);
  }

  // What a HyperNode must hold: nothing more of one that has a place.
  ResourceVec Minimum(bool for_least) const {
    ResourceVec all;
    std::optional<ResourceVec> least;
    for (TaskId task : tasks_) {
      const model::TaskState& state = session_.state(task);
      if (model::InGroup(state.status, model::kOccupyingGroup)) return {};
      if (state.status != TaskStatus::kPending) continue;
      const ResourceVec& request = session_.request(task);
      all += request;
      if (!least) least = request;
      for (int d = 0; d < model::kDims; ++d) (*least)[d] = std::min((*least)[d], request[d]);
    }
    if (!for_least) return all;
    if (!least) return {};
    for (int64_t& quantity : least->q) quantity *= lacking_;
    return *least;
  }
  double Rank(HyperNodeId id) const {
    ResourceVec more;
    for (TaskId task : tasks_) {
      const model::TaskState& state = session_.state(task);
      const bool there = model::InGroup(state.status, model::kAllocatedGroup) &&
                         session_.topology().tree().Contains(id, state.node);
      if (!there) more += session_.request(task);
    }
    return packing_.Score(more, session_.topology().sums().Of(id)) * 100;
  }
  double Most(const ResourceVec& before, HyperNodeId id) const {
    ResourceVec all;
    for (TaskId task : tasks_) all += session_.request(task);
    return packing_.MostScore(all, before, session_.topology().sums().Of(id)) * 100;
  }

 private:
  const Session& session_;
  const Packing& packing_;
  std::vector<TaskId> tasks_;
  int64_t lacking_ = 0;
};

ResourceVec MinimumIn(const Session& session, SubJobId sub_job, HyperNodeId id, bool for_least) {
  return framework::GradientFor(session, {.job = session.base().sub_jobs[sub_job].job,
                                          .sub_job = sub_job,
                                          .inside = id,
                                          .for_least = for_least})
      .minimum;
}

// One at a time: nobody shares the highest score.
double RankOf(const Session& session, SubJobId sub_job, HyperNodeId id) {
  return framework::RankHyperNodes(session, sub_job, {id}).at(0);
}
double MostOf(const Session& session, SubJobId sub_job, const ResourceVec& before, HyperNodeId id) {
  return framework::MostOfHyperNodes(session, sub_job, before, {id}).at(0);
}

void CheckSubJobs(const Session& session, const Packing& packing, const ResourceVec& before) {
  const model::HyperNodeTree& tree = session.topology().tree();
  for (SubJobId sub_job : session.base().sub_jobs.ids()) {
    const SubJobTwin twin(session, packing, sub_job);
    for (size_t i = 0; i < tree.rows.size(); ++i) {
      const HyperNodeId id = HyperNodeId::FromIndex(i);
      CAPTURE(sub_job.value(), tree[id].name);
      for (const bool for_least : {false, true}) {
        REQUIRE(MinimumIn(session, sub_job, id, for_least) == twin.Minimum(for_least));
      }
      REQUIRE(RankOf(session, sub_job, id) == twin.Rank(id));
      REQUIRE(MostOf(session, sub_job, before, id) == twin.Most(before, id));
    }
  }
}

TEST_CASE("network topology: answers about sub-jobs are those of a count over all tasks",
          "[plugins][topology][property]") {
  ForEachSeed(30, [](uint64_t seed) {
    Rng rng(seed);
    std::string text = StrCat(NodesOf(kSizes), "job b min=1 tasks=3 cpu=1; ",
                              "job a min=1 group.g=3:1 group.h=2:1; ");
    for (int t = 0; t < 10; ++t) {
      StrAppend(&text, "task a", t, " job=a cpu=", 1 + rng.Below(3), " mem=", 1 + rng.Below(3),
                "Gi", rng.Chance(0.2) ? " node=s4-n1" : "",
                rng.Chance(0.2) ? "" : StrCat(" sub=", rng.Chance(0.6) ? "g/" : "h/", rng.Below(3)),
                "; ");
    }
    World world = WithHyperNodes(MakeWorld(text), kThreeTiers);
    world = WithTopology(std::move(world), "b", {Soft()});
    PluginBed bed = BedOf(WithTopology(std::move(world), "a", {Soft(), Hard(2), Soft()}));
    Session& session = bed.session();
    const auto options = plugins::network_topology::ReadOptions(MakeArguments("{}"));
    REQUIRE(options.ok());
    const Packing packing(session, *options);
    const ResourceVec before = session.request(bed.world().task("a0"));
    framework::Statement statement(session, "test");
    const framework::Statement::Mark begin = statement.Checkpoint();
    const int first_asked = static_cast<int>(rng.Below(4));
    for (int step = 0; step < 12; ++step) {
      const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
      const model::NodeId node = (*session.base().nodes_by_name)[rng.Below(8)];
      const TaskStatus status = session.state(task).status;
      if (rng.Chance(0.1)) {
        statement.RollbackTo(begin);
      } else if (status == TaskStatus::kPending && rng.Chance(0.6)) {
        statement.Allocate(task, node);
      } else if (status == TaskStatus::kPending) {
        statement.Pipeline(task, node, false);
      } else if (model::InGroup(status, model::kPreemptableGroup)) {
        statement.Evict(task, TaskId());
      }
      CAPTURE(step);
      if (step >= first_asked) CheckSubJobs(session, packing, before);
    }
  });
}

TEST_CASE("network topology: a question about a sub-job costs its tasks, not those of its job",
          "[plugins][topology]") {
  constexpr size_t kSubJobs = 30'000;
  std::string text = StrCat(NodesOf(kAlike), "job a min=1 group.g=1:1");
  for (size_t i = 0; i < kSubJobs; ++i) {
    StrAppend(&text, "; task p", i, " job=a cpu=1 sub=g/", i);
  }
  PluginBed bed =
      BedOf(WithTopology(WithHyperNodes(MakeWorld(text), kThreeTiers), "a", {Soft(), Hard(2)}));
  const Session& session = bed.session();
  const auto options = plugins::network_topology::ReadOptions(MakeArguments("{}"));
  REQUIRE(options.ok());
  const Packing packing(session, *options);
  const ResourceVec& request = session.request(bed.world().task("p0"));
  const SubJobTwin twin(session, packing, session.task(bed.world().task("p0")).sub_job);
  // All are like the first one, and so are the answers.
  size_t right = 0;
  const size_t hyper_nodes = session.topology().tree().rows.size();
  for (size_t i = 0; i < hyper_nodes; ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    const double rank = twin.Rank(id);
    const double most = twin.Most(request, id);
    for (TaskId task : *session.job(bed.world().job("a")).tasks) {
      const SubJobId sub_job = session.task(task).sub_job;
      const bool minimum = MinimumIn(session, sub_job, id, /*for_least=*/false) == request &&
                           MinimumIn(session, sub_job, id, /*for_least=*/true) == request;
      const bool worth =
          RankOf(session, sub_job, id) == rank && MostOf(session, sub_job, request, id) == most;
      right += minimum && worth ? 1 : 0;
    }
  }
  CHECK(right == kSubJobs * hyper_nodes);
}

}  // namespace
}  // namespace bth::test
