// Parts of objects as JSON: the status for a status write, metadata for an object that is otherwise
// put together as a Json. Pure functions, any thread.
//
// Works for each struct of this folder that has a field table: ObjectMeta, OwnerReference,
// BatchJobStatus, PodGroupSpec ... Whole objects go through codec.h, which adds apiVersion and
// kind.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "base/status.h"

namespace bth::types {

struct TypeOps;  // The field tables; private to this folder.
template <class T>
const TypeOps& OpsOf();

namespace fragment_internal {
std::string EncodeText(const TypeOps& ops, const void* value);
Json ToTree(const TypeOps& ops, const void* value);
absl::Status FromTree(const TypeOps& ops, const Json& json, void* value);
}  // namespace fragment_internal

// The JSON text of a part: empty fields are left out, as in Encode.
template <class T>
std::string EncodeFragment(const T& value) {
  return fragment_internal::EncodeText(OpsOf<T>(), &value);
}

// The same as a tree.
template <class T>
Json FragmentToJson(const T& value) {
  return fragment_internal::ToTree(OpsOf<T>(), &value);
}

// Reads a part. Unknown fields are skipped; errors name the path inside of the part.
template <class T>
absl::StatusOr<T> FragmentFromJson(const Json& json) {
  T value;
  BTH_RETURN_IF_ERROR(fragment_internal::FromTree(OpsOf<T>(), json, &value));
  return value;
}

}  // namespace bth::types
