// Roles of tasks: those that name none have the role of the empty name, and those that nobody has
// any more go.
#include <ctime>

#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakePod;
using testing::MakeQueue;

constexpr char kUnnamed[] = R"("minTaskMember":{"":2,"w":1},)";

struct RoleBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  RoleBed() { mirror.PutQueue(MakeQueue("default")); }
  void Pod(const std::string& name, const std::string& role = "") {
    const std::string annotation =
        role.empty() ? "" : StrCat(R"("volcano.sh/task-spec":")", role, R"(",)");
    mirror.PutPod(
        MakePod({.name = name, .annotations = annotation}, mirror.vocabulary().symbols()));
  }
  // "name minimum tasks" of each role with a minimum.
  std::vector<std::string> Roles() {
    std::vector<std::string> out;
    const auto snapshot = mirror.Publish();
    for (model::JobId job : *snapshot->all_jobs) {
      for (model::RoleId role : *snapshot->jobs[job].roles) {
        const model::RoleRow& row = snapshot->roles[role];
        const auto& counts = snapshot->usage.roles[role].by_status;
        out.push_back(StrCat("'", *row.name, "' ", row.min_available, " ",
                             model::CountStatuses(counts, ~0u)));
      }
    }
    return out;
  }
};

using Names = std::vector<std::string>;

TEST_CASE("roles: tasks that name none count toward the minimum of the empty role", "[cache]") {
  RoleBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 3, kUnnamed));
  bed.Pod("a");
  bed.Pod("b", "w");
  bed.Pod("c");
  CHECK(bed.Roles() == Names{"'' 2 2", "'w' 1 1"});
  bed.mirror.RemovePod("ns/a");
  CHECK(bed.Roles() == Names{"'' 2 1", "'w' 1 1"});
}

TEST_CASE("roles: the minimum of the empty role counts tasks that came before it", "[cache]") {
  RoleBed bed;
  bed.Pod("a");
  bed.Pod("b", "w");
  bed.mirror.PutPodGroup(MakeGroup("g", 3, R"("minTaskMember":{"w":1},)"));
  CHECK(bed.Roles() == Names{"'w' 1 1"});
  bed.mirror.PutPodGroup(MakeGroup("g", 3, kUnnamed));
  CHECK(bed.Roles() == Names{"'' 2 1", "'w' 1 1"});
  bed.mirror.PutPodGroup(MakeGroup("g", 3));
  CHECK(bed.Roles().empty());
  bed.mirror.RemovePodGroup("ns/g");
  bed.mirror.RemovePod("ns/a");
  bed.mirror.RemovePod("ns/b");
  CHECK(bed.Roles().empty());
}

TEST_CASE("roles: minimums sum up beyond 32 bits", "[cache]") {
  RoleBed bed;
  bed.mirror.PutPodGroup(
      MakeGroup("g", 2147483647, R"("minTaskMember":{"a":2147483647,"b":2147483647},)"));
  const auto snapshot = bed.mirror.Publish();
  CHECK(snapshot->jobs[(*snapshot->all_jobs)[0]].role_minimum_sum == 4294967294);
}

TEST_CASE("roles: those of pods that are gone go, but for those that the PodGroup names",
          "[cache]") {
  RoleBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 1, R"("minTaskMember":{"none":0,"w":1},)"));
  for (int i = 0; i < 100; ++i) {
    const std::string name = StrCat("p", i);
    bed.Pod(name, StrCat("role", i));
    bed.Pod(name + "w", i % 2 == 0 ? "w" : "none");
    bed.mirror.Publish();
    bed.mirror.RemovePod("ns/" + name);
    CHECK(bed.Roles() == Names{StrCat("'none' 0 ", i % 2), StrCat("'w' 1 ", 1 - i % 2)});
    bed.mirror.RemovePod("ns/" + name + "w");
    REQUIRE(bed.mirror.Check().ToString() == "OK");
  }
  CHECK(bed.mirror.Publish()->roles.size() <= 6);
}

TEST_CASE("roles: one stays while some of its tasks do, and goes with its minimum", "[cache]") {
  RoleBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 1, R"("minTaskMember":{"w":1},)"));
  bed.Pod("a", "x");
  bed.Pod("b", "x");
  bed.mirror.RemovePod("ns/a");
  const auto named = [&bed] {
    size_t count = 0;
    const auto snapshot = bed.mirror.Publish();
    for (model::RoleId role : snapshot->roles.ids()) {
      count += snapshot->roles[role].name == nullptr ? 0u : 1u;
    }
    return count;
  };
  CHECK(named() == 2);
  bed.mirror.PutPodGroup(MakeGroup("g", 1, R"("minTaskMember":{"x":1},)"));
  CHECK(bed.Roles() == Names{"'x' 1 1"});
  CHECK(named() == 1);
  bed.mirror.PutPodGroup(MakeGroup("g", 1));
  CHECK(named() == 1);
  bed.mirror.RemovePod("ns/b");
  CHECK(named() == 0);
}

TEST_CASE("roles: a hundred thousand minimums are written in one go", "[cache]") {
  RoleBed bed;
  CompiledPodGroup group = MakeGroup("g", 1);
  for (int i = 100'000; i < 200'000; ++i) group.role_minimums.emplace_back(StrCat("role", i), 1);
  const std::clock_t begin = std::clock();
  bed.mirror.PutPodGroup(group);
  group.min_member = 2;
  bed.mirror.PutPodGroup(group);
  // Each against each takes minutes.
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);
  const auto snapshot = bed.mirror.Publish();
  CHECK(snapshot->jobs[(*snapshot->all_jobs)[0]].role_minimum_sum == 100'000);
}

}  // namespace
}  // namespace bth::cache
