#include "devices/mindcluster/mindcluster.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "devices/numbers.h"

namespace bth::devices::mindcluster {
namespace {

using model::ContainerDeviceRequest;
using model::HeldDevice;
using model::HeldDevices;
using model::PodDeviceRequest;

constexpr std::string_view kAccelerator = "accelerator";  // Labels of nodes.
constexpr std::string_view kServerType = "servertype";
constexpr std::string_view kChipName = "node.kubernetes.io/npu.chip.name";
constexpr std::string_view kChipKind = "Ascend310P";
constexpr std::string_view kJobKind = "ring-controller.atlas";  // Labels of pods.
constexpr std::string_view kOfThisKind = "ascend-310P";
constexpr std::string_view kLevel = "vnpu-level";
constexpr std::string_view kDvpp = "vnpu-dvpp";
constexpr std::string_view kPredicateTime = "predicate-time";  // Annotations of pods.
constexpr std::string_view kReal = "huawei.com/AscendReal";

constexpr int32_t kCpusOfChip = 7;  // With eight cores as with ten.
constexpr int32_t kCoresMax = std::numeric_limits<int32_t>::max();
// Of a part that nobody knows: all that a chip has, and more.
constexpr int32_t kAllCores = 1 << 10;

constexpr std::array<Template, 7> kTemplates = {{{"vir01", 1, 1, Dvpp::kNull},
                                                 {"vir02", 2, 2, Dvpp::kNull},
                                                 {"vir02_1c", 2, 1, Dvpp::kNull},
                                                 {"vir04", 4, 4, Dvpp::kNull},
                                                 {"vir04_3c", 4, 3, Dvpp::kNull},
                                                 {"vir04_3c_ndvpp", 4, 3, Dvpp::kNo},
                                                 {"vir04_4c_dvpp", 4, 4, Dvpp::kYes}}};

// The piece with that number of a label such as `huawei-Ascend310P`; empty: there are not so many.
std::string_view PieceOf(std::string_view label, size_t number) {
  size_t at = 0;
  for (const absl::string_view piece : SplitText(label, '-')) {
    if (at++ == number) return ToStd(piece);
  }
  return {};
}

std::string_view LabelOf(const types::ObjectMeta& meta, std::string_view key) {
  const std::string* value = meta.labels.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

// None, if labels and capacity do not fit together.
model::ChipLayout LayoutOf(const types::Node& node) {
  if (PieceOf(LabelOf(node.meta, kAccelerator), 1) != kChipKind) return {};
  if (!node.meta.labels.Contains(kChipName)) return {};
  const auto cores = ReadNumber<int32_t>(PieceOf(LabelOf(node.meta, kServerType), 1));
  constexpr int32_t kFewCores = 8;
  constexpr int32_t kManyCores = 10;
  if (cores != kFewCores && cores != kManyCores) return {};
  const auto named = AmountOf(node.status.capacity, kCores, kCoresMax);
  const int64_t all =
      named ? *named : AmountOf(node.status.allocatable, kCores, kCoresMax).value_or(0);
  const int64_t chips = all / *cores;
  if (chips == 0 || all % *cores != 0 || chips > static_cast<int64_t>(kDevicesMax)) return {};
  return {.chips = static_cast<int32_t>(chips), .cores = *cores, .cpus = kCpusOfChip};
}

// Of the first container that asks for some, as the annotation has room for no more.
int32_t CoresOf(const types::PodSpec& spec) {
  for (const types::Container& container : spec.containers) {
    const auto request = AmountOf(container.resources.requests, kCores, kCoresMax);
    const auto asked = request ? request : AmountOf(container.resources.limits, kCores, kCoresMax);
    if (asked.value_or(0) > 0) return static_cast<int32_t>(*asked);
  }
  return 0;
}

// Where the part lies, of `Ascend310P-2c.1cpu-105-0_3`.
int32_t PlaceOf(std::string_view real) {
  constexpr int32_t kGroupMax = 63;
  const size_t at = real.rfind('_');
  if (at == real.npos) return -1;
  const auto group = ReadNumber<int32_t>(real.substr(at + 1));
  return group && *group >= 0 && *group <= kGroupMax ? *group : -1;
}

void AddPart(std::string_view text, std::string_view real, HeldDevices* out) {
  const size_t dash = text.find('-');
  const auto chip = ReadNumber<int32_t>(text.substr(0, dash));
  if (!chip || *chip < 0 || *chip > model::kChipNumberMax) return;
  const std::string_view name = text.substr(dash + 1);
  const Part part{.number = TemplateNamed(name),
                  .stage = real.empty() ? Stage::kBound : Stage::kCut,
                  .group = PlaceOf(real)};
  HeldDevice& held = out->devices.emplace_back();
  held.id = StrCat(*chip);
  held.mark = part.Mark();
  if (part.number == kUnknownTemplate) {
    held.cores = kAllCores;
    held.memory = kAllCores;
    return;
  }
  held.detail = std::string(name);
  held.cores = TemplateOf(part.number).cores;
  held.memory = TemplateOf(part.number).cpus;
}

void AddWhole(std::string_view text, int32_t cores, HeldDevices* out) {
  std::vector<int32_t> chips;
  for (const absl::string_view item : SplitText(text, ',')) {
    const auto chip = ReadNumber<int32_t>(ToStd(item));
    if (chip && *chip >= 0 && *chip <= model::kChipNumberMax) chips.push_back(*chip);
  }
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  for (const int32_t chip : chips) {
    HeldDevice& held = out->devices.emplace_back();
    held.id = StrCat(chip);
    held.cores = std::min(cores / static_cast<int32_t>(chips.size()), kAllCores);
    held.memory = kCpusOfChip;
  }
}

class MindCluster final : public Family {
 public:
  // Which chips there are is told beside the node.
  void ReadNode(const types::Node& node, const model::DeviceSettings& settings,
                model::NodeDevices* out) const override {
    if (settings.mind_cluster) out->layout = LayoutOf(node);
  }

  void ReadRequest(const types::Pod& pod, const model::DeviceSettings& settings,
                   model::PodDeviceRequests* out) const override {
    if (!settings.mind_cluster || LabelOf(pod.meta, kJobKind) != kOfThisKind) return;
    const auto limits = [](const types::Container& container) {
      return container.resources.limits.Find(kCores) != nullptr;
    };
    const int32_t cores = CoresOf(pod.spec);
    if (cores == 0) return;
    if (std::none_of(pod.spec.containers.begin(), pod.spec.containers.end(), limits)) return;
    PodDeviceRequest request{.kind = model::kMindClusterKind};
    request.containers.push_back({.count = 1, .cores = cores});
    if (const std::string* dvpp = pod.meta.labels.Find(kDvpp)) request.mode = *dvpp;
    request.high = LabelOf(pod.meta, kLevel) == "high";
    out->requests.push_back(std::move(request));
  }

  void ReadHeld(const types::Pod& pod, const model::DeviceSettings& settings,
                model::PodDevices* out) const override {
    if (!settings.mind_cluster) return;
    const std::string_view text = pod.meta.Annotation(kCores);
    const int32_t cores = text.empty() ? 0 : CoresOf(pod.spec);
    if (cores == 0) return;
    HeldDevices held{.kind = model::kMindClusterKind};
    if (text.find('-') == text.npos || text.find(',') != text.npos) {
      AddWhole(text, cores, &held);
    } else {
      AddPart(text, pod.meta.Annotation(kReal), &held);
    }
    if (!held.devices.empty()) out->held.push_back(std::move(held));
  }

  bool Choose(const Question& question, Choice* out) const override {
    return ChooseChips(question, out);
  }

  HeldDevices Name(const Question& question, const Choice& choice) const override {
    HeldDevices held{.kind = model::kMindClusterKind};
    for (const Chosen& chosen : choice.devices) {
      HeldDevice& part = held.devices.emplace_back();
      part.id = question.use.pool().devices[static_cast<size_t>(chosen.device)].id;
      part.memory = chosen.memory;
      part.cores = chosen.cores;
      part.mark = chosen.mark;
      const int32_t number = Part::OfMark(chosen.mark).number;
      if (number != kWhole) part.detail = std::string(TemplateOf(number).name);
    }
    return held;
  }

  void Announce(const HeldDevices& held, const model::DeviceSettings&,
                const Announcement& announcement,
                std::vector<std::pair<std::string, std::string>>* annotations) const override {
    std::string chips;
    for (const HeldDevice& part : held.devices) {
      StrAppend(&chips, chips.empty() ? "" : ",", part.id, part.detail.empty() ? "" : "-",
                part.detail);
    }
    annotations->emplace_back(kCores, std::move(chips));
    annotations->emplace_back(kPredicateTime, StrCat(absl::ToUnixNanos(announcement.now)));
  }

  absl::Span<const std::string_view> refusals() const override {
    static constexpr std::string_view kTexts[] = {
        "checkNodeNPUByDyTask invalid VNode",
        "node is PreSeparate, due to nodeD reported node status",
        "selectChipFromNodeSegment available chip not found",
        "selectChipFromNodeWhole free whole chip not enough",
        "node(s) wait for a vNPU of another template, and not rewrite",
        "err dvpp value",
        "no vNPU template for this number of AI cores"};
    return kTexts;
  }
  bool EvictionsHelp(size_t refusal) const override {
    return refusal == kNoPart || refusal == kNoWhole || refusal == kOtherTemplate;
  }
  std::string_view LockOf(const PodDeviceRequest&) const override { return {}; }
  absl::Span<const std::string_view> locks() const override { return {}; }
};

}  // namespace

const Family& TheFamily() {
  static const MindCluster kFamily;
  return kFamily;
}

const Template& TemplateOf(int32_t number) {
  const auto at = static_cast<size_t>(number - 1);
  BTH_CHECK(at < kTemplates.size());
  return kTemplates[at];
}

int32_t TemplateNamed(std::string_view name) {
  for (size_t i = 0; i < kTemplates.size(); ++i) {
    if (kTemplates[i].name == name) return static_cast<int32_t>(i) + 1;
  }
  return kUnknownTemplate;
}

std::optional<int32_t> TemplateFor(int32_t cores, bool high, Dvpp dvpp) {
  switch (cores) {
    case 1:
      return TemplateNamed("vir01");
    case 2:
      return TemplateNamed(high ? "vir02" : "vir02_1c");
    case 4:
      if (dvpp == Dvpp::kYes) return TemplateNamed("vir04_4c_dvpp");
      if (dvpp == Dvpp::kNo) return TemplateNamed("vir04_3c_ndvpp");
      return TemplateNamed(high ? "vir04" : "vir04_3c");
    default:
      return std::nullopt;
  }
}

std::optional<int32_t> LowerOf(int32_t number) {
  if (number == TemplateNamed("vir02")) return TemplateNamed("vir02_1c");
  if (number == TemplateNamed("vir04")) return TemplateNamed("vir04_3c");
  return std::nullopt;
}

std::optional<Dvpp> DvppOf(const PodDeviceRequest& request) {
  const std::string_view word = request.mode ? std::string_view(*request.mode) : "null";
  if (word == "null") return Dvpp::kNull;
  if (word == "no") return Dvpp::kNo;
  if (word == "yes") return Dvpp::kYes;
  return std::nullopt;
}

namespace {
constexpr int kStageBits = 4;
constexpr int kGroupBits = 8;
constexpr int32_t kNumberMask = 0xF;
constexpr int32_t kStageMask = 0x3;
}  // namespace

int32_t Part::Mark() const {
  return number | static_cast<int32_t>(stage) << kStageBits | (group + 1) << kGroupBits;
}

Part Part::OfMark(int32_t mark) {
  return {.number = mark & kNumberMask,
          .stage = static_cast<Stage>((mark >> kStageBits) & kStageMask),
          .group = (mark >> kGroupBits) - 1};
}

}  // namespace bth::devices::mindcluster
