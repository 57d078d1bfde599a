// Writes structs by their field tables. Private to this folder's .cc files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/type_ops.h"

namespace bth::types {

// Appends the members of an object without its brackets, each with a comma before it; `first`
// leaves out the first comma.
void AppendFields(const TypeOps& ops, const void* object, bool first, std::string* out);

// Appends any value.
void AppendValue(const TypeOps& ops, const void* value, std::string* out);

// Appends the paths of all scalar fields below `ops`.
void AppendFieldPaths(const TypeOps& ops, std::string_view prefix, std::vector<std::string>* paths);

}  // namespace bth::types
