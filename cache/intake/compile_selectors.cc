#include "cache/intake/compile_selectors.h"

#include <algorithm>
#include <optional>

#include "api/types/resource.h"
#include "base/strings.h"
#include "cache/intake/compile.h"

namespace bth::cache {
namespace {

Labels PairsOf(const types::LabelMap& map) {
  Labels pairs;
  for (const auto& [key, value] : map) pairs.emplace_back(key, value);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <typename T>
std::string KeyOfWorkload(const T& object) {
  return WorkloadKey(types::ResourceTraits<T>::type().kind, object.meta.ns, object.meta.name);
}

// A selector that is absent or cannot be parsed adds nothing.
template <typename T>
CompiledWorkload CompileSet(const T& set) {
  CompiledWorkload out{.ns = set.meta.ns, .key = KeyOfWorkload(set)};
  if (set.selector && set.selector->Check().ok()) out.selector = CompileSelector(*set.selector);
  return out;
}

}  // namespace

CompiledService Compile(const types::Service& service) {
  return {
      .ns = service.meta.ns, .name = service.meta.name, .selector = PairsOf(service.spec.selector)};
}

CompiledWorkload Compile(const types::ReplicationController& controller) {
  CompiledWorkload out{.ns = controller.meta.ns, .key = KeyOfWorkload(controller)};
  out.pairs = PairsOf(controller.selector);
  return out;
}

CompiledWorkload Compile(const types::ReplicaSet& set) {
  return CompileSet(set);
}

CompiledWorkload Compile(const types::StatefulSet& set) {
  return CompileSet(set);
}

std::string WorkloadKey(std::string_view kind, std::string_view ns, std::string_view name) {
  return StrCat(kind, " ", ns, "/", name);
}

std::string WorkloadThatManages(const types::ObjectMeta& meta) {
  const types::OwnerReference* owner = meta.Controller();
  if (owner == nullptr) return "";
  const bool is_set = owner->kind == "ReplicaSet" || owner->kind == "StatefulSet";
  const bool spreads = is_set
                           ? owner->api_version == "apps/v1"
                           : owner->kind == "ReplicationController" && owner->api_version == "v1";
  return spreads ? WorkloadKey(owner->kind, meta.ns, owner->name) : "";
}

}  // namespace bth::cache
