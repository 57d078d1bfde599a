// Runs whose questions about victims do not suffice for all who wait.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/builtin.h"
#include "actions/factories.h"
#include "base/strings.h"
#include "plugins/builtin.h"
#include "tests/actions/eviction_world.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

using actions::eviction::Comparison;
using actions::eviction::Turns;

// Lets anybody go, but for one evictor only, and remembers who asked, one after the other.
class OneEvictor final : public framework::Plugin {
 public:
  OneEvictor(std::string served, std::vector<std::string>* asked)
      : served_(std::move(served)), asked_(asked) {}
  std::string_view name() const override { return "one"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    const auto judge = [this, &session](model::TaskId evictor,
                                        absl::Span<const model::TaskId> candidates) {
      const std::string& name = session.task(evictor).names->name;
      if (asked_->empty() || asked_->back() != name) asked_->push_back(name);
      framework::Verdict verdict{.vote = framework::Vote::kPermit};
      if (name == served_) verdict.victims = {candidates.begin(), candidates.end()};
      return verdict;
    };
    hooks.Preemptable(judge);
    hooks.Reclaimable(judge);
    return absl::OkStatus();
  }

 private:
  const std::string served_;
  std::vector<std::string>* const asked_;
};

framework::Registry WithLimit(int64_t questions, std::string served,
                              std::vector<std::string>* asked) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  registry.plugins["one"] =
      [=](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<OneEvictor>(served, asked);
  };
  registry.actions["preempt"] = [questions](const conf::Arguments&) {
    return actions::MakePreempt(std::nullopt, Turns(questions));
  };
  registry.actions["reclaim"] = [questions](const conf::Arguments&) {
    return actions::MakeReclaim(Turns(questions));
  };
  return registry;
}

TEST_CASE("eviction: whom a run has no questions left for begins the next one",
          "[actions][eviction]") {
  struct Case {
    std::string name, action;
    int64_t questions;
    bool busy;  // Something happens in each cycle.
    std::vector<std::vector<std::string>> asked;
  };
  const Case c = GENERATE(values<Case>({
      {"two jobs in a run", "preempt", 8, false, {{"w1", "w2"}, {"w3", "w4"}, {"w5"}}},
      {"while others come", "preempt", 8, true, {{"w1", "w2"}, {"w3", "w4"}, {"w5"}}},
      {"between queues", "reclaim", 8, false, {{"w1", "w2"}, {"w3", "w4"}, {"w5"}}},
      {"a job for which no run suffices lets others begin",
       "preempt",
       3,
       false,
       {{"w1"}, {"w2"}, {"w3"}, {"w4"}, {"w5"}}},
      {"one that is cut off in the midst begins anew",
       "preempt",
       6,
       false,
       {{"w1", "w2"}, {"w2", "w3"}, {"w3", "w4"}, {"w4", "w5"}}},
  }));
  CAPTURE(c.name);
  std::vector<std::string> asked;
  const framework::Registry registry = WithLimit(c.questions, "w5", &asked);
  EvictionWorld world(StrCat("actions: \"allocate, ", c.action, "\"\n", R"(tiers:
- plugins: [{name: gang, enablePreemptable: false, enableReclaimable: false}, {name: one}]
)"),
                      2, registry);
  const std::string other = c.action == "reclaim" ? "q2" : "q1";
  world.AddQueue("q1", 1, 0);
  world.AddQueue("q2", 1, 0);
  for (int i = 0; i < 4; ++i) {
    world.Add(EvictionNode{.name = StrCat("n", i), .cpu_milli = 1000});
    world.Add(EvictionJob{.name = StrCat("low", i), .queue = other});
    world.Add(EvictionPod{.name = StrCat("low", i, "-0"),
                          .job = StrCat("low", i),
                          .node = StrCat("n", i),
                          .status = model::TaskStatus::kRunning,
                          .cpu_milli = 1000});
  }
  world.Add(EvictionNode{.name = "spare"});
  world.Add(EvictionJob{.name = "filler", .queue = other});
  // Each asks for less than the one before, so that no failure speaks for the next.
  for (int i = 1; i <= 5; ++i) {
    world.Add(EvictionJob{.name = StrCat("job", i), .queue = "q1", .min = 1});
    world.Add(
        EvictionPod{.name = StrCat("w", i), .job = StrCat("job", i), .cpu_milli = 1000 - 50 * i});
  }
  for (size_t cycle = 0; cycle < c.asked.size(); ++cycle) {
    CAPTURE(cycle);
    asked.clear();
    if (c.busy) {
      world.Add(EvictionPod{.name = StrCat("filler-", cycle),
                            .job = "filler",
                            .node = "spare",
                            .status = model::TaskStatus::kRunning});
    }
    const EvictionCycle outcome = world.Step();
    CHECK(outcome.faults.empty());
    const bool is_last = cycle + 1 == c.asked.size();
    if (is_last) asked.resize(std::min(asked.size(), c.asked[cycle].size()));
    CHECK(asked == c.asked[cycle]);
    REQUIRE(outcome.evictions.size() == (is_last ? 1 : 0));
    if (is_last) CHECK(outcome.evictions[0].beneficiary == "w5");
  }
}

