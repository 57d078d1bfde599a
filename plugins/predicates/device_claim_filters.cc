#include "plugins/predicates/device_claim_filters.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"

namespace bth::plugins::predicates {

using framework::FitCode;
using framework::ReasonId;
using framework::TaskMove;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

namespace {

// So many looks at a device take about a second of the slowest machines. Counted rather than
// measured: the same cluster gives the same answer everywhere.
constexpr int64_t kDeviceStepsPerSecond = 100'000;

int64_t StepsOf(const Switches& switches) {
  constexpr int64_t kAsLongAsItTakes = 3600;
  const int64_t seconds = switches.device_seconds == 0 ? kAsLongAsItTakes : switches.device_seconds;
  return seconds * kDeviceStepsPerSecond;
}

}  // namespace

DeviceClaimFilters::DeviceClaimFilters(framework::Session& session, const Switches& switches,
                                       DeviceVerdicts& verdicts)
    : session_(session),
      book_(session, StepsOf(switches), verdicts),
      general_(session.reasons().Register(FitCode::kUnresolvable,
                                          "something is wrong with the pod's resource claims")),
      elsewhere_(session.reasons().Register(FitCode::kUnresolvable,
                                            WordsFor(DeviceFit::Kind::kElsewhere))),
      none_(session.reasons().Register(FitCode::kUnresolvable, WordsFor(DeviceFit::Kind::kNone))),
      given_up_(session.reasons().Register(FitCode::kError, WordsFor(DeviceFit::Kind::kGivenUp))) {}

bool DeviceClaimFilters::HasClaims(TaskId task) const {
  return book_.Concerns(task);
}

ReasonId DeviceClaimFilters::PreFilter(TaskId task) {
  if (!HasClaims(task)) return framework::kFits;
  const std::string text = book_.WhyNowhere(task);
  if (text.empty()) return framework::kFits;
  return session_.reasons().Describe(FitCode::kUnresolvable,
                                     StrCat("plugin DynamicResources pre-predicates failed ", text),
                                     general_);
}

ReasonId DeviceClaimFilters::Judge(TaskId task, NodeId node) {
  const DeviceFit fit = book_.Fit(task, node);
  switch (fit.kind) {
    case DeviceFit::Kind::kFits:
      return framework::kFits;
    case DeviceFit::Kind::kElsewhere:
      return elsewhere_;
    case DeviceFit::Kind::kNone:
      return none_;
    case DeviceFit::Kind::kFault:
      return session_.reasons().Describe(FitCode::kUnresolvable, fit.text, general_);
    case DeviceFit::Kind::kGivenUp:
      return session_.reasons().Describe(
          FitCode::kError, StrCat("node ", session_.node(node).name, ": ", WordsFor(fit.kind)),
          given_up_);
  }
  return general_;
}

// The more of the first choices a node has, the better.
void DeviceClaimFilters::Score(TaskId task, absl::Span<const NodeId> nodes,
                               absl::Span<double> sum) {
  std::vector<int64_t> raw;
  raw.reserve(nodes.size());
  for (const NodeId node : nodes) raw.push_back(book_.Fit(task, node).score);
  const int64_t most = raw.empty() ? 0 : *std::max_element(raw.begin(), raw.end());
  if (most == 0) return;
  for (size_t i = 0; i < raw.size(); ++i) {
    const int64_t score = raw[i] * 100 / most;  // Whole, as Kubernetes has it.
    sum[i] += static_cast<double>(score);
  }
}

void DeviceClaimFilters::Add(framework::HookRegistrar& hooks) {
  framework::GlobalFilter filter = {[this](TaskId task, NodeRange block, absl::Span<ReasonId> out) {
                                      if (!HasClaims(task)) return;
                                      for (NodeId node : block) {
                                        const ReasonId reason = Judge(task, node);
                                        if (reason != framework::kFits)
                                          out[block.Offset(node)] = reason;
                                      }
                                    },
                                    [this](TaskId task) { return HasClaims(task); }};
  filter.follows = framework::Bit(framework::AnswerSource::kNodeRoom) |
                   framework::Bit(framework::AnswerSource::kDevices);
  hooks.FilterGlobal(std::move(filter));
  // Refuses nobody itself. What the one before says of these tasks follows from more than that:
  // what was searched for in this session.
  hooks.FilterGlobal({[](TaskId, NodeRange, absl::Span<ReasonId>) {},
                      [this](TaskId task) { return book_.IsCutShort(task); }});
  hooks.ScoreGlobal({[this](TaskId task, absl::Span<const NodeId> nodes, absl::Span<double> sum) {
                       Score(task, nodes, sum);
                     },
                     [this](TaskId task) { return book_.HasAlternatives(task); }});
  if (book_.follows_places()) {
    hooks.OnPlace([this](const TaskMove& move) { book_.Place(move.task, move.after.node); });
    hooks.OnRemove([this](const TaskMove& move) { book_.Remove(move.task); });
  }
  // Always on, as are the places: with the filters off, a task gets devices of the node that it was
  // placed on, or no binding.
  hooks.PlanClaims([this](TaskId task) { return book_.PlanOf(task); });
}

}  // namespace bth::plugins::predicates
