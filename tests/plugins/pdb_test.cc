#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using model::TaskId;

Names Filtered(PluginBed& bed, const Names& candidates) {
  const auto& filters = bed.session().hooks().victim_filter;
  REQUIRE(filters.size() == 1);
  return bed.NamesOf(filters[0].fn(bed.TasksNamed(candidates)));
}

// The same answer from each of the three hooks.
Names Allowed(PluginBed& bed, const Names& candidates) {
  const framework::HookTable& hooks = bed.session().hooks();
  Names allowed = VictimsOf(bed, hooks.preemptable, TaskId(0), candidates);
  CHECK(VictimsOf(bed, hooks.reclaimable, TaskId(0), candidates) == allowed);
  CHECK(Filtered(bed, candidates) == allowed);
  return allowed;
}

TEST_CASE("pdb: victims stay inside the budgets", "[plugins][pdb]") {
  struct Case {
    std::string name, world;
    Names expected;
  };
  const std::string both =
      "node n; job j; task a job=j node=n budgets=b;"
      "task b job=j node=n budgets=b;";
  const Case c = GENERATE_COPY(values<Case>({
      {"no budget", "node n; job j; task a job=j node=n; task b job=j node=n", {"a", "b"}},
      {"none allowed", both + "budget b allowed=0", {}},
      {"one allowed", both + "budget b allowed=1", {"a"}},
      {"two allowed", both + "budget b allowed=2", {"a", "b"}},
      {"counted off already", both + "budget b allowed=0 disrupted=z|b", {"b"}},
      {"each of two budgets must allow it",
       "budget p allowed=1; budget q allowed=0; node n; job j; task a job=j node=n budgets=p|q;"
       "task b job=j node=n budgets=p",
       {}},
      {"a pod that may not go still costs its budgets",
       "budget p allowed=2; budget q allowed=0; node n; job j; task a job=j node=n budgets=p|q;"
       "task b job=j node=n budgets=p",
       {"b"}},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("pdb", c.world);
  CHECK(Allowed(bed, {"a", "b"}) == c.expected);
}

TEST_CASE("pdb: evictions of the session use budgets up, undone ones give them back",
          "[plugins][pdb]") {
  PluginBed bed = Bed("pdb",
                      "budget b allowed=1; node n; job j; task a job=j node=n budgets=b;"
                      "task b job=j node=n budgets=b; task free job=j node=n");
  framework::Session& session = bed.session();
  {
    framework::Statement statement(session, "test");
    statement.Evict(bed.world().task("a"), TaskId());
    CHECK(Allowed(bed, {"b", "free"}) == Names{"free"});
    statement.Evict(bed.world().task("free"), TaskId());
    CHECK(Allowed(bed, {"b"}).empty());
  }
  CHECK(Allowed(bed, {"b", "free"}) == Names{"b", "free"});
}

TEST_CASE("pdb: a session owes nothing of what the one before it spent", "[plugins][pdb]") {
  PluginBed bed = Bed("pdb",
                      "budget b allowed=1; node n; job j; task a job=j node=n budgets=b;"
                      "task b job=j node=n budgets=b");
  framework::Statement statement(bed.session(), "test");
  statement.Evict(bed.world().task("a"), TaskId());
  REQUIRE(statement.Commit().ok());
  CHECK(Allowed(bed, {"b"}).empty());
  bed.Reopen(bed.world());
  CHECK(Allowed(bed, {"b"}) == Names{"b"});
}

TEST_CASE("pdb: each switch holds one hook back", "[plugins][pdb]") {
  CHECK(Bed("pdb!enablePreemptable", "").session().hooks().preemptable.empty());
  CHECK(Bed("pdb!enableReclaimable", "").session().hooks().reclaimable.empty());
  CHECK(Bed("pdb!enabledVictim", "").session().hooks().victim_filter.empty());
}

TEST_CASE("pdb: with shuffle it names nobody and holds back whom others name", "[plugins][pdb]") {
  const std::string world =
      "budget b allowed=1; node n label.volcano.sh/revocable-zone=z; job j "
      "budget.max=9; task a job=j node=n budgets=b;"
      "task c job=j node=n budgets=b";
  CHECK(Run("shuffle", "pdb", world).evictions.empty());
  const std::map<std::string, std::string> closed = {{"tdm", "tdm.revocable-zone.z: never"}};
  CHECK(Run("shuffle", "tdm", world, closed).evictions == std::set<std::string>{"a", "c"});
  CHECK(Run("shuffle", "tdm,pdb", world, closed).evictions == std::set<std::string>{"a"});
  CHECK(Run("shuffle", "tdm;pdb", world, closed).evictions == std::set<std::string>{"a"});
}

}  // namespace
}  // namespace bth::test
