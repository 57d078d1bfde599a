#include "apiserver/rest/propagation.h"

#include <string_view>
#include <utility>

namespace bth::apiserver {
namespace {

// Nothing can be owned by them.
bool HasDependents(const ResourceType& type) {
  return type.collection != "events";
}

// The finalizer that the deletion needs; empty: none.
std::string_view WantedPolicy(const ResourceType& type, const DeleteOptions& options,
                              const Json& finalizers) {
  if (!HasDependents(type)) return {};
  if (options.propagation == "Orphan") return kOrphanFinalizer;
  // A namespace takes its objects along, so it never waits for some of them.
  if (options.propagation == "Foreground") {
    return type.collection == "namespaces" ? std::string_view() : kForegroundFinalizer;
  }
  if (options.propagation == "Background") return {};
  for (const Json& finalizer : finalizers.items()) {
    if (finalizer.AsString() == kOrphanFinalizer) return kOrphanFinalizer;
    if (finalizer.AsString() == kForegroundFinalizer) return kForegroundFinalizer;
  }
  return OrphansByDefault(type) ? kOrphanFinalizer : std::string_view();
}

}  // namespace

bool OrphansByDefault(const ResourceType& type) {
  // These are as old as the collector and keep what was before it.
  return type.collection == "jobs.batch" || type.collection == "replicationcontrollers";
}

bool SetPropagation(const ResourceType& type, const DeleteOptions& options, Json& object) {
  const Json& present = std::as_const(object)["metadata"]["finalizers"];
  const std::string_view wanted = WantedPolicy(type, options, present);
  Json::Array next;
  bool had = false;
  for (const Json& finalizer : present.items()) {
    const std::string_view name = finalizer.AsString();
    const bool ours = name == kForegroundFinalizer || name == kOrphanFinalizer;
    had |= ours && name == wanted;
    if (!ours || name == wanted) next.push_back(finalizer);
  }
  if (!wanted.empty() && !had) next.emplace_back(wanted);
  if (next.size() == present.size() && (wanted.empty() || had)) return false;
  if (next.empty()) {
    object["metadata"].Erase("finalizers");
  } else {
    object["metadata"].Set("finalizers", Json(std::move(next)));
  }
  return true;
}

}  // namespace bth::apiserver
