// Tables (meta.k8s.io/v1) with the columns that kubectl users know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/registry/resource_type.h"

namespace bth::apiserver {

// The columnDefinitions of a resource.
Json TableColumns(const ResourceType& type);
// The cells of one object, as many as there are columns. `object` is as served.
Json::Array TableCells(const ResourceType& type, const Json& object, absl::Time now);

// "5d3h", "2m10s", "<invalid>": time since a stamp, as kubectl writes it.
std::string AgeText(std::string_view stamp, absl::Time now);
std::string DurationText(absl::Duration span);

// A value found by the simple JSONPath of printer columns (".a.b[0].c", ".a[?(@.type=="X")].b",
// "['a.b/c']"); null when absent or the path cannot be read.
Json EvaluateJsonPath(const Json& object, std::string_view path);

}  // namespace bth::apiserver
