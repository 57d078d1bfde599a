// Evicts running tasks that plugins want elsewhere.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// The one action that evicts for nobody in particular. Thread: scheduling.
class Shuffle final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  std::string_view name() const override { return "shuffle"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
};

}  // namespace bth::actions
