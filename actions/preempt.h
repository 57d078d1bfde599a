// Inside a queue: lower tasks make room for those of starving jobs.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "actions/eviction/search.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class Preempt final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  // With `comparison` nodes are chosen by what is evicted there (topology-aware preemption).
  explicit Preempt(std::optional<eviction::Comparison> comparison) : comparison_(comparison) {}
  std::string_view name() const override { return "preempt"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kPreempt;
  }

 private:
  const std::optional<eviction::Comparison> comparison_;
};

}  // namespace bth::actions
