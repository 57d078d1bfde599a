#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using testing::Read;

// Node "n", queue "default", PodGroup "g" with the pods "p" (label app=x) and "q" (app=y).
struct PoliciesBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  PoliciesBed() {
    mirror.PutNode(MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols()));
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutPodGroup(MakeGroup("g", 1));
    Put({.name = "p", .meta = R"("labels":{"app":"x"},)"});
    Put({.name = "q", .meta = R"("labels":{"app":"y"},)"});
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const PodText& text) { mirror.PutPod(MakePod(text, symbols())); }
  void PutBudget(const std::string& name, std::string_view selector, int allowed) {
    mirror.PutBudget(Compile(Read<types::PodDisruptionBudget>(StrCat(
        R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"ns",)",
        R"("name":")", name, R"("},"spec":{)", selector, R"(},"status":{)",
        R"("disruptedPods":{"z":"2026-01-01T00:00:00Z","a":"2026-01-01T00:00:00Z"},)",
        R"("disruptionsAllowed":)", allowed, "}}"))));
  }
  // Budgets of a pod as the next snapshot shows them: "<key>:<allowed>".
  std::vector<std::string> BudgetsOf(const std::string& pod) {
    const auto snapshot = mirror.Publish();
    std::vector<std::string> budgets;
    for (const model::TaskRow& row : Rows(*snapshot)) {
      if (row.names->name != pod || row.budgets == nullptr) continue;
      for (model::BudgetId id : *row.budgets) {
        const model::BudgetRow& budget = snapshot->budgets[id];
        REQUIRE(budget.key != nullptr);
        budgets.push_back(StrCat(*budget.key, ":", budget.disruptions_allowed));
      }
    }
    std::sort(budgets.begin(), budgets.end());
    return budgets;
  }
  static std::vector<model::TaskRow> Rows(const model::Snapshot& snapshot) {
    std::vector<model::TaskRow> rows;
    for (model::TaskId id : snapshot.tasks.ids()) {
      if (snapshot.tasks[id].names != nullptr) rows.push_back(snapshot.tasks[id]);
    }
    return rows;
  }
};

using Names = std::vector<std::string>;
constexpr char kAppX[] = R"("selector":{"matchLabels":{"app":"x"}})";

TEST_CASE("mirror: tasks know the budgets that select them", "[cache]") {
  PoliciesBed bed;
  bed.PutBudget("b", kAppX, 1);
  bed.PutBudget("all", R"("selector":{})", 2);
  bed.PutBudget("none", "", 3);
  bed.PutBudget("broken", R"("selector":{"matchExpressions":[{"key":"app","operator":"In"}]})", 4);
  bed.PutBudget("not-x",
                R"("selector":{"matchExpressions":[{"key":"app","operator":"NotIn",
                   "values":["x"]}]})",
                5);
  CHECK(bed.BudgetsOf("p") == Names{"ns/all:2", "ns/b:1"});
  CHECK(bed.BudgetsOf("q") == Names{"ns/all:2", "ns/not-x:5"});
  // Budgets and pods change, come and go.
  bed.PutBudget("b", kAppX, 0);
  CHECK(bed.BudgetsOf("p") == Names{"ns/all:2", "ns/b:0"});
  bed.PutBudget("all", R"("selector":{"matchLabels":{"app":"y"}})", 2);
  CHECK(bed.BudgetsOf("p") == Names{"ns/b:0"});
  bed.Put({.name = "p", .meta = R"("labels":{"app":"y"},)"});
  CHECK(bed.BudgetsOf("p") == Names{"ns/all:2", "ns/not-x:5"});
  bed.Put({.name = "late", .meta = R"("labels":{"app":"x"},)"});
  CHECK(bed.BudgetsOf("late") == Names{"ns/b:0"});
  bed.mirror.RemoveBudget("ns/b");
  CHECK(bed.BudgetsOf("late").empty());
  bed.PutBudget("next", kAppX, 7);  // In the slot that became free.
  CHECK(bed.BudgetsOf("late") == Names{"ns/next:7"});
  CHECK(bed.BudgetsOf("q") == Names{"ns/all:2", "ns/not-x:5"});
  const auto snapshot = bed.mirror.Publish();
  CHECK(*snapshot->budgets[model::BudgetId(0)].disrupted == Names{"a", "z"});
}

TEST_CASE("mirror: a budget that changed makes a cycle, one that did not makes none", "[cache]") {
  PoliciesBed bed;
  bed.PutBudget("b", kAppX, 1);
  CHECK(bed.mirror.changed());
  bed.mirror.Publish();
  bed.PutBudget("b", kAppX, 1);
  CHECK_FALSE(bed.mirror.changed());
  bed.PutBudget("b", kAppX, 2);
  CHECK(bed.mirror.changed());
  bed.mirror.Publish();
  bed.mirror.RemoveBudget("ns/b");
  CHECK(bed.mirror.changed());
  bed.mirror.Publish();
  bed.mirror.RemoveBudget("ns/b");
  CHECK_FALSE(bed.mirror.changed());
}

