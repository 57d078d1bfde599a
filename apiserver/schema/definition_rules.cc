#include "apiserver/schema/definition_rules.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/rules/names.h"
#include "apiserver/schema/structural_rules.h"
#include "apiserver/schema/version_rules.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

constexpr char kApproval[] = "api-approved.kubernetes.io";

void CheckName(const Json& name, const std::string& field, Causes& causes) {
  if (name.AsString().empty()) {
    causes.push_back(FieldRequired(field));
  } else if (const auto faults = rules::CheckDns1035Label(name.AsString()); !faults.empty()) {
    causes.push_back(FieldInvalid(field, name, absl::StrJoin(faults, ",")));
  }
}

void CheckKind(const Json& name, const std::string& field, Causes& causes) {
  if (name.AsString().empty()) {
    causes.push_back(FieldRequired(field));
    return;
  }
  const auto faults = rules::CheckDns1035Label(AsciiStrToLower(name.AsString()));
  if (!faults.empty()) {
    causes.push_back(FieldInvalid(
        field, name,
        StrCat("may have mixed case, but should otherwise match: ", absl::StrJoin(faults, ","))));
  }
}

void CheckNames(const Json& names, Causes& causes) {
  CheckName(names["plural"], "spec.names.plural", causes);
  CheckName(names["singular"], "spec.names.singular", causes);
  CheckKind(names["kind"], "spec.names.kind", causes);
  CheckKind(names["listKind"], "spec.names.listKind", causes);
  for (const char* list : {"shortNames", "categories"}) {
    for (size_t i = 0; i < names[list].size(); ++i) {
      CheckName(names[list][i], StrCat("spec.names.", list, "[", i, "]"), causes);
    }
  }
  const std::string_view kind = names["kind"].AsString();
  if (!kind.empty() && kind == names["listKind"].AsString()) {
    causes.push_back(
        FieldInvalid("spec.names.listKind", kind, "kind and listKind may not be the same"));
  }
}

void CheckGroup(const Json& definition, Causes& causes) {
  const std::string group(definition["spec"]["group"].AsString());
  if (group.empty()) {
    causes.push_back(FieldRequired("spec.group"));
  } else if (const auto faults = rules::CheckDnsSubdomain(group); !faults.empty()) {
    causes.push_back(FieldInvalid("spec.group", group, absl::StrJoin(faults, ",")));
  } else if (group.find('.') == group.npos) {
    causes.push_back(FieldInvalid("spec.group", group, "should be a domain with at least one dot"));
  }
  const bool guarded = group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
  if (guarded && definition["metadata"]["annotations"][kApproval].AsString().empty()) {
    causes.push_back(FieldRequired(
        StrCat("metadata.annotations[", kApproval, "]"),
        StrCat("protected groups must have approval annotation \"", kApproval, "\"")));
  }
}

