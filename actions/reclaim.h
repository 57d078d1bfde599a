// Between queues: those beyond their share give room back to starving jobs of others.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class Reclaim final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  std::string_view name() const override { return "reclaim"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kReclaim;
  }
};

}  // namespace bth::actions
