#include "controllers/colocation/pod_mark.h"

#include "api/types/fragment.h"
#include "api/types/json.h"

namespace bth::controllers {
namespace {

using types::ColocationConfiguration;
using types::ColocationSettings;

constexpr std::string_view kNoSettings = "{}";

bool Means(const std::string& text, const ColocationSettings& settings) {
  const absl::StatusOr<types::Json> json = types::Json::Parse(text);
  if (!json.ok() || !json->is_object()) return false;
  const absl::StatusOr<ColocationSettings> read =
      types::FragmentFromJson<ColocationSettings>(*json);
  return read.ok() && *read == settings;
}

bool IsBefore(const ColocationConfiguration& a, const ColocationConfiguration& b) {
  if (a.meta.creation_time != b.meta.creation_time) {
    return a.meta.creation_time > b.meta.creation_time;
  }
  return a.meta.name < b.meta.name;
}

}  // namespace

bool Selects(const ColocationConfiguration& configuration, const types::LabelMap& labels) {
  return configuration.selector.has_value() && configuration.selector->Check().ok() &&
         configuration.selector->Matches(labels);
}

ColocationPtr ChooseColocation(const types::LabelMap& labels,
                               const std::vector<ColocationPtr>& configurations) {
  ColocationPtr chosen;
  for (const ColocationPtr& configuration : configurations) {
    if (!Selects(*configuration, labels)) continue;
    if (chosen == nullptr || IsBefore(*configuration, *chosen)) chosen = configuration;
  }
  return chosen;
}

std::optional<PodMark> NeededMark(const types::ObjectMeta& pod,
                                  const ColocationConfiguration* chosen) {
  const std::string* name = pod.annotations.Find(kColocationName);
  const std::string* settings = pod.annotations.Find(kColocationSettings);
  if (chosen == nullptr) {
    if (name == nullptr && (settings == nullptr || *settings == kNoSettings)) return std::nullopt;
    return PodMark{std::nullopt, std::string(kNoSettings)};
  }
  const bool is_right = name != nullptr && *name == chosen->meta.name && settings != nullptr &&
                        Means(*settings, chosen->settings);
  if (is_right) return std::nullopt;
  return PodMark{chosen->meta.name, types::EncodeFragment(chosen->settings)};
}

}  // namespace bth::controllers
