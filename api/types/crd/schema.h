// Structural schemas from field tables and docs. Private to this folder's .cc files.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/crd/kind_docs.h"
#include "api/types/json.h"
#include "api/types/type_ops.h"

namespace bth::types::crd {

// For one kind. Remembers which docs were used.
class SchemaWriter {
 public:
  // The schema of a whole object of the kind.
  absl::StatusOr<Json> Write(const KindDoc& kind);

 private:
  // What is said about a value: the table about an object around it, and the path from there.
  struct Place {
    const FieldDocs* docs;
    std::string path;
  };

  absl::StatusOr<Json> Value(const TypeOps& ops, const FieldDoc& doc, const Place& place);
  absl::StatusOr<Json> Element(const TypeOps& ops, const Place& place, std::string_view brackets);
  absl::Status Fields(const FieldTable& table, const Place& place, Json* schema);
  const FieldDoc* Find(const FieldDocs& docs, std::string_view path);
  absl::Status CheckAllUsed() const;

  std::set<const FieldDocs*> tables_;
  std::set<const FieldDoc*> used_;
};

}  // namespace bth::types::crd
