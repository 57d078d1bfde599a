// Places tasks that ask for nothing but a place (best effort) wherever the filters allow.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class Backfill final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  std::string_view name() const override { return "backfill"; }
  absl::Status Execute(framework::Session& session) override;
};

}  // namespace bth::actions
