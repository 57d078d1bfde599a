// Any bytes as device-config.yaml: no crash; what is refused says why and changes nothing, what is
// accepted is within its bounds.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "devices/config.h"
#include "devices/family.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  model::DeviceSettings settings;
  devices::UseBuiltinConfig(&settings);
  const model::DeviceSettings before = settings;
  const absl::Status status =
      devices::UseConfig(std::string_view(reinterpret_cast<const char*>(data), size), &settings);
  if (!status.ok()) {
    BTH_CHECK(!status.message().empty());
    BTH_CHECK(settings == before);
    return 0;
  }
  BTH_CHECK(settings.chips.size() <= model::DeviceSettings::kChipsMax);
  BTH_CHECK(settings.vgpus.memory_factor >= 1);
  BTH_CHECK(!settings.vgpus.count.empty() && !settings.vgpus.memory.empty());
  for (const auto& chip : settings.chips) {
    BTH_CHECK(!chip.word.empty() && !chip.resource.empty());
    for (size_t i = 1; i < chip.templates.size(); ++i) {
      BTH_CHECK(chip.templates[i - 1].memory <= chip.templates[i].memory);
    }
  }
  for (const auto& known : settings.vgpus.geometries) BTH_CHECK(known.geometry != nullptr);
  return 0;
}
