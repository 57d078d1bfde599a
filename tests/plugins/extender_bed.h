// A scripted extender, and cycles of one policy that asks it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "framework/session/extender_port.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {

using framework::ExtenderPort;
using model::NodeId;
using model::TaskId;

// Answers as a test says, and notes what it was asked: "predicate a-0 n1".
class FakeExtender final : public ExtenderPort {
 public:
  std::vector<std::string> asked;
  std::vector<std::string> urls;
  absl::Duration timeout;
  // Null: a friendly answer.
  std::function<absl::StatusOr<FilterAnswer>(std::string task, std::string node)> filter;
  std::function<absl::StatusOr<double>(std::string node)> score;
  int64_t unknown = 0;
  absl::StatusOr<VictimAnswer> victims = VictimAnswer();
  std::function<absl::StatusOr<int64_t>(std::string job)> vote;
  std::function<absl::StatusOr<bool>(std::string job)> ready;
  std::function<absl::StatusOr<bool>(std::string queue)> overused;
  std::function<absl::Status(std::string task)> placed;
  absl::Status session;
  ManualClock* clock = nullptr;  // Moves on by `takes` with each call.
  absl::Duration takes;

  size_t Count(std::string_view prefix) const {
    size_t count = 0;
    for (const std::string& line : asked) count += line.rfind(prefix, 0) == 0;
    return count;
  }

  absl::Status OpenSession(const Call& call, const framework::Session&) override {
    Note(call, "open");
    return session;
  }
  absl::Status CloseSession(const Call& call) override {
    Note(call, "close");
    return session;
  }
  std::vector<absl::StatusOr<FilterAnswer>> Filter(const Call& call, const framework::Session& s,
                                                   TaskId task,
                                                   absl::Span<const NodeId> nodes) override {
    std::vector<absl::StatusOr<FilterAnswer>> out;
    for (NodeId node : nodes) {
      const std::string name = s.node(node).name;
      Note(call, StrCat("predicate ", NameOf(s, task), " ", name));
      out.push_back(filter == nullptr ? FilterAnswer() : filter(NameOf(s, task), name));
    }
    return out;
  }
  absl::StatusOr<ScoreAnswer> Score(const Call& call, const framework::Session& s, TaskId task,
                                    absl::Span<const NodeId> nodes) override {
    Note(call, StrCat("prioritize ", NameOf(s, task), " ", nodes.size()));
    ScoreAnswer out;
    out.unknown = unknown;
    for (NodeId node : nodes) {
      const absl::StatusOr<double> one = score(s.node(node).name);
      if (!one.ok()) return one.status();
      out.scores.push_back(*one);
    }
    return out;
  }
  absl::StatusOr<VictimAnswer> ChooseVictims(const Call& call, const framework::Session& s,
                                             TaskId evictor,
                                             absl::Span<const TaskId> evictees) override {
    Note(call, StrCat("victims ", NameOf(s, evictor), " ", evictees.size()));
    return victims;
  }
  absl::StatusOr<int64_t> JobVote(const Call& call, const framework::Session& s,
                                  model::JobId job) override {
    Note(call, StrCat("vote ", s.job(job).facts->name));
    return vote(s.job(job).facts->name);
  }
  absl::Status TellJob(const Call& call, const framework::Session& s, model::JobId job) override {
    Note(call, StrCat("enqueued ", s.job(job).facts->name));
    return absl::OkStatus();
  }
  absl::StatusOr<bool> JobReady(const Call& call, const framework::Session& s,
                                model::JobId job) override {
    Note(call, StrCat("ready ", s.job(job).facts->name));
    return ready(s.job(job).facts->name);
  }
  absl::StatusOr<bool> QueueOverused(const Call& call, const framework::Session& s,
                                     model::QueueId queue) override {
    Note(call, StrCat("overused ", *s.queue(queue).name));
    return overused(*s.queue(queue).name);
  }
  absl::Status TaskEvent(const Call& call, const framework::Session& s, TaskId task) override {
    const bool placing = call.url.ends_with("/allocate");
    Note(call, StrCat(placing ? "placed " : "removed ", NameOf(s, task)));
    return placing && placed != nullptr ? placed(NameOf(s, task)) : absl::OkStatus();
  }

 private:
  void Note(const Call& call, std::string line) {
    asked.push_back(std::move(line));
    urls.push_back(call.url);
    timeout = call.timeout;
    if (clock != nullptr) clock->Advance(takes);
  }
  static std::string NameOf(const framework::Session& s, TaskId task) {
    return s.task(task).names->name;
  }
};

inline constexpr std::string_view kExtenderUrl = "extender.urlPrefix: http://localhost:8713/\n";

// Cycles of one policy, whose extender is a fake.
class ExtenderBed {
 public:
  ExtenderBed(std::string_view actions, std::string_view tiers, const std::string& arguments)
      : metrics_(registry_) {
    std::vector<conf::Finding> findings;
    auto made = framework::PolicyInstance::Create(
        std::make_shared<const conf::Policy>(MakePolicy(
            actions, tiers, {{"extender", StrCat(std::string(kExtenderUrl), arguments)}})),
        Builtins(), &findings);
    REQUIRE(made.status().ToString() == "OK");
    policy_ = *std::move(made);
    extender.clock = &clock;
  }

  absl::Status Run(const World& world) {
    cycle_ = std::make_unique<framework::Cycle>(
        *policy_, framework::SessionContext{.snapshot = world.snapshot,
                                            .sink = &sink_,
                                            .clock = &clock,
                                            .metrics = &metrics_,
                                            .extender = has_port ? &extender : nullptr,
                                            .uid = "session"});
    return cycle_->Run();
  }
  std::map<std::string, std::string> Binds(const World& world) {
    REQUIRE(Run(world).ToString() == "OK");
    std::map<std::string, std::string> binds;
    for (const auto& [name, id] : world.tasks) {
      const model::TaskState& now = session().state(id);
      if (now.status == model::TaskStatus::kBinding) binds[name] = session().node(now.node).name;
    }
    return binds;
  }
  framework::Session& session() { return cycle_->session(); }
  // "code: text" of each reason that kept the task off nodes, with its count.
  std::map<std::string, int> Reasons(const World& world, std::string_view task) {
    std::map<std::string, int> out;
    const framework::TaskFit* fit = session().notes().FitOf(world.task(task));
    if (fit == nullptr) return out;
    const framework::ReasonTable& reasons = session().reasons();
    for (const auto& [text, count] : fit->counts) {
      framework::ReasonId id = 1;
      while (id < reasons.size() && reasons.text(id) != text) ++id;
      out[StrCat(static_cast<int>(reasons.code(id)), ": ", text)] = count;
    }
    return out;
  }
  // "queue reason: message" of what the cycle tells of queues.
  std::string Notices() const {
    std::string out;
    for (const framework::QueueNotice& notice : cycle_->session().notes().queue_notices()) {
      StrAppend(&out, *cycle_->session().queue(notice.queue).name, " ", notice.reason, ": ",
                notice.message);
    }
    return out;
  }
  std::string Metrics() const { return registry_.RenderText(); }

  FakeExtender extender;
  ManualClock clock{absl::UnixEpoch()};
  bool has_port = true;

 private:
  metrics::Registry registry_;
  metrics::SchedulerMetrics metrics_;
  RecordingSink sink_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  std::unique_ptr<framework::Cycle> cycle_;
};

}  // namespace bth::test
