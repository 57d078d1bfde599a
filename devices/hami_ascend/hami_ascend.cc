#include "devices/hami_ascend/hami_ascend.h"

#include <algorithm>
#include <limits>

#include "api/types/json.h"
#include "base/strings.h"
#include "devices/encoding.h"
#include "devices/numbers.h"

namespace bth::devices::hami_ascend {
namespace {

using model::AscendChip;
using model::AscendTemplate;
using model::ContainerDeviceRequest;
using model::HeldDevice;
using model::HeldDevices;
using model::PodDeviceRequest;
using types::Json;

constexpr std::string_view kMode = "huawei.com/vnpu-mode";
constexpr std::string_view kSoftNode = "hami-vnpu-core";
constexpr std::string_view kLock = "hami.io/mutex.lock";
constexpr std::string_view kSoftDetail = "soft";
constexpr size_t kContainersMax = 128;

model::DeviceKind KindOf(size_t chip) {
  return {model::DeviceFamily::kHamiAscend, static_cast<uint8_t>(chip)};
}

std::string AllocatedKey(const AscendChip& chip) {
  return StrCat("hami.io/", chip.word, "-devices-allocated");
}

std::optional<int64_t> LimitElseRequest(const types::Container& container,
                                        std::string_view resource, int64_t max) {
  const auto limit = AmountOf(container.resources.limits, resource, max);
  return limit ? limit : AmountOf(container.resources.requests, resource, max);
}

ContainerDeviceRequest AskOf(const types::Container& container, const AscendChip& chip, bool soft) {
  constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
  constexpr int64_t kCoresMax = 1 << 16;
  ContainerDeviceRequest ask;
  std::optional<int64_t> count = AmountOf(container.resources.limits, chip.resource, kInt32Max);
  const auto memory = LimitElseRequest(container, chip.memory_resource, kMemoryMax);
  if (!count && AmountOf(container.resources.limits, chip.memory_resource, kMemoryMax)) count = 1;
  if (count.value_or(0) == 0) return ask;
  ask.count = static_cast<int32_t>(*count);
  if (memory.value_or(0) == 0) {
    constexpr int32_t kAll = 100;
    ask.percent = kAll;
  } else {
    ask.memory = soft ? *memory : RoundedMemory(chip, *memory);
  }
  ask.cores = static_cast<int32_t>(
      LimitElseRequest(container, chip.cores_resource(), kCoresMax).value_or(0));
  return ask;
}

// The network that a card says it is in, as text.
std::string NetworkOf(const Json& card) {
  const Json& custom = card["custominfo"];
  const Json& network = custom["NetworkID"];
  if (network.is_string()) return std::string(network.AsString());
  return network.is_int() ? network.Dump() : "";
}

int64_t BoundedInt(const Json& number, int64_t max) {
  return number.is_int() ? std::clamp<int64_t>(number.AsInt(), 0, max) : 0;
}

class HamiAscend final : public Family {
 public:
  void ReadNode(const types::Node& node, const model::DeviceSettings& settings,
                model::NodeDevices* out) const override {
    if (!settings.hami_ascend) return;
    for (size_t i = 0; i < settings.chips.size(); ++i) {
      const AscendChip& chip = settings.chips[i];
      if (AmountOf(node.status.allocatable, chip.resource, kMemoryMax).value_or(0) == 0) continue;
      model::DevicePool pool{.kind = KindOf(i)};
      pool.devices =
          ReadRegister(node.meta.Annotation(StrCat("hami.io/node-register-", chip.word)));
      std::erase_if(pool.devices,
                    [&chip](const model::Device& card) { return card.type != chip.word; });
      if (pool.devices.empty()) continue;
      const std::string* soft = node.meta.annotations.Find(kSoftNode);
      pool.soft = soft != nullptr ? *soft == "true" : settings.soft_slicing;
      out->pools.push_back(std::move(pool));
    }
  }

  void ReadRequest(const types::Pod& pod, const model::DeviceSettings& settings,
                   model::PodDeviceRequests* out) const override {
    if (!settings.hami_ascend) return;
    const bool soft = pod.meta.Annotation(kMode) == kHamiCore;
    for (size_t i = 0; i < settings.chips.size(); ++i) {
      PodDeviceRequest request{.kind = KindOf(i)};
      for (const types::Container& container : pod.spec.containers) {
        const ContainerDeviceRequest ask = AskOf(container, settings.chips[i], soft);
        if (ask.count > 0 && request.containers.size() < kContainersMax) {
          request.containers.push_back(ask);
        }
      }
      if (request.containers.empty()) continue;
      if (soft) request.mode = std::string(kHamiCore);
      out->requests.push_back(std::move(request));
    }
  }

  void ReadHeld(const types::Pod& pod, const model::DeviceSettings& settings,
                model::PodDevices* out) const override {
    if (!settings.hami_ascend) return;
    const bool soft = pod.meta.Annotation(kMode) == kHamiCore;
    for (size_t i = 0; i < settings.chips.size(); ++i) {
      const std::string_view text = pod.meta.Annotation(AllocatedKey(settings.chips[i]));
      HeldDevices held{.kind = KindOf(i), .devices = DecodeDevices(text)};
      if (held.devices.empty()) continue;
      for (HeldDevice& card : held.devices) card.detail = soft ? kSoftDetail : "";
      out->held.push_back(std::move(held));
    }
  }

