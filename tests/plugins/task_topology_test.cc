// What roles are to each other, which buckets follow, orders and scores by hand.
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "framework/session/statement.h"
#include "plugins/task_topology/role_relations.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/cluster_text.h"

namespace bth::test {
namespace {

using model::TaskId;
using plugins::task_topology::Refusal;
using plugins::task_topology::RoleRelations;

model::TaskTopology Topology(std::string_view affinity, std::string_view apart,
                             std::string_view order) {
  model::TaskTopology topology;
  const auto read = [](std::string_view text, std::vector<model::TaskTopology::Names>* groups) {
    for (const std::string& group : test::SplitText(text, '|')) {
      groups->push_back(test::SplitText(group, ','));
    }
  };
  read(affinity, &topology.affinity);
  read(apart, &topology.anti_affinity);
  topology.order = test::SplitText(order, ',');
  return topology;
}

TEST_CASE("task-topology: names that make no sense are refused", "[plugins][task-topology]") {
  struct Case {
    std::string affinity, apart, order, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"ps,worker|ps,chief", "ps|worker,chief", "ps,worker,chief", ""},
      {"ps,worker|ps,,chief,|", "ps|worker,chief|||", "ps,worker,chief,,,", ""},
      {"$%GF$^trtqwrg^", "", "", "task $%GF$^trtqwrg^ do not exist in job <default/job1>"},
      {"ps,worker", "", "ps,worker,head", "task head do not exist in job <default/job1>"},
      {"ps,worker,ps", "", "", "task ps is duplicate in job <default/job1>"},
      {"", "chief|worker,worker", "", "task worker is duplicate in job <default/job1>"},
      {"", "", "ps,ps", "task ps is duplicate in job <default/job1>"},
      {"no", "worker,worker", "", "task no do not exist in job <default/job1>"},
  }));
  CAPTURE(c.affinity, c.apart, c.order);
  const std::set<std::string, std::less<>> roles = {"ps", "worker", "chief", ""};
  CHECK(Refusal(
            Topology(c.affinity, c.apart, c.order),
            [&](std::string_view role) { return roles.contains(role); },
            "default/job1") == c.expect);
}

TEST_CASE("task-topology: groups tie roles to each other", "[plugins][task-topology]") {
  const RoleRelations roles(Topology("ps,worker|chief", "ps|worker,chief|ps,worker", "chief"));
  const int ps = roles.Find("ps");
  const int worker = roles.Find("worker");
  const int chief = roles.Find("chief");
  CHECK(roles.Find("evaluator") == -1);
  CHECK(roles.Find("") == -1);
  CHECK(roles.Between(ps, ps) == -1);
  CHECK(roles.Between(worker, worker) == 0);
  CHECK(roles.Between(chief, chief) == 1);
  CHECK(roles.Between(ps, worker) == 0);  // Together and apart.
  CHECK(roles.Between(worker, chief) == -1);
  CHECK(roles.Between(ps, chief) == 0);
  CHECK(roles.Apart(worker, ps));
  // The order goes first, then the strongest tie: ps must be apart from its like (4), worker is to
  // be with ps (3).
  CHECK(roles.Compare(chief, ps) < 0);
  CHECK(roles.Compare(ps, worker) < 0);
  CHECK(roles.Compare(worker, worker) == 0);
}

// Two ps that stay apart, each with workers.
constexpr const char* kTraining =
    "node a cpu=8 mem=8Gi; node b cpu=8 mem=8Gi; node c cpu=8 mem=8Gi;"
    "job j min=6 together=ps,worker apart=ps order=ps,worker;"
    "task ps-0 job=j role=ps cpu=1 mem=1Gi; task ps-1 job=j role=ps cpu=1 mem=1Gi;"
    "task w-0 job=j role=worker cpu=2 mem=1Gi; task w-1 job=j role=worker cpu=2 mem=1Gi;"
    "task w-2 job=j role=worker cpu=2 mem=1Gi; task w-3 job=j role=worker cpu=2 mem=1Gi;"
    "task other job=j role=log cpu=1 mem=1Gi";

std::vector<double> GlobalScores(PluginBed& bed, const std::string& task) {
  const std::vector<model::NodeId>& nodes = *bed.world().snapshot->nodes_by_name;
  std::vector<double> sums(nodes.size(), 0.0);
  for (const auto& entry : bed.session().hooks().global_score) {
    if (entry.fn.concerns(bed.world().task(task))) {
      entry.fn(bed.world().task(task), nodes, absl::MakeSpan(sums));
    }
  }
  return sums;
}

