#include "devices/encoding.h"

#include "base/strings.h"
#include "devices/family.h"
#include "devices/numbers.h"

namespace bth::devices {
namespace {

// Nothing: not four fields, or amounts that are no natural numbers within bounds.
std::optional<model::HeldDevice> DecodeDevice(std::string_view text) {
  const std::vector<absl::string_view> fields = SplitText(text, ',');
  if (fields.size() < 4) return std::nullopt;
  const std::optional<uint64_t> memory = ReadNumber<uint64_t>(ToStd(fields[2]));
  const std::optional<uint32_t> cores = ReadNumber<uint32_t>(ToStd(fields[3]));
  if (!memory || !cores || *memory > static_cast<uint64_t>(kMemoryMax)) return std::nullopt;
  constexpr uint32_t kCoresGivenMax = 1 << 16;
  if (*cores > kCoresGivenMax || fields[0].empty()) return std::nullopt;
  model::HeldDevice out;
  out.id = std::string(fields[0]);
  out.memory = static_cast<int64_t>(*memory);
  out.cores = static_cast<int32_t>(*cores);
  return out;
}

}  // namespace

std::string EncodeDevices(const model::HeldDevices& held, std::string_view type, bool ended) {
  std::string out;
  int32_t container = 0;
  for (const model::HeldDevice& device : held.devices) {
    for (; container < device.container; ++container) out.push_back(';');
    StrAppend(&out, device.id, ",", type, ",", device.memory, ",", device.cores, ":");
  }
  if (ended) out.push_back(';');
  return out;
}

std::vector<model::HeldDevice> DecodeDevices(std::string_view text) {
  std::vector<model::HeldDevice> out;
  int32_t container = 0;
  for (absl::string_view part : SplitText(text, ';')) {
    for (absl::string_view device : SplitText(ToStd(part), ':')) {
      if (out.size() == kDevicesMax) return out;
      std::optional<model::HeldDevice> decoded = DecodeDevice(ToStd(device));
      if (!decoded) continue;
      decoded->container = container;
      out.push_back(*std::move(decoded));
    }
    ++container;
  }
  return out;
}

}  // namespace bth::devices
