// How much searching for devices a pod may cause in one cycle, and all pods together.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "framework/session/cycle.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/predicates/device_claim_book.h"
#include "tests/device_claims/claim_world.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using plugins::predicates::DeviceClaimBook;
using plugins::predicates::DeviceFit;
using plugins::predicates::DeviceVerdicts;

constexpr int64_t kStepsOfNode = 1000;
constexpr int kDearNodes = 8;
constexpr int kDevicesOfNode = 30;

std::string DevicesWith(const std::string& more) {
  std::vector<std::string> devices;
  for (int d = 0; d < kDevicesOfNode; ++d) {
    devices.push_back(StrCat(R"({"name":"d)", d, "\"", more, "}"));
  }
  return absl::StrJoin(devices, ",");
}

// Nodes on which the search for eleven devices tries all there is, and two on which it finds them
// in some four hundred looks: the last one must have an attribute. Claims differ, and no node is
// asked again that said yes, so that every answer is searched for.
struct StepsBed {
  explicit StepsBed(const std::vector<std::string>& pods) {
    world.DeviceClass("any");
    for (int n = 0; n < kDearNodes; ++n) {
      world.Node(StrCat("dear-", n));
      world.Slice(StrCat("dear-", n), DevicesWith(""));
    }
    for (const char* cheap : {"cheap-0", "cheap-1"}) {
      world.Node(cheap);
      world.Slice(cheap, DevicesWith(R"(,"attributes":{"key":{"int":1}})"));
    }
    for (const std::string& pod : pods) AddPod(pod);
    published = world.Publish();
    auto made = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(MakePolicy("", "predicates")), Builtins(), &findings);
    REQUIRE(made.status().ToString() == "OK");
    policy = *std::move(made);
    framework::SessionContext context;
    context.snapshot = published.snapshot;
    context.sink = &sink;
    context.clock = &clock;
    context.metrics = &metrics;
    context.uid = "session";
    cycle = std::make_unique<framework::Cycle>(*policy, std::move(context));
    REQUIRE(cycle->Open().ToString() == "OK");
    NextBook();
  }
  void AddPod(const std::string& pod) {
    std::vector<std::string> requests;
    for (int r = 0; r < 11; ++r) {
      requests.push_back(StrCat(R"({"name":"r)", r, R"(","exactly":{"deviceClassName":"any",)",
                                R"("tolerations":[{"key":")", pod, R"(","operator":"Exists"}]}})"));
    }
    world.Claim(pod, StrCat(R"({"requests":[)", absl::StrJoin(requests, ","),
                            R"(],"constraints":[{"requests":["r10"],)",
                            R"("matchAttribute":"x.io/key"}]})"));
    world.Pod(pod, {.spec = ClaimWorld::Uses(pod)});
  }
  // As the next cycle has it.
  void NextBook() {
    verdicts.BeginSession();
    book = std::make_unique<DeviceClaimBook>(cycle->session(), kStepsOfNode, verdicts);
  }

  DeviceFit::Kind Ask(const std::string& pod, const std::string& node) {
    return book->Fit(published.task(pod), published.node(node)).kind;
  }
  // Asks so many nodes in vain.
  void Search(const std::string& pod, int nodes) {
    for (int n = 0; n < nodes; ++n) {
      CAPTURE(pod, n);
      CHECK(Ask(pod, StrCat("dear-", n)) == DeviceFit::Kind::kGivenUp);
    }
  }
  int GivenUp() const {
    const std::string series = R"(batholith_limit_reached_total{limit="device_steps"} )";
    const std::string text = registry.RenderText();
    const size_t at = text.find(series);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + series.size()));
  }

  ClaimWorld world;
  World published;
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  RecordingSink sink;
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics{registry};
  std::vector<conf::Finding> findings;
  DeviceVerdicts verdicts;
  std::unique_ptr<framework::PolicyInstance> policy;
  std::unique_ptr<framework::Cycle> cycle;
  std::unique_ptr<DeviceClaimBook> book;
};

TEST_CASE("device steps: a pod searches eight nodes to the full in a cycle, and then no more",
          "[claims]") {
  StepsBed bed({"p", "q", "r"});
  bed.Search("p", 7);
  CHECK(bed.GivenUp() == 7);
  CHECK(bed.Ask("p", "cheap-0") == DeviceFit::Kind::kFits);
  bed.Search("q", 8);
  CHECK(bed.Ask("q", "cheap-0") == DeviceFit::Kind::kGivenUp);
  CHECK(bed.GivenUp() == 16);
  // That is nothing to others.
  CHECK(bed.Ask("r", "cheap-0") == DeviceFit::Kind::kFits);
  CHECK(bed.GivenUp() == 16);
}

