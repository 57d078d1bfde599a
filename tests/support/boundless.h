// A policy whose plugins say nothing beforehand about victims: the slow twin of VictimProspects.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "framework/hooks/plugin.h"
#include "framework/session/session.h"

namespace bth::test {

// Must stand behind all plugins that vote on victims.
class Boundless final : public framework::Plugin {
 public:
  std::string_view name() const override { return "boundless"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  absl::Status OnSessionOpen(framework::Session& session, framework::HookRegistrar&) override {
    Forget(session.hooks().preemptable);
    Forget(session.hooks().reclaimable);
    Forget(session.hooks().unified_evictable);
    return absl::OkStatus();
  }

 private:
  template <typename List>
  static void Forget(List& list) {
    List silent;
    for (const auto& entry : list) silent.Add(entry.origin, {entry.fn.fn});
    list = std::move(silent);
  }
};

inline void RegisterBoundless(framework::Registry& registry) {
  registry.plugins["boundless"] =
      [](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<Boundless>();
  };
}

}  // namespace bth::test
