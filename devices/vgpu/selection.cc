// Which devices the containers of a pod get.
#include <algorithm>
#include <numeric>

#include "base/strings.h"
#include "devices/vgpu/mig.h"
#include "devices/vgpu/vgpu.h"

namespace bth::devices::vgpu {
namespace {

using model::ContainerDeviceRequest;
using model::Device;
using model::PodDeviceRequest;

constexpr int32_t kAllCores = 100;
constexpr int32_t kWholeMemory = 100;  // Percent.

std::string Capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// Containers one after the other, each on what the ones before leave. Lives for one question.
class Selection {
 public:
  Selection(const Question& question, Choice* out)
      : question_(question),
        pool_(question.use.pool()),
        used_(question.use.Columns(question.future)),
        out_(*out) {}

  bool Run() {
    const std::vector<ContainerDeviceRequest>& containers = question_.request.containers;
    for (size_t i = 0; i < containers.size(); ++i) {
      if (!Serve(containers[i], static_cast<int32_t>(i))) return false;
    }
    return true;
  }

 private:
  bool Serve(const ContainerDeviceRequest& ask, int32_t container) {
    if (static_cast<size_t>(ask.count) > pool_.devices.size()) return false;
    Order();
    int32_t left = ask.count;
    for (const int32_t device : order_) {
      if (left == 0) break;
      if (Take(ask, container, device)) --left;
    }
    return left == 0;
  }

  void Order() {
    order_.resize(used_.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto use = [this](int32_t device) -> const DeviceUse& {
      return used_[static_cast<size_t>(device)];
    };
    if (question_.policy == Policy::kBinpack) {
      Sort([&](int32_t a, int32_t b) { return use(a).memory > use(b).memory; });
    } else if (question_.policy == Policy::kSpread) {
      Sort([&](int32_t a, int32_t b) { return use(a).slots < use(b).slots; });
    } else {
      std::reverse(order_.begin(), order_.end());
    }
  }

  // Equals stay as they are. Nodes have a few cards, which are mostly in order already.
  template <typename Before>
  void Sort(Before before) {
    constexpr size_t kFew = 32;
    if (order_.size() > kFew) {
      std::stable_sort(order_.begin(), order_.end(), before);
      return;
    }
    for (size_t i = 1; i < order_.size(); ++i) {
      const int32_t moved = order_[i];
      size_t at = i;
      for (; at > 0 && before(moved, order_[at - 1]); --at) order_[at] = order_[at - 1];
      order_[at] = moved;
    }
  }

  bool Take(const ContainerDeviceRequest& ask, int32_t container, int32_t number) {
    const auto index = static_cast<size_t>(number);
    const Device& device = pool_.devices[index];
    DeviceUse& used = used_[index];
    Chosen chosen{.container = container, .device = number, .cores = ask.cores};
    chosen.memory = ask.percent ? device.memory * *ask.percent / kWholeMemory : ask.memory;
    if (!HasRoom(device, used, chosen) || !Admits(device, number)) return false;
    if (pool_.geometry != nullptr && !TakeInstance(ask, &chosen)) return false;
    ++used.slots;
    used.memory += chosen.memory;
    used.cores += chosen.cores;
    out_.devices.push_back(chosen);
    out_.score += ScoreOf(device, used);
    return true;
  }

  static bool HasRoom(const Device& device, const DeviceUse& used, const Chosen& need) {
    return used.slots < device.slots && device.memory - used.memory >= need.memory &&
           used.cores + need.cores <= kAllCores && !(need.cores == kAllCores && used.slots > 0) &&
           !(used.cores == kAllCores && need.cores == 0);
  }

  bool Admits(const Device& device, int32_t number) const {
    const PodDeviceRequest& request = question_.request;
    if (!MayUseId(request, device.id) || !MayUseType(request, device.type)) return false;
    // Exclusive rules and pods that keep apart look at who is there.
    const bool excludes = question_.rules != 0 && pool_.geometry == nullptr;
    if (!excludes && !request.apart_from) return true;
    for (const Holder& holder : question_.use.holders()) {
      if (holder.device != number || (question_.future && holder.leaving)) continue;
      if (excludes && (holder.rules & question_.rules) != 0) return false;
      const bool uses = holder.use.memory > 0 || holder.use.cores > 0;
      if (request.apart_from && uses && holder.group == *request.apart_from) return false;
    }
    return true;
  }

  bool TakeInstance(const ContainerDeviceRequest& ask, Chosen* chosen) {
    const int64_t factor = std::max<int64_t>(question_.settings.vgpus.memory_factor, 1);
    absl::InlinedVector<Slot, 8> taken;
    for (const Holder& holder : question_.use.holders()) {
      if (holder.device != chosen->device || (question_.future && holder.leaving)) continue;
      if (holder.mig_group == kMigUnknown) return false;
      taken.push_back({.group = holder.mig_group, .position = holder.mig_position});
    }
    for (const Chosen& earlier : out_.devices) {
      if (earlier.device != chosen->device) continue;
      taken.push_back({.group = earlier.mig_group, .position = earlier.mig_position});
    }
    static_cast<void>(ask);
    const auto slot = FindSlot(*pool_.geometry, taken, chosen->memory * factor);
    if (!slot) return false;
    chosen->mig_group = slot->group;
    chosen->mig_position = slot->position;
    chosen->memory = slot->memory / factor;
    return true;
  }

  // Spread orders cards and rates none: Volcano would rate one that is idle, and asks after it has
  // put the pod on it.
  double ScoreOf(const Device& device, const DeviceUse& used) const {
    constexpr double kTop = 100;
    if (question_.policy != Policy::kBinpack || device.memory == 0) return 0;
    return kTop * static_cast<double>(used.memory) / static_cast<double>(device.memory);
  }

  const Question& question_;
  const model::DevicePool& pool_;
  UseColumns used_;  // With what this pod was given so far.
  absl::InlinedVector<int32_t, 16> order_;
  Choice& out_;
};

}  // namespace

bool MayUseId(const PodDeviceRequest& request, std::string_view id) {
  if (request.only_ids.empty() && request.never_ids.empty()) return true;
  const auto named = [&](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  if (id.empty() || named(request.never_ids)) return false;
  return request.only_ids.empty() || named(request.only_ids);
}

bool MayUseType(const PodDeviceRequest& request, std::string_view type) {
  if (type.find("NVIDIA") == std::string_view::npos) return false;
  if (!request.only_types && request.never_types.empty()) return true;
  const std::string capitals = Capitals(type);
  const auto named = [&](const std::string& part) {
    return capitals.find(part) != std::string::npos;
  };
  if (request.only_types) {
    return std::any_of(request.only_types->begin(), request.only_types->end(), named);
  }
  return std::none_of(request.never_types.begin(), request.never_types.end(), named);
}

bool ChooseDevices(const Question& question, Choice* out) {
  out->devices.clear();
  out->score = 0;
  const bool mig = question.use.pool().geometry != nullptr;
  if (question.request.mode && *question.request.mode != (mig ? kMig : kHamiCore)) return false;
  return Selection(question, out).Run();
}

}  // namespace bth::devices::vgpu
