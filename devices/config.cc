#include "devices/config.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "conf/value.h"
#include "devices/family.h"

namespace bth::devices {
namespace {

using conf::Value;
using model::AscendChip;
using model::AscendTemplate;
using model::DeviceSettings;
using model::MigGeometry;
using model::MigGroup;
using model::VgpuSettings;

constexpr size_t kListMax = 64;  // Items of any list.
constexpr int64_t kFactorMax = 1 << 20;
constexpr int64_t kInstancesMax = 128;  // Of one kind in a group.
constexpr int64_t kCoresOfChipMax = 1 << 16;

absl::Status Wrong(std::string_view path, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(path, ": ", what));
}

// A member by name, with the path of those around it. Absent members give what `out` holds.
class Section {
 public:
  Section(const Value& value, std::string path) : value_(value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string PathOf(std::string_view key) const { return StrCat(path_, ".", key); }
  const Value* Find(std::string_view key) const {
    const Value* found = value_.Find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  absl::Status Text(std::string_view key, std::string* out) const {
    const Value* found = Find(key);
    if (found == nullptr) return absl::OkStatus();
    if (!found->is_string()) return Wrong(PathOf(key), "expected a text");
    *out = found->text();
    return absl::OkStatus();
  }
  template <typename T>
  absl::Status Number(std::string_view key, int64_t max, T* out) const {
    const Value* found = Find(key);
    if (found == nullptr) return absl::OkStatus();
    if (!found->is_int() || found->AsInt() < 0 || found->AsInt() > max) {
      return Wrong(PathOf(key), StrCat("expected a whole number from 0 to ", max));
    }
    *out = static_cast<T>(found->AsInt());
    return absl::OkStatus();
  }
  // Calls `read` for each item of a list of maps, or of texts.
  template <typename Read>
  absl::Status Each(std::string_view key, const Read& read) const {
    const Value* found = Find(key);
    return found == nullptr ? absl::OkStatus() : EachOf(*found, PathOf(key), read);
  }
  template <typename Read>
  static absl::Status EachOf(const Value& list, const std::string& path, const Read& read) {
    if (!list.is_list()) return Wrong(path, "expected a list");
    if (list.items().size() > kListMax)
      return Wrong(path, StrCat("more than ", kListMax, " items"));
    for (size_t i = 0; i < list.items().size(); ++i) {
      BTH_RETURN_IF_ERROR(read(list.items()[i], StrCat(path, "[", i, "]")));
    }
    return absl::OkStatus();
  }

 private:
  const Value& value_;
  const std::string path_;
};

absl::Status RequireMap(const Value& value, const std::string& path) {
  return value.is_map() ? absl::OkStatus() : Wrong(path, "expected a map");
}

absl::Status ReadGroup(const Value& value, const std::string& path, MigGeometry* out) {
  BTH_RETURN_IF_ERROR(RequireMap(value, path));
  const Section section(value, path);
  MigGroup group;
  BTH_RETURN_IF_ERROR(section.Text("group", &group.name));
  const auto instance = [&group](const Value& item, const std::string& at) -> absl::Status {
    BTH_RETURN_IF_ERROR(RequireMap(item, at));
    const Section fields(item, at);
    model::MigInstance made;
    BTH_RETURN_IF_ERROR(fields.Text("name", &made.name));
    BTH_RETURN_IF_ERROR(fields.Number("memory", kMemoryMax, &made.memory));
    BTH_RETURN_IF_ERROR(fields.Number("count", kInstancesMax, &made.count));
    group.instances.push_back(std::move(made));
    return absl::OkStatus();
  };
  BTH_RETURN_IF_ERROR(section.Each("geometries", instance));
  const auto same = [&group](const MigGroup& other) { return other.name == group.name; };
  if (std::any_of(out->begin(), out->end(), same)) {
    return Wrong(section.PathOf("group"), StrCat("\"", group.name, "\" is there twice"));
  }
  out->push_back(std::move(group));
  return absl::OkStatus();
}

absl::Status ReadKnown(const Value& value, const std::string& path, VgpuSettings* out) {
  BTH_RETURN_IF_ERROR(RequireMap(value, path));
  const Section section(value, path);
  VgpuSettings::Known known;
  const auto model = [&known](const Value& item, const std::string& at) -> absl::Status {
    // One without letters is in every name.
    if (!item.is_string() || item.text().empty()) return Wrong(at, "expected the name of a model");
    known.models.push_back(item.text());
    return absl::OkStatus();
  };
  BTH_RETURN_IF_ERROR(section.Each("models", model));
  auto geometry = std::make_shared<MigGeometry>();
  const auto group = [&geometry](const Value& item, const std::string& at) {
    return ReadGroup(item, at, geometry.get());
  };
  BTH_RETURN_IF_ERROR(section.Each("allowedGeometries", group));
  known.geometry = std::move(geometry);
  out->geometries.push_back(std::move(known));
  return absl::OkStatus();
}

absl::Status ReadNvidia(const Value& value, VgpuSettings* out) {
  BTH_RETURN_IF_ERROR(RequireMap(value, "nvidia"));
  const Section section(value, "nvidia");
  for (const auto& [key, name] :
       {std::pair("resourceCountName", &out->count), std::pair("resourceMemoryName", &out->memory),
        std::pair("resourceCoreName", &out->cores)}) {
    std::string text;
    BTH_RETURN_IF_ERROR(section.Text(key, &text));
    if (!text.empty()) *name = std::move(text);
  }
  BTH_RETURN_IF_ERROR(section.Text("resourceMemoryPercentageName", &out->percentage));
  BTH_RETURN_IF_ERROR(section.Number("gpuMemoryFactor", kFactorMax, &out->memory_factor));
  out->memory_factor = std::max<int64_t>(out->memory_factor, 1);
  const auto known = [out](const Value& item, const std::string& at) {
    return ReadKnown(item, at, out);
  };
  return section.Each("knownMigGeometries", known);
}

absl::Status ReadChip(const Value& value, const std::string& path, DeviceSettings* out) {
  BTH_RETURN_IF_ERROR(RequireMap(value, path));
  const Section section(value, path);
  AscendChip chip;
  BTH_RETURN_IF_ERROR(section.Text("commonWord", &chip.word));
  BTH_RETURN_IF_ERROR(section.Text("chipName", &chip.chip_name));
  BTH_RETURN_IF_ERROR(section.Text("resourceName", &chip.resource));
  BTH_RETURN_IF_ERROR(section.Text("resourceMemoryName", &chip.memory_resource));
  BTH_RETURN_IF_ERROR(section.Number("memoryAllocatable", kMemoryMax, &chip.memory_allocatable));
  BTH_RETURN_IF_ERROR(section.Number("memoryCapacity", kMemoryMax, &chip.memory_capacity));
  BTH_RETURN_IF_ERROR(section.Number("aiCore", kCoresOfChipMax, &chip.ai_core));
  BTH_RETURN_IF_ERROR(section.Number("aiCPU", kCoresOfChipMax, &chip.ai_cpu));
  if (chip.word.empty() || chip.resource.empty()) {
    return Wrong(path, "needs commonWord and resourceName");
  }
  const auto same = [&chip](const AscendChip& other) { return other.word == chip.word; };
  if (std::any_of(out->chips.begin(), out->chips.end(), same)) {
    return Wrong(path, StrCat("commonWord \"", chip.word, "\" is there twice"));
  }
  const auto part = [&chip](const Value& item, const std::string& at) -> absl::Status {
    BTH_RETURN_IF_ERROR(RequireMap(item, at));
    const Section fields(item, at);
    AscendTemplate made;
    BTH_RETURN_IF_ERROR(fields.Text("name", &made.name));
    BTH_RETURN_IF_ERROR(fields.Number("memory", kMemoryMax, &made.memory));
    BTH_RETURN_IF_ERROR(fields.Number("aiCore", kCoresOfChipMax, &made.ai_core));
    BTH_RETURN_IF_ERROR(fields.Number("aiCPU", kCoresOfChipMax, &made.ai_cpu));
    chip.templates.push_back(std::move(made));
    return absl::OkStatus();
  };
  BTH_RETURN_IF_ERROR(section.Each("templates", part));
  std::stable_sort(chip.templates.begin(), chip.templates.end(),
                   [](const auto& a, const auto& b) { return a.memory < b.memory; });
  out->chips.push_back(std::move(chip));
  return absl::OkStatus();
}

// A list of chips, or a map with one.
absl::Status ReadAscend(const Value& value, DeviceSettings* out) {
  const auto chip = [out](const Value& item, const std::string& at) {
    return ReadChip(item, at, out);
  };
  if (value.is_list()) return Section::EachOf(value, "vnpus", chip);
  BTH_RETURN_IF_ERROR(RequireMap(value, "vnpus"));
  const Section section(value, "vnpus");
  if (const Value* soft = section.Find("hamiVnpuCore"); soft != nullptr) {
    if (!soft->is_bool()) return Wrong(section.PathOf("hamiVnpuCore"), "expected true or false");
    out->soft_slicing = soft->AsBool();
  }
  return section.Each("configs", chip);
}

}  // namespace

void UseBuiltinConfig(DeviceSettings* out) {
  out->vgpus = VgpuSettings();
  out->soft_slicing = false;
  AscendChip chip;
  chip.word = chip.chip_name = "Ascend310P";
  chip.resource = "huawei.com/Ascend310P";
  chip.memory_resource = "huawei.com/Ascend310P-memory";
  chip.memory_allocatable = 21527;
  chip.memory_capacity = 24576;
  chip.ai_core = 8;
  chip.ai_cpu = 7;
  chip.templates = {{"vir01", 3072, 1, 1}, {"vir02", 6144, 2, 2}, {"vir04", 12288, 4, 4}};
  out->chips = {std::move(chip)};
}

absl::Status UseConfig(std::string_view yaml, DeviceSettings* out) {
  constexpr size_t kBytesMax = size_t{1} << 20;
  if (yaml.size() > kBytesMax) return Wrong(kConfigKey, "larger than 1 MiB");
  BTH_ASSIGN_OR_RETURN(const conf::YamlDocument document, conf::ParseYaml(yaml));
  if (!document.root.is_map()) return Wrong(kConfigKey, "expected a map");
  DeviceSettings read = *out;
  read.vgpus = VgpuSettings();
  read.chips.clear();
  read.soft_slicing = false;
  const Section section(document.root, "");
  if (const Value* nvidia = section.Find("nvidia")) {
    BTH_RETURN_IF_ERROR(ReadNvidia(*nvidia, &read.vgpus));
  }
  if (const Value* ascend = section.Find("vnpus")) {
    BTH_RETURN_IF_ERROR(ReadAscend(*ascend, &read));
  }
  *out = std::move(read);
  return absl::OkStatus();
}

}  // namespace bth::devices
