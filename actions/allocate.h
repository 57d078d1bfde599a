// Places pending tasks: a gang gets its whole minimum in this cycle, or nothing.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "framework/hooks/plugin.h"

namespace bth::actions {

// Thread: scheduling.
class Allocate final : public framework::Action {
 public:
  static absl::StatusOr<std::unique_ptr<framework::Action>> Create(const conf::Arguments& args);
  std::string_view name() const override { return "allocate"; }
  absl::Status Execute(framework::Session& session) override;
};

}  // namespace bth::actions
