// Defaults and rules of the group resource.k8s.io.
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/names.h"
#include "api/rules/pod_defaults.h"
#include "api/rules/quantities.h"
#include "apiserver/admission/builtin.h"
#include "base/strings.h"
#include "cel/kubernetes/device.h"
#include "cel/program.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

constexpr size_t kListMax = 32;         // Requests, constraints, selectors, configurations.
constexpr size_t kAlternativesMax = 8;  // Of a request.
constexpr size_t kDevicesInSliceMax = 128;
constexpr size_t kUsersMax = 256;

Cause FieldTwice(std::string field, const Json& value) {
  return {"FieldValueDuplicate", StrCat("Duplicate value: ", value.Dump()), std::move(field)};
}

// Finds what is wrong with one object. Lives for one look.
class DeviceRules {
 public:
  explicit DeviceRules(Causes& causes) : causes_(causes) {}

  void CheckClaimSpec(const Json& spec, const std::string& at) {
    const Json& devices = spec["devices"];
    const std::string field = at + ".devices";
    const std::set<std::string> names = CheckRequests(devices["requests"], field + ".requests");
    const Json& constraints = devices["constraints"];
    CheckSize(constraints, field + ".constraints", kListMax);
    for (size_t i = 0; i < constraints.size(); ++i) {
      CheckConstraint(constraints[i], StrCat(field, ".constraints[", i, "]"), names);
    }
    const Json& config = devices["config"];
    CheckSize(config, field + ".config", kListMax);
    for (size_t i = 0; i < config.size(); ++i) {
      const std::string entry = StrCat(field, ".config[", i, "]");
      CheckReferences(config[i]["requests"], entry + ".requests", names);
      CheckOpaque(config[i]["opaque"], entry + ".opaque");
    }
  }

