#include "api/rules/environment.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/names.h"
#include "api/rules/paths_in_volumes.h"
#include "api/rules/quantities.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using types::Quantity;
using Words = std::vector<std::string_view>;

// Sorted, as they are shown.
const Words& FieldsOfEnvironment() {
  static const Words* const words = new Words{"metadata.name",
                                              "metadata.namespace",
                                              "metadata.uid",
                                              "spec.nodeName",
                                              "spec.serviceAccountName",
                                              "status.hostIP",
                                              "status.hostIPs",
                                              "status.podIP",
                                              "status.podIPs"};
  return *words;
}

const Words& FieldsOfVolumes() {
  static const Words* const words =
      new Words{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                "metadata.uid"};
  return *words;
}

const Words& AmountsOfContainers() {
  static const Words* const words =
      new Words{"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  return *words;
}

bool IsIn(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The server's words for a field that pods do not have, or that may not be referred to at all.
bool IsFieldLabel(std::string_view path) {
  return IsIn(FieldsOfEnvironment(), path) || IsIn(FieldsOfVolumes(), path) ||
         path == "spec.restartPolicy" || path == "spec.schedulerName" || path == "status.phase" ||
         path == "spec.hostNetwork" || path == "status.nominatedNodeName";
}

// "metadata.labels['a']": the field and what stands in the brackets.
struct Subscripted {
  std::string_view field, key;
};
std::optional<Subscripted> SplitSubscript(std::string_view path) {
  if (!path.ends_with("']")) return std::nullopt;
  const size_t open = path.find("['");
  if (open == path.npos || open == 0 || open + 2 > path.size() - 2) return std::nullopt;
  return Subscripted{path.substr(0, open), path.substr(open + 2, path.size() - open - 4)};
}

void CheckFieldRef(const Part& ref, const Words& known) {
  if (ref.Text("apiVersion").empty()) return ref.Required("apiVersion");
  const std::string_view path = ref.Text("fieldPath");
  if (path.empty()) return ref.Required("fieldPath");
  if (ref.Text("apiVersion") != "v1") {
    return ref.Invalid(
        "fieldPath", Json(path),
        StrCat("error converting fieldPath: unsupported pod version: ", ref.Text("apiVersion")));
  }
  if (const std::optional<Subscripted> parts = SplitSubscript(path)) {
    if (parts->field == "metadata.annotations") {
      const std::string lower = AsciiStrToLower(parts->key);
      ref.Invalid("", lower, CheckQualifiedName(lower));
    } else if (parts->field == "metadata.labels") {
      ref.Invalid("", parts->key, CheckQualifiedName(parts->key));
    } else {
      ref.Invalid(
          "fieldPath", Json(path),
          StrCat("error converting fieldPath: field label does not support subscript: ", path));
    }
    return;
  }
  if (!IsFieldLabel(path)) {
    return ref.Invalid("fieldPath", Json(path),
                       StrCat("error converting fieldPath: field label not supported: ", path));
  }
  ref.OneOf("fieldPath", path, known);
}

// The units in which an amount may be told.
void CheckDivisor(const Part& ref, std::string_view resource) {
  const Json& given = ref["divisor"];
  if (given.is_null()) return;
  const std::optional<Quantity> divisor = QuantityOf(given);
  if (divisor && divisor->is_zero()) return;
  const std::string text = divisor ? divisor->ToString() : "";
  constexpr std::string_view kBytes =
      "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
      "supported with the ";
  static constexpr std::string_view kUnits[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  const bool bytes = std::find(std::begin(kUnits), std::end(kUnits), text) != std::end(kUnits);
  const std::string_view kind = resource.substr(resource.find('.') + 1);
  if (kind == "cpu") {
    if (text != "1m" && text != "1") {
      ref.Invalid("divisor", Json(resource),
                  "only divisor's values 1m and 1 are supported with the cpu resource");
    }
  } else if (!bytes && (kind == "memory" || kind == "ephemeral-storage" || IsHugePages(kind))) {
    const std::string_view what = kind == "memory"              ? "memory"
                                  : kind == "ephemeral-storage" ? "local ephemeral storage"
                                                                : "hugepages";
    ref.Invalid("divisor", Json(resource), StrCat(kBytes, what, " resource"));
  }
}

void CheckAmountRef(const Part& ref, bool in_volume) {
  const std::string_view resource = ref.Text("resource");
  if (in_volume && ref.Text("containerName").empty()) {
    ref.Required("containerName");
  } else if (resource.empty()) {
    ref.Required("resource");
  } else if (!resource.starts_with("requests.hugepages-") &&
             !resource.starts_with("limits.hugepages-")) {
    ref.OneOf("resource", resource, AmountsOfContainers());
  }
  CheckDivisor(ref, resource);
}

void CheckKeyRef(const Part& ref) {
  const std::string_view name = ref.Text("name");
  ref.Invalid("name", name, CheckDnsSubdomain(name));
  const std::string_view key = ref.Text("key");
  if (key.empty()) return ref.Required("key");
  ref.Invalid("key", key, CheckConfigMapKey(key));
}

void CheckFileRef(const Part& ref) {
  const std::string_view key = ref.Text("key");
  if (key.empty()) ref.Required("key");
  if (!key.empty()) ref.Invalid("key", key, CheckRelaxedEnvVarName(key));
  const std::string_view volume = ref.Text("volumeName");
  if (volume.empty()) ref.Required("volumeName");
  if (!volume.empty()) ref.Invalid("volumeName", volume, CheckDnsLabel(volume));
  if (ref.Text("path").empty()) ref.Required("path");
  CheckLocalPath(ref, "path", ref.Text("path"));
}

void CheckValueFrom(const Part& variable, bool relaxed) {
  variable.Within("valueFrom", [&](const Part& from) {
    int sources = 0;
    for (const std::string_view key :
         {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"}) {
      sources += from.Has(key) ? 1 : 0;
    }
    from.Within("fieldRef", [](const Part& ref) { CheckFieldRef(ref, FieldsOfEnvironment()); });
    from.Within("resourceFieldRef", [](const Part& ref) { CheckAmountRef(ref, false); });
    from.Within("configMapKeyRef", CheckKeyRef);
    from.Within("secretKeyRef", CheckKeyRef);
    if (relaxed && from.Has("fileKeyRef")) {
      ++sources;
      from.Within("fileKeyRef", CheckFileRef);
    }
    if (sources == 0) {
      from.Invalid("", Json(""),
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
                   "`secretKeyRef`");
    } else if (!variable.Text("value").empty()) {
      from.Invalid("", Json(""), "may not be specified when `value` is not empty");
    } else if (sources > 1) {
      from.Invalid("", Json(""), "may not have more than one field specified at a time");
    }
  });
}

std::vector<std::string> CheckVariableName(std::string_view name, bool relaxed) {
  return relaxed ? CheckRelaxedEnvVarName(name) : CheckEnvVarName(name);
}

// The name of a config map or secret; as a prefix of names, it may end in a hyphen.
void CheckSourceName(const Part& source) {
  std::string name(source.Text("name"));
  if (name.empty()) return source.Required("name");
  std::string whole = name;
  if (whole.size() > 1 && whole.ends_with('-')) whole.back() = 'a';
  source.Invalid("name", name, CheckDnsSubdomain(whole));
}

void CheckEnvFrom(const Part& container, bool relaxed) {
  container.ForEach("envFrom", [&](const Part& from, size_t) {
    const std::string_view prefix = from.Text("prefix");
    if (!prefix.empty()) from.Invalid("prefix", prefix, CheckVariableName(prefix, relaxed));
    from.Within("configMapRef", CheckSourceName);
    from.Within("secretRef", CheckSourceName);
    const bool map = from.Has("configMapRef");
    const bool secret = from.Has("secretRef");
    if (!map && !secret) {
      container.Invalid("envFrom", Json(""), "must specify one of: `configMapRef` or `secretRef`");
    } else if (map && secret) {
      container.Invalid("envFrom", Json(""),
                        "may not have more than one field specified at a time");
    }
  });
}

}  // namespace

void CheckEnvironment(const Part& container, bool relaxed) {
  container.ForEach("env", [&](const Part& variable, size_t) {
    const std::string_view name = variable.Text("name");
    if (name.empty()) variable.Required("name");
    if (!name.empty()) variable.Invalid("name", name, CheckVariableName(name, relaxed));
    CheckValueFrom(variable, relaxed);
  });
  CheckEnvFrom(container, relaxed);
}

void CheckDownwardFile(const Part& volume, const Part& file) {
  const std::string_view path = file.Text("path");
  if (path.empty()) volume.Required("path");
  CheckLocalPath(volume, "path", path);
  const Place place = volume.at();
  if (file.Has("fieldRef")) {
    // Kubernetes' paths leave out which of the files it is.
    const Json& ref = file["fieldRef"];
    FieldErrors errors;
    const Place at = place.Field("fieldRef");
    CheckFieldRef(Part(ref, at, errors), FieldsOfVolumes());
    for (FieldError& error : errors) volume.Add(std::move(error));
    if (file.Has("resourceFieldRef")) {
      volume.Invalid("", Json("resource"),
                     "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.Has("resourceFieldRef")) {
    FieldErrors errors;
    const Place at = place.Field("resourceFieldRef");
    CheckAmountRef(Part(file["resourceFieldRef"], at, errors), true);
    for (FieldError& error : errors) volume.Add(std::move(error));
  } else {
    volume.Required("", "one of fieldRef and resourceFieldRef is required");
  }
  CheckFileMode(volume, file, "mode");
}

}  // namespace bth::rules
