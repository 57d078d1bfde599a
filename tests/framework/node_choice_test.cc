// Which node a task gets, seen from outside: how often filters are asked, what refused tasks are
// told, and who wins among equals.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::framework {
namespace {

using model::NodeFacts;
using test::MakeWorld;
using test::World;

// Refuses and scores nodes as told, and counts how often it is asked about a node's facts.
struct Rules {
  std::function<bool(const std::string& node)> refuses = [](const std::string&) { return false; };
  std::function<double(const std::string& node)> score = [](const std::string&) { return 0; };
  int asked = 0;
};

class RulesPlugin final : public Plugin {
 public:
  explicit RulesPlugin(Rules* rules) : rules_(rules) {}
  std::string_view name() const override { return "rules"; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    const ReasonId refused = session.reasons().Register(FitCode::kUnresolvable, "not this one");
    hooks.FilterStatic([this, &session, refused](const model::PodConstraints&, NodeRange block,
                                                 absl::Span<ReasonId> out) {
      for (NodeId node : block) {
        ++rules_->asked;
        if (rules_->refuses(session.node(node).name)) out[block.Offset(node)] = refused;
      }
    });
    hooks.ScoreUsage([this, &session](ShapeId, NodeRange block, absl::Span<double> sum) {
      for (NodeId node : block) {
        sum[block.Offset(node)] += rules_->score(session.node(node).name);
      }
    });
    return absl::OkStatus();
  }

 private:
  Rules* const rules_;
};

// Sessions with these rules alone.
class RulesBed {
 public:
  RulesBed(Rules* rules, std::string_view world)
      : bed_(RegistryOf(rules), test::MakePolicy("", "rules"), MakeWorld(world)) {}

  // The node's name, or why there is none.
  std::string Pick(std::string_view task) {
    const model::TaskId id = bed_.world().task(task);
    const NodeChoice choice = bed_.session().picker().Pick(id);
    if (choice.node.valid()) return bed_.session().node(choice.node).name;
    return bed_.session().notes().FitOf(id)->Text();
  }
  test::PluginBed& bed() { return bed_; }

