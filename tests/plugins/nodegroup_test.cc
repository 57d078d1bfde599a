#include <numeric>

#include "framework/session/statement.h"
#include "plugins/nodegroup/group_rules.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using model::NodeId;

constexpr std::string_view kGroupedNodes =
    "node n1 cpu=8 mem=32Gi label.volcano.sh/nodegroup-name=1;"
    "node n2 cpu=8 mem=32Gi label.volcano.sh/nodegroup-name=2;"
    "node n3 cpu=8 mem=32Gi label.volcano.sh/nodegroup-name=3;"
    "node n4 cpu=8 mem=32Gi label.volcano.sh/nodegroup-name=4; node n5 cpu=8 mem=32Gi;";

constexpr std::string_view kNoLabel = "node group label not found";
constexpr std::string_view kUnset = "node group affinity not specified";
constexpr std::string_view kRefused = "node does not satisfy the node group affinity";
constexpr std::string_view kOver = "node group resource limit exceeded";
constexpr std::string_view kBadLimits = "node group resource limit annotation invalid";

// What the filter says of each node, in order of names; empty: it fits.
Names Verdicts(PluginBed& bed, const std::string& task) {
  const framework::Session& session = bed.session();
  const model::TaskId id = bed.world().task(task);
  Names verdicts;
  for (const auto& [name, node] : bed.world().nodes) {
    framework::ReasonId reason = framework::kFits;
    for (const auto& entry : session.hooks().global_filter) {
      if (reason != framework::kFits || !entry.fn.concerns(id)) continue;
      entry.fn(id, model::NodeRange(node.index(), node.index() + 1),
               absl::Span<framework::ReasonId>(&reason, 1));
    }
    CHECK((reason == framework::kFits ||
           session.reasons().code(reason) == framework::FitCode::kUnresolvable));
    verdicts.push_back(session.reasons().text(reason));
  }
  return verdicts;
}

std::vector<double> ScoresOf(PluginBed& bed, const std::string& task) {
  REQUIRE(bed.session().hooks().global_score.size() == 1);
  std::vector<NodeId> nodes;
  for (const auto& [name, node] : bed.world().nodes) nodes.push_back(node);
  std::vector<double> scores(nodes.size(), 0);
  bed.session().hooks().global_score[0].fn(bed.world().task(task), nodes, absl::MakeSpan(scores));
  return scores;
}

Names Texts(std::initializer_list<std::string_view> texts) {
  return Names(texts.begin(), texts.end());
}

