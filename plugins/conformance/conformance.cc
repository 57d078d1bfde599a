#include "framework/session/session.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::Session;
using framework::Verdict;
using framework::Vote;
using model::TaskId;

constexpr std::string_view kSystemNamespace = "kube-system";

Verdict Ordinary(const Session& session, absl::Span<const TaskId> candidates) {
  Verdict verdict{.vote = Vote::kPermit, .victims = {}};
  for (TaskId candidate : candidates) {
    const model::TaskRow& task = session.task(candidate);
    if (task.critical || task.names->ns == kSystemNamespace) continue;
    verdict.victims.push_back(candidate);
  }
  return verdict;
}

// Stateless. Neither the numeric priority nor the evictor plays a part. Thread: scheduling.
class Conformance final : public framework::Plugin {
 public:
  std::string_view name() const override { return "conformance"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, framework::HookRegistrar& hooks) override {
    const auto ordinary = [&session](const auto&, absl::Span<const TaskId> candidates) {
      return Ordinary(session, candidates);
    };
    hooks.Preemptable(ordinary);
    hooks.Reclaimable(ordinary);
    hooks.UnifiedEvictable(ordinary);
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateConformance(const conf::Arguments&) {
  return std::make_unique<Conformance>();
}

}  // namespace bth::plugins
