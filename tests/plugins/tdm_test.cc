#include "plugins/factories.h"
#include "plugins/tdm/window.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using framework::Vote;
using plugins::tdm::Window;

absl::TimeZone Zone() {
  return absl::LocalTimeZone();
}

// Noon of a local day.
absl::Time Noon() {
  return absl::FromCivil(absl::CivilHour(2026, 1, 1, 12), Zone());
}

// The next session opens at local noon.
void OpenAtNoon(PluginBed& bed) {
  bed.clock().Advance(Noon() - bed.clock().Now());
  bed.Reopen(bed.world());
}

TEST_CASE("tdm: windows of the day", "[plugins][tdm]") {
  struct Case {
    std::string text;
    int64_t seconds;  // 0: no window.
  };
  const Case c = GENERATE(values<Case>({
      {"00:00_01:00", 0},
      {"00:00-01:00", 3600},
      {"0:00-23:59", 86340},
      {"0:00", 0},
      {"1:00-0:00", 82800},
      {"1:0-0:0", 0},
      {"   1:00-0:00   ", 82800},
      {"23:59-23:59", 86400},
      {"0:00-0:00", 86400},
      {"63:59-23:59", 0},
      {"1:00 - 2:00", 0},
      {"1:00-2:60", 0},
      {"24:00-1:00", 0},
      {"1:00-2:00-3:00", 0},
      {"1:000-2:00", 0},
      {"-1:00-2:00", 0},
      {"+1:00-2:00", 0},
      {"", 0},
  }));
  CAPTURE(c.text);
  const std::optional<Window> window = Window::Parse(c.text);
  REQUIRE(window.has_value() == (c.seconds > 0));
  if (window) CHECK(absl::ToInt64Seconds(window->length()) == c.seconds);
}

TEST_CASE("tdm: a window holds by the local clock, past midnight too", "[plugins][tdm]") {
  struct Case {
    std::string window;
    int hour, minute, second;
    bool expected;
  };
  const Case c = GENERATE(values<Case>({
      {"9:00-17:00", 8, 59, 59, false},
      {"9:00-17:00", 9, 0, 0, true},
      {"9:00-17:00", 17, 0, 0, true},
      {"9:00-17:00", 17, 0, 1, false},
      {"22:00-2:00", 21, 59, 59, false},
      {"22:00-2:00", 23, 0, 0, true},
      {"22:00-2:00", 0, 30, 0, true},
      {"22:00-2:00", 2, 0, 1, false},
      {"0:00-0:00", 12, 0, 0, true},
      {"23:59-23:59", 12, 0, 0, true},
  }));
  CAPTURE(c.window, c.hour, c.minute, c.second);
  for (int offset : {0, 5 * 3600 + 1800, -8 * 3600}) {
    const absl::TimeZone zone = absl::FixedTimeZone(offset);
    const absl::Time now =
        absl::FromCivil(absl::CivilSecond(2026, 3, 1, c.hour, c.minute, c.second), zone);
    CHECK(Window::Parse(c.window)->Contains(now + absl::Milliseconds(999), zone) == c.expected);
  }
}

constexpr std::string_view kZones =
    "{tdm.revocable-zone.rz1: '0:00-0:00', "
    "tdm.revocable-zone.rz2: '0:00-0:01', "
    "tdm.revocable-zone.bad: 'all day'}";

std::string NodesOfZones() {
  return "node n1 cpu=4 label.volcano.sh/revocable-zone=rz1;"
         "node n2 cpu=4 label.volcano.sh/revocable-zone=rz1; node n3 cpu=4; node n4 cpu=4;"
         "node n5 cpu=4 label.volcano.sh/revocable-zone=rz2;"
         "node n6 cpu=4 label.volcano.sh/revocable-zone=gone;"
         "node n7 cpu=4 label.volcano.sh/revocable-zone=bad;";
}

std::string VerdictOf(PluginBed& bed, const std::string& task, const std::string& name) {
  const framework::Session& session = bed.session();
  REQUIRE(session.hooks().usage_filter.size() == 1);
  const model::NodeId node = bed.world().node(name);
  framework::ReasonId reason = framework::kFits;
  session.hooks().usage_filter[0].fn(session.task(bed.world().task(task)).shape,
                                     model::NodeRange(node.index(), node.index() + 1),
                                     absl::Span<framework::ReasonId>(&reason, 1));
  CHECK((reason == framework::kFits ||
         session.reasons().code(reason) == framework::FitCode::kUnresolvable));
  return session.reasons().text(reason);
}