  bool Choose(const Question& question, Choice* out) const override {
    return ChooseCards(question, out);
  }

  HeldDevices Name(const Question& question, const Choice& choice) const override {
    HeldDevices held{.kind = question.request.kind};
    for (const Chosen& chosen : choice.devices) {
      HeldDevice& card = held.devices.emplace_back();
      card.id = question.use.pool().devices[static_cast<size_t>(chosen.device)].id;
      card.container = chosen.container;
      card.memory = chosen.memory;
      card.cores = chosen.cores;
      if (IsSoft(question.request)) card.detail = kSoftDetail;
    }
    return held;
  }

  void Announce(const HeldDevices& held, const model::DeviceSettings& settings,
                const Announcement& announcement,
                std::vector<std::pair<std::string, std::string>>* annotations) const override {
    const AscendChip& chip = settings.chips[held.kind.number];
    const std::string devices = EncodeDevices(held, chip.word, /*ended=*/true);
    const std::string now = StrCat(absl::ToUnixSeconds(announcement.now));
    annotations->emplace_back("hami.io/bind-phase", "allocating");
    annotations->emplace_back("hami.io/bind-time", now);
    annotations->emplace_back("hami.io/vgpu-node", announcement.node);
    annotations->emplace_back("hami.io/vgpu-time", now);
    annotations->emplace_back("predicate-time", now);
    annotations->emplace_back(StrCat("hami.io/", chip.word, "-devices-to-allocate"), devices);
    annotations->emplace_back(AllocatedKey(chip), devices);
    annotations->emplace_back(StrCat("huawei.com/", chip.word), PartsJson(held, chip).Dump());
  }

  absl::Span<const std::string_view> refusals() const override {
    static constexpr std::string_view kTexts[] = {"no ascend device available",
                                                  "no ascend device available"};
    return kTexts;
  }
  // Where there are no cards.
  size_t RefusalOf(const PodDeviceRequest&) const override { return kNever; }
  bool EvictionsHelp(size_t refusal) const override { return refusal == kNoRoom; }
  std::string_view LockOf(const PodDeviceRequest&) const override { return kLock; }
  absl::Span<const std::string_view> locks() const override {
    return absl::Span<const std::string_view>(&kLock, 1);
  }
  bool IsIgnored(std::string_view resource, const model::DeviceSettings& settings) const override {
    if (!settings.hami_ascend) return false;
    return std::any_of(settings.chips.begin(), settings.chips.end(), [&](const AscendChip& chip) {
      return resource == chip.memory_resource || resource == chip.cores_resource();
    });
  }

 private:
  // As the runtime reads it: which template, or how much, of which card.
  static Json PartsJson(const HeldDevices& held, const AscendChip& chip) {
    Json out = Json::MakeArray();
    for (const HeldDevice& card : held.devices) {
      Json part = Json::MakeObject({{"UUID", Json(card.id)}});
      if (card.detail == kSoftDetail) {
        part.Set("memory", Json(card.memory));
        part.Set("core", Json(int64_t{card.cores}));
      } else if (const AscendTemplate* known = TemplateOf(chip, card.memory)) {
        part.Set("temp", Json(known->name));
      }
      out.MutableItems().push_back(std::move(part));
    }
    return out;
  }
};

}  // namespace

const Family& TheFamily() {
  static const HamiAscend kFamily;
  return kFamily;
}

std::vector<model::Device> ReadRegister(std::string_view text) {
  constexpr size_t kBytesMax = size_t{256} << 10;
  constexpr int32_t kDepthMax = 8;
  const absl::StatusOr<Json> json =
      Json::Parse(text, {.bytes_max = kBytesMax, .depth_max = kDepthMax});
  if (!json.ok() || !json->is_array() || json->size() > kDevicesMax) return {};
  std::vector<model::Device> out;
  for (const Json& card : json->items()) {
    if (!card.is_object()) return {};
    model::Device device;
    device.id = std::string(card["id"].AsString());
    device.type = std::string(card["type"].AsString());
    device.network = NetworkOf(card);
    device.slots =
        static_cast<int32_t>(BoundedInt(card["count"], std::numeric_limits<int32_t>::max() / 2));
    device.memory = BoundedInt(card["devmem"], kMemoryMax);
    constexpr int64_t kCoresMax = 1 << 16;
    device.cores = static_cast<int32_t>(BoundedInt(card["devcore"], kCoresMax));
    const auto same = [&device](const model::Device& other) { return other.id == device.id; };
    if (device.id.empty() || std::any_of(out.begin(), out.end(), same)) continue;
    out.push_back(std::move(device));
  }
  return out;
}

// Beyond what a card has: more than any card gives.
int64_t RoundedMemory(const AscendChip& chip, int64_t memory) {
  for (const AscendTemplate& known : chip.templates) {
    if (memory <= known.memory) return known.memory;
  }
  return memory <= chip.memory_capacity ? chip.memory_allocatable : kMemoryMax + 1;
}

const AscendTemplate* TemplateOf(const AscendChip& chip, int64_t memory) {
  for (const AscendTemplate& known : chip.templates) {
    if (known.memory == memory) return &known;
  }
  return nullptr;
}

}  // namespace bth::devices::hami_ascend