 private:
  static Registry RegistryOf(Rules* rules) {
    Registry registry;
    registry.plugins["rules"] =
        [rules](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<Plugin>> {
      return std::make_unique<RulesPlugin>(rules);
    };
    return registry;
  }

  test::PluginBed bed_;
};

std::string Nodes(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) StrAppend(&text, "node n", 1000 + i, " cpu=1;");
  return text;
}

TEST_CASE("node choice: a filter on facts is asked once per node for tasks of one kind",
          "[framework]") {
  Rules rules;
  rules.refuses = [](const std::string& node) { return node == "n1001"; };
  RulesBed bed(&rules,
               Nodes(3) +
                   "job a min=1; task t1 job=a cpu=1; task t2 job=a cpu=1; task t3 job=a cpu=1;"
                   "job b min=1; task other job=b cpu=1 select.zone=z");
  CHECK(bed.Pick("t1") == "n1000");
  CHECK(rules.asked == 3);
  Statement statement(bed.bed().session(), "test");
  statement.Allocate(bed.bed().world().task("t1"), bed.bed().world().node("n1000"));
  CHECK(bed.Pick("t2") == "n1002");
  statement.Allocate(bed.bed().world().task("t2"), bed.bed().world().node("n1002"));
  CHECK(rules.asked == 3);
  // Explaining a refusal may look at the nodes once more.
  CHECK(bed.Pick("t3") == "0/3 nodes are unavailable: 1 not this one, 2 Insufficient cpu.");
  const int explained = rules.asked;
  CHECK(bed.Pick("t3") == "0/3 nodes are unavailable: 1 not this one, 2 Insufficient cpu.");
  CHECK(rules.asked == explained);
  // Pods with other constraints are another question.
  statement.RollbackTo({});
  CHECK(bed.Pick("other") == "n1000");
  CHECK(rules.asked == explained + 3);
}

TEST_CASE("node choice: the next session asks only about nodes that changed", "[framework]") {
  Rules rules;
  RulesBed bed(&rules, Nodes(3) + "job a min=1; task t job=a cpu=1");
  CHECK(bed.Pick("t") == "n1000");
  CHECK(rules.asked == 3);
  World next = bed.bed().world();
  auto changed = std::make_shared<model::Snapshot>(*next.snapshot);
  const model::NodeId node = next.node("n1001");
  changed->nodes.Mutable(node).facts = std::make_shared<NodeFacts>(changed->node_facts(node));
  ++changed->generation;
  next.snapshot = changed;
  bed.bed().Reopen(next);
  CHECK(bed.Pick("t") == "n1000");
  CHECK(rules.asked == 4);
}

TEST_CASE("node choice: what leaves a node that is gone hides no other node", "[framework]") {
  Rules rules;
  RulesBed bed(&rules, Nodes(20) +
                           "node a-gone gone; job old; task left job=old node=a-gone; job a min=1;"
                           "task t job=a cpu=1");
  CHECK(bed.Pick("t") == "n1000");
  CHECK(bed.Pick("t") == "n1000");
  Statement statement(bed.bed().session(), "test");
  statement.Evict(bed.bed().world().task("left"), bed.bed().world().task("t"));
  CHECK(bed.Pick("t") == "n1000");
}

TEST_CASE("node choice: tasks of one kind are refused in the same words", "[framework]") {
  Rules rules;
  rules.refuses = [](const std::string& node) { return node != "n1002"; };
  RulesBed bed(&rules, Nodes(3) + "job a min=1; task t1 job=a cpu=2; task t2 job=a cpu=2");
  const std::string words = "0/3 nodes are unavailable: 3 Insufficient cpu.";
  CHECK(bed.Pick("t1") == words);
  CHECK(bed.Pick("t2") == words);
  const TaskFit* first = bed.bed().session().notes().FitOf(bed.bed().world().task("t1"));
  CHECK(first == bed.bed().session().notes().FitOf(bed.bed().world().task("t2")));
}

// No sample is taken: neither the choice nor the count of refusals stops early.
TEST_CASE("node choice: every node is looked at, however many there are", "[framework]") {
  constexpr int kNodes = 700;
  Rules rules;
  rules.refuses = [](const std::string& node) { return node != "n1699"; };
  RulesBed bed(&rules, Nodes(kNodes) + "job a min=1; task t1 job=a cpu=1; task t2 job=a cpu=1");
  CHECK(bed.Pick("t1") == "n1699");
  Statement statement(bed.bed().session(), "test");
  statement.Allocate(bed.bed().world().task("t1"), bed.bed().world().node("n1699"));
  CHECK(bed.Pick("t2") == "0/700 nodes are unavailable: 1 Insufficient cpu, 699 not this one.");

  Rules likes_the_last;
  likes_the_last.score = [](const std::string& node) { return node == "n1699" ? 1 : 0; };
  RulesBed scored(&likes_the_last, Nodes(kNodes) + "job a min=1; task t job=a cpu=1");
  CHECK(scored.Pick("t") == "n1699");
}

TEST_CASE("node choice: the best score wins, then the first name", "[framework]") {
  struct Case {
    std::string name, nodes;
    std::map<std::string, double> scores;
    std::string expected;
  };
  const Case c = GENERATE(values<Case>({
      {"one is best", "node n1 cpu=1; node n2 cpu=1; node n3 cpu=1", {{"n1", 1}, {"n2", 2}}, "n2"},
      {"two are best",
       "node n4 cpu=1; node n3 cpu=1; node n2 cpu=1; node n1 cpu=1",
       {{"n1", 1}, {"n2", 1}, {"n3", 2}, {"n4", 2}},
       "n3"},
      {"scores below zero", "node n1 cpu=1; node n2 cpu=1", {{"n1", -2}, {"n2", -1}}, "n2"},
      {"the best one has no room",
       "node n1 cpu=1; node n2 cpu=1; node n3",
       {{"n1", 1}, {"n2", 2}, {"n3", 9}},
       "n2"},
      {"nobody is there", "", {}, "0/0 nodes are unavailable"},
  }));
  CAPTURE(c.name);
  Rules rules;
  rules.score = [&c](const std::string& node) {
    const auto found = c.scores.find(node);
    return found == c.scores.end() ? 0 : found->second;
  };
  RulesBed bed(&rules, c.nodes + ";job a min=1; task t job=a cpu=1");
  CHECK(bed.Pick("t") == c.expected);
  CHECK(bed.Pick("t") == c.expected);  // By an index, from the second time on.
}

// Adds hooks by a function.
class AnyPlugin final : public Plugin {
 public:
  using Open = std::function<void(Session&, HookRegistrar&)>;
  explicit AnyPlugin(Open open) : open_(std::move(open)) {}
  std::string_view name() const override { return "any"; }
  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    open_(session, hooks);
    return absl::OkStatus();
  }

 private:
  const Open open_;
};

