// An effect writer with its mirror and a scripted server, on virtual time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cache/writes/effect_queue.h"
#include "cache/writes/effect_writer.h"
#include "net/executor_clock.h"
#include "tests/cache/objects.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::cache::testing {

using client::testing::Answer;
using client::testing::FakeServer;
using model::TaskStatus;
using types::Json;

inline client::ApiClientOptions Unlimited() {
  client::ApiClientOptions options;
  options.qps = 0;
  options.protobuf = false;  // Tests read what was sent.
  return options;
}

inline net::Response Refusal(int code, const std::string& reason) {
  return Answer(code, StrCat(R"({"kind":"Status","code":)", code, R"(,"reason":")", reason,
                             R"(","message":"why"})"));
}

// Node "n" of four cores, jobs "g" and "h" with the pods "p" and "q".
struct WriterBed {
  net::VirtualExecutor executor{client::testing::StartTime()};
  net::ExecutorClock clock{executor};
  FakeServer server{executor};
  client::ApiClient api{executor, server.Transport(), Unlimited()};
  Rng rng{1};
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics{registry};
  Mirror mirror{clock, {}};
  client::EventRecorder events{api, rng, {.component = "volcano"}};
  EffectWriter writer;
  EffectQueue effects{executor, writer};
  // Answers of binding calls in turn; the last one stays.
  std::vector<int> bind_answers = {201};
  std::string read_back;  // Answer of GET for a pod; empty: 404.
  size_t binds = 0;

  explicit WriterBed(EffectWriterOptions options = {})
      : writer(api, mirror, events, &metrics, std::move(options)) {
    server.script = [this](const net::Request& request) { return Serve(request); };
    mirror.PutNode(MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols()));
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutPodGroup(MakeGroup("g", 1));
    mirror.PutPodGroup(MakeGroup("h", 1));
    Put({});
    Put({.name = "q", .group = "h"});
    executor.RunUntilIdle();
  }
  net::Response Serve(const net::Request& request) {
    if (absl::EndsWith(request.target, "/binding")) {
      const int code = bind_answers[std::min(binds, bind_answers.size() - 1)];
      ++binds;
      if (code == 429) {
        net::Response out = Refusal(429, "TooManyRequests");
        out.headers.Add("Retry-After", "7");
        return out;
      }
      return code < 300 ? Answer(code, "{}")
                        : Refusal(code, code == 409 ? "Conflict" : "Forbidden");
    }
    if (request.method == "GET") {
      return read_back.empty() ? Refusal(404, "NotFound") : Answer(200, read_back);
    }
    return Answer(200, "{}");
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const PodText& text) { mirror.PutPod(MakePod(text, symbols())); }
  // Nothing that escaped was caught.
  ~WriterBed() { CHECK(executor.barrier().caught() == 0); }
  static model::TaskId Find(const model::Snapshot& snapshot, const std::string& name) {
    for (model::TaskId id : snapshot.tasks.ids()) {
      if (snapshot.tasks[id].names && snapshot.tasks[id].names->name == name) return id;
    }
    FAIL("no pod " << name);
    return {};
  }
  void Bind(const std::vector<std::string>& pods,
            std::shared_ptr<const model::Snapshot> snapshot = nullptr) {
    if (snapshot == nullptr) snapshot = mirror.Publish();
    framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
    for (const std::string& pod : pods) {
      batch.binds.push_back({Find(*snapshot, pod), snapshot->nodes_by_name->front()});
    }
    CHECK(effects.Submit(std::move(batch)).ok());
    executor.RunUntilIdle();
  }
  // Targets of requests with that method that contain `part`.
  std::vector<std::string> Sent(const std::string& method, const std::string& part) const {
    std::vector<std::string> out;
    for (const net::Request& request : server.requests) {
      if (request.method == method && absl::StrContains(request.target, part)) {
        out.push_back(request.target);
      }
    }
    return out;
  }
  Json LastBody(const std::string& part) const {
    for (auto it = server.requests.rbegin(); it != server.requests.rend(); ++it) {
      if (absl::StrContains(it->target, part)) return *Json::Parse(it->body);
    }
    return Json();
  }
  // "KIND NAME: message" of the events with that reason, as they were sent.
  std::vector<std::string> Told(const std::string& reason) const {
    std::vector<std::string> out;
    for (const net::Request& request : server.requests) {
      if (request.method != "POST" || !absl::StrContains(request.target, "/events")) continue;
      const Json event = *Json::Parse(request.body);
      if (event["reason"].AsString() != reason) continue;
      const Json about = event["involvedObject"];
      out.push_back(StrCat(std::string(about["kind"].AsString()), " ",
                           std::string(about["name"].AsString()), ": ",
                           std::string(event["message"].AsString())));
    }
    return out;
  }
  TaskStatus Status(const std::string& pod) const { return mirror.Pod("ns/" + pod)->status; }
  std::string NextDeadline() const {
    const absl::Duration pause = mirror.UntilNextDeadline();
    return pause == absl::InfiniteDuration() ? "" : absl::FormatDuration(pause);
  }
};

inline framework::CycleReport Report(WriterBed& bed, const std::string& message,
                                     model::PodGroupPhase phase = model::PodGroupPhase::kInqueue) {
  framework::CycleReport report{.snapshot = bed.mirror.Publish(), .session_uid = "s"};
  for (model::JobId job : *report.snapshot->all_jobs) {
    if (report.snapshot->jobs[job].facts->name != "g") continue;
    report.pod_groups.push_back(
        {.job = job, .phase = phase, .conditions = {{"Unschedulable", "True", "R", message}}});
  }
  report.pods.push_back({WriterBed::Find(*report.snapshot, "p"), "Unschedulable",
                         std::make_shared<const std::string>(message), model::NodeId()});
  return report;
}

}  // namespace bth::cache::testing
