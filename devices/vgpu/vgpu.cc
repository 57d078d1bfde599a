#include "devices/vgpu/vgpu.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "devices/encoding.h"
#include "devices/numbers.h"
#include "devices/read.h"
#include "devices/vgpu/mig.h"

namespace bth::devices::vgpu {
namespace {

using model::ContainerDeviceRequest;
using model::HeldDevice;
using model::HeldDevices;
using model::PodDeviceRequest;
using model::VgpuSettings;

constexpr std::string_view kRegister = "volcano.sh/node-vgpu-register";
constexpr std::string_view kIds = "volcano.sh/vgpu-ids-new";
constexpr std::string_view kMode = "volcano.sh/vgpu-mode";
constexpr std::string_view kGroupPolicy = "volcano.sh/vgpu-podgroup-policy";
constexpr std::string_view kUseIds = "volcano.sh/vgpu-use-gpuuuid";
constexpr std::string_view kAvoidIds = "volcano.sh/vgpu-nouse-gpuuuid";
constexpr std::string_view kUseTypes = "nvidia.com/use-gputype";
constexpr std::string_view kAvoidTypes = "nvidia.com/nouse-gputype";
constexpr std::string_view kLock = "hamivgpu";
constexpr int32_t kCoresPerDevice = 100;
constexpr size_t kContainersMax = 128;
constexpr int32_t kWhole = 100;  // Percent.

// Trimmed, empty ones dropped.
std::vector<std::string> IdList(std::string_view text) {
  std::vector<std::string> out;
  for (absl::string_view item : SplitText(text, ',')) {
    item = absl::StripAsciiWhitespace(item);
    if (!item.empty()) out.emplace_back(item);
  }
  return out;
}

std::vector<std::string> TypeList(std::string_view text) {
  std::vector<std::string> out;
  for (absl::string_view item : SplitText(text, ',')) out.push_back(absl::AsciiStrToUpper(item));
  return out;
}

std::optional<int64_t> LimitElseRequest(const types::Container& container,
                                        std::string_view resource, int64_t max) {
  const auto limit = AmountOf(container.resources.limits, resource, max);
  return limit ? limit : AmountOf(container.resources.requests, resource, max);
}

ContainerDeviceRequest AskOf(const types::Container& container, const VgpuSettings& names) {
  constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
  ContainerDeviceRequest ask;
  const types::ResourceList& limits = container.resources.limits;
  std::optional<int64_t> count = AmountOf(limits, names.count, kInt32Max);
  if (!count && AmountOf(limits, names.memory, kMemoryMax)) count = 1;
  if (count.value_or(0) == 0) return ask;
  ask.count = static_cast<int32_t>(*count);
  ask.memory = LimitElseRequest(container, names.memory, kMemoryMax).value_or(0);
  constexpr int64_t kUnset = 101;
  const int64_t percent = LimitElseRequest(container, names.percentage, kInt32Max).value_or(kUnset);
  if (percent != kUnset) ask.percent = static_cast<int32_t>(std::min<int64_t>(percent, 1 << 20));
  if (percent == kUnset && ask.memory == 0) ask.percent = kWhole;
  if (ask.percent) ask.memory = 0;
  constexpr int64_t kCoresMax = 1 << 16;
  ask.cores = static_cast<int32_t>(LimitElseRequest(container, names.cores, kCoresMax).value_or(0));
  return ask;
}

// Null: none of the known ones is this model's.
std::shared_ptr<const model::MigGeometry> GeometryOf(std::string_view type,
                                                     const VgpuSettings& settings) {
  for (const VgpuSettings::Known& known : settings.geometries) {
    for (const std::string& model : known.models) {
      if (type.find(model) != std::string_view::npos) return known.geometry;
    }
  }
  return nullptr;
}

class Vgpu final : public Family {
 public:
  void ReadNode(const types::Node& node, const model::DeviceSettings& settings,
                model::NodeDevices* out) const override {
    if (!settings.vgpu) return;
    const VgpuSettings& names = settings.vgpus;
    for (const std::string& name : {names.count, names.cores, names.memory}) {
      if (AmountOf(node.status.allocatable, name, kMemoryMax).value_or(0) == 0) return;
    }
    Registered found = ReadRegister(node.meta.Annotation(kRegister));
    if (found.devices.empty()) return;
    model::DevicePool pool{.kind = kKind, .devices = std::move(found.devices)};
    if (found.mig) pool.geometry = GeometryOf(pool.devices.back().type, names);
    out->pools.push_back(std::move(pool));
  }

