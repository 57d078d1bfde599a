#include <functional>
#include <optional>

#include "framework/hooks/hook_lists.h"
#include "tests/support/catch.h"

namespace bth::framework {
namespace {

using TierVotes = std::vector<std::vector<int>>;  // By tier.
using TaskIds = std::vector<uint32_t>;

std::vector<uint32_t> Values(const std::vector<TaskId>& ids) {
  std::vector<uint32_t> out;
  for (TaskId id : ids) out.push_back(id.value());
  return out;
}

TEST_CASE("hooks: votes across tiers", "[framework]") {
  struct Case {
    TierVotes votes;
    bool permitted;
  };
  const Case cases[] = {
      {{}, true},
      {{{0}}, true},
      {{{0, 0}, {0}}, true},
      {{{0, 1}, {-1}}, true},  // The first tier with a permit decides.
      {{{1, -1}}, false},
      {{{-1, 1}}, false},
      {{{0}, {-1}}, false},
      {{{0}, {1}, {-1}}, true},
      {{{1}, {-1}, {1}}, true},
  };
  for (const Case& c : cases) {
    VoteHooks<JobId> list;
    int position = 0;
    for (size_t tier = 0; tier < c.votes.size(); ++tier) {
      for (int vote : c.votes[tier]) {
        list.Add({static_cast<int>(tier), "p", position++},
                 [vote](JobId) { return static_cast<Vote>(vote); });
      }
    }
    INFO(&c - cases);
    CHECK(list(JobId(0)) == c.permitted);
  }
}

// A plugin that abstains, or its victims.
using Answer = std::optional<TaskIds>;

VictimChoice Choose(const std::vector<std::vector<Answer>>& tiers, bool strict) {
  EvictableHooks<TaskId> list;
  int position = 0;
  for (size_t tier = 0; tier < tiers.size(); ++tier) {
    for (const Answer& answer : tiers[tier]) {
      list.Add({static_cast<int>(tier), "plugin", position++},
               {[answer](TaskId, absl::Span<const TaskId>) {
                 Verdict verdict;
                 if (!answer) return verdict;
                 verdict.vote = Vote::kPermit;
                 for (uint32_t id : *answer) verdict.victims.push_back(TaskId(id));
                 return verdict;
               }});
    }
  }
  const std::vector<TaskId> candidates = {TaskId(1), TaskId(2), TaskId(3)};
  return list(TaskId(9), candidates, strict);
}

TEST_CASE("hooks: victims are what all plugins of the first answering tier name", "[framework]") {
  struct Case {
    std::vector<std::vector<Answer>> tiers;
    bool strict;
    TaskIds victims;
    int tier;
    size_t overruled;
  };
  const Answer abstain;
  const std::vector<Case> cases = {
      {{}, false, {}, -1, 0},
      {{{TaskIds{1, 2}, TaskIds{2, 3}}}, false, {2}, 0, 0},
      {{{TaskIds{3, 1, 2}, TaskIds{1, 2, 3}}}, false, {3, 1, 2}, 0, 0},  // The first one's order.
      {{{abstain, TaskIds{2, 1}}}, false, {2, 1}, 0, 0},
      {{{TaskIds{1}, abstain}}, false, {1}, 0, 0},
      {{{TaskIds{}, TaskIds{1}}, {TaskIds{3}}}, false, {3}, 1, 1},
      {{{abstain, abstain}, {TaskIds{1}}}, false, {1}, 1, 0},
      {{{abstain}, {abstain}}, false, {}, -1, 0},
      // An empty intersection stays empty, whatever later plugins of the tier name.
      {{{TaskIds{1}, TaskIds{2}, TaskIds{1, 2, 3}}}, false, {}, -1, 1},
      {{{TaskIds{1}, TaskIds{2}, TaskIds{3}}, {TaskIds{2}}}, false, {2}, 1, 1},
      // Strict: an empty answer is final, an abstention is none.
      {{{TaskIds{}}, {TaskIds{3}}}, true, {}, -1, 1},
      {{{TaskIds{1}, TaskIds{2}}, {TaskIds{3}}}, true, {}, -1, 1},
      {{{abstain}, {TaskIds{3}}}, true, {3}, 1, 0},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    const VictimChoice choice = Choose(cases[i].tiers, cases[i].strict);
    CHECK(Values(choice.victims) == cases[i].victims);
    CHECK(choice.tier == cases[i].tier);
    CHECK(choice.overruled.size() == cases[i].overruled);
  }
}

TEST_CASE("hooks: of many victims those that all plugins name stay, in the first one's order",
          "[framework]") {
  TaskIds downwards, even, expect;
  for (uint32_t id = 100; id > 0; --id) downwards.push_back(id);
  for (uint32_t id = 0; id < 120; id += 2) even.push_back(id);
  for (uint32_t id = 100; id > 0; id -= 2) expect.push_back(id);
  even.push_back(2);  // Named twice.
  CHECK(Values(Choose({{downwards, even}}, false).victims) == expect);
  CHECK(Values(Choose({{downwards, even, TaskIds{7, 8}}}, false).victims) == TaskIds{8});
  CHECK(Choose({{even, downwards}}, false).victims.size() == expect.size() + 1);
}

TEST_CASE("hooks: the first tier that has a starving hook decides", "[framework]") {
  struct Case {
    std::vector<std::pair<int, bool>> answers;  // Tier, answer.
    bool starving;
  };
  const Case cases[] = {
      {{}, false},
      {{{0, true}}, true},
      {{{0, true}, {0, false}}, false},
      {{{0, false}, {0, true}}, false},
      {{{0, true}, {1, false}}, true},
      {{{1, false}, {2, true}}, false},
  };
  for (const Case& c : cases) {
    StarvingHooks list;
    int position = 0;
    for (auto [tier, answer] : c.answers) {
      list.Add({tier, "p", position++}, [answer = answer](JobId) { return answer; });
    }
    INFO(&c - cases);
    CHECK(list(JobId(0)) == c.starving);
  }
}

TEST_CASE("hooks: orders take the first answer that is not zero, rules need all or any",
          "[framework]") {
  OrderHooks<JobId, JobId> order;
  CHECK(order(JobId(0), JobId(1)) == 0);
  for (int answer : {0, -3, 5}) {
    order.Add({0, "p", 0}, [answer](JobId, JobId) { return answer; });
  }
  CHECK(order(JobId(0), JobId(1)) == -3);

  AllHooks<JobId> all;
  AnyHooks<JobId> any;
  CHECK(all(JobId(0)));
  CHECK_FALSE(any(JobId(0)));
  for (const bool answer : {true, false}) {
    all.Add({0, "p", 0}, [answer](JobId) { return answer; });
    any.Add({0, "p", 0}, [answer](JobId) { return !answer; });
    CHECK(all(JobId(0)) == answer);
    CHECK(any(JobId(0)) == !answer);
  }
}

TEST_CASE("hooks: victims that are named come from one tier, each once, and filters thin them out",
          "[framework]") {
  struct Case {
    std::vector<std::pair<int, TaskIds>> named;  // Tier, tasks.
    TaskIds victims;
  };
  const std::vector<Case> cases = {
      {{}, {}},
      {{{0, {3, 1}}, {0, {1, 2}}}, {3, 1, 2}},
      {{{0, {}}, {1, {2}}, {1, {4, 2}}, {2, {1}}}, {2, 4}},
      {{{0, {1}}, {1, {2}}}, {1}},
  };
  for (const Case& c : cases) {
    VictimTasksHooks list;
    for (const auto& [tier, named] : c.named) {
      std::vector<TaskId> tasks;
      for (uint32_t id : named) tasks.push_back(TaskId(id));
      list.Add({tier, "p", 0}, [tasks](absl::Span<const TaskId>) { return tasks; });
    }
    INFO(&c - cases.data());
    CHECK(Values(list({})) == c.victims);
  }
  VictimFilterHooks filters;
  CHECK(Values(filters({TaskId(1), TaskId(2)})) == TaskIds{1, 2});
  for (const uint32_t kept_back : {1, 3}) {
    filters.Add({0, "p", 0}, [kept_back](absl::Span<const TaskId> victims) {
      std::vector<TaskId> left(victims.begin(), victims.end());
      std::erase(left, TaskId(kept_back));
      return left;
    });
  }
  CHECK(Values(filters({TaskId(1), TaskId(2), TaskId(3)})) == TaskIds{2});
}

TEST_CASE("hooks: a job is valid until a plugin says why not, and the first plan counts",
          "[framework]") {
  ValidityHooks valid;
  CHECK(valid(JobId(0)).valid);
  for (const char* reason : {"", "first", "second"}) {
    valid.Add({0, "p", 0}, [reason](JobId) {
      return JobValidity{.valid = *reason == '\0', .reason = reason, .message = ""};
    });
  }
  CHECK_FALSE(valid(JobId(0)).valid);
  CHECK(valid(JobId(0)).reason == "first");

  PlanHooks<model::VolumePlan> plans;
  CHECK(plans(TaskId(0)) == nullptr);
  auto plan = std::make_shared<const model::VolumePlan>();
  plans.Add({0, "p", 0}, [](TaskId) { return nullptr; });
  plans.Add({0, "q", 1}, [plan](TaskId) { return plan; });
  CHECK(plans(TaskId(0)) == plan);

  DeservedHooks deserved;
  CHECK_FALSE(deserved(QueueId(0)).has_value());
  deserved.Add({0, "p", 0}, [](QueueId) { return std::nullopt; });
  CHECK_FALSE(deserved(QueueId(0)).has_value());
  deserved.Add({0, "q", 1}, [](QueueId) { return model::ResourceVec{{7}}; });
  deserved.Add({1, "r", 2}, [](QueueId) { return model::ResourceVec{{8}}; });
  CHECK(deserved(QueueId(0)) == model::ResourceVec{{7}});
}

}  // namespace
}  // namespace bth::framework
