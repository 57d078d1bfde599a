#include "framework/session/session.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::Verdict;
using framework::Vote;
using model::TaskId;

Verdict Cooled(const Session& session, int64_t now_us, absl::Span<const TaskId> candidates) {
  Verdict verdict{.vote = Vote::kPermit, .victims = {}};
  for (TaskId candidate : candidates) {
    if (session.task(candidate).protected_until_us > now_us) continue;
    verdict.victims.push_back(candidate);
  }
  return verdict;
}

// Stateless; the time is that at which the session opened. Of the actions that evict, shuffle alone
// is not limited. Thread: scheduling.
class Cdp final : public framework::Plugin {
 public:
  std::string_view name() const override { return "cdp"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  bool follows_clock() const override { return true; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    const int64_t now_us = absl::ToUnixMicros(session.context().clock->Now());
    const auto cooled = [&session, now_us](TaskId, absl::Span<const TaskId> candidates) {
      return Cooled(session, now_us, candidates);
    };
    hooks.Preemptable(cooled);
    hooks.Reclaimable(cooled);
    hooks.UnifiedEvictable(
        [cooled](const framework::EvictionContext&, absl::Span<const TaskId> candidates) {
          return cooled(TaskId(), candidates);
        });
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCdp(const conf::Arguments&) {
  return std::make_unique<Cdp>();
}

}  // namespace bth::plugins