TEST_CASE("tdm: revocable nodes are for those who opted in, while the window is open",
          "[plugins][tdm]") {
  PluginBed bed = Bed("tdm",
                      NodesOfZones() +
                          "job j; task in job=j cpu=1 revocable;"
                          "task out job=j cpu=1; task in2 job=j cpu=2 revocable",
                      {{"tdm", std::string(kZones)}});
  OpenAtNoon(bed);
  for (const char* node : {"n1", "n2", "n3", "n4"}) {
    CAPTURE(node);
    const bool revocable = node[1] <= '2';
    for (const char* task : {"in", "in2"}) {
      CHECK(VerdictOf(bed, task, node).empty());
      CHECK(bed.UsageScore(task, node) == (revocable ? 100 : 0));
    }
    CHECK(VerdictOf(bed, "out", node) ==
          (revocable ? "not allow to dispatch to revocable node" : ""));
    CHECK(bed.UsageScore("out", node) == 0);
  }
  for (const char* task : {"in", "out"}) {
    CHECK(VerdictOf(bed, task, "n5") == "current time beyond revocable zone rz2:0:00-0:01");
    CHECK(VerdictOf(bed, task, "n6") == "revocable zone gone not support");
    CHECK(VerdictOf(bed, task, "n7") == "revocable zone all day format error");
    CHECK(bed.UsageScore(task, "n5") == 0);
  }
  // A second after local midnight the second window is open.
  bed.clock().Advance(absl::Hours(12) + absl::Seconds(1));
  bed.Reopen(bed.world());
  CHECK(VerdictOf(bed, "in", "n5").empty());
}

// pg1: three preemptable tasks and two that are not; pg2: five preemptable ones.
std::string TwoJobs(const std::string& pg1, const std::string& pg2) {
  const std::string on = " node=n1 cpu=1;";
  std::string text = "node n1 cpu=20 label.volcano.sh/revocable-zone=rz1; node n2 cpu=20;";
  text += "job pg1 preemptable " + pg1 + ";";
  for (const char* task : {"a1", "a2", "a3"}) text += "task " + std::string(task) + " job=pg1" + on;
  for (const char* task : {"a4", "a5"}) {
    text += "task " + std::string(task) + " job=pg1 fixed" + on;
  }
  if (pg2 == "-") return text;
  return text + "job pg2 preemptable " + pg2 + " tasks=5" + on;
}

TEST_CASE("tdm: outside its window a zone is cleared as fast as budgets allow", "[plugins][tdm]") {
  struct Case {
    std::string name, window, pg1, pg2;
    size_t expected;
  };
  const std::string closed = "0:00-0:01";
  const Case c = GENERATE_COPY(values<Case>({
      {"at most 30% may be missing", closed, "budget.max=30%", "-", 2},
      {"the window is open", "0:00-0:00", "budget.max=30%", "-", 0},
      {"99%, but only three may go", closed, "budget.max=99%", "-", 3},
      {"half of five", closed, "budget.max=0", "budget.max=50%", 3},
      {"both jobs", closed, "budget.max=90%", "budget.max=50%", 6},
      {"a number", closed, "budget.max=0", "budget.max=3", 3},
      {"at least three stay", closed, "budget.max=0", "budget.min=3", 2},
      {"at least 30% stay", closed, "budget.max=0", "budget.min=30%", 3},
      {"one budget of each kind", closed, "budget.max=3", "budget.min=2", 6},
      {"without a budget one at a time", closed, "", "", 2},
      {"fewer than the minimum run", closed, "budget.max=0", "budget.min=9", 0},
      {"a budget that is none", closed, "budget.max=0", "budget.max=some", 0},
      {"a window that cannot be read counts as closed", "some day", "", "-", 1},
  }));
  CAPTURE(c.name);
  PluginBed bed =
      Bed("tdm", TwoJobs(c.pg1, c.pg2), {{"tdm", "{tdm.revocable-zone.rz1: '" + c.window + "'}"}});
  OpenAtNoon(bed);
  CHECK(bed.session().hooks().victim_tasks[0].fn({}).size() == c.expected);
}

TEST_CASE("tdm: victims are named once in a period", "[plugins][tdm]") {
  struct Case {
    std::string arguments;
    int seconds;
    size_t expected;
  };
  const Case c = GENERATE(values<Case>({
      {"", 59, 0},
      {"", 60, 1},
      {", tdm.evict.period: 5m", 299, 0},
      {", tdm.evict.period: 5m", 300, 1},
      {", tdm.evict.period: 5", 60, 1},
      {", tdm.evict.period: -5m", 59, 0},
  }));
  CAPTURE(c.arguments, c.seconds);
  PluginBed bed = Bed("tdm", TwoJobs("", "-"),
                      {{"tdm", "{tdm.revocable-zone.rz1: '0:00-0:01'" + c.arguments + "}"}});
  OpenAtNoon(bed);
  REQUIRE(bed.session().hooks().victim_tasks[0].fn({}).size() == 1);
  bed.clock().Advance(absl::Seconds(c.seconds));
  bed.Reopen(bed.world());
  CHECK(bed.session().hooks().victim_tasks[0].fn({}).size() == c.expected);
}

