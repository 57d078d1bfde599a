// One stored object: its serialised JSON and the small index that lists and watches need.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "api/types/sorted_map.h"

namespace bth::apiserver {

using types::Json;

// Cluster-scoped objects have an empty namespace. The order is that of lists and of paging.
struct ObjectKey {
  std::string ns;
  std::string name;
  auto operator<=>(const ObjectKey&) const = default;
};

// A field that field selectors may name besides metadata.name and metadata.namespace.
struct SelectableField {
  std::string name;               // As written in the selector.
  std::vector<std::string> path;  // Where it stands in the object.
  std::string fallback;           // Its value when absent.

  bool operator==(const SelectableField&) const = default;
};

// The finalizers by which a deletion says what becomes of the dependents first.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// One entry of metadata.ownerReferences.
struct OwnerReference {
  std::string uid;
  std::string api_version;
  std::string kind;
  std::string name;
  bool blocks = false;  // blockOwnerDeletion: a foreground deletion waits for this dependent.
  bool operator==(const OwnerReference&) const = default;
};

// Never changes once made; shared by the collection, its history and the watchers' queues.
struct StoredObject {
  ObjectKey key;
  std::string uid;
  int64_t revision = 0;
  types::LabelMap labels;
  std::vector<std::string> fields;  // One value per SelectableField of the collection, in order.
  std::string bytes;                // Compact JSON, complete with kind and apiVersion.
  std::vector<OwnerReference> owners;
  bool deleting = false;
  // Only while deleting: what the finalizers above ask for. An object never has both.
  bool awaits_dependents = false;
  bool orphans_dependents = false;
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

// Indexes `object`, whose metadata must already be final, and serialises it.
ObjectPtr MakeStored(const Json& object, const std::vector<SelectableField>& fields);
// Parses stored bytes back. They were written by us, so failing is a broken invariant.
Json ParseStored(const StoredObject& object);
// A copy of `object` whose resourceVersion is `revision`.
ObjectPtr WithRevision(const StoredObject& object, int64_t revision);

}  // namespace bth::apiserver