  void ReadRequest(const types::Pod& pod, const model::DeviceSettings& settings,
                   model::PodDeviceRequests* out) const override {
    if (!settings.vgpu) return;
    PodDeviceRequest request{.kind = kKind};
    for (const types::Container& container : pod.spec.containers) {
      const ContainerDeviceRequest ask = AskOf(container, settings.vgpus);
      if (ask.count > 0 && request.containers.size() < kContainersMax) {
        request.containers.push_back(ask);
      }
    }
    if (request.containers.empty()) return;
    const types::LabelMap& said = pod.meta.annotations;
    if (const std::string* mode = said.Find(kMode)) request.mode = *mode;
    request.only_ids = IdList(pod.meta.Annotation(kUseIds));
    request.never_ids = IdList(pod.meta.Annotation(kAvoidIds));
    if (const std::string* types = said.Find(kUseTypes)) {
      request.only_types = TypeList(*types);
    } else if (const std::string* avoided = said.Find(kAvoidTypes)) {
      request.never_types = TypeList(*avoided);
    }
    if (pod.meta.Annotation(kGroupPolicy) == "spread") {
      std::string group = GroupOf(pod.meta);
      if (!group.empty()) request.apart_from = std::move(group);
    }
    out->requests.push_back(std::move(request));
  }

  void ReadHeld(const types::Pod& pod, const model::DeviceSettings& settings,
                model::PodDevices* out) const override {
    if (!settings.vgpu) return;
    HeldDevices held{.kind = kKind, .devices = DecodeDevices(pod.meta.Annotation(kIds))};
    if (!held.devices.empty()) out->held.push_back(std::move(held));
  }

  bool Choose(const Question& question, Choice* out) const override {
    return ChooseDevices(question, out);
  }

  HeldDevices Name(const Question& question, const Choice& choice) const override {
    const model::DevicePool& pool = question.use.pool();
    HeldDevices held{.kind = kKind};
    for (const Chosen& chosen : choice.devices) {
      const model::Device& device = pool.devices[static_cast<size_t>(chosen.device)];
      HeldDevice& part = held.devices.emplace_back();
      part.id = device.id;
      if (chosen.mig_group >= 0) {
        part.id = InstanceId(*pool.geometry, device.id,
                             {.group = chosen.mig_group, .position = chosen.mig_position});
      }
      part.container = chosen.container;
      part.memory = chosen.memory;
      part.cores = chosen.cores;
    }
    return held;
  }

  void Announce(const HeldDevices& held, const model::DeviceSettings&,
                const Announcement& announcement,
                std::vector<std::pair<std::string, std::string>>* annotations) const override {
    const std::string devices = EncodeDevices(held, "NVIDIA", /*ended=*/false);
    const std::string now = StrCat(absl::ToUnixSeconds(announcement.now));
    annotations->emplace_back("volcano.sh/bind-phase", "allocating");
    annotations->emplace_back("volcano.sh/bind-time", now);
    annotations->emplace_back("volcano.sh/devices-to-allocate", devices);
    annotations->emplace_back(kIds, devices);
    annotations->emplace_back("volcano.sh/vgpu-node", announcement.node);
    annotations->emplace_back("volcano.sh/vgpu-time", now);
  }

  absl::Span<const std::string_view> refusals() const override {
    static constexpr std::string_view kTexts[] = {"hami-vgpuDeviceSharing error"};
    return kTexts;
  }
  std::string_view LockOf(const PodDeviceRequest&) const override { return kLock; }
  absl::Span<const std::string_view> locks() const override {
    return absl::Span<const std::string_view>(&kLock, 1);
  }
};

}  // namespace

const Family& TheFamily() {
  static const Vgpu kFamily;
  return kFamily;
}

// "uuid,count,memory,type,health,mode:…". The last device decides how the node shares.
Registered ReadRegister(std::string_view text) {
  constexpr size_t kFields = 6;
  Registered out;
  if (text.find(':') == std::string_view::npos) return out;
  for (absl::string_view part : SplitText(text, ':')) {
    if (part.empty()) continue;
    const std::vector<absl::string_view> fields = SplitText(ToStd(part), ',');
    if (fields.size() < kFields || out.devices.size() == kDevicesMax) return {};
    model::Device device;
    device.id = std::string(fields[0]);
    device.slots = ReadBounded<int32_t>(ToStd(fields[1]), std::numeric_limits<int32_t>::max() / 2);
    device.memory = ReadBounded<int64_t>(ToStd(fields[2]), kMemoryMax);
    device.type = std::string(fields[3]);
    device.cores = kCoresPerDevice;
    out.mig = ToStd(fields[5]) == kMig;
    const auto same = [&device](const model::Device& other) { return other.id == device.id; };
    if (std::any_of(out.devices.begin(), out.devices.end(), same)) continue;
    out.devices.push_back(std::move(device));
  }
  return out;
}

}  // namespace bth::devices::vgpu
