#include "api/rules/pod_annotations.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "api/rules/each_container.h"
#include "api/rules/go_quote.h"
#include "api/rules/paths_in_volumes.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kSeccompPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

// 0, or 1 to 9 and digits, perhaps with a minus: "+5", "007" and "-0" are none.
bool IsDeletionCost(std::string_view text) {
  int32_t cost = 0;
  return SimpleAtoi(text, &cost) && text == StrCat(cost);
}

void CheckSeccompText(const Part& annotations, std::string_view key, std::string_view profile) {
  constexpr std::string_view kLocal = "localhost/";
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") {
    return;
  }
  if (profile.starts_with(kLocal)) {
    return CheckDescendingPath(annotations, key, profile.substr(kLocal.size()));
  }
  annotations.Invalid(key, Json(profile), "must be a valid seccomp profile");
}

using Names = std::set<std::string_view>;
Names NamesOfContainers(const Json& spec) {
  Names names;
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Json& container : spec[list].items()) names.insert(container["name"].AsString());
  }
  return names;
}

// The annotations that begin with `prefix`, by what follows.
std::map<std::string_view, std::string_view> Below(const Json& map, std::string_view prefix) {
  std::map<std::string_view, std::string_view> texts;
  for (const auto& [key, value] : map.members()) {
    const std::string_view name = key;
    if (name.starts_with(prefix)) texts.emplace(name.substr(prefix.size()), value.AsString());
  }
  return texts;
}

void CheckAppArmorText(const Part& annotations, const Names& containers,
                       std::pair<std::string_view, std::string_view> annotation) {
  const auto [key, profile] = annotation;
  const std::string_view container = key.substr(kArmorPrefix.size());
  const auto wrong = [&](std::string_view value, std::string why) {
    annotations.Add(Invalid(annotations.at().Key(key).Text(), Json(value), std::move(why)));
  };
  if (!containers.contains(container)) wrong(container, "container not found");
  if (profile.empty() || profile == "runtime/default" || profile == "unconfined" ||
      profile.starts_with("localhost/")) {
    return;
  }
  wrong(profile, StrCat("invalid AppArmor profile name: ", GoQuote(profile)));
}

enum class ProfileOf { kSeccomp, kAppArmor };

// The words that annotations have for a profile of the field's type.
bool SameProfile(ProfileOf what, const Json& profile, std::string_view text, bool* same_type) {
  const std::string_view type = profile["type"].AsString();
  *same_type = true;
  if (type == "Localhost") {
    constexpr std::string_view kLocal = "localhost/";
    *same_type = text.starts_with(kLocal);
    return *same_type && profile["localhostProfile"].is_string() &&
           text.substr(kLocal.size()) == profile["localhostProfile"].AsString();
  }
  if (type == "Unconfined") *same_type = text == "unconfined";
  if (type == "RuntimeDefault") {
    *same_type =
        text == "runtime/default" || (what == ProfileOf::kSeccomp && text == "docker/default");
  }
  return *same_type;
}

// `at`: of the profile's field.
void CheckSame(const Part& holder, ProfileOf what, const Json& profile, std::string_view text) {
  bool same_type = false;
  if (SameProfile(what, profile, text, &same_type)) return;
  const std::string_view name = what == ProfileOf::kSeccomp ? "seccomp" : "apparmor";
  const std::string_view field = what == ProfileOf::kSeccomp ? "seccompProfile" : "appArmorProfile";
  holder.Add(Forbidden(
      StrCat(holder.at().Text(), ".securityContext.", field,
             same_type ? ".localhostProfile" : ".type"),
      StrCat(name, same_type ? " profile" : " type", " in annotation and field must match")));
}

}  // namespace

void CheckPodAnnotations(const Part& metadata, const Json& spec) {
  const Place at = metadata.at().Field("annotations");
  FieldErrors errors;
  const Json& map = metadata["annotations"];
  const Part annotations(map, at, errors);
  if (const Json& mirror = map[kMirror]; !mirror.is_null() && spec["nodeName"].AsString().empty()) {
    annotations.Add(Invalid(at.Key(kMirror).Text(), mirror,
                            "must set spec.nodeName if mirror pod annotation is set"));
  }
  if (const Json* cost = map.Find(kDeletionCost); cost != nullptr) {
    if (!IsDeletionCost(cost->AsString())) {
      annotations.Add(Invalid(at.Key(kDeletionCost).Text(), *cost, "must be a 32bit integer"));
    }
  }
  if (const Json* profile = map.Find(kSeccompPod); profile != nullptr) {
    CheckSeccompText(annotations, kSeccompPod, profile->AsString());
  }
  for (const auto& [key, value] : SortedMembers(map)) {
    if (key.starts_with(kSeccompContainer)) CheckSeccompText(annotations, key, value->AsString());
  }
  const Names containers = NamesOfContainers(spec);
  for (const auto& [key, value] : SortedMembers(map)) {
    if (!key.starts_with(kArmorPrefix)) continue;
    CheckAppArmorText(annotations, containers, {key, value->AsString()});
  }
  for (FieldError& error : errors) metadata.Add(std::move(error));
}

void CheckProfileAnnotations(const Json& metadata, const Part& spec) {
  const Json& map = metadata["annotations"];
  if (map.empty()) return;
  const Json& of_pod = spec["securityContext"];
  if (const Json* text = map.Find(kSeccompPod);
      text != nullptr && of_pod["seccompProfile"].is_object()) {
    CheckSame(spec, ProfileOf::kSeccomp, of_pod["seccompProfile"], text->AsString());
  }
  const auto seccomp = Below(map, kSeccompContainer);
  ForEachContainer(spec, [&](const Part& container) {
    const Json& profile = container["securityContext"]["seccompProfile"];
    const auto text = seccomp.find(container["name"].AsString());
    if (text != seccomp.end() && profile.is_object()) {
      CheckSame(container, ProfileOf::kSeccomp, profile, text->second);
    }
  });
  if (spec["os"]["name"].AsString() == "windows") return;
  const auto armor = Below(map, kArmorPrefix);
  ForEachContainer(spec, [&](const Part& container) {
    const Json& own = container["securityContext"]["appArmorProfile"];
    const Json& profile = own.is_object() ? own : of_pod["appArmorProfile"];
    const auto text = armor.find(container["name"].AsString());
    if (text != armor.end() && profile.is_object()) {
      CheckSame(container, ProfileOf::kAppArmor, profile, text->second);
    }
  });
}

}  // namespace bth::rules
