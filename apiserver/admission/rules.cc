#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/names.h"
#include "api/rules/pod_template.h"
#include "api/rules/quantities.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/schema/definition_rules.h"
#include "apiserver/schema/rule_run.h"
#include "apiserver/schema/validate.h"
#include "apiserver/store/selector.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

void Append(Causes& causes, Causes more) {
  causes.insert(causes.end(), more.begin(), more.end());
}

void CheckTemplate(const WriteContext& write, Causes& causes) {
  rules::PodRuleOptions options;
  options.relaxed = true;
  options.claims_volumes = write.type->kind == "StatefulSet";
  const Json& templ = write.object["spec"]["template"];
  Append(causes, CausesOf(rules::CheckPodSpec(templ["spec"], "spec.template.spec", options)));
}

// The selector must exist, be readable and choose the template's pods.
void CheckSelector(const WriteContext& write, Causes& causes) {
  const Json& spec = write.object["spec"];
  const Json& selector = spec["selector"];
  if (!selector.is_object() || selector.empty()) {
    causes.push_back(FieldRequired("spec.selector"));
    return;
  }
  const absl::StatusOr<types::LabelSelector> parsed = SelectorFromJson(selector);
  if (!parsed.ok()) {
    causes.push_back(FieldInvalid("spec.selector", selector, ToStd(parsed.status().message())));
    return;
  }
  types::LabelMap labels;
  for (const auto& [key, value] : spec["template"]["metadata"]["labels"].members()) {
    labels.Set(key, std::string(value.AsString()));
  }
  if (!parsed->Matches(labels)) {
    causes.push_back(FieldInvalid("spec.template.metadata.labels",
                                  spec["template"]["metadata"]["labels"],
                                  "`selector` does not match template `labels`"));
  }
  if (write.old.has_value() && !((*write.old)["spec"]["selector"] == selector)) {
    causes.push_back(FieldInvalid("spec.selector", selector, "field is immutable"));
  }
}

