// Arguments of plugin deviceshare.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/device_settings.h"
#include "conf/arguments.h"
#include "devices/family.h"

namespace bth::plugins::deviceshare {

struct Options {
  std::shared_ptr<const model::DeviceSettings> settings;
  devices::Policy policy = devices::Policy::kNone;
  int64_t weight = 0;  // Of the score; 0: none.
  bool node_lock = false;
};

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args);

}  // namespace bth::plugins::deviceshare
