#include "apiserver/patch/merge_rules.h"

#include <algorithm>
#include <string_view>

#include "apiserver/schema/list_rules.h"

namespace bth::apiserver {
namespace {

// Selectors, and references to keys and fields: half of one means something else.
constexpr std::string_view kAtomicNames[] = {
    "selector",         "nodeSelector",  "labelSelector",   "namespaceSelector",
    "podSelector",      "fieldRef",      "configMapKeyRef", "secretKeyRef",
    "resourceFieldRef", "scopeSelector", "dataSource"};

bool IsMetadata(const std::vector<std::string>& path) {
  return !path.empty() && path.front() == "metadata";
}

}  // namespace

MergeRule MergeRules::List(const std::vector<std::string>& path) const {
  if (type_.structural == nullptr || IsMetadata(path)) {
    return RuleAt(type_.group, type_.kind, path);
  }
  return RuleOfSchema(*type_.structural, path);
}

bool MergeRules::IsAtomicObject(const std::vector<std::string>& path) const {
  if (path.size() < 2 || IsMetadata(path)) return false;
  if (type_.structural != nullptr) return apiserver::IsAtomicObject(*type_.structural, path);
  if (type_.custom || (path.front() != "spec" && path.front() != "template")) return false;
  if (path.back() == "requiredDuringSchedulingIgnoredDuringExecution") {
    return path[path.size() - 2] == "nodeAffinity";
  }
  return std::find(std::begin(kAtomicNames), std::end(kAtomicNames), path.back()) !=
         std::end(kAtomicNames);
}

}  // namespace bth::apiserver
