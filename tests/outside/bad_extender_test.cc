// Cycles that ask a real extender over HTTP, which hangs, lies or floods: what it must be asked
// about waits and says so, everything else is placed, and the root queue tells of it.
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "actions/builtin.h"
#include "base/strings.h"
#include "plugins/builtin.h"
#include "scheduler/extender/client.h"
#include "tests/outside/http_bed.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::scheduler {
namespace {

enum class Mood { kWell, kHangs, kLies, kFloods };

// An extender, and cycles on this thread that ask it.
class ExtenderBed {
 public:
  explicit ExtenderBed(bool ignorable) {
    plugins::RegisterBuiltinPlugins(registry_);
    actions::RegisterBuiltinActions(registry_);
    const std::string arguments = StrCat(
        "extender.urlPrefix: ", line_.url,
        "\nextender.httpTimeout: 1s\nextender.predicateVerb: predicate\nextender.ignorable: ",
        ignorable ? "true" : "false", "\nextender.managedResources: [example.com/x]\n");
    std::vector<conf::Finding> findings;
    auto policy = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(
            test::MakePolicy("allocate", "gang;predicates;extender", {{"extender", arguments}})),
        registry_, &findings);
    REQUIRE(policy.status().ToString() == "OK");
    policy_ = *std::move(policy);
  }

  // Runs a cycle, some time after the last one.
  void Cycle() {
    clock_.Advance(absl::Minutes(1));
    cycle_ = std::make_unique<framework::Cycle>(
        *policy_, framework::SessionContext{.snapshot = world_.snapshot,
                                            .sink = &sink_,
                                            .clock = &clock_,
                                            .metrics = &line_.metrics,
                                            .extender = &client_,
                                            .uid = "session"});
    REQUIRE(cycle_->Run().ToString() == "OK");
  }
  bool Placed(std::string_view task) const {
    return cycle_->session().state(world_.task(task)).status == model::TaskStatus::kBinding;
  }
  // Why the task found no node.
  std::string Words(std::string_view task) const {
    const framework::TaskFit* fit = cycle_->session().notes().FitOf(world_.task(task));
    return fit == nullptr ? "" : fit->Text();
  }
  // "queue reason: message" of what the cycle tells of queues.
  std::string Notices() const {
    std::string out;
    for (const framework::QueueNotice& notice : sink_.report.queue_notices) {
      StrAppend(&out, *cycle_->session().queue(notice.queue).name, " ", notice.reason, ": ",
                notice.message);
    }
    return out;
  }

  std::atomic<Mood> mood = Mood::kWell;
  std::atomic<int> asked = 0;

 private:
  net::Awaitable<net::Response> Serve() {
    ++asked;
    net::Response response;
    response.body = "{}";
    if (mood == Mood::kHangs) co_await net::Sleep(*line_.io, absl::Seconds(30));
    if (mood == Mood::kLies) response.body = R"({"code": "never"})";
    if (mood == Mood::kFloods) response.body = std::string(size_t{11} << 20, 'x');
    co_return response;
  }

  testing::HttpBed line_{[this](net::Request) { return Serve(); }};
  extender::ExtenderClient client_{*line_.http};
  framework::Registry registry_;
  test::World world_ = test::MakeWorld(
      "node n1 cpu=8 res.example.com/x=4; queue root; queue q; job a queue=q; task plain job=a "
      "cpu=1; job b queue=q; task special job=b cpu=1 res.example.com/x=1");
  ManualClock clock_{absl::UnixEpoch()};
  test::RecordingSink sink_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  std::unique_ptr<framework::Cycle> cycle_;
};

TEST_CASE("bad input: an extender that hangs, lies or floods holds up what it must be asked about",
          "[scheduler][extender]") {
  struct Case {
    Mood mood;
    std::string words;
  };
  const Case c = GENERATE(values<Case>({{Mood::kHangs, "1 no answer within 1s."},
                                        {Mood::kLies, "code"},
                                        {Mood::kFloods, "1 http: request body too large."}}));
  CAPTURE(static_cast<int>(c.mood));
  ExtenderBed bed(/*ignorable=*/false);
  bed.Cycle();
  CHECK(bed.Placed("plain"));
  CHECK(bed.Placed("special"));
  CHECK(bed.Notices().empty());

  bed.mood = c.mood;
  std::string told;
  for (int i = 0; i < 2; ++i) {
    bed.Cycle();
    CHECK(bed.Placed("plain"));
    CHECK_FALSE(bed.Placed("special"));
    INFO(bed.Words("special"));
    CHECK(absl::StartsWith(bed.Words("special"), "0/1 nodes are unavailable: 1 "));
    CHECK(absl::StrContains(bed.Words("special"), c.words));
    INFO(bed.Notices());
    CHECK(absl::StartsWith(bed.Notices(), "root ExtenderFailed: the extender at http://127.0.0.1"));
    CHECK(absl::StrContains(bed.Notices(), "so what it has a say in waits: "));
    CHECK(absl::StrContains(bed.Notices(), "see that it answers within extender.httpTimeout"));
    // The same words in each cycle are told once.
    if (i > 0) CHECK(bed.Notices() == told);
    told = bed.Notices();
  }

  bed.mood = Mood::kWell;
  bed.Cycle();
  CHECK(bed.Placed("special"));
  CHECK(bed.Notices().empty());
}

TEST_CASE("bad input: an ignorable one holds up nothing, and is told of too",
          "[scheduler][extender]") {
  const Mood mood = GENERATE(Mood::kHangs, Mood::kLies, Mood::kFloods);
  CAPTURE(static_cast<int>(mood));
  ExtenderBed bed(/*ignorable=*/true);
  bed.mood = mood;
  bed.Cycle();
  CHECK(bed.Placed("plain"));
  CHECK(bed.Placed("special"));
  CHECK(absl::StrContains(bed.Notices(), "root ExtenderFailed: "));
  CHECK(absl::StrContains(bed.Notices(), "so it is left out: "));
}

}  // namespace
}  // namespace bth::scheduler
