#include "devices/gpushare/gpushare.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "devices/numbers.h"

namespace bth::devices::gpushare {
namespace {

using model::ContainerDeviceRequest;
using model::DeviceKind;
using model::HeldDevice;
using model::HeldDevices;
using model::PodDeviceRequest;

constexpr DeviceKind kKind{model::DeviceFamily::kGpuShare, 0};
constexpr std::string_view kMemory = "volcano.sh/gpu-memory";
constexpr std::string_view kNumber = "volcano.sh/gpu-number";
constexpr std::string_view kUnhealthy = "volcano.sh/gpu-unhealthy-ids";
constexpr std::string_view kIndex = "volcano.sh/gpu-index";
constexpr std::string_view kPredicateTime = "volcano.sh/predicate-time";
constexpr std::string_view kLock = "gpu";
// A pod that has a card alone has all of these.
constexpr int32_t kWholeCard = 100;

std::vector<int64_t> Numbers(std::string_view list) {
  std::vector<int64_t> out;
  for (absl::string_view item : SplitText(list, ',')) {
    const std::optional<int64_t> number = ReadNumber<int64_t>(ToStd(item));
    if (number && out.size() < kDevicesMax) out.push_back(*number);
  }
  return out;
}

// All containers together, or one that runs before them.
int64_t LimitOf(const types::PodSpec& spec, std::string_view resource) {
  int64_t sum = 0;
  int64_t before = 0;
  for (const types::Container& container : spec.containers) {
    const auto limit = AmountOf(container.resources.limits, resource, kMemoryMax);
    sum = std::min(sum + limit.value_or(0), kMemoryMax);
  }
  for (const types::Container& container : spec.init_containers) {
    const auto limit = AmountOf(container.resources.limits, resource, kMemoryMax);
    before = std::max(before, limit.value_or(0));
  }
  return std::max(sum, before);
}

ContainerDeviceRequest AskOf(const types::Pod& pod, const model::DeviceSettings& settings) {
  ContainerDeviceRequest ask;
  if (settings.gpu_memory) {
    ask.memory = LimitOf(pod.spec, kMemory);
    ask.count = ask.memory > 0 ? 1 : 0;
  } else if (settings.gpu_number) {
    constexpr int64_t kCountMax = std::numeric_limits<int32_t>::max();
    ask.count = static_cast<int32_t>(std::min(LimitOf(pod.spec, kNumber), kCountMax));
    ask.cores = kWholeCard;
  }
  return ask;
}

class GpuShare final : public Family {
 public:
  void ReadNode(const types::Node& node, const model::DeviceSettings& settings,
                model::NodeDevices* out) const override {
    if (!settings.gpu_memory && !settings.gpu_number) return;
    const auto memory = AmountOf(node.status.capacity, kMemory, kMemoryMax);
    const auto number = AmountOf(node.status.capacity, kNumber, kMemoryMax);
    if (!memory || number.value_or(0) == 0 || *number > static_cast<int64_t>(kDevicesMax)) return;
    const std::vector<int64_t> unhealthy = Numbers(node.meta.Annotation(kUnhealthy));
    model::DevicePool pool{.kind = kKind};
    for (int64_t id = 0; id < *number; ++id) {
      if (std::find(unhealthy.begin(), unhealthy.end(), id) != unhealthy.end()) continue;
      pool.devices.push_back({.id = StrCat(id),
                              .slots = std::numeric_limits<int32_t>::max(),
                              .memory = *memory / *number,
                              .cores = kWholeCard});
    }
    out->pools.push_back(std::move(pool));
  }

  void ReadRequest(const types::Pod& pod, const model::DeviceSettings& settings,
                   model::PodDeviceRequests* out) const override {
    const ContainerDeviceRequest ask = AskOf(pod, settings);
    if (ask.count > 0) out->requests.push_back({.kind = kKind, .containers = {ask}});
  }

  void ReadHeld(const types::Pod& pod, const model::DeviceSettings& settings,
                model::PodDevices* out) const override {
    const ContainerDeviceRequest ask = AskOf(pod, settings);
    if (ask.count == 0) return;
    HeldDevices held{.kind = kKind};
    std::vector<int64_t> ids = Numbers(pod.meta.Annotation(kIndex));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const int64_t id : ids) {
      held.devices.push_back({.id = StrCat(id), .memory = ask.memory, .cores = ask.cores});
    }
    if (!held.devices.empty()) out->held.push_back(std::move(held));
  }

  bool Choose(const Question& question, Choice* out) const override {
    out->devices.clear();
    out->score = 0;
    const ContainerDeviceRequest& ask = question.request.containers.front();
    const bool whole = ask.memory == 0;
    const UseColumns used = question.use.Columns(question.future);
    const std::vector<model::Device>& cards = question.use.pool().devices;
    for (size_t i = 0; i < used.size() && out->devices.size() < static_cast<size_t>(ask.count);
         ++i) {
      const int64_t idle = std::max<int64_t>(cards[i].memory - used[i].memory, 0);
      const bool fits =
          whole ? used[i].slots == 0 : idle >= ask.memory && used[i].cores < kWholeCard;
      if (!fits) continue;
      out->devices.push_back(
          {.device = static_cast<int32_t>(i), .memory = ask.memory, .cores = ask.cores});
    }
    return out->devices.size() == static_cast<size_t>(ask.count);
  }

  HeldDevices Name(const Question& question, const Choice& choice) const override {
    const model::DevicePool& pool = question.use.pool();
    HeldDevices held{.kind = kKind};
    for (const Chosen& chosen : choice.devices) {
      held.devices.push_back({.id = pool.devices[static_cast<size_t>(chosen.device)].id,
                              .memory = chosen.memory,
                              .cores = chosen.cores});
    }
    return held;
  }

  void Announce(const HeldDevices& held, const model::DeviceSettings&,
                const Announcement& announcement,
                std::vector<std::pair<std::string, std::string>>* annotations) const override {
    std::string ids;
    for (const HeldDevice& card : held.devices) StrAppend(&ids, ids.empty() ? "" : ",", card.id);
    annotations->emplace_back(kIndex, std::move(ids));
    annotations->emplace_back(kPredicateTime, StrCat(absl::ToUnixNanos(announcement.now)));
  }

  absl::Span<const std::string_view> refusals() const override {
    static constexpr std::string_view kTexts[] = {"GpuShare no enough gpu memory",
                                                  "GpuNumber no enough gpu number"};
    return kTexts;
  }
  size_t RefusalOf(const PodDeviceRequest& request) const override {
    return request.containers.front().memory > 0 ? 0 : 1;
  }
  std::string_view LockOf(const PodDeviceRequest& request) const override {
    return request.containers.front().memory > 0 ? kLock : std::string_view();
  }
  absl::Span<const std::string_view> locks() const override {
    return absl::Span<const std::string_view>(&kLock, 1);
  }
};

}  // namespace

const Family& TheFamily() {
  static const GpuShare kFamily;
  return kFamily;
}

}  // namespace bth::devices::gpushare