TEST_CASE("nodegroup: affinity of queues filters and scores", "[plugins][nodegroup]") {
  struct Case {
    std::string name, plugin, arguments, queues;
    std::vector<double> scores;
    Names verdicts;
  };
  const std::string full = " groups=1|3 groups.preferred=3 groups.anti=2|4 groups.antipreferred=4;";
  const std::vector<double> full_scores = {100, 0, 150, -1, 0};
  const Names full_verdicts = Texts({"", kRefused, "", "", kNoLabel});
  const std::vector<double> none = {0, 0, 0, 0, 0};
  const Case c = GENERATE_COPY(values<Case>({
      {"all four lists", "nodegroup", "{}", "queue q" + full, full_scores, full_verdicts},
      {"one name in each",
       "nodegroup",
       "{}",
       "queue q groups=1 groups.preferred=3 groups.anti=2 groups.antipreferred=4",
       {100, 0, 50, -1, 0},
       Texts({"", kRefused, "", "", kNoLabel})},
      {"no affinity, not strict", "nodegroup", "strict: false", "queue q", none,
       Texts({kUnset, kUnset, kUnset, kUnset, ""})},
      {"no affinity, strict", "nodegroup", "{}", "queue q", none,
       Texts({kUnset, kUnset, kUnset, kUnset, kNoLabel})},
      {"not strict with an affinity",
       "nodegroup",
       "strict: 'false'",
       "queue q groups=1",
       {100, 0, 0, 0, 0},
       Texts({"", kRefused, kRefused, kRefused, kNoLabel})},
      {"an affinity that lists nothing", "nodegroup", "strict: false", "queue q groups=", none,
       Texts({kUnset, kUnset, kUnset, kUnset, ""})},
      {"inherited from the root", "nodegroup+enableHierarchy", "{}",
       "queue root" + full + "queue q parent=root", full_scores, full_verdicts},
      {"inherited over a queue without", "nodegroup+enableHierarchy", "{}",
       "queue root" + full + "queue mid; queue q parent=mid", full_scores, full_verdicts},
      {"the nearest one counts", "nodegroup+enableHierarchy", "{}",
       "queue root groups=4; queue mid" + full + "queue q parent=mid", full_scores, full_verdicts},
      {"not inherited without hierarchy", "nodegroup", "{}", "queue root" + full + "queue q", none,
       Texts({kUnset, kUnset, kUnset, kUnset, kNoLabel})},
      {"a missing parent ends the search", "nodegroup+enableHierarchy", "{}",
       "queue root" + full + "queue q parent=gone", none,
       Texts({kUnset, kUnset, kUnset, kUnset, kNoLabel})},
      {"so does a circle", "nodegroup+enableHierarchy", "{}", "queue p parent=q; queue q parent=p",
       none, Texts({kUnset, kUnset, kUnset, kUnset, kNoLabel})},
      {"in order of preference",
       "nodegroup",
       "enablePreferredOrder: true",
       "queue q groups.preferred=1|3",
       {50, 0, 25, 0, 0},
       Texts({"", kRefused, "", kRefused, kNoLabel})},
      {"preferred without order",
       "nodegroup",
       "{}",
       "queue q groups.preferred=1|3",
       {50, 0, 50, 0, 0},
       Texts({"", kRefused, "", kRefused, kNoLabel})},
      {"only exclusions: all others may be used", "nodegroup", "{}", "queue q groups.anti=2", none,
       Texts({"", kRefused, "", "", kNoLabel})},
      {"only soft exclusions",
       "nodegroup",
       "{}",
       "queue q groups.antipreferred=2",
       {0, -1, 0, 0, 0},
       Texts({"", "", "", "", kNoLabel})},
  }));
  CAPTURE(c.name);
  PluginBed bed =
      Bed(c.plugin, std::string(kGroupedNodes) + c.queues + "; job j queue=q tasks=1 cpu=1",
          {{"nodegroup", c.arguments}});
  CHECK(ScoresOf(bed, "j-0") == c.scores);
  CHECK(Verdicts(bed, "j-0") == c.verdicts);
}

TEST_CASE("nodegroup: a name preferred twice stands at its later place", "[plugins][nodegroup]") {
  const model::NodeGroupRules rules{.has_affinity = true, .preferred = {"a", "b", "a"}};
  CHECK(plugins::nodegroup::Judge(rules, "b", true).score == 25);
  CHECK(plugins::nodegroup::Judge(rules, "a", true).score == 0);
  CHECK(plugins::nodegroup::Judge(rules, "a", false).score == 50);
}

TEST_CASE("nodegroup: scores by preference are not cut to whole points", "[plugins][nodegroup]") {
  const model::NodeGroupRules rules{.has_affinity = true, .preferred = {"a", "b", "c"}};
  const auto score = [&rules](const std::string& group) {
    return plugins::nodegroup::Judge(rules, group, true).score;
  };
  CHECK(score("a") == 50);
  CHECK(score("b") == Approx(100.0 / 3));
  CHECK(score("c") == Approx(50.0 / 3));
}