// A session with plugins "first" and, in the next tier, "second".
test::PluginBed Opened(const AnyPlugin::Open& first, const AnyPlugin::Open& second,
                       std::string_view world) {
  Registry registry;
  const auto add = [&registry](const std::string& name, const AnyPlugin::Open& open) {
    registry.plugins[name] =
        [open](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<Plugin>> {
      return std::make_unique<AnyPlugin>(open);
    };
  };
  add("first", first);
  add("second", second);
  return test::PluginBed(registry, test::MakePolicy("", "first;second"), MakeWorld(world));
}

// A filter that refuses every node.
void Refuse(Session& session, HookRegistrar& hooks, FitCode code, std::string_view words) {
  const ReasonId reason = session.reasons().Register(code, words);
  if (code == FitCode::kUnresolvable) {
    hooks.FilterStatic([reason](const model::PodConstraints&, NodeRange, absl::Span<ReasonId> out) {
      for (ReasonId& verdict : out) verdict = reason;
    });
    return;
  }
  hooks.FilterUsage([reason](ShapeId, NodeRange, absl::Span<ReasonId> out) {
    for (ReasonId& verdict : out) verdict = reason;
  });
}

TEST_CASE("node choice: reasons of one plugin add up until one aborts, later plugins are not asked",
          "[framework]") {
  struct Case {
    std::string name;
    std::vector<std::pair<FitCode, std::string>> first, second;
    std::string expected;
  };
  constexpr FitCode kCurable = FitCode::kUnschedulable;
  constexpr FitCode kFinal = FitCode::kUnresolvable;
  const Case c = GENERATE_COPY(values<Case>({
      {"several that evictions may cure",
       {{kCurable, "c"}, {kCurable, "a"}, {kCurable, "b"}},
       {},
       "0/1 nodes are unavailable: 1 a, 1 b, 1 c."},
      {"one that nothing cures ends the list",
       {{kCurable, "c"}, {kFinal, "a"}, {kCurable, "b"}},
       {},
       "0/1 nodes are unavailable: 1 a, 1 c."},
      {"the first final one counts",
       {{kFinal, "c"}, {kFinal, "a"}},
       {},
       "0/1 nodes are unavailable: 1 c."},
      {"the next plugin is not asked any more",
       {{kCurable, "c"}},
       {{kCurable, "a"}},
       "0/1 nodes are unavailable: 1 c."},
      {"the next plugin is asked when the first agrees",
       {},
       {{kCurable, "a"}},
       "0/1 nodes are unavailable: 1 a."},
  }));
  CAPTURE(c.name);
  const auto opens = [](const std::vector<std::pair<FitCode, std::string>>& filters) {
    return [filters](Session& session, HookRegistrar& hooks) {
      for (const auto& [code, words] : filters) Refuse(session, hooks, code, words);
    };
  };
  test::PluginBed bed =
      Opened(opens(c.first), opens(c.second), "node n1 cpu=1;job a min=1;task t job=a cpu=1");
  const model::TaskId task = bed.world().task("t");
  CHECK_FALSE(bed.session().picker().Pick(task).node.valid());
  CHECK(bed.session().notes().FitOf(task)->Text() == c.expected);
}

TEST_CASE("node choice: static scores are normalised over the nodes that fit, then weighted",
          "[framework]") {
  struct Case {
    std::string name;
    Normalize normalize;
    double weight;
    int64_t n1, n2;
    double lead;  // Of n2 before n1.
  };
  const Case c = GENERATE(values<Case>({
      {"as they are", Normalize::kNone, 2, 10, 20, 20},
      {"by the largest", Normalize::kByMax, 2, 10, 20, 100},
      {"by the largest, truncated", Normalize::kByMax, 1, 1, 3, 67},
      {"by the largest, all zero", Normalize::kByMax, 2, 0, 0, 0},
      {"reversed", Normalize::kByMaxReverse, 2, 10, 20, -100},
      {"reversed, all zero", Normalize::kByMaxReverse, 2, 0, 0, 0},
      {"weight zero", Normalize::kNone, 0, 10, 20, 0},
  }));
  CAPTURE(c.name);
  // A bonus for n1 just below and just above the lead tells how large it is.
  for (const double step : {-0.5, 0.5}) {
    const auto scores = [&c](Session& session, HookRegistrar& hooks) {
      hooks.ScoreStatic(
          {.fn =
               [&c, &session](const model::PodConstraints&, NodeRange block,
                              absl::Span<int64_t> raw) {
                 for (NodeId node : block) {
                   const std::string& name = session.node(node).name;
                   // n3 has no room: what it would score does not count.
                   raw[block.Offset(node)] = name == "n1" ? c.n1 : name == "n2" ? c.n2 : 1000;
                 }
               },
           .normalize = c.normalize,
           .weight = c.weight});
    };
    const auto bonus = [&c, step](Session& session, HookRegistrar& hooks) {
      hooks.ScoreUsage([&c, &session, step](ShapeId, NodeRange block, absl::Span<double> sum) {
        for (NodeId node : block) {
          if (session.node(node).name == "n1") sum[block.Offset(node)] += c.lead + step;
        }
      });
    };
    test::PluginBed bed = Opened(scores, bonus,
                                 "node n1 cpu=1;node n2 cpu=1;node n3 cpu=0;"
                                 "job a min=1;task t job=a cpu=1");
    const NodeChoice choice = bed.session().picker().Pick(bed.world().task("t"));
    REQUIRE(choice.node.valid());
    CHECK(bed.session().node(choice.node).name == (step < 0 ? "n2" : "n1"));
  }
}

}  // namespace
}  // namespace bth::framework