void CheckSpec(const Json& definition, Causes& causes) {
  const Json& spec = definition["spec"];
  const std::string wanted =
      StrCat(spec["names"]["plural"].AsString(), ".", spec["group"].AsString());
  if (definition["metadata"]["name"].AsString() != wanted) {
    causes.push_back(FieldInvalid("metadata.name", definition["metadata"]["name"],
                                  "must be spec.names.plural+\".\"+spec.group"));
  }
  CheckGroup(definition, causes);
  const std::string_view scope = spec["scope"].AsString();
  if (scope.empty()) {
    causes.push_back(FieldRequired("spec.scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    causes.push_back(FieldNotSupported("spec.scope", scope, R"("Cluster", "Namespaced")"));
  }
  CheckNames(spec["names"], causes);
  const Json& strategy = spec["conversion"]["strategy"];
  if (!strategy.is_null() && strategy.AsString() != "None") {
    // The real server also knows webhooks that convert.
    causes.push_back(FieldNotSupported("spec.conversion.strategy", strategy, R"("None")"));
  }
  if (spec["preserveUnknownFields"].AsBool()) {
    causes.push_back(FieldInvalid("spec.preserveUnknownFields", true,
                                  "cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                  "to true in spec.versions[*].schema instead"));
  }
}

void CheckVersionNames(const Json& versions, Causes& causes) {
  Json::Array list;  // What is wrong concerns names and flags, not schemas.
  std::set<std::string> names;
  Json::Array stored;
  for (size_t i = 0; i < versions.size(); ++i) {
    const Json& version = versions[i];
    CheckName(version["name"], StrCat("spec.versions[", i, "].name"), causes);
    // The first version has this older name too.
    if (i == 0) CheckName(version["name"], "spec.version", causes);
    names.emplace(version["name"].AsString());
    if (version["storage"].AsBool()) stored.push_back(version["name"]);
    list.push_back(Json::MakeObject({{"name", version["name"]},
                                     {"served", version["served"]},
                                     {"storage", version["storage"]}}));
  }
  if (names.size() != versions.size()) {
    causes.push_back(
        FieldInvalid("spec.versions", Json(list), "must contain unique version names"));
  }
  if (stored.size() == 1) return;
  causes.push_back(FieldInvalid("spec.versions", Json(list),
                                "must have exactly one version marked as storage version"));
  if (stored.empty()) {
    causes.push_back(
        FieldInvalid("status.storedVersions", {}, "must have at least one stored version"));
    return;
  }
  causes.push_back(
      FieldInvalid("status.storedVersions", Json(Json::Array{stored.front()}),
                   StrCat("must have the storage version ", stored.back().AsString())));
}

// Versions in which objects may still be stored must stay.
void CheckStoredVersions(const Json& definition, Causes& causes) {
  const Json& stored = definition["status"]["storedVersions"];
  const Json::Array& versions = definition["spec"]["versions"].items();
  for (size_t i = 0; i < stored.size(); ++i) {
    if (std::any_of(versions.begin(), versions.end(),
                    [&](const Json& version) { return version["name"] == stored[i]; })) {
      continue;
    }
    const std::string name(stored[i].AsString());
    causes.push_back(FieldInvalid(
        StrCat("status.storedVersions[", i, "]"), stored[i],
        StrCat("missing from spec.versions; ", name,
               " was previously a storage version, and must remain in spec.versions until a "
               "storage migration ensures no data remains persisted in ",
               name, " and removes ", name, " from status.storedVersions")));
  }
}

void CheckImmutable(const Json& definition, const Json& old, Causes& causes) {
  auto keep = [&](std::initializer_list<std::string_view> path, const char* field) {
    if (!(definition.At(path) == old.At(path))) {
      causes.push_back(FieldInvalid(field, definition.At(path), "field is immutable"));
    }
  };
  keep({"spec", "group"}, "spec.group");
  keep({"spec", "names", "plural"}, "spec.names.plural");
  if (!IsEstablished(old)) return;
  keep({"spec", "scope"}, "spec.scope");
  keep({"spec", "names", "kind"}, "spec.names.kind");
}

}  // namespace

absl::Status CheckDefinitionKeywords(const Json& definition) {
  for (const Json& version : definition["spec"]["versions"].items()) {
    const Json& schema = version["schema"]["openAPIV3Schema"];
    if (!schema.is_null()) BTH_RETURN_IF_ERROR(CheckKeywords(schema));
  }
  return absl::OkStatus();
}

std::vector<Cause> CheckDefinition(const Json& definition, const Json* old) {
  Causes causes;
  CheckSpec(definition, causes);
  CheckVersionNames(definition["spec"]["versions"], causes);
  CheckVersions(definition["spec"]["versions"], causes);
  if (old != nullptr) {
    CheckImmutable(definition, *old, causes);
    CheckStoredVersions(definition, causes);
  }
  return causes;
}

std::vector<std::string> DefinitionWarnings(const Json& definition) {
  std::set<std::string> warnings;
  for (const Json& version : definition["spec"]["versions"].items()) {
    for (std::string& text : SchemaWarnings(version["schema"]["openAPIV3Schema"])) {
      warnings.insert(std::move(text));
    }
  }
  return {warnings.begin(), warnings.end()};
}

bool IsEstablished(const Json& definition) {
  const Json::Array& conditions = definition["status"]["conditions"].items();
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    return condition["type"].AsString() == "Established" &&
           condition["status"].AsString() == "True";
  });
}

}  // namespace bth::apiserver
