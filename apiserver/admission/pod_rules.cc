#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/rest/metadata.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

void CheckSupported(const Json& value, const std::string& field,
                    std::initializer_list<std::string_view> known, Causes& causes) {
  if (value.is_null()) return;
  std::string list;
  for (std::string_view name : known) {
    if (value.is_string() && value.AsString() == name) return;
    StrAppend(&list, list.empty() ? "" : ", ", "\"", name, "\"");
  }
  causes.push_back(FieldNotSupported(field, value, list));
}

// Why a name is no label.
std::string_view LabelFault(std::string_view name) {
  if (name.size() > 63) return "must be no more than 63 characters";
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
         "and "
         "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
         "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

// Whether it names an image that can be had is known where it is pulled.
void CheckImage(std::string_view image, const std::string& field, Causes& causes) {
  if (image.empty()) {
    causes.push_back(FieldRequired(field));
  } else if (ToStd(absl::StripAsciiWhitespace(ToAbsl(image))).size() != image.size()) {
    causes.push_back(FieldInvalid(field, image, "must not have leading or trailing whitespace"));
  }
}

void CheckEnv(const Json& env, const std::string& field, Causes& causes) {
  for (size_t i = 0; i < env.size(); ++i) {
    if (env[i]["name"].AsString().empty()) {
      causes.push_back(FieldRequired(StrCat(field, "[", i, "].name")));
    }
  }
}

void CheckPorts(const Json& ports, const std::string& field, Causes& causes) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const Json& port = ports[i]["containerPort"];
    const std::string at = StrCat(field, "[", i, "].containerPort");
    if (port.is_null()) {
      causes.push_back(FieldRequired(at));
    } else if (port.AsInt() < 1 || port.AsInt() > 65535) {
      causes.push_back(FieldInvalid(at, port, "must be between 1 and 65535, inclusive"));
    }
  }
}

void CheckContainers(const Json& list, const std::string& field, std::set<std::string>& names,
                     Causes& causes) {
  if (!list.is_null() && !list.is_array()) {
    causes.push_back(FieldInvalid(field, list, "must be an array"));
    return;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const Json& container = list[i];
    const std::string at = StrCat(field, "[", i, "]");
    const std::string name(container["name"].AsString());
    if (name.empty()) {
      causes.push_back(FieldRequired(at + ".name"));
    } else if (!IsDnsLabel(name)) {
      causes.push_back(FieldInvalid(at + ".name", name, LabelFault(name)));
    } else if (!names.insert(name).second) {
      causes.push_back(
          {"FieldValueDuplicate", StrCat("Duplicate value: \"", name, "\""), at + ".name"});
    }
    CheckImage(container["image"].AsString(), at + ".image", causes);
    CheckResources(container["resources"], at + ".resources", causes);
    CheckEnv(container["env"], at + ".env", causes);
    CheckPorts(container["ports"], at + ".ports", causes);
    CheckSupported(container["imagePullPolicy"], at + ".imagePullPolicy",
                   {"Always", "IfNotPresent", "Never"}, causes);
  }
}

void CheckVolumes(const Json& volumes, const std::string& field, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < volumes.size(); ++i) {
    const std::string at = StrCat(field, "[", i, "].name");
    const std::string name(volumes[i]["name"].AsString());
    if (name.empty()) {
      causes.push_back(FieldRequired(at));
    } else if (!IsDnsLabel(name)) {
      causes.push_back(FieldInvalid(at, name, LabelFault(name)));
    } else if (!names.insert(name).second) {
      causes.push_back({"FieldValueDuplicate", StrCat("Duplicate value: \"", name, "\""), at});
    }
  }
}

// Of pods alone: a template's volumes may come from elsewhere.
void CheckMounts(const Json& spec, Causes& causes) {
  std::set<std::string> volumes;
  for (const Json& volume : spec["volumes"].items()) {
    volumes.insert(std::string(volume["name"].AsString()));
  }
  for (const char* list : {"containers", "initContainers"}) {
    for (size_t i = 0; i < spec[list].size(); ++i) {
      const Json& mounts = spec[list][i]["volumeMounts"];
      for (size_t j = 0; j < mounts.size(); ++j) {
        const std::string at = StrCat("spec.", list, "[", i, "].volumeMounts[", j, "]");
        const std::string name(mounts[j]["name"].AsString());
        if (name.empty()) {
          causes.push_back(FieldRequired(at + ".name"));
        } else if (!volumes.contains(name)) {
          causes.push_back(
              {"FieldValueNotFound", StrCat("Not found: \"", name, "\""), at + ".name"});
        }
        if (mounts[j]["mountPath"].AsString().empty()) {
          causes.push_back(FieldRequired(at + ".mountPath"));
        }
      }
    }
  }
}

void CheckTolerations(const Json& tolerations, const std::string& field, Causes& causes) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const Json& item = tolerations[i];
    const std::string at = StrCat(field, "[", i, "]");
    CheckSupported(item["operator"], at + ".operator", {"Equal", "Exists", "Lt", "Gt", ""}, causes);
    CheckSupported(item["effect"], at + ".effect",
                   {"NoSchedule", "PreferNoSchedule", "NoExecute", ""}, causes);
    if (item["key"].AsString().empty() && item["operator"].AsString() != "Exists") {
      causes.push_back(FieldInvalid(at + ".operator", item["operator"],
                                    "operator must be Exists when `key` is empty, which means "
                                    "\"match all values and all keys\""));
    }
  }
}

