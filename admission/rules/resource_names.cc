#include "admission/rules/resource_names.h"

#include <algorithm>

#include "api/rules/quantities.h"
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

bool IsWholeResource(std::string_view name) {
  return std::find(std::begin(kWholeNames), std::end(kWholeNames), name) != std::end(kWholeNames) ||
         rules::IsExtendedResource(name);
}

bool IsScalarResource(std::string_view name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         StrContains(name, "kubernetes.io/") || rules::IsExtendedResource(name);
}

}  // namespace bth::admission
