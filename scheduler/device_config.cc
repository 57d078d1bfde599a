#include "scheduler/device_config.h"

#include <utility>

#include "api/types/config_map.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/typed_client.h"
#include "devices/config.h"
#include "net/awaitable.h"

namespace bth::scheduler {
namespace {

bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         client::OutcomeUnknown(status);
}

}  // namespace

void DeviceConfigSource::Want(std::shared_ptr<const model::DeviceSettings> settings) {
  const bool same =
      wanted_ == settings || (wanted_ != nullptr && settings != nullptr && *wanted_ == *settings);
  if (same) return;
  reading_.Stop();
  wanted_ = std::move(settings);
  settings_ = wanted_;
  known_ = false;
  if (started_) Start();
}

void DeviceConfigSource::Start() {
  started_ = true;
  if (!pending() || reading_.running()) return;
  reading_.Keep(api_.executor(), "device_config", [this] { return Read(); });
}

net::Awaitable<void> DeviceConfigSource::Read() {
  constexpr absl::Duration kPause = absl::Seconds(1);
  const std::string ns = wanted_->config_namespace;
  const std::string name = wanted_->config_name;
  for (;;) {
    const auto object = co_await client::GetObject<types::ConfigMap>(api_, ns, name);
    if (MayPass(object.status())) {
      Log(LogLevel::kWarning, "devices.config_late",
          {{"config_map", StrCat(ns, "/", name)}, {"status", object.status()}});
      co_await net::Sleep(api_.executor(), kPause);
      continue;
    }
    absl::Status status = object.status();
    auto settings = std::make_shared<model::DeviceSettings>(*wanted_);
    if (status.ok()) {
      const std::string* text = object->data.Find(devices::kConfigKey);
      status = text == nullptr ? absl::NotFoundError(StrCat("no key ", devices::kConfigKey))
                               : devices::UseConfig(*text, settings.get());
    }
    if (!status.ok()) {
      Log(absl::IsNotFound(object.status()) ? LogLevel::kInfo : LogLevel::kWarning,
          "devices.config_builtin",
          {{"config_map", StrCat(ns, "/", name)},
           {"status", status},
           {"effect", "devices have their usual names, and no card is cut"}});
    }
    Known(std::move(settings));
    co_return;
  }
}

void DeviceConfigSource::Known(std::shared_ptr<const model::DeviceSettings> settings) {
  settings_ = std::move(settings);
  known_ = true;
  changed_();
}

}  // namespace bth::scheduler