TEST_CASE("mirror: quotas by namespace and name", "[cache]") {
  PoliciesBed bed;
  const auto quota = [](const std::string& ns, const std::string& name, int64_t cpu) {
    return CompiledQuota{.ns = ns, .row = {.name = name, .hard = {{"cpu", cpu, "c"}}, .used = {}}};
  };
  CHECK(bed.mirror.Publish()->quotas == nullptr);
  bed.mirror.PutQuota(quota("ns", "z", 1));
  bed.mirror.PutQuota(quota("ns", "a", 2));
  bed.mirror.PutQuota(quota("other", "z", 3));
  CHECK(bed.mirror.changed());
  const auto first = bed.mirror.Publish()->quotas;
  REQUIRE(first->at("ns").size() == 2);
  CHECK(first->at("ns")[0].name == "a");
  CHECK(first->at("ns")[1].hard[0].amount == 1);
  bed.mirror.PutQuota(quota("ns", "z", 1));
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.Publish()->quotas == first);
  bed.mirror.PutQuota(quota("ns", "z", 9));
  CHECK(bed.mirror.changed());
  CHECK(bed.mirror.Publish()->quotas->at("ns")[1].hard[0].amount == 9);
  CHECK(first->at("ns")[1].hard[0].amount == 1);  // Older snapshots stay as they are.
  bed.mirror.RemoveQuota("ns", "z");
  bed.mirror.RemoveQuota("ns", "a");
  bed.mirror.RemoveQuota("ns", "a");
  CHECK_FALSE(bed.mirror.Publish()->quotas->contains("ns"));
  bed.mirror.RemoveQuota("other", "z");
  CHECK(bed.mirror.Publish()->quotas == nullptr);
}

TEST_CASE("mirror: a cooldown begins with the status that shows it", "[cache]") {
  PoliciesBed bed;
  const auto until = [&bed] {
    const auto snapshot = bed.mirror.Publish();
    for (const model::TaskRow& row : PoliciesBed::Rows(*snapshot)) {
      if (row.names->name == "p") return row.protected_until_us;
    }
    return int64_t{-1};
  };
  PodText text{.name = "p",
               .spec = R"("nodeName":"n",)",
               .annotations = R"("volcano.sh/cooldown-time":"1m",)"};
  bed.Put(text);
  CHECK(until() == 0);
  text.status = R"("phase":"Running","conditions":[{"type":"PodScheduled","status":"True",
                   "lastTransitionTime":"2026-01-01T00:00:00Z"}],)";
  bed.Put(text);
  CHECK(until() == 1'767'225'660'000'000);
}

TEST_CASE("mirror: node groups and their limits reach queues and nodes", "[cache]") {
  PoliciesBed bed;
  CompiledQueue queue = MakeQueue("q");
  queue.node_groups.has_affinity = true;
  queue.node_groups.required = {"g1"};
  queue.node_group_limits = {{"g1", {{"cpu", 2000}, {"nobody.asks/for", 1}}}};
  bed.mirror.PutQueue(queue);
  const auto rules_of = [](const model::Snapshot& snapshot, const std::string& name) {
    for (model::QueueId id : *snapshot.queues_by_name) {
      if (*snapshot.queues[id].name == name) return snapshot.queues[id].node_groups;
    }
    return std::shared_ptr<const model::NodeGroupRules>();
  };
  auto snapshot = bed.mirror.Publish();
  CHECK(rules_of(*snapshot, "default") == nullptr);
  REQUIRE(rules_of(*snapshot, "q") != nullptr);
  CHECK(rules_of(*snapshot, "q")->required == Names{"g1"});
  REQUIRE(rules_of(*snapshot, "q")->limits.size() == 1);
  CHECK(rules_of(*snapshot, "q")->limits[0].second.v[model::kCpu] == 2000);
  bed.mirror.PutQueue(queue);
  CHECK_FALSE(bed.mirror.changed());
  queue.node_group_limits[0].second[0].second = 3000;
  bed.mirror.PutQueue(queue);
  CHECK(bed.mirror.changed());
  snapshot = bed.mirror.Publish();
  CHECK(rules_of(*snapshot, "q")->limits[0].second.v[model::kCpu] == 3000);
  const auto node =
      Compile(Read<types::Node>(
                  R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"m","labels":{
              "volcano.sh/nodegroup-name":"g1","volcano.sh/revocable-zone":"rz1"}}})"),
              bed.symbols());
  REQUIRE(node.ok());
  CHECK(node->facts->node_group == "g1");
  CHECK(node->facts->revocable_zone == "rz1");
}

}  // namespace
}  // namespace bth::cache
