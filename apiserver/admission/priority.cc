#include <string>
#include <utility>

#include "apiserver/admission/builtin.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr int64_t kUserPriorityMax = 1'000'000'000;

Collection& Classes(Core& core) {
  return *core.store->Find("priorityclasses.scheduling.k8s.io");
}

// The class that stands in where none is named: of several the one of the lowest value, then of
// the first name. Null when there is none.
Json GlobalDefault(Core& core) {
  Json best;
  for (const ObjectPtr& stored : Classes(core).All("")) {
    Json json = ParseStored(*stored);
    if (!std::as_const(json)["globalDefault"].AsBool()) continue;
    if (best.is_null() ||
        std::as_const(json)["value"].AsInt() < std::as_const(best)["value"].AsInt()) {
      best = std::move(json);
    }
  }
  return best;
}

}  // namespace

absl::Status SetPriority(Core& core, WriteContext& write) {
  Json& spec = write.object["spec"];
  const std::string name(std::as_const(spec)["priorityClassName"].AsString());
  Json found;
  if (name.empty()) {
    found = GlobalDefault(core);
    if (!found.is_null()) {
      spec.Set("priorityClassName", std::as_const(found)["metadata"]["name"]);
    }
  } else {
    const ObjectPtr stored = Classes(core).Get({"", name});
    if (stored == nullptr) {
      return Forbidden(write.subject(), StrCat("no PriorityClass with name ", name, " was found"));
    }
    found = ParseStored(*stored);
  }
  const Json& chosen = found;
  const int64_t priority = chosen["value"].AsInt();
  const Json& given = std::as_const(spec)["priority"];
  if (given.is_int() && given.AsInt() != priority) {
    return Forbidden(write.subject(),
                     StrCat("the integer value of priority (", given.AsInt(),
                            ") must not be provided in pod spec; priority admission "
                            "controller computed ",
                            priority, " from the given PriorityClass name"));
  }
  spec.Set("priority", priority);
  const std::string_view policy = chosen["preemptionPolicy"].AsString("PreemptLowerPriority");
  if (std::as_const(spec)["preemptionPolicy"].AsString().empty()) {
    spec.Set("preemptionPolicy", policy);
  } else if (std::as_const(spec)["preemptionPolicy"].AsString() != policy) {
    return Forbidden(write.subject(),
                     StrCat("the string value of PreemptionPolicy (",
                            std::as_const(spec)["preemptionPolicy"].AsString(),
                            ") must not be provided in pod spec; priority admission "
                            "controller computed ",
                            policy, " from the given PriorityClass name"));
  }
  return absl::OkStatus();
}

absl::Status CheckPriorityClass(Core& core, const WriteContext& write) {
  const Json& value = write.object["value"];
  std::vector<Cause> causes;
  const bool system = write.name.starts_with("system-");
  if (!value.is_int() && !value.is_null()) {
    causes.push_back(FieldInvalid("value", value, "must be a whole number"));
  } else if (!system && value.AsInt() > kUserPriorityMax) {
    causes.push_back(
        FieldForbidden("value", "maximum allowed value of a user defined priority is 1000000000"));
  }
  if (write.old.has_value() && !((*std::as_const(write).old)["value"] == value)) {
    causes.push_back(FieldForbidden("value", "may not be changed in an update."));
  }
  if (system && !write.old.has_value()) {
    causes.push_back(FieldForbidden(
        "metadata.name",
        "priority class names with 'system-' prefix are reserved for system use only"));
  }
  if (!causes.empty()) return Invalid(write.subject(), causes);
  if (write.object["globalDefault"].AsBool()) {
    for (const ObjectPtr& other : Classes(core).All("")) {
      if (other->key.name != write.name && ParseStored(*other)["globalDefault"].AsBool()) {
        return Forbidden(write.subject(),
                         StrCat("PriorityClass ", other->key.name,
                                " is already marked as default. Only one default can exist"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
