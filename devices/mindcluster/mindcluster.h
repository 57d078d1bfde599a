// Ascend 310P chips as MindCluster lends them: whole, or in parts that its device plugin cuts when
// a pod comes, and joins again when it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/model/chip_reports.h"
#include "api/types/config_map.h"
#include "devices/family.h"
#include "devices/read.h"

namespace bth::devices::mindcluster {

inline constexpr std::string_view kCores = "huawei.com/npu-core";  // A resource, and an annotation.

const Family& TheFamily();

// Whether a part has the chip's units for images and video.
enum class Dvpp : uint8_t { kNull, kNo, kYes };

// A way to cut a part off a chip.
struct Template {
  std::string_view name;
  int32_t cores = 0;
  int32_t cpus = 0;
  Dvpp dvpp = Dvpp::kNull;
};
inline constexpr int32_t kWhole = 0;  // Numbers of templates begin with 1.
// One that is not known, whose part keeps everybody off its chip.
inline constexpr int32_t kUnknownTemplate = 15;
// Requires a number that is known.
const Template& TemplateOf(int32_t number);
// kUnknownTemplate: there is none.
int32_t TemplateNamed(std::string_view name);
// The one for that many cores; nothing: they are none that a part may have. `dvpp` as the pod says.
std::optional<int32_t> TemplateFor(int32_t cores, bool high, Dvpp dvpp);
// The one with as many cores and fewer CPUs, if any.
std::optional<int32_t> LowerOf(int32_t number);
// Nothing: that is none of the three words.
std::optional<Dvpp> DvppOf(const model::PodDeviceRequest& request);

// How far a part has come.
enum class Stage : uint8_t {
  kCut,    // Its pod says what the device plugin has made.
  kBound,  // The plugin has not told yet.
  kGiven,  // By us, and no object shows it.
};

// What a part counts by, as HeldDevice.mark.
struct Part {
  int32_t number = kWhole;  // Of its template.
  Stage stage = Stage::kCut;
  int32_t group = -1;  // Of the chip's cores, where it lies; -1: nobody says.
  int32_t Mark() const;
  static Part OfMark(int32_t mark);
};

// Which of `refusals`.
enum Refusal : size_t {
  kNoChips,
  kSetApart,
  kNoPart,
  kNoWhole,
  kOtherTemplate,
  kWrongDvpp,
  kWrongCores,
};

// selection.cc
bool ChooseChips(const Question& question, Choice* out);

// reports.cc; see devices/read.h. `by_cluster`: ConfigMaps of ClusterD count, else those of each
// node's own plugin. Entries that cannot be read are left out.
absl::StatusOr<std::vector<model::ChipNews>> ReadReports(const types::ConfigMap& object,
                                                         bool by_cluster);
absl::Span<const ChipSource> SourcesOf(bool by_cluster);

}  // namespace bth::devices::mindcluster
