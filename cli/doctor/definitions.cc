#include "cli/doctor/definitions.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr char kApply[] = "kubectl apply --server-side --force-conflicts -f deploy/crds";
constexpr size_t kFieldsTold = 3;

const Json& VersionNamed(const Json& definition, std::string_view name) {
  static const Json kNone;
  for (const Json& version : definition.At({"spec", "versions"}).items()) {
    if (version["name"].AsString() == name) return version;
  }
  return kNone;
}

// Paths of fields that `wanted` knows and `installed` would drop. Depth: that of our own schemas.
void CollectMissing(const Json& wanted, const Json& installed, const std::string& path,
                    std::vector<std::string>* missing) {
  if (installed["x-kubernetes-preserve-unknown-fields"].AsBool()) return;
  for (const auto& [name, schema] : wanted["properties"].members()) {
    const std::string here = StrCat(path, ".", name);
    if (const Json* theirs = installed["properties"].Find(name)) {
      CollectMissing(schema, *theirs, here, missing);
    } else if (!installed["additionalProperties"].is_object()) {
      missing->push_back(here);
    }
  }
  if (wanted["items"].is_object()) {
    CollectMissing(wanted["items"], installed["items"], path + "[]", missing);
  }
  if (wanted["additionalProperties"].is_object() && installed["additionalProperties"].is_object()) {
    CollectMissing(wanted["additionalProperties"], installed["additionalProperties"], path + "{}",
                   missing);
  }
}

std::string StorageVersion(const Json& definition) {
  for (const Json& version : definition.At({"spec", "versions"}).items()) {
    if (version["storage"].AsBool()) return std::string(version["name"].AsString());
  }
  return "";
}

bool IsEstablished(const Json& definition) {
  for (const Json& condition : definition.At({"status", "conditions"}).items()) {
    if (condition["type"].AsString() == "Established") {
      return condition["status"].AsString() == "True";
    }
  }
  return false;
}

void CheckVersion(const Json& wanted, const Json& installed, const std::string& name,
                  const PointsOf& points) {
  const std::string version(wanted["name"].AsString());
  const Json& theirs = VersionNamed(installed, version);
  if (!theirs["served"].AsBool()) {
    points.Fault(name, StrCat("version ", version, " is not served"), kApply);
    return;
  }
  const bool wants_status = wanted.At({"subresources", "status"}).is_object();
  if (wants_status != theirs.At({"subresources", "status"}).is_object()) {
    points.Fault(name,
                 StrCat(version, wants_status ? " lacks the subresource status: statuses cannot be "
                                                "written"
                                              : " has a subresource status: what is written of "
                                                "statuses with the object is dropped"),
                 kApply);
    return;
  }
  std::vector<std::string> missing;
  CollectMissing(wanted.At({"schema", "openAPIV3Schema"}), theirs.At({"schema", "openAPIV3Schema"}),
                 "", &missing);
  if (!missing.empty()) {
    const size_t count = missing.size();
    missing.resize(std::min(count, kFieldsTold));
    points.Warning(name,
                   StrCat(version, " does not know ", count, count == 1 ? " field" : " fields",
                          " and drops what is written there: ", absl::StrJoin(missing, ", "),
                          count > kFieldsTold ? ", …" : ""),
                   kApply);
    return;
  }
  const std::string storage = StorageVersion(installed);
  if (wanted["storage"].AsBool() && storage != version) {
    points.Warning(name, StrCat("stored as ", storage, ", not as ", version), kApply);
    return;
  }
  points.Ok(name, StrCat(version, " is served"));
}

}  // namespace

void CheckDefinitions(const ObjectsRead& installed, const std::vector<Json>& wanted,
                      std::vector<Point>* points) {
  const PointsOf area("definitions", points);
  if (!installed.is_read()) return area.NotChecked("all", installed.unread);
  std::map<std::string_view, const Json*> by_name;
  for (const Json& definition : installed.items) by_name[NameIn(definition)] = &definition;
  for (const Json& definition : wanted) {
    const std::string name(NameIn(definition));
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      area.Fault(name, "is not there", kApply);
      continue;
    }
    if (!IsEstablished(*found->second)) {
      area.Fault(name, "is not established: the API server does not serve it",
                 StrCat("kubectl describe crd ", name, " tells why"));
      continue;
    }
    for (const Json& version : definition.At({"spec", "versions"}).items()) {
      CheckVersion(version, *found->second, name, area);
    }
  }
}

}  // namespace bth::cli
