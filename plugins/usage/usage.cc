#include <string_view>

#include "api/model/pod_extras.h"
#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/measured_load.h"
#include "plugins/usage/load_columns.h"
#include "plugins/usage/options.h"
#include "plugins/usage/shadow_load.h"
#include "plugins/usage/young_tasks.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::TaskMove;
using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;
using usage::Guess;
using usage::NodeView;

constexpr absl::Duration kDefaultWindow = absl::Seconds(30);

// For how long a running pod's load may be missing from what the source says.
absl::Duration WindowOf(const conf::Policy& policy) {
  const auto interval = conf::ParseGoDuration(policy.Metric("interval"));
  return interval.ok() && *interval > absl::ZeroDuration() ? *interval : kDefaultWindow;
}

// How loaded nodes are in one session: what was measured, and what is guessed of the tasks that
// came since. Thread: scheduling.
class SessionLoad {
 public:
  SessionLoad(const Session& session, const usage::Options& options,
              const usage::LoadColumns& columns, int64_t now_us)
      : session_(session),
        options_(options),
        columns_(columns),
        trusted_since_us_(now_us - absl::ToInt64Microseconds(kLoadTrustedFor)),
        shadow_(columns.size()) {}

  // The task is on the node, or comes to it.
  void Add(TaskId task, NodeId node) {
    if (HasObject(node)) shadow_.Add(task, node, GuessOf(task, node));
  }
  void Place(TaskId task, NodeId node) {
    if (HasObject(node) && !shadow_.ComeBack(task, node)) Add(task, node);
  }
  void Remove(TaskId task, NodeId node) { shadow_.Remove(task, node); }

  bool IsTrusted(NodeId node) const {
    const NodeView& view = columns_[node];
    return view.measured_at_us != 0 && view.measured_at_us >= trusted_since_us_;
  }
  double Score(NodeId node) const {
    if (!IsTrusted(node)) return 0;
    return usage::NodeScore(CpuShare(node), MemoryShare(node), options_.weights, options_.weight);
  }

 private:
  bool HasObject(NodeId node) const { return session_.base().nodes[node].has_object(); }

  double CpuShare(NodeId node) const {
    const NodeView& view = columns_[node];
    return usage::Composite(view.cpu_percent, shadow_.on(node).cpu_milli, view.cpu_milli);
  }
  double MemoryShare(NodeId node) const {
    const NodeView& view = columns_[node];
    return usage::Composite(view.memory_percent, shadow_.on(node).memory_bytes, view.memory_bytes);
  }

  Guess GuessOf(TaskId task, NodeId node) const {
    const usage::Estimator& estimator = options_.estimator;
    const double load = usage::MeanLoad(CpuShare(node), MemoryShare(node), options_.weights);
    const double risk = usage::Risk(load, estimator.risk_threshold, estimator.risk_factor);
    const ShapeId shape = session_.task(task).shape;
    if (session_.shape(shape).best_effort) {
      return {.cpu_milli = usage::EstimateBestEffort(estimator.be_cpu_milli, risk),
              .memory_bytes = usage::EstimateBestEffort(estimator.be_memory_bytes, risk)};
    }
    static const model::PodExtras kNone;
    const auto& known = session_.base().constraints_of(shape).extras;
    const model::PodExtras& extras = known == nullptr ? kNone : *known;
    const model::ResourceVec& request = session_.request(task);
    return {
        .cpu_milli = usage::Estimate(request[model::kCpu], extras.cpu_limit_milli, estimator, risk),
        .memory_bytes =
            usage::Estimate(request[model::kMemory], extras.memory_limit_bytes, estimator, risk)};
  }

  const Session& session_;
  const usage::Options& options_;
  const usage::LoadColumns& columns_;
  const int64_t trusted_since_us_;
  usage::ShadowLoad shadow_;
};

// Keeps columns and young tasks between sessions. Thread: scheduling.
class Usage final : public framework::Plugin {
 public:
  explicit Usage(usage::Options options) : options_(options) {}
  std::string_view name() const override { return "usage"; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    const int64_t now_us = absl::ToUnixMicros(session.context().clock->Now());
    columns_.Advance(session.base());
    young_.Advance(session.base(), now_us,
                   absl::ToInt64Microseconds(WindowOf(*session.context().policy)));
    auto& load = session.Keep<SessionLoad>(session, options_, columns_, now_us);
    for (TaskId task : young_.Sorted(session.base())) load.Add(task, session.state(task).node);
    AddFilter(session, load, hooks);
    hooks.ScoreUsage([&load](ShapeId, NodeRange block, absl::Span<double> sum) {
      for (NodeId node : block) sum[block.Offset(node)] += load.Score(node);
    });
    hooks.OnPlace([&load](const TaskMove& move) { load.Place(move.task, move.after.node); });
    hooks.OnRemove([&load](const TaskMove& move) { load.Remove(move.task, move.before.node); });
    return absl::OkStatus();
  }

 private:
  void AddFilter(Session& session, const SessionLoad& load, HookRegistrar& hooks) {
    const ReasonId busy_cpu = session.reasons().Register(
        FitCode::kUnresolvable, "the CPU load of the node exceeds the upper limit.");
    const ReasonId busy_memory = session.reasons().Register(
        FitCode::kUnresolvable, "the memory load of the node exceeds the upper limit.");
    hooks.FilterUsage(
        [this, &load, busy_cpu, busy_memory](ShapeId, NodeRange block, absl::Span<ReasonId> out) {
          const auto cpu_max = static_cast<double>(options_.cpu_threshold);
          const auto memory_max = static_cast<double>(options_.memory_threshold);
          for (NodeId node : block) {
            if (!load.IsTrusted(node)) continue;
            const NodeView& view = columns_[node];
            if (view.cpu_percent > cpu_max) {
              out[block.Offset(node)] = busy_cpu;
            } else if (view.memory_percent > memory_max) {
              out[block.Offset(node)] = busy_memory;
            }
          }
        });
  }

  const usage::Options options_;
  usage::LoadColumns columns_;
  usage::YoungTasks young_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateUsage(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(usage::Options options, usage::ReadOptions(args));
  return std::make_unique<Usage>(options);
}

}  // namespace bth::plugins
