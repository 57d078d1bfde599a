// Admits PodGroups: phase Pending becomes Inqueue, so that their pods are created and considered.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class Enqueue final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  std::string_view name() const override { return "enqueue"; }
  absl::Status Execute(framework::Session& session) override;
};

}  // namespace bth::actions