void CheckReplicas(const Json& object, Causes& causes) {
  const Json& replicas = object["spec"]["replicas"];
  if (!replicas.is_null() && (!replicas.is_int() || replicas.AsInt() < 0)) {
    causes.push_back(FieldInvalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
}

void CheckBudget(const Json& object, Causes& causes) {
  const Json& spec = object["spec"];
  if (!spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null()) {
    causes.push_back(
        FieldInvalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
  }
  for (const char* key : {"minAvailable", "maxUnavailable"}) {
    const Json& value = spec[key];
    const bool percent = value.is_string() && value.AsString().ends_with('%');
    if (!value.is_null() && !percent && (!value.is_int() || value.AsInt() < 0)) {
      causes.push_back(
          FieldInvalid(StrCat("spec.", key), value, "must be a count or a percentage"));
    }
  }
}

void CheckConfig(const WriteContext& write, Causes& causes) {
  if (!write.old.has_value() || !(*write.old)["immutable"].AsBool()) return;
  for (const char* key : {"data", "binaryData", "immutable"}) {
    if (!((*write.old)[key] == write.object[key])) {
      causes.push_back(FieldForbidden(key, "field is immutable when `immutable` is set"));
    }
  }
}

void CheckNode(const Json& object, Causes& causes) {
  const Json& taints = object["spec"]["taints"];
  for (size_t i = 0; i < taints.size(); ++i) {
    const std::string at = StrCat("spec.taints[", i, "]");
    for (const std::string& why : rules::CheckQualifiedName(taints[i]["key"].AsString())) {
      causes.push_back(FieldInvalid(at + ".key", taints[i]["key"], why));
    }
    const std::string_view effect = taints[i]["effect"].AsString();
    if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      causes.push_back(FieldNotSupported(at + ".effect", effect,
                                         "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""));
    }
  }
  for (const char* list : {"capacity", "allocatable"}) {
    for (const auto& [name, value] : object["status"][list].members()) {
      if (!rules::IsQuantity(value)) {
        causes.push_back(
            FieldInvalid(StrCat("status.", list, "[", name, "]"), value, "must be a quantity"));
      }
    }
  }
}

void CheckQuota(const Json& object, Causes& causes) {
  for (const auto& [name, value] : object["spec"]["hard"].members()) {
    const std::string field = StrCat("spec.hard[", name, "]");
    if (!rules::IsQuantity(value)) {
      causes.push_back(FieldInvalid(field, value, "must be a quantity"));
    } else if (value.is_string() && rules::QuantityOf(value)->is_negative()) {
      causes.push_back(FieldInvalid(field, value, "must be greater than or equal to 0"));
    }
  }
}

// What must be mended before rules of a definition can be asked.
bool IsBlocking(const Cause& cause) {
  for (const char* reason : {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                             "FieldValueTooMany", "FieldValueTypeInvalid"}) {
    if (cause.reason == reason) return true;
  }
  return false;
}

// The definition's schema: of the status when that is what is written.
Causes CheckSchema(const WriteContext& write) {
  const SchemaNode* node = &write.type->structural->root();
  const Json* value = &write.object;
  const Json* old = write.old.has_value() ? &*write.old : nullptr;
  std::string_view field;
  if (write.subresource == "status") {
    node = node->Property("status");
    value = write.object.Find("status");
    if (node == nullptr || value == nullptr) return {};
    if (old != nullptr) old = old->Find("status");
    field = "status";
  }
  const Checked checked{*node, *value, old, field};
  Causes causes = CheckValue(checked);
  Append(causes, CheckUniqueItems(checked));
  return causes;
}

// The schema and, once its types and bounds are kept, its rules, which see the whole object.
Causes CheckCustom(WriteContext& write) {
  Causes causes = CheckSchema(write);
  if (write.type->structural->rules() == nullptr) return causes;
  if (std::any_of(causes.begin(), causes.end(), IsBlocking)) {
    causes.push_back(FieldInvalid("<nil>", nullptr,
                                  "some validation rules were not checked because the object was "
                                  "invalid; correct the existing errors to complete validation"));
    return causes;
  }
  const Json* old = write.old.has_value() ? &*write.old : nullptr;
  RuleVerdict verdict = RunRules(*write.type->structural, write.object, old);
  Append(causes, verdict.causes);
  for (std::string& warning : verdict.warnings) write.warnings.push_back(std::move(warning));
  return causes;
}

}  // namespace

std::vector<Cause> CheckObject(WriteContext& write) {
  // Looking at a field must not make one.
  const Json& object = write.object;
  Causes causes = CheckMetadata(*write.type, object["metadata"]);
  if (write.type->custom) {
    Append(causes, CheckCustom(write));
    return causes;
  }
  const std::string& kind = write.type->kind;
  for (const char* part : {"spec", "status"}) {
    const Json& value = object[part];
    if (!value.is_null() && !value.is_object()) {
      causes.push_back(FieldInvalid(part, value, "must be an object"));
      return causes;
    }
  }
  if (write.type->group == "apps" && kind != "ControllerRevision") {
    CheckSelector(write, causes);
    CheckReplicas(write.object, causes);
    CheckTemplate(write, causes);
  } else if (kind == "Job" || kind == "ReplicationController") {
    CheckTemplate(write, causes);
  } else if (kind == "PodDisruptionBudget") {
    CheckBudget(write.object, causes);
  } else if (kind == "ConfigMap" || kind == "Secret") {
    CheckConfig(write, causes);
  } else if (kind == "Node") {
    CheckNode(write.object, causes);
  } else if (kind == "ResourceQuota") {
    CheckQuota(write.object, causes);
  } else if (write.type->group == "resource.k8s.io") {
    Append(causes, CheckDevices(write));
  } else if (kind == "CustomResourceDefinition") {
    Append(causes, CheckDefinition(write.object, write.old.has_value() ? &*write.old : nullptr));
  }
  return causes;
}

}  // namespace bth::apiserver
