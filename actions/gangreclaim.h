// Between queues: gangs of other queues make room for a whole starving one.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "actions/gang_eviction/options.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class GangReclaim final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  explicit GangReclaim(const gang_eviction::Options& options) : options_(options) {}
  std::string_view name() const override { return "gangreclaim"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kGangReclaim;
  }

 private:
  const gang_eviction::Options options_;
};

}  // namespace bth::actions