TEST_CASE("task-topology: a placed task draws its bucket and keeps its rival away",
          "[plugins][task-topology]") {
  PluginBed bed = Bed("task-topology", kTraining, {{"task-topology", "task-topology.weight: 2"}});
  framework::Session& session = bed.session();
  // Buckets {ps-0, w-0, w-2} and {ps-1, w-1, w-3}: 5 CPU each, all of it fits on any node.
  CHECK(GlobalScores(bed, "ps-0") == std::vector<double>{200, 200, 200});
  framework::Statement statement(session, "test");
  statement.Allocate(bed.world().task("ps-0"), bed.world().node("b"));
  // Two are left of its bucket; one is bound on b.
  CHECK(GlobalScores(bed, "w-0") == std::vector<double>{2 * 200.0 / 3, 200, 2 * 200.0 / 3});
  // The other bucket whole; on b beside ps-0, which counts against it.
  CHECK(GlobalScores(bed, "ps-1") == std::vector<double>{200, 2 * 200.0 / 3, 200});
  CHECK(GlobalScores(bed, "w-1") == std::vector<double>{200, 200, 200});
  CHECK(GlobalScores(bed, "other") == std::vector<double>{0, 0, 0});
  // Five of eight CPUs are left on b once two more are placed: ps-1 (1) and one worker (2) fit.
  statement.Allocate(bed.world().task("w-0"), bed.world().node("b"));
  statement.Allocate(bed.world().task("w-2"), bed.world().node("b"));
  CHECK(GlobalScores(bed, "w-1") == std::vector<double>{200, 2 * 200.0 / 3, 200});
  statement.RollbackTo({});
  CHECK(GlobalScores(bed, "ps-1") == std::vector<double>{200, 200, 200});
}

TEST_CASE("task-topology: tasks of a bucket come one after the other", "[plugins][task-topology]") {
  PluginBed bed = Bed("task-topology", kTraining);
  const auto order = [&](const char* a, const char* b) {
    return bed.session().hooks().task_order(bed.world().task(a), bed.world().task(b));
  };
  CHECK(order("ps-0", "w-0") < 0);   // By the order of the job.
  CHECK(order("ps-1", "w-0") > 0);   // The older bucket first.
  CHECK(order("w-0", "w-2") == 0);   // Others may tell them apart.
  CHECK(order("other", "w-3") > 0);  // Who is in a bucket comes first.
  framework::Statement statement(bed.session(), "test");
  statement.Allocate(bed.world().task("ps-0"), bed.world().node("b"));
  CHECK(order("ps-1", "w-0") < 0);  // More of its bucket is left.
}

TEST_CASE("task-topology: whom it does not concern it leaves alone", "[plugins][task-topology]") {
  PluginBed bed = Bed("task-topology",
                      "node a cpu=8; job plain; task p job=plain role=ps cpu=1;"
                      "job done together=ps,worker; task d job=done role=ps cpu=1 node=a;"
                      "task e job=done role=worker cpu=1 node=a; task lone cpu=1;"
                      "job wrong together=ps,ghost; task w job=wrong role=ps cpu=1");
  framework::Session& session = bed.session();
  REQUIRE(session.hooks().global_score.size() == 1);
  for (const char* task : {"p", "d", "e", "lone", "w"}) {
    CAPTURE(task);
    CHECK_FALSE(session.hooks().global_score[0].fn.concerns(bed.world().task(task)));
    CHECK(session.hooks().task_order(bed.world().task(task), bed.world().task("p")) == 0);
  }
  const auto& events = session.notes().EventsOf(bed.world().job("wrong"));
  REQUIRE(events.size() == 1);  // However often it was asked.
  CHECK(events[0].warning);
  CHECK(events[0].reason == "TaskTopologyIgnored");
  CHECK(events[0].message ==
        "plugin task-topology leaves the job alone: task ghost do not exist in job <ns/wrong>");
  CHECK(session.notes().EventsOf(bed.world().job("plain")).empty());
}

TEST_CASE("task-topology: a role that the group announces pods of is one of the job's",
          "[plugins][task-topology]") {
  PluginBed bed = Bed("task-topology",
                      "node a cpu=8; job j roles=worker:1 together=ps,worker;"
                      "task p job=j role=ps cpu=1");
  CHECK(bed.session().hooks().global_score[0].fn.concerns(bed.world().task("p")));
  CHECK(bed.session().notes().EventsOf(bed.world().job("j")).empty());
}

}  // namespace
}  // namespace bth::test
