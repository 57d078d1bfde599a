#include "base/strings.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::FaultyLine;

// One more scheduler on the server of a bed, with a line and a name of its own.
struct Peer {
  Peer(Bed& of, const std::string& name, uint64_t seed) : bed(of) {
    client::ApiClientOptions client;
    client.qps = 0;
    auto line = std::make_shared<FaultyLine>(
        bed.executor, net::MakeInProcessTransport(bed.executor, bed.server->handler()));
    line->on_answer = [this](const std::string& asked, int code) {
      conflicts += code == 409 ? 1 : 0;
      if (!absl::StartsWith(asked, "GET ")) writes.push_back(asked);
    };
    api = std::make_unique<client::ApiClient>(bed.executor, line, client);
    SchedulerOptions options;
    options.scheduler_names = {name};
    options.check_invariants_every = 1;
    options.seed = seed;
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{bed.executor, *api, bed.registry, bed.runner, bed.clock, nullptr},
        options);
    REQUIRE(scheduler->LoadPolicy().ToString() == "OK");
    scheduler->StartCache();
    scheduler->Lead();
  }
  size_t Writes(const std::string& part) const {
    return static_cast<size_t>(std::count_if(
        writes.begin(), writes.end(),
        [&part](const std::string& asked) { return absl::StrContains(asked, part); }));
  }

  Bed& bed;
  size_t conflicts = 0;
  std::vector<std::string> writes;
  std::unique_ptr<client::ApiClient> api;
  std::unique_ptr<Scheduler> scheduler;
};

TEST_CASE("two schedulers: each binds its own, and nobody fights over statuses", "[scheduler]") {
  Bed bed;
  for (const char* node : {"n1", "n2", "n3"}) bed.Node(node, 12);
  Peer first(bed, "volcano", 1);
  Peer second(bed, "second", 2);
  bed.Settle();
  const size_t made = first.conflicts + second.conflicts;  // Of the standing queues.
  constexpr int kGroups = 8;
  for (int i = 0; i < kGroups; ++i) {
    for (const char* owner : {"volcano", "second"}) {
      const std::string group = StrCat(owner, "-", i);
      bed.Group(group, 2);
      for (const char* pod : {"a", "b"}) bed.Pod(StrCat(group, pod), group, 1, owner);
    }
  }
  // And one each that waits.
  for (const char* owner : {"volcano", "second"}) {
    const std::string group = StrCat(owner, "-waits");
    bed.Group(group, 1);
    bed.Pod(group, group, 20, owner);
  }
  bed.Settle();
  for (int i = 0; i < kGroups; ++i) {
    for (const char* owner : {"volcano-", "second-"}) {
      for (const char* pod : {"a", "b"}) CHECK_FALSE(bed.NodeOf(StrCat(owner, i, pod)).empty());
    }
  }
  CHECK(first.Writes("/binding") == 2 * kGroups);
  CHECK(second.Writes("/binding") == 2 * kGroups);
  for (const std::string& asked : first.writes) {
    CHECK_FALSE((absl::StrContains(asked, "/binding") && absl::StrContains(asked, "/second-")));
  }
  for (const std::string& asked : second.writes) {
    CHECK_FALSE((absl::StrContains(asked, "/binding") && absl::StrContains(asked, "/volcano-")));
  }
  // Both may have enqueued a PodGroup before its pods were there; never more than that.
  CHECK(first.conflicts + second.conflicts - made <= 2 * kGroups + 2);
  for (int i = 0; i < kGroups; ++i) {
    CHECK(first.Writes(StrCat("/podgroups/second-", i)) <= 1);
    CHECK(second.Writes(StrCat("/podgroups/volcano-", i)) <= 1);
  }
  // What a queue has is the same for both.
  CHECK(first.Writes("/queues/default/status") + second.Writes("/queues/default/status") <= 4);
  CHECK(bed.Get("/apis/scheduling.volcano.sh/v1beta1/queues/default")
            .At({"status", "allocated", "cpu"})
            .AsString() == "32");
  CHECK(first.scheduler->invariants().records().empty());
  CHECK(second.scheduler->invariants().records().empty());
  // Those that wait make nobody write any more.
  bed.executor.Advance(absl::Minutes(2));
  const size_t before = first.writes.size() + second.writes.size();
  bed.executor.Advance(absl::Minutes(30));
  CHECK(first.writes.size() + second.writes.size() == before);
}

TEST_CASE("two schedulers: a PodGroup of the other's pods alone is left alone", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  Peer first(bed, "volcano", 1);
  bed.Settle();
  bed.Pod("p", "theirs", 1, "somebody");
  bed.Group("theirs", 1);
  bed.Settle();
  CHECK(bed.Get(Bed::GroupPath("theirs")).At({"status", "phase"}).AsString().empty());
  CHECK(first.Writes("/podgroups/theirs") == 0);
  // One pod of ours makes it ours as well.
  bed.Pod("q", "theirs", 1, "volcano");
  bed.Settle();
  CHECK(bed.NodeOf("q") == "n1");
  CHECK(first.Writes("/podgroups/theirs") > 0);
  // A PodGroup without pods is enqueued, so that its pods may be made.
  bed.Group("empty", 1);
  bed.Settle();
  CHECK(bed.Get(Bed::GroupPath("empty")).At({"status", "phase"}).AsString() == "Inqueue");
  // So is one whose foreign pods have gone.
  bed.Pod("r", "left", 1, "somebody");
  bed.Group("left", 1);
  bed.Settle();
  CHECK(bed.Get(Bed::GroupPath("left")).At({"status", "phase"}).AsString().empty());
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/r?gracePeriodSeconds=0");
  bed.Settle();
  CHECK(bed.Get(Bed::GroupPath("left")).At({"status", "phase"}).AsString() == "Inqueue");
}

TEST_CASE("two schedulers: room that the other takes is noticed", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  Peer first(bed, "volcano", 1);
  Peer second(bed, "second", 2);
  bed.Settle();
  bed.Group("theirs", 1);
  bed.Pod("p", "theirs", 2, "second");
  bed.Settle();
  REQUIRE(bed.NodeOf("p") == "n1");
  bed.Group("ours", 1);
  bed.Pod("q", "ours", 2, "volcano");
  bed.Settle();
  CHECK(bed.NodeOf("q").empty());
  CHECK(absl::StrContains(bed.PodCondition("q"), "Insufficient cpu"));
  bed.Call("DELETE", "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0");
  bed.Settle();
  CHECK(bed.NodeOf("q") == "n1");
}

}  // namespace
}  // namespace bth::scheduler
