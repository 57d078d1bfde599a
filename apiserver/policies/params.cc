#include "apiserver/policies/params.h"

#include <string>
#include <utility>

#include "apiserver/rest/output.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using Params = std::vector<std::shared_ptr<const Json>>;

ResourceTypePtr TypeOf(const Core& core, const ParamKind& kind) {
  const size_t slash = kind.api_version.find('/');
  const bool has_group = slash != std::string::npos;
  const std::string group = has_group ? kind.api_version.substr(0, slash) : "";
  const std::string version = has_group ? kind.api_version.substr(slash + 1) : kind.api_version;
  for (const ResourceTypePtr& type : core.registry.Resources(group, version)) {
    if (type->kind == kind.kind && !type->virtual_only) return type;
  }
  return nullptr;
}

std::shared_ptr<const Json> ReadParam(const ResourceType& type, const StoredObject& stored) {
  auto json = std::make_shared<Json>(ParseStored(stored));
  FromStorage(type, *json);
  return json;
}

absl::StatusOr<std::string> NamespaceOfParams(const ResourceType& type, const ParamRef& ref,
                                              const Target& target) {
  if (!type.namespaced) {
    if (ref.ns.empty()) return "";
    return absl::InvalidArgumentError(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (!ref.ns.empty()) return ref.ns;
  if (target.ns.empty()) {
    return absl::InvalidArgumentError(
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  }
  return std::string(target.ns);
}

}  // namespace

absl::StatusOr<Params> ParamsOf(const Core& core, const Policy& policy,
                                const PolicyBinding& binding, const Target& target) {
  if (!policy.param_kind.has_value() || !binding.params.has_value()) return Params{nullptr};
  const ParamRef& ref = *binding.params;
  const ResourceTypePtr type = TypeOf(core, *policy.param_kind);
  if (type == nullptr) {
    return absl::NotFoundError(StrCat("failed to find resource referenced by paramKind: '",
                                      policy.param_kind->api_version,
                                      ", Kind=", policy.param_kind->kind, "'"));
  }
  const absl::StatusOr<std::string> ns = NamespaceOfParams(*type, ref, target);
  if (!ns.ok()) return ns.status();
  const Collection* collection = core.store->Find(type->collection);
  Params params;
  if (!ref.name.empty()) {
    const ObjectPtr stored = collection == nullptr ? nullptr : collection->Get({*ns, ref.name});
    if (stored != nullptr) params.push_back(ReadParam(*type, *stored));
  } else if (ref.selector.has_value() && collection != nullptr) {
    for (const ObjectPtr& stored : collection->All(*ns)) {
      if (ref.selector->Matches(stored->labels)) params.push_back(ReadParam(*type, *stored));
    }
  }
  if (params.empty() && ref.denies_when_absent) {
    return absl::NotFoundError(
        "no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

}  // namespace bth::apiserver