TEST_CASE("tdm: a budget counts over all zones, and zones nobody configured are left alone",
          "[plugins][tdm]") {
  PluginBed bed = Bed("tdm",
                      "node n1 label.volcano.sh/revocable-zone=z1;"
                      "node n2 label.volcano.sh/revocable-zone=z2;"
                      "node n3 label.volcano.sh/revocable-zone=z3;"
                      "job j budget.max=1; task a job=j node=n3; task b job=j node=n2;"
                      "task c job=j node=n1; job k; task d job=k node=n3",
                      {{"tdm", "{tdm.revocable-zone.z1: x, tdm.revocable-zone.z2: x}"}});
  OpenAtNoon(bed);
  CHECK(bed.NamesOf(bed.session().hooks().victim_tasks[0].fn({})) == Names{"c"});
}

TEST_CASE("tdm: a task that is not preemptable takes room on ordinary nodes", "[plugins][tdm]") {
  PluginBed bed = Bed("tdm",
                      "node n cpu=9; node z label.volcano.sh/revocable-zone=rz1; job p;"
                      "task wants job=p fixed; task weak job=p; task roams job=p fixed revocable;"
                      "job j budget.max=2; task a job=j node=n; task b job=j node=n fixed;"
                      "task c job=j node=z; task d job=j node=n; task e job=j node=n;"
                      "task f job=j node=n status=bound; job k; task g job=k node=n;"
                      "task h job=k node=n",
                      {{"tdm", std::string(kZones)}});
  const auto& hooks = bed.session().hooks().preemptable;
  const Names all = {"h", "g", "f", "e", "d", "c", "b", "a"};
  // One of j is bound and does not run yet: one more may be missing. One of k may.
  CHECK(VictimsOf(bed, hooks, bed.world().task("wants"), all) == Names{"h", "e"});
  for (const char* task : {"weak", "roams"}) {
    const framework::Verdict verdict = hooks[0].fn(bed.world().task(task), bed.TasksNamed(all));
    CHECK(verdict.vote == Vote::kReject);
    CHECK(verdict.victims.empty());
  }
}

TEST_CASE("tdm: jobs", "[plugins][tdm]") {
  PluginBed bed = Bed("tdm",
                      "node n cpu=1; job plain; job soft preemptable; job full min=1;"
                      "job half min=2; task p job=plain; task s job=soft;"
                      "task f job=full node=n; task h job=half node=n");
  const framework::HookTable& hooks = bed.session().hooks();
  const auto job = [&bed](const char* name) { return bed.world().job(name); };
  CHECK(hooks.job_order[0].fn(job("plain"), job("soft")) < 0);
  CHECK(hooks.job_order[0].fn(job("soft"), job("plain")) > 0);
  CHECK(hooks.job_order[0].fn(job("plain"), job("full")) == 0);
  CHECK(hooks.job_pipelined[0].fn(job("full")) == Vote::kPermit);
  CHECK(hooks.job_pipelined[0].fn(job("half")) == Vote::kReject);
  CHECK(hooks.job_starving[0].fn(job("plain")));
  CHECK_FALSE(hooks.job_starving[0].fn(job("soft")));
  CHECK_FALSE(hooks.job_starving[0].fn(job("full")));
}

TEST_CASE("tdm: arguments that cannot be read are reported", "[plugins][tdm]") {
  for (const char* text :
       {"tdm.evict.period: 5", "tdm.evict.period: -1m", "tdm.revocable-zone.z: 900",
        "tdm.revocable-zone.z: 9:00", "tdm.revocable.zone.z: 9:00-17:00"}) {
    const conf::Arguments args = MakeArguments(text);
    REQUIRE(Builtins().plugins.find("tdm")->second(args).ok());
    CAPTURE(text);
    CHECK(args.Findings().size() == 1);
  }
  const conf::Arguments fine = MakeArguments("tdm.revocable-zone.z: 9:00-17:00");
  const auto plugin = Builtins().plugins.find("tdm")->second(fine);
  REQUIRE(plugin.ok());
  CHECK(fine.Findings().empty());
  CHECK((*plugin)->follows_clock());
}

}  // namespace
}  // namespace bth::test
