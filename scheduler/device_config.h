// The ConfigMap in which a cluster says what its shared devices are called.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "api/model/device_settings.h"
#include "client/api_client.h"
#include "client/background.h"

namespace bth::scheduler {

// Read once for each policy that counts devices, before its first cycle; without it, or when it
// cannot be read, the built-in names hold. Thread: I/O.
class DeviceConfigSource {
 public:
  // `changed` is called when it is known what holds.
  DeviceConfigSource(client::ApiClient& api, std::function<void()> changed)
      : api_(api), changed_(std::move(changed)) {}

  // From now on. Null: no devices count. Nothing is read before Start.
  void Want(std::shared_ptr<const model::DeviceSettings> settings);
  void Start();
  // It is not known yet what holds: nothing may be decided.
  bool pending() const { return wanted_ != nullptr && !known_; }
  // With what the ConfigMap says, once that is known.
  const std::shared_ptr<const model::DeviceSettings>& settings() const { return settings_; }

 private:
  net::Awaitable<void> Read();
  void Known(std::shared_ptr<const model::DeviceSettings> settings);

  client::ApiClient& api_;
  const std::function<void()> changed_;
  std::shared_ptr<const model::DeviceSettings> wanted_;
  std::shared_ptr<const model::DeviceSettings> settings_;
  bool started_ = false;
  bool known_ = false;
  client::Background reading_;
};

}  // namespace bth::scheduler