TEST_CASE("eviction: whom a run has no questions left for says so", "[actions][eviction]") {
  std::vector<std::string> asked;
  const framework::Registry registry = WithLimit(1, "", &asked);
  PluginBed bed(registry, MakePolicy("preempt", "gang!enablePreemptable,one"),
                MakeWorld("node n1 cpu=1; node n2 cpu=1; job low min=0;"
                          "task l1 job=low cpu=1 node=n1; task l2 job=low cpu=1 node=n2;"
                          "job first min=1; task f job=first cpu=1;"
                          "job huge min=1; task h job=huge cpu=2;"
                          "job second min=1; task s job=second cpu=500m"));
  const auto action = registry.actions.at("preempt")(MakeArguments("{}"));
  CHECK_FALSE(bed.session().was_cut_short());
  REQUIRE((*action)->Execute(bed.session()).ok());
  CHECK(bed.session().was_cut_short());
  CHECK(asked == std::vector<std::string>{"f"});
  const auto preset = [&bed](std::string_view job) {
    const auto& searches = bed.session().notes().VictimSearchesOf(bed.world().job(job));
    return searches.empty() ? "" : searches[0].preset;
  };
  const std::string cut_short =
      "the search for victims was cut short; it begins anew with the next cycle";
  CHECK(preset("first") == cut_short);
  CHECK(preset("huge").empty());  // No question would help.
  CHECK(preset("second") == cut_short);
}

TEST_CASE("eviction: a search that would only be repeated brings no cycle", "[actions][eviction]") {
  struct Case {
    std::string name, action, others;
    bool brings_cycle;
  };
  const Case c = GENERATE(values<Case>({
      {"a job alone", "preempt", "", false},
      {"a job alone, between queues", "reclaim", "", false},
      {"beside one that no eviction helps", "preempt", "job huge queue=q1 min=1 tasks=1 cpu=3",
       false},
      {"beside one that has no turn", "preempt", "job next queue=q1 min=1 tasks=1 cpu=500m", true},
      {"the same between queues", "reclaim", "job next queue=q1 min=1 tasks=1 cpu=500m", true},
  }));
  CAPTURE(c.name);
  const std::string other = c.action == "reclaim" ? "q2" : "q1";
  std::vector<std::string> asked;
  const framework::Registry registry = WithLimit(1, "", &asked);
  PluginBed bed(
      registry, MakePolicy(c.action, "gang!enablePreemptable!enableReclaimable,one"),
      MakeWorld(StrCat("node n1 cpu=1; node n2 cpu=1; queue q1; queue q2; job low queue=", other,
                       " min=0; task l1 job=low cpu=1 node=n1;", "task l2 job=low cpu=1 node=n2;",
                       "job first queue=q1 min=1 tasks=1 cpu=1;", c.others)));
  const auto action = registry.actions.at(c.action)(MakeArguments("{}"));
  // The same again.
  for (int cycle = 0; cycle < 2; ++cycle) {
    CAPTURE(cycle);
    REQUIRE((*action)->Execute(bed.session()).ok());
    const auto& searches = bed.session().notes().VictimSearchesOf(bed.world().job("first"));
    REQUIRE_FALSE(searches.empty());
    CHECK(searches[0].cut_short);  // So that it is looked at in any cycle.
    CHECK(bed.session().was_cut_short() == c.brings_cycle);
    bed.Reopen(bed.world());
  }
}

