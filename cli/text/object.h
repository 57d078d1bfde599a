// What every Kubernetes object has, read from its JSON. Pure functions; texts live as long as the
// object.
#pragma once

#include <string_view>

#include "api/types/json.h"

namespace bth::cli {

inline std::string_view NameIn(const types::Json& object) {
  return object.At({"metadata", "name"}).AsString();
}
inline std::string_view NamespaceIn(const types::Json& object) {
  return object.At({"metadata", "namespace"}).AsString();
}
inline std::string_view CreatedIn(const types::Json& object) {
  return object.At({"metadata", "creationTimestamp"}).AsString();
}
inline std::string_view LabelIn(const types::Json& object, std::string_view key) {
  return object.At({"metadata", "labels", key}).AsString();
}
inline std::string_view AnnotationIn(const types::Json& object, std::string_view key) {
  return object.At({"metadata", "annotations", key}).AsString();
}

}  // namespace bth::cli
