#include "apiserver/schema/structural.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/schema/coerce.h"
#include "apiserver/schema/rule_programs.h"
#include "base/status.h"
#include "base/strings.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

// Memory that one pattern may take.
constexpr int64_t kPatternBytesMax = int64_t{1} << 20;

uint8_t TypeBit(std::string_view name) {
  if (name == "object") return kTypeObject;
  if (name == "array") return kTypeArray;
  if (name == "string") return kTypeString;
  if (name == "integer") return kTypeInteger;
  if (name == "number") return kTypeNumber;
  return name == "boolean" ? kTypeBoolean : 0;
}

std::optional<double> Number(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.AsDouble();
}

std::optional<int64_t> Whole(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.is_int() ? value.AsInt() : static_cast<int64_t>(value.AsDouble());
}

class Compiler {
 public:
  absl::StatusOr<std::unique_ptr<SchemaNode>> Node(const Json& schema) {
    auto node = std::make_unique<SchemaNode>();
    ReadKind(schema, *node);
    for (const Json& name : schema["required"].items()) {
      node->required.emplace_back(name.AsString());
    }
    for (const Json& key : schema["x-kubernetes-list-map-keys"].items()) {
      node->keys.emplace_back(key.AsString());
    }
    BTH_RETURN_IF_ERROR(ReadChildren(schema, *node));
    BTH_RETURN_IF_ERROR(ReadBounds(schema, *node));
    BTH_RETURN_IF_ERROR(ReadJunctors(schema, *node));
    for (size_t i = 0; i < node->properties.size(); ++i) {
      if (node->properties[i].node->fallback.has_value()) {
        node->defaulted.push_back(static_cast<uint32_t>(i));
      }
    }
    // Defaults inside of the default are filled in here, once.
    if (const Json& value = schema["default"]; !value.is_null()) {
      Json fallback = value;
      DefaultFields(*node, fallback);
      node->fallback = std::move(fallback);
    }
    has_embedded |= node->embedded;
    ReadRules(schema, *node);
    return node;
  }

  bool has_embedded = false;

 private:
  static void ReadKind(const Json& schema, SchemaNode& node) {
    node.type_text = schema["type"].AsString();
    node.types = TypeBit(node.type_text);
    if (schema["x-kubernetes-int-or-string"].AsBool()) {
      node.types = kTypeInteger | kTypeString;
      node.type_text = "integer,string";
    }
    node.format = schema["format"].AsString();
    node.nullable = schema["nullable"].AsBool();
    node.preserves_unknown = schema["x-kubernetes-preserve-unknown-fields"].AsBool();
    node.embedded = schema["x-kubernetes-embedded-resource"].AsBool();
    node.atomic_object = schema["x-kubernetes-map-type"].AsString() == "atomic";
    const std::string_view list = schema["x-kubernetes-list-type"].AsString();
    node.list = list == "set" ? ListKind::kSet : list == "map" ? ListKind::kMap : ListKind::kAtomic;
  }

  static void ReadRules(const Json& schema, SchemaNode& node) {
    for (const Json& written : schema["x-kubernetes-validations"].items()) {
      SchemaRule& rule = node.rules.emplace_back();
      rule.rule = written["rule"].AsString();
      rule.message = written["message"].AsString();
      rule.message_expression = written["messageExpression"].AsString();
      rule.reason = written["reason"].AsString();
      rule.field_path = written["fieldPath"].AsString();
      if (const Json& optional = written["optionalOldSelf"]; optional.is_bool()) {
        rule.optional_old_self = optional.AsBool();
      }
    }
  }

  absl::Status ReadChildren(const Json& schema, SchemaNode& node) {
    for (const auto& [name, child] : schema["properties"].members()) {
      absl::StatusOr<std::unique_ptr<SchemaNode>> compiled = Node(child);
      if (!compiled.ok()) return Annotate(compiled.status(), name);
      node.properties.push_back({name, *std::move(compiled)});
    }
    std::sort(node.properties.begin(), node.properties.end(),
              [](const SchemaProperty& a, const SchemaProperty& b) { return a.name < b.name; });
    const Json& additional = schema["additionalProperties"];
    node.has_additional = !additional.is_null();
    node.forbids_additional = additional.is_bool() && !additional.AsBool();
    if (additional.is_object()) {
      BTH_ASSIGN_OR_RETURN(node.additional, Node(additional));
    }
    if (schema["items"].is_object()) {
      BTH_ASSIGN_OR_RETURN(node.items, Node(schema["items"]));
    }
    return absl::OkStatus();
  }

