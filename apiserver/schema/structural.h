// A structural schema (openAPIV3Schema of a custom resource) in the form that writes use.
//
// It is compiled once per version of a definition and then only read: patterns are ready, names
// are sorted, and what occurs nowhere costs nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace bth::apiserver {

using types::Json;

// Bits of SchemaNode::types.
enum TypeBit : uint8_t {
  kTypeObject = 1,
  kTypeArray = 2,
  kTypeString = 4,
  kTypeInteger = 8,
  kTypeNumber = 16,
  kTypeBoolean = 32,
};

// How the items of a list are told apart.
enum class ListKind : uint8_t { kAtomic, kSet, kMap };

// Bounds that most nodes do not have.
struct SchemaBounds {
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<int64_t> length_min, length_max;
  std::optional<int64_t> items_min, items_max;
  std::optional<int64_t> properties_min, properties_max;
  std::string pattern;
  std::shared_ptr<const re2::RE2> compiled;  // Null without a pattern.
  std::vector<Json> allowed;                 // enum; empty: anything.
};

// One of x-kubernetes-validations, as written; empty texts are absent.
struct SchemaRule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;
  std::string field_path;
  std::optional<bool> optional_old_self;
};

struct SchemaNode;
using SchemaNodePtr = std::unique_ptr<const SchemaNode>;

struct SchemaProperty {
  std::string name;
  SchemaNodePtr node;
};

// allOf, anyOf, oneOf and not.
struct SchemaJunctors {
  std::vector<SchemaNodePtr> all, any, one;
  SchemaNodePtr none;
};

struct SchemaNode {
  uint8_t types = 0;  // Of TypeBit; 0: any type.
  bool nullable = false;
  bool preserves_unknown = false;
  bool embedded = false;        // A whole object with apiVersion, kind and metadata of its own.
  bool has_additional = false;  // additionalProperties is there; `additional` may be null still.
  bool forbids_additional = false;
  bool atomic_object = false;  // x-kubernetes-map-type: atomic.
  ListKind list = ListKind::kAtomic;
  std::string type_text;  // "integer,string": the types in the words of messages.
  std::string format;
  std::vector<SchemaProperty> properties;  // Sorted by name.
  std::vector<uint32_t> defaulted;         // Those of them that have a default.
  std::vector<std::string> required;
  std::vector<std::string> keys;  // Of a list of kind kMap.
  SchemaNodePtr additional;
  SchemaNodePtr items;
  std::unique_ptr<const SchemaBounds> bounds;      // May be null.
  std::unique_ptr<const SchemaJunctors> junctors;  // May be null.
  std::optional<Json> fallback;                    // The default.
  std::vector<SchemaRule> rules;

  // Null when not listed.
  const SchemaNode* Property(std::string_view name) const;
};

struct RuleNode;

// Immutable; shared by the requests that use it.
class StructuralSchema {
 public:
  // Errors: a pattern cannot be read or the text is not a schema; the rest is CheckStructural's
  // duty (schema/structural_rules.h). Cost: once per version of a definition.
  static absl::StatusOr<std::shared_ptr<const StructuralSchema>> Compile(const Json& schema);

  const SchemaNode& root() const { return *root_; }
  // Whether objects are embedded anywhere.
  bool has_embedded() const { return has_embedded_; }
  // The programs of its x-kubernetes-validations; null without any.
  const RuleNode* rules() const { return rules_.get(); }

 private:
  StructuralSchema() = default;

  SchemaNodePtr root_;
  bool has_embedded_ = false;
  std::shared_ptr<const RuleNode> rules_;  // Of root_.
};
using StructuralSchemaPtr = std::shared_ptr<const StructuralSchema>;

// Compiles one node, such as the owner of a default that is to be checked.
absl::StatusOr<SchemaNodePtr> CompileNode(const Json& schema);

}  // namespace bth::apiserver
