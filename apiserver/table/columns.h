// The columns of the built-in kinds: name, type, and how a cell is made.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

struct Column {
  std::string_view name;
  std::string_view type = "string";  // "string", "integer".
  int priority = 0;                  // 1: shown by `-o wide` only.
  Json (*cell)(const Json& object, absl::Time now) = nullptr;
};

// Empty for kinds that show name and age alone.
std::span<const Column> ColumnsOf(std::string_view group, std::string_view kind);

// table/pod_columns.cc, table/workload_columns.cc, table/storage_columns.cc
std::span<const Column> PodColumns();
std::span<const Column> WorkloadColumns(std::string_view kind);
std::span<const Column> StorageColumns(std::string_view kind);
// table/admission_columns.cc
std::span<const Column> AdmissionColumns(std::string_view kind);

// Cells that many kinds share.
Json NameCell(const Json& object, absl::Time now);
Json AgeCell(const Json& object, absl::Time now);
// The text, or `absent` when it is empty.
Json TextOr(std::string_view text, std::string_view absent);
// "a=b,c=d", "<none>" when empty.
std::string LabelText(const Json& labels);

}  // namespace bth::apiserver
