// The fieldPath of rules: a path of properties such as .spec['my-field'].count.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

// The path as errors name fields ("spec.my-field.count"; keys of maps in brackets). Errors
// (kInvalidArgument): it is malformed, or there is no such field below `node`.
absl::StatusOr<std::string> NormalFieldPath(std::string_view path, const SchemaNode& node);

}  // namespace bth::apiserver
