#include "admission/rules/resource_names.h"

#include <algorithm>

#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kWholeNames[] = {"pods",
                                            "resourcequotas",
                                            "services",
                                            "replicationcontrollers",
                                            "secrets",
                                            "configmaps",
                                            "persistentvolumeclaims",
                                            "services.nodeports",
                                            "services.loadbalancers"};

}  // namespace

bool IsExtendedResource(std::string_view name) {
  if (!StrContains(name, "/") || StrContains(name, "kubernetes.io/")) return false;
  if (name.starts_with("requests.")) return false;
  // Quotas count it under this name, which therefore has to be one.
  return rules::CheckQualifiedName(StrCat("requests.", name)).empty();
}

bool IsWholeResource(std::string_view name) {
  return std::find(std::begin(kWholeNames), std::end(kWholeNames), name) != std::end(kWholeNames) ||
         IsExtendedResource(name);
}

bool IsScalarResource(std::string_view name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         StrContains(name, "kubernetes.io/") || IsExtendedResource(name);
}

}  // namespace bth::admission