TEST_CASE("device steps: all pods of a cycle search twenty nodes to the full", "[claims]") {
  StepsBed bed({"p", "q", "r", "last"});
  bed.Search("p", 8);
  bed.Search("q", 8);
  bed.Search("r", 3);
  CHECK(bed.Ask("last", "cheap-0") == DeviceFit::Kind::kFits);
  bed.Search("r", 1);
  CHECK(bed.Ask("last", "cheap-1") == DeviceFit::Kind::kGivenUp);
  CHECK(bed.GivenUp() == 21);
  bed.NextBook();
  CHECK(bed.Ask("last", "cheap-1") == DeviceFit::Kind::kFits);
}

TEST_CASE("device steps: a pod that fits is given its devices, whatever is searched for meanwhile",
          "[claims]") {
  StepsBed bed({"p", "q", "r", "s"});
  const auto place = [&bed](const std::string& pod, const std::string& node) {
    bed.book->Place(bed.published.task(pod), bed.published.node(node));
    const auto plan = bed.book->PlanOf(bed.published.task(pod));
    REQUIRE(plan != nullptr);
    REQUIRE(plan->claims.size() == 1);
    REQUIRE(plan->claims[0].allocation != nullptr);
    CHECK(plan->claims[0].allocation->devices.size() == 11);
    CHECK(bed.world.Assume(pod, *plan).ok());
  };
  CHECK(bed.Ask("q", "cheap-0") == DeviceFit::Kind::kFits);
  bed.Search("q", 8);
  place("q", "cheap-0");
  CHECK(bed.Ask("s", "cheap-1") == DeviceFit::Kind::kFits);
  bed.Search("p", 8);
  bed.Search("r", 8);
  place("s", "cheap-1");
}

TEST_CASE("device steps: what is placed where it does not fit is not bound", "[claims]") {
  StepsBed bed({"p"});
  const model::TaskId task = bed.published.task("p");
  const uint64_t before = bed.book->DigestOf();
  bed.book->Place(task, bed.published.node("dear-0"));
  const auto plan = bed.book->PlanOf(task);
  REQUIRE(plan != nullptr);
  CHECK(bed.world.Assume("p", *plan).message() == plan->why_not);
  CHECK(plan->why_not.starts_with("timed out trying to allocate devices"));
  bed.book->Remove(task);
  CHECK(bed.book->PlanOf(task) == nullptr);
  CHECK(bed.book->DigestOf() == before);
}

TEST_CASE("device steps: who is given up for what others search for", "[claims]") {
  StepsBed bed({"p", "q", "r", "last"});
  const auto cut_short = [&bed](const std::string& pod) {
    return bed.book->IsCutShort(bed.published.task(pod));
  };
  // More than a pod may search.
  for (const char* pod : {"p", "q"}) {
    bed.Search(pod, 8);
    CHECK(bed.Ask(pod, "cheap-0") == DeviceFit::Kind::kGivenUp);
    CHECK_FALSE(cut_short(pod));
  }
  bed.Search("r", 4);
  CHECK_FALSE(cut_short("r"));
  CHECK_FALSE(bed.cycle->session().was_cut_short());
  bed.Search("r", 8);
  CHECK(cut_short("r"));
  CHECK(bed.cycle->session().was_cut_short());
  bed.Search("p", 1);
  CHECK_FALSE(cut_short("p"));
  CHECK(bed.Ask("last", "cheap-1") == DeviceFit::Kind::kGivenUp);
  CHECK(cut_short("last"));
}

TEST_CASE("device steps: who finds none left has a turn, however much others search for",
          "[claims]") {
  StepsBed bed({"p", "q", "r", "s", "last"});
  // These search in vain in each cycle, as when nodes change all the time.
  const auto search = [&bed] {
    for (const char* pod : {"p", "q", "r", "s"}) bed.Search(pod, kDearNodes);
    return bed.Ask("last", "cheap-1");
  };
  CHECK(search() == DeviceFit::Kind::kGivenUp);
  // Turns of "r" and "s".
  for (int turn = 0; turn < 2; ++turn) {
    CAPTURE(turn);
    bed.NextBook();
    CHECK(search() == DeviceFit::Kind::kGivenUp);
    CHECK(bed.book->IsCutShort(bed.published.task("last")));
  }
  bed.NextBook();
  CHECK(search() == DeviceFit::Kind::kFits);
  CHECK_FALSE(bed.book->IsCutShort(bed.published.task("last")));
}

TEST_CASE("device steps: where they suffice again nobody needs a turn", "[claims]") {
  StepsBed bed({"p", "q", "r", "last"});
  for (const char* pod : {"p", "q", "r"}) bed.Search(pod, kDearNodes);
  CHECK(bed.Ask("last", "cheap-1") == DeviceFit::Kind::kGivenUp);
  for (int cycle = 0; cycle < 2; ++cycle) {
    CAPTURE(cycle);
    bed.NextBook();
    for (const char* pod : {"p", "q"}) bed.Search(pod, kDearNodes);
    CHECK(bed.Ask("last", "cheap-1") == DeviceFit::Kind::kFits);
    CHECK_FALSE(bed.book->IsCutShort(bed.published.task("last")));
  }
}

}  // namespace
}  // namespace bth::test