// The spec without what may change while a pod lives.
Json Fixed(const Json& pod) {
  Json spec = pod["spec"];
  for (const char* list : {"containers", "initContainers"}) {
    if (Json* items = spec.Find(list)) {
      for (Json& container : items->MutableItems()) container.Erase("image");
    }
  }
  for (const char* key : {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds",
                          "schedulingGates"}) {
    spec.Erase(key);
  }
  // A gated pod may still be steered.
  if (!pod["spec"]["schedulingGates"].empty()) {
    spec.Erase("nodeSelector");
    spec.Erase("affinity");
  }
  return spec;
}

bool Contains(const Json& list, const Json& item) {
  return std::find(list.items().begin(), list.items().end(), item) != list.items().end();
}

// Whether a toleration is still there, though perhaps for another number of seconds.
bool StillTolerates(const Json& tolerations, const Json& item) {
  const auto without_seconds = [](Json toleration) {
    toleration.Erase("tolerationSeconds");
    return toleration;
  };
  const Json wanted = without_seconds(item);
  return std::any_of(tolerations.items().begin(), tolerations.items().end(),
                     [&](const Json& other) { return without_seconds(other) == wanted; });
}

}  // namespace

std::vector<Cause> CheckPodSpec(const Json& spec, const std::string& field) {
  Causes causes;
  if (!spec.is_object()) return {FieldRequired(field)};
  if (spec["containers"].empty()) causes.push_back(FieldRequired(field + ".containers"));
  std::set<std::string> names;
  CheckContainers(spec["containers"], field + ".containers", names, causes);
  CheckContainers(spec["initContainers"], field + ".initContainers", names, causes);
  CheckVolumes(spec["volumes"], field + ".volumes", causes);
  CheckTolerations(spec["tolerations"], field + ".tolerations", causes);
  CheckSupported(spec["restartPolicy"], field + ".restartPolicy", {"Always", "OnFailure", "Never"},
                 causes);
  CheckSupported(spec["dnsPolicy"], field + ".dnsPolicy",
                 {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"}, causes);
  const Json& grace = spec["terminationGracePeriodSeconds"];
  if (!grace.is_null() && (!grace.is_int() || grace.AsInt() < 0)) {
    causes.push_back(FieldInvalid(field + ".terminationGracePeriodSeconds", grace,
                                  "must be greater than or equal to 0"));
  }
  const std::string_view node = spec["nodeName"].AsString();
  if (!node.empty() && !IsDnsSubdomain(node)) {
    causes.push_back(FieldInvalid(field + ".nodeName", node, "must be a valid node name"));
  }
  for (const auto& [key, value] : spec["nodeSelector"].members()) {
    if (!IsQualifiedName(key) || !value.is_string() || !IsLabelValue(value.AsString())) {
      causes.push_back(FieldInvalid(field + ".nodeSelector", key, "must be a valid label"));
    }
  }
  return causes;
}

std::vector<Cause> CheckPod(const Json& pod) {
  Causes causes = CheckPodSpec(pod["spec"], "spec");
  CheckMounts(pod["spec"], causes);
  if (!pod["spec"]["nodeName"].AsString().empty() && !pod["spec"]["schedulingGates"].empty()) {
    causes.push_back(FieldForbidden("spec.nodeName",
                                    "cannot be set until all schedulingGates have been cleared"));
  }
  return causes;
}

std::vector<Cause> CheckPodUpdate(const Json& old, const Json& pod) {
  Causes causes;
  if (!(Fixed(old) == Fixed(pod))) {
    // Both sides are fixed by the old gates, so that lifting the last one may also steer.
    Json before = Fixed(old);
    Json after = pod;
    after["spec"].Set("schedulingGates", old["spec"]["schedulingGates"]);
    if (!(before == Fixed(after))) {
      causes.push_back(FieldForbidden(
          "spec",
          "pod updates may not change fields other than `spec.containers[*].image`,"
          "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
          "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
          "set to 1 if it was previously negative)"));
    }
  }
  const Json& tolerations = pod["spec"]["tolerations"];
  for (const Json& item : old["spec"]["tolerations"].items()) {
    if (!StillTolerates(tolerations, item)) {
      causes.push_back(
          FieldForbidden("spec.tolerations",
                         "existing toleration can not be modified except its tolerationSeconds"));
      break;
    }
  }
  for (const Json& gate : pod["spec"]["schedulingGates"].items()) {
    if (!Contains(old["spec"]["schedulingGates"], gate)) {
      causes.push_back(FieldForbidden("spec.schedulingGates",
                                      "only deletion is allowed, but found new scheduling gate"));
      break;
    }
  }
  const Json& was = old["spec"]["terminationGracePeriodSeconds"];
  const Json& is = pod["spec"]["terminationGracePeriodSeconds"];
  if (!(was == is)) {
    causes.push_back(FieldForbidden("spec.terminationGracePeriodSeconds", "may not be changed"));
  }
  return causes;
}

}  // namespace bth::apiserver
