#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

// The node chosen for the task "p", or why there is none.
std::string Choice(PluginBed& bed) {
  framework::Session& session = bed.session();
  const model::TaskId task = bed.world().task("p");
  const framework::NodeChoice choice = session.picker().Pick(task);
  if (choice.node.valid()) return session.node(choice.node).name;
  return session.notes().FitOf(task)->Text();
}

TEST_CASE("predicates: one filter at a time", "[plugins][predicates]") {
  struct Case {
    std::string name, world, expected;
  };
  const std::string affinity =
      "0/1 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector.";
  const std::string ports =
      "0/1 nodes are unavailable: 1 node(s) didn't have free ports for the requested pod ports.";
  const Case c = GENERATE_COPY(values<Case>({
      {"fits", "node n1 cpu=1; job a; task p job=a cpu=1", "n1"},
      {"cordoned", "node n1 cpu=1 cordoned; job a; task p job=a cpu=1",
       "0/1 nodes are unavailable: 1 node(s) were unschedulable."},
      {"cordoned but tolerated by key",
       "node n1 cpu=1 cordoned; job a; task p job=a cpu=1 "
       "tolerate=node.kubernetes.io/unschedulable",
       "n1"},
      {"cordoned but all is tolerated",
       "node n1 cpu=1 cordoned; job a; task p job=a cpu=1 tolerate=*", "n1"},
      {"selector", "node n1 cpu=1 label.zone=b; job a; task p job=a cpu=1 select.zone=a", affinity},
      {"selector matches", "node n1 cpu=1 label.zone=a; job a; task p job=a cpu=1 select.zone=a",
       "n1"},
      {"required term", "node n1 cpu=1 label.zone=c; job a; task p job=a cpu=1 need.zone=a|b",
       affinity},
      {"by name", "node n1 cpu=1; node n2 cpu=1; job a; task p job=a cpu=1 names=n2", "n2"},
      {"names that exclude each other",
       "node n1 cpu=1; node n2 cpu=1; job a; task p job=a cpu=1 names=n1 names=n2",
       "0/2 nodes are unavailable: 2 plugin NodeAffinity pre-predicates failed pod affinity terms "
       "conflict."},
      {"taint", "node n1 cpu=1 taint=k=v:NoSchedule; job a; task p job=a cpu=1",
       "0/1 nodes are unavailable: 1 node(s) had untolerated taint(s)."},
      {"taint of no execution", "node n1 cpu=1 taint=k=v:NoExecute; job a; task p job=a cpu=1",
       "0/1 nodes are unavailable: 1 node(s) had untolerated taint(s)."},
      {"a soft taint does not filter",
       "node n1 cpu=1 taint=k=v:PreferNoSchedule; job a; task p job=a cpu=1", "n1"},
      {"taint tolerated",
       "node n1 cpu=1 taint=k=v:NoSchedule; job a; task p job=a cpu=1 tolerate=k=v", "n1"},
      {"taint with another value",
       "node n1 cpu=1 taint=k=v:NoSchedule; job a; task p job=a cpu=1 tolerate=k=w",
       "0/1 nodes are unavailable: 1 node(s) had untolerated taint(s)."},
      {"port held", "node n1 cpu=1 port=80; job a; task p job=a cpu=1 port=80", ports},
      {"port of another protocol", "node n1 cpu=1 port=80/UDP; job a; task p job=a cpu=1 port=80",
       "n1"},
      {"port of another address",
       "node n1 cpu=1 port=80@10.0.0.1; job a; task p job=a cpu=1 port=80@10.0.0.2", "n1"},
      {"port of every address", "node n1 cpu=1 port=80@10.0.0.1; job a; task p job=a cpu=1 port=80",
       ports},
      {"port of a pod that is leaving",
       "node n1 cpu=1; job a; task o job=a node=n1 status=releasing port=80;"
       "task p job=a cpu=1 port=80",
       ports},
      {"two reasons of one node",
       "node n1 cpu=1 port=80 cordoned; job a; task p job=a cpu=1 port=80",
       "0/1 nodes are unavailable: 1 node(s) were unschedulable."},
      {"the first static reason of each node",
       "node n1 cpu=1 cordoned taint=k:NoSchedule; node n2 cpu=1 taint=k:NoSchedule; job a;"
       "task p job=a cpu=1 select.zone=a",
       "0/2 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) "
       "were unschedulable."},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("predicates", c.world);
  CHECK(Choice(bed) == c.expected);
}

TEST_CASE("predicates: features that cannot be judged hold the pod", "[plugins][predicates]") {
  struct Case {
    std::string feature, words;
  };
  const Case c = GENERATE(values<Case>({
      {"dims", "the pod asks for more kinds of resources than this build counts"},
  }));
  CAPTURE(c.feature);
  const std::string world = "node n1 cpu=1; job a; task p job=a cpu=1 unsupported=" + c.feature;
  PluginBed bed = Bed("predicates", world);
  CHECK(Choice(bed) == "0/1 nodes are unavailable: 1 " + c.words + ".");
}

TEST_CASE("predicates: switches take filters out", "[plugins][predicates]") {
  struct Case {
    std::string off, world;
  };
  const Case c = GENERATE(values<Case>({
      {"predicate.NodeAffinityEnable: false",
       "node n1 cpu=1; job a; task p job=a cpu=1 select.zone=a"},
      {"predicate.NodeAffinityEnable: false",
       "node n1 cpu=1; node n2; job a; task p job=a cpu=1 names=n1 names=n2"},
      {"predicate.TaintTolerationEnable: false",
       "node n1 cpu=1 taint=k:NoSchedule; job a; task p job=a cpu=1"},
      {"predicate.NodePortsEnable: false",
       "node n1 cpu=1 port=80; job a; task p job=a cpu=1 port=80"},
  }));
  CAPTURE(c.off, c.world);
  PluginBed on = Bed("predicates", c.world);
  CHECK(Choice(on) != "n1");
  PluginBed off = Bed("predicates", c.world, {{"predicates", c.off}});
  CHECK(Choice(off) == "n1");
}

TEST_CASE("predicates: a node takes no more pods than it allows", "[plugins][predicates][cycle]") {
  const CycleOutcome outcome = Run("backfill", "gang;predicates,nodeorder",
                                   "node node1 cpu=4 mem=4Gi pods=2; job a min=0;"
                                   "task worker-1 job=a; task worker-2 job=a; task worker-3 job=a");
  CHECK(outcome.binds ==
        std::map<std::string, std::string>{{"worker-1", "node1"}, {"worker-2", "node1"}});
}

TEST_CASE("predicates: pods that are there, pipelined or leaving count; evicted ones do not",
          "[plugins][predicates]") {
  PluginBed bed = Bed("predicates",
                      "node n1 cpu=9 pods=4; job a; task r job=a node=n1; task x job=a node=n1;"
                      "task l job=a node=n1 status=releasing; task q job=a; task p job=a");
  framework::Session& session = bed.session();
  const auto refused = [&] {
    framework::ReasonId verdict = framework::kFits;
    const model::NodeId node = bed.world().node("n1");
    session.hooks().usage_filter[0].fn(session.task(bed.world().task("p")).shape,
                                       model::NodeRange(node.index(), node.index() + 1),
                                       absl::Span<framework::ReasonId>(&verdict, 1));
    return verdict != framework::kFits;
  };
  CHECK_FALSE(refused());
  framework::Statement statement(session, "test");
  statement.Pipeline(bed.world().task("q"), bed.world().node("n1"), false);
  CHECK(refused());
  statement.Evict(bed.world().task("x"), bed.world().task("p"));
  CHECK_FALSE(refused());
  statement.RollbackTo({});
  CHECK_FALSE(refused());
}

TEST_CASE("predicates: a node that allows no pods takes none", "[plugins][predicates]") {
  PluginBed bed = Bed("predicates", "node n1 cpu=9 pods=0; job a; task p job=a");
  const framework::NodeChoice choice =
      bed.session().picker().PickForBestEffort(bed.world().task("p"));
  CHECK_FALSE(choice.node.valid());
  CHECK(bed.session().notes().FitOf(bed.world().task("p"))->Text() ==
        "0/1 nodes are unavailable: 1 node(s) pod number exceeded.");
}

TEST_CASE("predicates: ports follow what the session places and evicts", "[plugins][predicates]") {
  PluginBed bed = Bed("predicates",
                      "node n1 cpu=9; job a; task held job=a node=n1 port=80;"
                      "task other job=a port=81; task p job=a cpu=1 port=80 port=81");
  const World& w = bed.world();
  const std::string taken =
      "0/1 nodes are unavailable: 1 node(s) didn't have free ports for the requested pod ports.";
  CHECK(Choice(bed) == taken);
  framework::Statement statement(bed.session(), "test");
  statement.Evict(w.task("held"), w.task("p"));
  CHECK(Choice(bed) == "n1");
  const framework::Statement::Mark evicted = statement.Checkpoint();
  statement.Allocate(w.task("other"), w.node("n1"));
  CHECK(Choice(bed) == taken);
  statement.RollbackTo(evicted);
  CHECK(Choice(bed) == "n1");
  statement.RollbackTo({});
  CHECK(Choice(bed) == taken);
}

TEST_CASE("predicates: two pods of one gang do not share a port", "[plugins][predicates][cycle]") {
  const std::string job = "job a min=2 tasks=2 cpu=1 port=80";
  CHECK(Run("allocate", "gang;predicates", "node n1 cpu=4;" + job).binds.empty());
  CHECK(Run("allocate", "gang;predicates", "node n1 cpu=4; node n2 cpu=4;" + job).binds ==
        std::map<std::string, std::string>{{"a-0", "n1"}, {"a-1", "n2"}});
}

TEST_CASE("predicates: arguments without effect say so", "[plugins][predicates]") {
  struct Case {
    std::string yaml, words;
  };
  const Case c = GENERATE(values<Case>({
      {"predicate.CacheEnable: true", "verdicts are always kept"},
      {"predicate.DynamicResourceAllocationEnable: true", "wherever pods claim some"},
      {"predicate.NodeAfinityEnable: true", ""},
  }));
  CAPTURE(c.yaml);
  const conf::Arguments args = MakeArguments(c.yaml);
  REQUIRE(Builtins().plugins.find("predicates")->second(args).ok());
  REQUIRE(args.Findings().size() == 1);
  CHECK(args.Findings()[0].text.find(c.words) != std::string::npos);
}

}  // namespace
}  // namespace bth::test
