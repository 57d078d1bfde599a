// What the server knows about one served resource.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/types/json.h"
#include "apiserver/rest/errors.h"
#include "apiserver/schema/structural.h"
#include "apiserver/store/object.h"

namespace bth::apiserver {

// How an object differs between the served version and storage.
enum class Conversion {
  kNone,        // Stored as served.
  kApiVersion,  // Only apiVersion differs (custom resources with several versions).
  kEvents,      // events.k8s.io fields, stored as core events.
};

// Where the scale subresource finds its numbers, as paths below the object.
struct ScalePaths {
  std::vector<std::string> replicas;
  std::vector<std::string> status_replicas;
  std::vector<std::string> selector;  // A string, or an object with matchLabels; may be empty.
};

// One printed column of a custom resource.
struct PrinterColumn {
  std::string name;
  std::string type;  // "string", "integer", "number", "boolean", "date".
  std::string json_path;
  std::string description;
  std::string format;
  int priority = 0;
};

// Immutable once installed; requests hold it while they run, so that a definition may change
// under them.
struct ResourceType {
  std::string group;  // "" for core.
  std::string version;
  std::string kind;
  std::string list_kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  bool custom = false;        // Defined by a CustomResourceDefinition.
  bool virtual_only = false;  // Answers POST without storing (reviews, bindings).
  bool has_status = false;
  bool has_generation = false;
  std::optional<ScalePaths> scale;
  std::string collection;  // Its name in the store; two resources may share one.
  std::string storage_api_version;
  Conversion conversion = Conversion::kNone;
  std::vector<SelectableField> fields;
  std::vector<PrinterColumn> columns;
  Json schema;                     // Of a custom resource: its openAPIV3Schema, else null.
  StructuralSchemaPtr structural;  // `schema` compiled; null for built-in resources.
  std::shared_ptr<const Json> storage_schema;  // The text of the storage version's.
  StructuralSchemaPtr stored_as;  // That of the storage version where it differs, else null.

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  Subject Named(std::string name) const { return {group, plural, kind, std::move(name)}; }
};
using ResourceTypePtr = std::shared_ptr<const ResourceType>;

}  // namespace bth::apiserver
