// Kinds of the API: their names and URL paths.
#pragma once

#include <string>
#include <string_view>

namespace bth::types {

// A plain value, so that kinds that are only known at run time (CRDs) are named the same way.
struct ResourceType {
  std::string group;  // empty for the core group
  std::string version;
  std::string plural;
  std::string kind;
  bool namespaced = true;

  // "v1" or "batch/v1": the apiVersion of its objects.
  std::string ApiVersion() const;
  // "/api/v1/namespaces/ns/pods/name/status". An empty namespace spans all namespaces (lists), an
  // empty name is the collection. Names are percent-encoded. The namespace of a cluster-scoped kind
  // is ignored.
  std::string Path(std::string_view ns = {}, std::string_view name = {},
                   std::string_view subresource = {}) const;
  // "pods", "podgroups.scheduling.volcano.sh": for messages, RBAC and CRD names.
  std::string FullName() const;
  bool operator==(const ResourceType&) const = default;
};

// The kind that a struct of this folder stands for; defined beside its field table.
template <class T>
struct ResourceTraits {
  static const ResourceType& type();
};

}  // namespace bth::types
