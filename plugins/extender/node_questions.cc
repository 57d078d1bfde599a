#include "plugins/extender/node_questions.h"

#include <algorithm>

#include "base/row_at.h"
#include "base/strings.h"

namespace bth::plugins::extender {
namespace {

using framework::ExtenderPort;
using framework::FitCode;
using framework::kFits;
using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

// What an extender gives as a code; success with a status is an error.
FitCode CodeOf(int64_t code) {
  constexpr int64_t kHighest = static_cast<int64_t>(FitCode::kSkip);
  return code <= 0 || code > kHighest ? FitCode::kError : static_cast<FitCode>(code);
}

}  // namespace

NodeQuestions::NodeQuestions(const Options& options, Line& line, ExtenderPort& port,
                             Session& session)
    : options_(options),
      line_(line),
      port_(port),
      session_(session),
      verdicts_(session),
      general_(session.reasons().Register(FitCode::kError, "refused by the extender")) {}

ReasonId NodeQuestions::Reason(FitCode code, const std::string& text) {
  return session_.reasons().Describe(code, text, general_);
}

ReasonId NodeQuestions::HoldReason() {
  if (line_.closed().ok() || options_.ignorable) return kFits;
  return Reason(FitCode::kError, std::string(ToStd(line_.closed().message())));
}

bool NodeQuestions::IsCandidate(TaskId task, const framework::StaticFit& fit, NodeId node) const {
  const model::ShapeId shape = session_.task(task).shape;
  const model::ResourceVec& request = session_.shape(shape).request;
  const model::Usage& usage = session_.usage();
  const bool has_room = request.IsEmpty() || request.FitsIn(usage.idle[node]) ||
                        request.FitsIn(usage.FutureIdle(node));
  if (!has_room || RowAt(fit.refusal, node) != kFits) return false;
  const NodeRange run(node.index(), node.index() + 1);
  ReasonId verdict = kFits;
  for (const auto& entry : session_.hooks().usage_filter) {
    entry.fn(shape, run, absl::Span<ReasonId>(&verdict, 1));
    if (verdict != kFits) return false;
  }
  for (const auto& entry : session_.hooks().global_filter) {
    if (entry.origin.plugin == "extender" || !entry.fn.concerns(task)) continue;
    entry.fn(task, run, absl::Span<ReasonId>(&verdict, 1));
    if (verdict != kFits) return false;
  }
  return true;
}

void NodeQuestions::AskAhead(TaskId task) {
  if (!line_.closed().ok()) return;
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  std::vector<NodeId> nodes;
  for (NodeId node : *session_.base().nodes_by_name) {
    if (!verdicts_.Find(task, node) && IsCandidate(task, *fit, node)) nodes.push_back(node);
  }
  Ask(task, nodes);
}

ReasonId NodeQuestions::VerdictOn(TaskId task, NodeId node) {
  if (const auto known = verdicts_.Find(task, node)) return *known;
  if (!line_.closed().ok()) return HoldReason();
  const auto fit = session_.context().static_fits->Get(
      session_, session_.shape(session_.task(task).shape).constraints);
  if (!IsCandidate(task, *fit, node)) return kFits;
  Ask(task, absl::MakeConstSpan(&node, 1));
  return verdicts_.Find(task, node).value_or(kFits);
}

// In parts, so that the line can be closed between them.
void NodeQuestions::Ask(TaskId task, absl::Span<const NodeId> nodes) {
  constexpr size_t kPart = 64;
  for (; !nodes.empty(); nodes.remove_prefix(std::min(kPart, nodes.size()))) {
    const absl::Span<const NodeId> part = nodes.subspan(0, kPart);
    if (line_.closed().ok()) {
      AskPart(task, part);
      continue;
    }
    const ReasonId held = HoldReason();
    for (NodeId node : part) verdicts_.Keep(task, node, held);
  }
}

void NodeQuestions::AskPart(TaskId task, absl::Span<const NodeId> nodes) {
  const absl::Duration start = line_.clock().Monotonic();
  const auto answers = port_.Filter(line_.CallFor(options_.verbs.predicate), session_, task, nodes);
  const absl::Duration took = line_.clock().Monotonic() - start;
  // They were asked side by side: the time is that of one, which was sent if any was.
  size_t timed = 0;
  while (timed + 1 < nodes.size() && Line::IsNotSent(answers[timed].status())) ++timed;
  for (size_t i = 0; i < nodes.size(); ++i) {
    line_.Note(answers[i].status(), i == timed ? took : absl::ZeroDuration());
    ReasonId verdict = kFits;
    if (!answers[i].ok()) {
      if (!options_.ignorable) {
        verdict = Reason(FitCode::kError, std::string(ToStd(answers[i].status().message())));
      }
    } else if (!answers[i]->status.empty()) {
      verdict = Reason(CodeOf(answers[i]->code), answers[i]->status);
    }
    verdicts_.Keep(task, nodes[i], verdict);
  }
}

absl::Status NodeQuestions::AddScores(TaskId task, absl::Span<const NodeId> nodes,
                                      absl::Span<double> sum) {
  const auto answer = line_.Try(
      [&] { return port_.Score(line_.CallFor(options_.verbs.prioritize), session_, task, nodes); });
  if (!answer.ok()) return options_.ignorable ? absl::OkStatus() : answer.status();
  line_.NoteUnknown(answer->unknown);
  for (size_t i = 0; i < nodes.size(); ++i) sum[i] += answer->scores[i];
  return absl::OkStatus();
}

}  // namespace bth::plugins::extender