  absl::Status ReadBounds(const Json& schema, SchemaNode& node) {
    static constexpr std::string_view kKeys[] = {
        "minimum",  "maximum",       "multipleOf",    "minLength", "maxLength", "minItems",
        "maxItems", "minProperties", "maxProperties", "pattern",   "enum"};
    if (std::none_of(std::begin(kKeys), std::end(kKeys),
                     [&](std::string_view key) { return schema.Find(key) != nullptr; })) {
      return absl::OkStatus();
    }
    auto bounds = std::make_unique<SchemaBounds>();
    bounds->minimum = Number(schema["minimum"]);
    bounds->maximum = Number(schema["maximum"]);
    bounds->multiple_of = Number(schema["multipleOf"]);
    bounds->exclusive_minimum = schema["exclusiveMinimum"].AsBool();
    bounds->exclusive_maximum = schema["exclusiveMaximum"].AsBool();
    bounds->length_min = Whole(schema["minLength"]);
    bounds->length_max = Whole(schema["maxLength"]);
    bounds->items_min = Whole(schema["minItems"]);
    bounds->items_max = Whole(schema["maxItems"]);
    bounds->properties_min = Whole(schema["minProperties"]);
    bounds->properties_max = Whole(schema["maxProperties"]);
    bounds->allowed = schema["enum"].items();
    bounds->pattern = schema["pattern"].AsString();
    if (!bounds->pattern.empty()) {
      BTH_ASSIGN_OR_RETURN(bounds->compiled, Pattern(bounds->pattern));
    }
    node.bounds = std::move(bounds);
    return absl::OkStatus();
  }

  absl::Status ReadJunctors(const Json& schema, SchemaNode& node) {
    auto junctors = std::make_unique<SchemaJunctors>();
    const std::pair<const char*, std::vector<SchemaNodePtr>*> lists[] = {
        {"allOf", &junctors->all}, {"anyOf", &junctors->any}, {"oneOf", &junctors->one}};
    bool found = false;
    for (const auto& [key, list] : lists) {
      for (const Json& item : schema[key].items()) {
        BTH_ASSIGN_OR_RETURN(std::unique_ptr<SchemaNode> child, Node(item));
        list->push_back(std::move(child));
        found = true;
      }
    }
    if (schema["not"].is_object()) {
      BTH_ASSIGN_OR_RETURN(junctors->none, Node(schema["not"]));
      found = true;
    }
    if (found) node.junctors = std::move(junctors);
    return absl::OkStatus();
  }

  // Large schemas repeat few patterns many times.
  absl::StatusOr<std::shared_ptr<const re2::RE2>> Pattern(const std::string& text) {
    std::shared_ptr<const re2::RE2>& slot = patterns_[text];
    if (slot == nullptr) {
      re2::RE2::Options options;
      options.set_log_errors(false);
      options.set_max_mem(kPatternBytesMax);
      slot = std::make_shared<const re2::RE2>(text, options);
    }
    if (!slot->ok()) {
      return absl::InvalidArgumentError(
          StrCat("pattern ", text, " is no regular expression: ", slot->error()));
    }
    return slot;
  }

  std::map<std::string, std::shared_ptr<const re2::RE2>> patterns_;
};

}  // namespace

const SchemaNode* SchemaNode::Property(std::string_view name) const {
  auto it = std::lower_bound(
      properties.begin(), properties.end(), name,
      [](const SchemaProperty& property, std::string_view key) { return property.name < key; });
  return it != properties.end() && it->name == name ? it->node.get() : nullptr;
}

absl::StatusOr<StructuralSchemaPtr> StructuralSchema::Compile(const Json& schema) {
  if (!schema.is_object()) return absl::InvalidArgumentError("a schema must be an object");
  Compiler compiler;
  BTH_ASSIGN_OR_RETURN(SchemaNodePtr root, compiler.Node(schema));
  std::shared_ptr<StructuralSchema> made(new StructuralSchema);
  made->rules_ = CompileRules(*root, true);
  made->root_ = std::move(root);
  made->has_embedded_ = compiler.has_embedded;
  return StructuralSchemaPtr(std::move(made));
}

absl::StatusOr<SchemaNodePtr> CompileNode(const Json& schema) {
  Compiler compiler;
  return compiler.Node(schema);
}

}  // namespace bth::apiserver