  void CheckClaimStatus(const Json& object, const Json* old) {
    const Json& status = object["status"];
    const Json& allocation = status["allocation"];
    if (old != nullptr && !allocation.is_null()) {
      const Json& before = (*old)["status"]["allocation"];
      if (!before.is_null() && !(before == allocation)) {
        causes_.push_back(FieldInvalid("status.allocation", allocation, "field is immutable"));
      }
    }
    std::set<std::string> names;
    CollectNames(object["spec"]["devices"]["requests"], &names);
    const Json& results = allocation["devices"]["results"];
    CheckSize(results, "status.allocation.devices.results", kListMax);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string at = StrCat("status.allocation.devices.results[", i, "]");
      for (const char* key : {"request", "driver", "pool", "device"}) {
        CheckPresent(results[i][key], at + "." + key);
      }
      const std::string request(results[i]["request"].AsString());
      if (!request.empty() && !names.contains(request)) {
        causes_.push_back(FieldInvalid(at + ".request", results[i]["request"],
                                       "must be the name of a request in the claim"));
      }
    }
    CheckUsers(status["reservedFor"], allocation.is_null());
  }

  void CheckTaintRule(const Json& spec) {
    CheckPresent(spec["taint"]["key"], "spec.taint.key");
    for (const std::string& why : rules::CheckQualifiedName(spec["taint"]["key"].AsString())) {
      if (spec["taint"]["key"].AsString().empty()) break;
      causes_.push_back(FieldInvalid("spec.taint.key", spec["taint"]["key"], why));
    }
    CheckTaint(spec["taint"], "spec.taint");
    const Json& driver = spec["deviceSelector"]["driver"];
    if (!driver.is_null()) CheckSubdomain(driver, "spec.deviceSelector.driver");
  }

  void CheckClass(const Json& spec) {
    CheckSelectors(spec["selectors"], "spec.selectors");
    const Json& config = spec["config"];
    CheckSize(config, "spec.config", kListMax);
    for (size_t i = 0; i < config.size(); ++i) {
      CheckOpaque(config[i]["opaque"], StrCat("spec.config[", i, "].opaque"));
    }
  }

  void CheckSlice(const Json& spec, const Json* old) {
    CheckSubdomain(spec["driver"], "spec.driver");
    CheckPresent(spec["pool"]["name"], "spec.pool.name");
    if (spec["pool"]["generation"].AsInt() < 0) {
      causes_.push_back(FieldInvalid("spec.pool.generation", spec["pool"]["generation"],
                                     "must be greater than or equal to zero"));
    }
    if (spec["pool"]["resourceSliceCount"].AsInt() < 1) {
      causes_.push_back(FieldInvalid("spec.pool.resourceSliceCount",
                                     spec["pool"]["resourceSliceCount"],
                                     "must be greater than zero"));
    }
    CheckPlace(spec, "spec", true);
    if (old != nullptr) {
      for (const char* key : {"driver", "nodeName"}) {
        CheckUnchanged((*old)["spec"][key], spec[key], StrCat("spec.", key));
      }
      CheckUnchanged((*old)["spec"]["pool"]["name"], spec["pool"]["name"], "spec.pool.name");
    }
    CheckSize(spec["devices"], "spec.devices", kDevicesInSliceMax);
    std::set<std::string> names;
    for (size_t i = 0; i < spec["devices"].size(); ++i) {
      CheckDevice(spec["devices"][i], StrCat("spec.devices[", i, "]"), spec, &names);
    }
  }

  void CheckUnchanged(const Json& before, const Json& now, const std::string& at) {
    if (!(before == now)) causes_.push_back(FieldInvalid(at, now, "field is immutable"));
  }

 private:
  void CheckSize(const Json& list, const std::string& at, size_t max) {
    if (!list.is_null() && !list.is_array()) {
      causes_.push_back(FieldInvalid(at, list, "must be a list"));
    } else if (list.size() > max) {
      causes_.push_back(FieldInvalid(at, Json(static_cast<int64_t>(list.size())),
                                     StrCat("must have at most ", max, " items")));
    }
  }

  void CheckPresent(const Json& value, const std::string& at) {
    if (value.AsString().empty()) causes_.push_back(FieldRequired(at));
  }

  void CheckLabel(const Json& name, const std::string& at, std::set<std::string>* names) {
    if (name.AsString().empty()) {
      causes_.push_back(FieldRequired(at));
      return;
    }
    for (const std::string& why : rules::CheckDnsLabel(name.AsString())) {
      causes_.push_back(FieldInvalid(at, name, why));
    }
    if (!names->insert(std::string(name.AsString())).second) {
      causes_.push_back(FieldTwice(at, name));
    }
  }

  void CheckSubdomain(const Json& name, const std::string& at) {
    if (name.AsString().empty()) {
      causes_.push_back(FieldRequired(at));
      return;
    }
    for (const std::string& why : rules::CheckDnsSubdomain(name.AsString())) {
      causes_.push_back(FieldInvalid(at, name, why));
    }
  }

  std::set<std::string> CheckRequests(const Json& requests, const std::string& at) {
    CheckSize(requests, at, kListMax);
    std::set<std::string> names;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Json& request = requests[i];
      const std::string entry = StrCat(at, "[", i, "]");
      CheckLabel(request["name"], entry + ".name", &names);
      const Json& exactly = request["exactly"];
      const Json& first = request["firstAvailable"];
      if (exactly.is_null() == first.empty()) {
        causes_.push_back(FieldInvalid(entry, request,
                                       "exactly one of `exactly` or `firstAvailable` is required"));
      }
      if (!exactly.is_null()) CheckDemand(exactly, entry + ".exactly");
      CheckSize(first, entry + ".firstAvailable", kAlternativesMax);
      std::set<std::string> alternatives;
      for (size_t k = 0; k < first.size(); ++k) {
        const std::string alternative = StrCat(entry, ".firstAvailable[", k, "]");
        CheckLabel(first[k]["name"], alternative + ".name", &alternatives);
        CheckDemand(first[k], alternative);
      }
    }
    CollectNames(requests, &names);
    return names;
  }

  // With those of alternatives, as "request/alternative".
  static void CollectNames(const Json& requests, std::set<std::string>* names) {
    for (const Json& request : requests.items()) {
      const std::string_view name = request["name"].AsString();
      names->emplace(name);
      for (const Json& alternative : request["firstAvailable"].items()) {
        names->insert(StrCat(name, "/", alternative["name"].AsString()));
      }
    }
  }

  void CheckDemand(const Json& demand, const std::string& at) {
    CheckSubdomain(demand["deviceClassName"], at + ".deviceClassName");
    CheckSelectors(demand["selectors"], at + ".selectors");
    const std::string_view mode = demand["allocationMode"].AsString();
    const Json& count = demand["count"];
    if (mode == "All") {
      if (!count.is_null() && count.AsInt() != 0) {
        causes_.push_back(FieldInvalid(at + ".count", count,
                                       "must not be specified when allocationMode is 'All'"));
      }
    } else if (mode == "ExactCount") {
      if (count.AsInt() < 1) {
        causes_.push_back(FieldInvalid(at + ".count", count, "must be greater than zero"));
      }
    } else {
      causes_.push_back(FieldNotSupported(at + ".allocationMode", mode, "\"All\", \"ExactCount\""));
    }
    for (const auto& [name, amount] : demand["capacity"]["requests"].members()) {
      if (!rules::IsQuantity(amount)) {
        causes_.push_back(FieldInvalid(StrCat(at, ".capacity.requests[", name, "]"), amount,
                                       "must be a quantity"));
      }
    }
  }

  void CheckSelectors(const Json& selectors, const std::string& at) {
    CheckSize(selectors, at, kListMax);
    for (size_t i = 0; i < selectors.size(); ++i) {
      const Json& expression = selectors[i]["cel"]["expression"];
      const std::string field = StrCat(at, "[", i, "].cel");
      if (selectors[i]["cel"].is_null()) {
        causes_.push_back(FieldRequired(field));
      } else if (expression.AsString().empty()) {
        causes_.push_back(FieldRequired(field + ".expression"));
      } else {
        CheckExpression(expression, field + ".expression");
      }
    }
  }

  void CheckExpression(const Json& expression, const std::string& at) {
    const std::string_view text = expression.AsString();
    if (text.size() > cel::kDeviceExpressionMax) {
      causes_.push_back(FieldInvalid(
          at, Json("..."), StrCat("may not be more than ", cel::kDeviceExpressionMax, " bytes")));
      return;
    }
    const auto program =
        cel::Compile(text, cel::DeviceEnvironment(), {.result = cel::Type::Bool()});
    if (program.ok()) return;
    causes_.push_back(
        FieldInvalid(at, expression, StrCat("compilation failed: ", program.status().message())));
  }

  void CheckConstraint(const Json& constraint, const std::string& at,
                       const std::set<std::string>& names) {
    CheckReferences(constraint["requests"], at + ".requests", names);
    const Json& match = constraint["matchAttribute"];
    const Json& distinct = constraint["distinctAttribute"];
    if (match.is_null() == distinct.is_null()) {
      causes_.push_back(FieldInvalid(
          at, constraint, "exactly one of `matchAttribute` or `distinctAttribute` is required"));
      return;
    }
    const Json& attribute = match.is_null() ? distinct : match;
    if (!StrContains(attribute.AsString(), "/")) {
      causes_.push_back(
          FieldInvalid(StrCat(at, match.is_null() ? ".distinctAttribute" : ".matchAttribute"),
                       attribute, "must include a domain"));
    }
  }

  void CheckReferences(const Json& references, const std::string& at,
                       const std::set<std::string>& names) {
    CheckSize(references, at, kListMax);
    for (size_t i = 0; i < references.size(); ++i) {
      if (names.contains(std::string(references[i].AsString()))) continue;
      causes_.push_back(FieldInvalid(StrCat(at, "[", i, "]"), references[i],
                                     "must be the name of a request in the claim or the name of a "
                                     "request and a subrequest separated by '/'"));
    }
  }

  void CheckOpaque(const Json& opaque, const std::string& at) {
    if (!opaque.is_object()) {
      causes_.push_back(FieldRequired(at));
      return;
    }
    CheckSubdomain(opaque["driver"], at + ".driver");
  }

  void CheckUsers(const Json& users, bool unallocated) {
    CheckSize(users, "status.reservedFor", kUsersMax);
    if (unallocated && !users.empty()) {
      causes_.push_back(
          FieldForbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
    }
    std::set<std::string> uids;
    for (size_t i = 0; i < users.size(); ++i) {
      const std::string at = StrCat("status.reservedFor[", i, "]");
      for (const char* key : {"resource", "name", "uid"}) {
        CheckPresent(users[i][key], at + "." + key);
      }
      if (!uids.emplace(users[i]["uid"].AsString()).second) {
        causes_.push_back(FieldTwice(at + ".uid", users[i]["uid"]));
      }
    }
  }

  // From where a slice or device can be used.
  void CheckPlace(const Json& spec, const std::string& at, bool is_slice) {
    int ways = 0;
    ways += spec["nodeName"].AsString().empty() ? 0 : 1;
    ways += spec["nodeSelector"].is_null() ? 0 : 1;
    ways += spec["allNodes"].AsBool() ? 1 : 0;
    if (is_slice) ways += spec["perDeviceNodeSelection"].AsBool() ? 1 : 0;
    if (ways != 1) {
      causes_.push_back(FieldInvalid(
          at, Json(StrCat(ways, " of them")),
          is_slice ? "exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                     "`perDeviceNodeSelection` is required"
                   : "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
                     "`perDeviceNodeSelection` is set to true in the slice spec"));
    }
    if (spec["nodeSelector"].is_object() && spec["nodeSelector"]["nodeSelectorTerms"].size() != 1) {
      causes_.push_back(FieldInvalid(at + ".nodeSelector.nodeSelectorTerms",
                                     spec["nodeSelector"]["nodeSelectorTerms"],
                                     "must have exactly one node selector term"));
    }
  }

  void CheckDevice(const Json& device, const std::string& at, const Json& slice,
                   std::set<std::string>* names) {
    CheckLabel(device["name"], at + ".name", names);
    if (slice["perDeviceNodeSelection"].AsBool()) CheckPlace(device, at, false);
    for (const auto& [name, value] : device["attributes"].members()) {
      if (value.size() == 1) continue;
      causes_.push_back(FieldInvalid(StrCat(at, ".attributes[", name, "]"), value,
                                     "exactly one value must be specified"));
    }
    for (const auto& [name, value] : device["capacity"].members()) {
      if (rules::IsQuantity(value["value"])) continue;
      causes_.push_back(FieldInvalid(StrCat(at, ".capacity[", name, "].value"), value["value"],
                                     "must be a quantity"));
    }
    const Json& taints = device["taints"];
    for (size_t i = 0; i < taints.size(); ++i)
      CheckTaint(taints[i], StrCat(at, ".taints[", i, "]"));
  }

  void CheckTaint(const Json& taint, const std::string& at) {
    const std::string_view effect = taint["effect"].AsString();
    if (effect == "NoSchedule" || effect == "NoExecute" || effect == "None") return;
    causes_.push_back(
        FieldNotSupported(at + ".effect", effect, "\"NoExecute\", \"NoSchedule\", \"None\""));
  }

  Causes& causes_;
};

