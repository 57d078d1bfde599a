// Evictions: what is sent, and what pods and PodGroups are told.
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cache/writes/effect_writer.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using model::TaskStatus;
using testing::MakeGroup;
using testing::Refusal;
using testing::WriterBed;
using types::Json;

TEST_CASE("eviction writer: an eviction names its cause; a refused one is taken back", "[cache]") {
  for (bool allowed : {true, false}) {
    INFO("allowed " << allowed);
    WriterBed bed;
    bed.Put({.spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
    if (!allowed) {
      bed.server.script = [](const net::Request&) { return Refusal(403, "Forbidden"); };
    }
    const auto snapshot = bed.mirror.Publish();
    framework::EffectBatch batch{.snapshot = snapshot, .action = "preempt"};
    batch.evictions.push_back(
        {WriterBed::Find(*snapshot, "p"), WriterBed::Find(*snapshot, "q"), "preempt"});
    REQUIRE(bed.effects.Submit(std::move(batch)).ok());
    bed.executor.RunUntilIdle();
    CHECK(bed.Sent("POST", "/pods/p/eviction").size() == 1);
    CHECK(bed.Status("p") == (allowed ? TaskStatus::kReleasing : TaskStatus::kRunning));
    CHECK(absl::StrContains(bed.registry.RenderText(),
                            "volcano_eviction_transactions_total{action=\"preempt\"} 1") ==
          allowed);
    // The pod and its PodGroup; both pods are told of a refusal.
    CHECK(bed.Told("Evict") ==
          (allowed ? std::vector<std::string>{"Pod p: Pod is evicted, because of preempt, for ns/q",
                                              "PodGroup g: preempt, for PodGroup ns/h of queue "
                                              "default: 1 pod evicted"}
                   : std::vector<std::string>{}));
    CHECK(bed.Told("EvictionRefused").size() == (allowed ? 0 : 2));
  }
}

TEST_CASE("eviction writer: a PodGroup is told once of what a batch evicts of it", "[cache]") {
  WriterBed bed;
  for (const char* name : {"p", "r", "s"}) {
    bed.Put({.name = name, .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  }
  bed.mirror.PutPodGroup(MakeGroup("i", 1));
  bed.Put(
      {.name = "t", .group = "i", .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  // One is not allowed, one is answered late.
  bool turned_away = false;
  bed.server.script = [&](const net::Request& request) {
    if (absl::EndsWith(request.target, "/pods/r/eviction")) return Refusal(403, "Forbidden");
    if (absl::EndsWith(request.target, "/pods/s/eviction") && !std::exchange(turned_away, true)) {
      return Refusal(429, "TooManyRequests");
    }
    return bed.Serve(request);
  };
  const auto snapshot = bed.mirror.Publish();
  framework::EffectBatch batch{.snapshot = snapshot, .action = "reclaim"};
  for (const char* name : {"p", "r", "s", "t"}) {
    batch.evictions.push_back(
        {WriterBed::Find(*snapshot, name), WriterBed::Find(*snapshot, "q"), "reclaim"});
  }
  REQUIRE(bed.effects.Submit(std::move(batch)).ok());
  bed.executor.RunUntilIdle();
  const auto of_groups = [&bed] {
    std::vector<std::string> told = bed.Told("Evict");
    std::erase_if(told, [](const std::string& text) { return absl::StartsWith(text, "Pod "); });
    return told;
  };
  const std::string why = "reclaim, for PodGroup ns/h of queue default: ";
  CHECK(of_groups() == std::vector<std::string>{StrCat("PodGroup i: ", why, "1 pod evicted")});
  bed.executor.Advance(absl::Minutes(1));
  CHECK(of_groups() == std::vector<std::string>{StrCat("PodGroup i: ", why, "1 pod evicted"),
                                                StrCat("PodGroup g: ", why, "2 pods evicted")});
}

TEST_CASE("eviction writer: a pod says why it goes before it does, or that it may stay",
          "[cache]") {
  for (bool allowed : {true, false}) {
    INFO("allowed " << allowed);
    WriterBed bed;
    bed.Put({.spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
    std::vector<std::string> order;
    bed.server.script = [&](const net::Request& request) {
      const bool is_mark = absl::EndsWith(request.target, "/pods/p/status");
      if (is_mark) {
        const Json condition = Json::Parse(request.body)->At({"status", "conditions"})[0];
        order.push_back(StrCat(std::string(condition["type"].AsString()), "=",
                               std::string(condition["status"].AsString()), " ",
                               std::string(condition["reason"].AsString()), " ",
                               std::string(condition["message"].AsString())));
      }
      if (!absl::EndsWith(request.target, "/eviction")) return bed.Serve(request);
      order.push_back("evict");
      return allowed ? bed.Serve(request) : Refusal(403, "Forbidden");
    };
    const auto snapshot = bed.mirror.Publish();
    framework::EffectBatch batch{.snapshot = snapshot, .action = "preempt"};
    batch.evictions.push_back(
        {WriterBed::Find(*snapshot, "p"), WriterBed::Find(*snapshot, "q"), "preempt"});
    REQUIRE(bed.effects.Submit(std::move(batch)).ok());
    bed.executor.RunUntilIdle();
    std::vector<std::string> wanted = {
        "DisruptionTarget=True PreemptionByScheduler preempt, for PodGroup ns/h of queue default",
        "evict"};
    if (!allowed) {
      wanted.push_back("DisruptionTarget=False EvictionRefused the pod may not be evicted");
    }
    CHECK(order == wanted);
  }
}

TEST_CASE("eviction writer: bindings go before evictions that came earlier", "[cache]") {
  EffectWriterOptions options;
  options.lanes.lanes = 1;
  WriterBed bed(options);
  for (const char* name : {"p", "r", "s"}) {
    bed.Put({.name = name, .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  }
  const auto snapshot = bed.mirror.Publish();
  framework::EffectBatch evictions{.snapshot = snapshot, .action = "reclaim"};
  for (const char* name : {"p", "r", "s"}) {
    evictions.evictions.push_back(
        {WriterBed::Find(*snapshot, name), WriterBed::Find(*snapshot, "q"), "reclaim"});
  }
  REQUIRE(bed.effects.Submit(std::move(evictions)).ok());
  bed.Bind({"q"}, snapshot);
  std::vector<std::string> order;
  for (const net::Request& request : bed.server.requests) {
    if (absl::EndsWith(request.target, "/binding")) order.push_back("bind");
    if (absl::EndsWith(request.target, "/eviction")) order.push_back("evict");
  }
  CHECK(order == std::vector<std::string>{"bind", "evict", "evict", "evict"});
}

TEST_CASE("eviction writer: a batch of evictions counts once, with the first that succeeds",
          "[cache]") {
  WriterBed bed;
  for (const char* name : {"p", "r", "s"}) {
    bed.Put({.name = name, .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  }
  bed.server.script = [&bed](const net::Request& request) {
    return absl::StrContains(request.target, "/pods/p/") ? Refusal(403, "Forbidden")
                                                         : bed.Serve(request);
  };
  const auto snapshot = bed.mirror.Publish();
  framework::EffectBatch batch{.snapshot = snapshot, .action = "reclaim"};
  for (const char* name : {"p", "r", "s"}) {
    batch.evictions.push_back(
        {WriterBed::Find(*snapshot, name), WriterBed::Find(*snapshot, "q"), "reclaim"});
  }
  REQUIRE(bed.effects.Submit(std::move(batch)).ok());
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("POST", "/eviction").size() == 3);
  CHECK(absl::StrContains(bed.registry.RenderText(),
                          "volcano_eviction_transactions_total{action=\"reclaim\"} 1"));
}

}  // namespace
}  // namespace bth::cache