// Remembers of which tasks it was asked whether their queue has room.
class RoomAsked final : public framework::Plugin {
 public:
  explicit RoomAsked(std::vector<std::string>* tasks) : tasks_(tasks) {}
  std::string_view name() const override { return "room"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    hooks.Allocatable([this, &session](model::QueueId, model::TaskId task) {
      const std::string& name = session.task(task).names->name;
      if (tasks_->empty() || tasks_->back() != name) tasks_->push_back(name);
      return true;
    });
    return absl::OkStatus();
  }

 private:
  std::vector<std::string>* const tasks_;
};

TEST_CASE("reclaim: without questions equal pods are searched for once", "[actions][eviction]") {
  std::vector<std::string> asked;
  std::vector<std::string> searched;
  framework::Registry registry = WithLimit(1, "", &asked);
  registry.plugins["room"] =
      [&searched](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<RoomAsked>(&searched);
  };
  PluginBed bed(registry, MakePolicy("reclaim", "gang!enableReclaimable,one,room"),
                MakeWorld("node n1 cpu=1; node n2 cpu=1; queue q1; queue q2;"
                          "job low queue=q2 min=0; task l1 job=low cpu=1 node=n1;"
                          "task l2 job=low cpu=1 node=n2;"
                          "job a queue=q1 min=1 tasks=1 cpu=1; job b queue=q1 min=1 tasks=1 cpu=1;"
                          "job c queue=q1 min=1 tasks=1 cpu=1; job d queue=q1 min=1 tasks=1 cpu=2;"
                          "job e queue=q1 min=1 tasks=1 cpu=1"));
  const auto action = registry.actions.at("reclaim")(MakeArguments("{}"));
  REQUIRE((*action)->Execute(bed.session()).ok());
  CHECK(asked == std::vector<std::string>{"a-0"});
  // The first search began with a question; and nothing follows from theirs for a larger pod.
  CHECK(searched == std::vector<std::string>{"a-0", "b-0", "d-0"});
  const auto text = [&bed](std::string_view job) {
    const auto& searches = bed.session().notes().VictimSearchesOf(bed.world().job(job));
    return searches.empty() || !searches[0].cut_short ? "" : searches[0].Text();
  };
  CHECK_FALSE(text("a").empty());
  CHECK_FALSE(text("b").empty());
  CHECK(text("c") == text("b"));
  CHECK(text("d").empty());
  CHECK(text("e") == text("b"));
}

TEST_CASE("preempt: a node that was chosen is taken with the last question", "[actions][preempt]") {
  const int64_t questions = GENERATE(1, 2, 3);
  CAPTURE(questions);
  std::vector<std::string> asked;
  framework::Registry registry = WithLimit(questions, "t", &asked);
  registry.actions["preempt"] = [questions](const conf::Arguments&) {
    return actions::MakePreempt(Comparison{.percentage = 100}, Turns(questions));
  };
  const CycleOutcome outcome =
      RunCycle(registry, MakePolicy("preempt", "gang!enablePreemptable,one"),
               MakeWorld("node n1 cpu=1; node n2 cpu=1; node n3 cpu=1; job low min=0;"
                         "task l1 job=low cpu=1 node=n1; task l2 job=low cpu=1 node=n2;"
                         "task l3 job=low cpu=1 node=n3; job high min=1; task t job=high cpu=1"));
  CHECK(outcome.pipelined == std::map<std::string, std::string>{{"t", "n1"}});
}

}  // namespace
}  // namespace bth::test