void DefaultDemand(Json& demand) {
  if (!demand.is_object()) return;
  rules::SetIfAbsent(demand, "allocationMode", "ExactCount");
  const bool counts = std::as_const(demand)["allocationMode"].AsString() == "ExactCount";
  if (counts && std::as_const(demand)["count"].AsInt() == 0) demand.Set("count", 1);
  Json* tolerations = demand.Find("tolerations");
  if (tolerations == nullptr || !tolerations->is_array()) return;
  for (Json& toleration : tolerations->MutableItems()) {
    if (toleration.is_object()) rules::SetIfAbsent(toleration, "operator", "Equal");
  }
}

void DefaultClaimSpec(Json& spec) {
  Json* devices = spec.Find("devices");
  Json* requests = devices == nullptr ? nullptr : devices->Find("requests");
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& request : requests->MutableItems()) {
    if (Json* exactly = request.Find("exactly")) DefaultDemand(*exactly);
    Json* first = request.Find("firstAvailable");
    if (first == nullptr || !first->is_array()) continue;
    for (Json& alternative : first->MutableItems()) DefaultDemand(alternative);
  }
}

}  // namespace

void DefaultDevices(const WriteContext& write, Json& object) {
  Json* spec = object.Find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  if (write.type->kind == "ResourceClaim") {
    DefaultClaimSpec(*spec);
  } else if (write.type->kind == "ResourceClaimTemplate") {
    if (Json* inner = spec->Find("spec")) DefaultClaimSpec(*inner);
  }
}

std::vector<Cause> CheckDevices(const WriteContext& write) {
  Causes causes;
  DeviceRules rules(causes);
  const Json& object = write.object;
  const Json* old = write.old.has_value() ? &*write.old : nullptr;
  const std::string& kind = write.type->kind;
  const bool keeps_spec = kind == "ResourceClaim" || kind == "ResourceClaimTemplate";
  if (old != nullptr && keeps_spec) rules.CheckUnchanged((*old)["spec"], object["spec"], "spec");
  if (kind == "ResourceClaim") {
    if (old == nullptr) rules.CheckClaimSpec(object["spec"], "spec");
    rules.CheckClaimStatus(object, old);
  } else if (kind == "ResourceClaimTemplate") {
    if (old == nullptr) rules.CheckClaimSpec(object["spec"]["spec"], "spec.spec");
  } else if (kind == "DeviceTaintRule") {
    rules.CheckTaintRule(object["spec"]);
  } else if (kind == "DeviceClass") {
    rules.CheckClass(object["spec"]);
  } else if (kind == "ResourceSlice") {
    rules.CheckSlice(object["spec"], old);
  }
  return causes;
}

}  // namespace bth::apiserver