TEST_CASE("nodegroup: limits of groups", "[plugins][nodegroup]") {
  struct Case {
    std::string name, limits, more, one, two;
  };
  const Case c = GENERATE(values<Case>({
      {"none", "", "", "", ""},
      {"room", "limit.1=cpu:3,mem:8Gi", "", "", ""},
      {"only one name listed", "limit.1=cpu:3", "", "", ""},
      {"just enough", "limit.1=cpu:2,mem:4Gi", "", "", ""},
      {"too little", "limit.1=cpu:1", "", std::string(kOver), ""},
      {"nothing at all", "limit.1=cpu:0", "", std::string(kOver), ""},
      {"a name that the pod does not ask for", "limit.1=gpu:0", "", "", ""},
      {"with what runs there", "limit.1=cpu:3,mem:8Gi", "task r job=j node=n1 cpu=2 mem=4Gi",
       std::string(kOver), ""},
      {"what another queue runs does not count", "limit.1=cpu:3,mem:8Gi",
       "job other queue=p; task r job=other node=n1 cpu=2 mem=4Gi", "", ""},
      {"what runs in another group does not count", "limit.1=cpu:3,mem:8Gi",
       "task r job=j node=n2 cpu=2 mem=4Gi", "", ""},
      {"what is leaving does not count", "limit.1=cpu:3,mem:8Gi",
       "task r job=j node=n1 status=releasing cpu=2 mem=4Gi", "", ""},
      {"an annotation that cannot be read", "badlimits", "", std::string(kBadLimits),
       std::string(kBadLimits)},
  }));
  CAPTURE(c.name);
  PluginBed bed =
      Bed("nodegroup", std::string(kGroupedNodes) + "queue q groups=1|2 groups.preferred=1 " +
                           c.limits + "; job j queue=q; task t job=j cpu=2 mem=4Gi;" + c.more);
  const Names verdicts = Verdicts(bed, "t");
  CHECK(verdicts[0] == c.one);
  CHECK(verdicts[1] == c.two);
}

TEST_CASE("nodegroup: bad limits hold even from nodes without a group", "[plugins][nodegroup]") {
  PluginBed bed = Bed("nodegroup", "node n; queue q badlimits; job j queue=q tasks=1 cpu=1",
                      {{"nodegroup", "strict: false"}});
  CHECK(Verdicts(bed, "j-0") == Texts({kBadLimits}));
}

TEST_CASE("nodegroup: limits follow the session", "[plugins][nodegroup]") {
  PluginBed bed = Bed("nodegroup", std::string(kGroupedNodes) +
                                       "queue q groups=1|2 limit.1=cpu:5,mem:16Gi; job j queue=q;"
                                       "task r job=j node=n1 cpu=2 mem=4Gi;"
                                       "task a job=j cpu=2 mem=4Gi; task b job=j cpu=2 mem=4Gi");
  const model::NodeId n1 = bed.world().node("n1");
  const auto first = [&bed] { return Verdicts(bed, "b")[0]; };
  CHECK(first().empty());
  framework::Statement statement(bed.session(), "test");
  statement.Allocate(bed.world().task("a"), n1);
  CHECK(first() == kOver);
  statement.Evict(bed.world().task("r"), model::TaskId());
  CHECK(first().empty());
  statement.RollbackTo({});
  CHECK(first().empty());
  statement.Pipeline(bed.world().task("a"), n1, false);
  CHECK(first() == kOver);
  statement.RollbackTo({});
  statement.Evict(bed.world().task("r"), model::TaskId());
  statement.Allocate(bed.world().task("a"), n1);
  CHECK(first().empty());
}

TEST_CASE("nodegroup: nodes change their group between sessions", "[plugins][nodegroup]") {
  const std::string rest = "queue q groups=2; job j queue=q tasks=1 cpu=1";
  PluginBed bed = Bed("nodegroup", "node n label.volcano.sh/nodegroup-name=1;" + rest);
  CHECK(Verdicts(bed, "j-0") == Texts({kRefused}));
  bed.Reopen(MakeWorld("node n label.volcano.sh/nodegroup-name=2;" + rest));
  CHECK(Verdicts(bed, "j-0") == Texts({""}));
  bed.Reopen(MakeWorld("node n;" + rest));
  CHECK(Verdicts(bed, "j-0") == Texts({kNoLabel}));
}

TEST_CASE("nodegroup: arguments of a wrong type are reported", "[plugins][nodegroup]") {
  for (const char* text : {"strict: 1", "enablePreferredOrder: often"}) {
    const conf::Arguments args = MakeArguments(text);
    REQUIRE(Builtins().plugins.find("nodegroup")->second(args).ok());
    CAPTURE(text);
    CHECK(args.Findings().size() == 1);
  }
}

}  // namespace
}  // namespace bth::test
