#include "apiserver/policies/built_types.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "apiserver/patch/patch.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/syntax/parser.h"
#include "cel/values/json_values.h"

namespace bth::apiserver {
namespace {

using cel::Type;
using cel::TypePtr;
using cel::Value;
using cel::ValueKind;

constexpr int kDepthMax = 64;

// A part of an object may have any field: what the kind does not have is refused when applied.
class AnyField final : public cel::ObjectFields {
 public:
  TypePtr FieldType(std::string_view) const override { return Type::Dyn(); }
  std::vector<std::string> FieldNames() const override { return {}; }
};

class PatchFields final : public cel::ObjectFields {
 public:
  TypePtr FieldType(std::string_view field) const override {
    if (field == "op" || field == "path" || field == "from") return Type::String();
    return field == "value" ? Type::Dyn() : nullptr;
  }
  std::vector<std::string> FieldNames() const override { return {"from", "op", "path", "value"}; }
};

TypePtr PartType(const std::string& name) {
  return Type::Object(name, std::make_shared<AnyField>());
}

bool IsPart(std::string_view name) {
  return name == kObjectType || name.starts_with("Object.");
}

// Parts must stand where their names say: Object.spec is the field spec of Object.
absl::Status CheckPlaces(const Value& value, const std::string& place, int depth) {
  if (depth > kDepthMax) return absl::InvalidArgumentError("the result is nested too deeply");
  if (value.is(ValueKind::kObject)) {
    const cel::ObjectView& object = value.AsObject();
    const std::string& name = object.type()->name();
    if (name != place) {
      return absl::InvalidArgumentError(
          StrCat("unexpected type name \"", name, "\", expected \"", place,
                 "\", which matches field name path from root Object type"));
    }
    for (const std::string& field : object.SetFields()) {
      const std::optional<Value> inner = object.Field(field);
      if (!inner.has_value()) continue;
      BTH_RETURN_IF_ERROR(CheckPlaces(*inner, StrCat(place, ".", field), depth + 1));
    }
  } else if (value.is(ValueKind::kList)) {
    const cel::ListView& list = value.AsList();
    for (size_t i = 0; i < list.size(); ++i) {
      BTH_RETURN_IF_ERROR(CheckPlaces(list.at(i), place, depth + 1));
    }
  } else if (value.is(ValueKind::kMap)) {
    const cel::MapView& map = value.AsMap();
    for (size_t i = 0; i < map.size(); ++i) {
      const Value key = map.KeyAt(i);
      const std::string_view name = key.is(ValueKind::kString) ? key.AsString() : "";
      BTH_RETURN_IF_ERROR(CheckPlaces(map.ValueAt(i), StrCat(place, ".", name), depth + 1));
    }
  }
  return absl::OkStatus();
}

Value EscapedKey(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped.push_back(c);
    }
  }
  return Value::String(std::move(escaped));
}

}  // namespace

TypePtr ConfigurationType() {
  return PartType(std::string(kObjectType));
}

TypePtr PatchOperationType() {
  return Type::Object(std::string(kPatchType), std::make_shared<PatchFields>());
}

std::vector<TypePtr> TypesNamedIn(std::span<const std::string_view> sources) {
  std::set<std::string> names;
  for (const std::string_view source : sources) {
    const absl::StatusOr<cel::Ast> ast = cel::Parse(source);
    if (!ast.ok()) continue;
    for (const cel::Expr& node : ast->nodes) {
      if (node.kind == cel::ExprKind::kStruct && IsPart(node.name)) names.insert(node.name);
    }
  }
  std::vector<TypePtr> types = {PatchOperationType()};
  names.insert(std::string(kObjectType));
  for (const std::string& name : names) types.push_back(PartType(name));
  return types;
}

void AddPatchFunctions(cel::Environment& environment) {
  cel::Overload overload;
  overload.id = "string_jsonpatch_escapeKey_string";
  overload.parameters = {Type::String()};
  overload.result = Type::String();
  overload.run = [](std::span<const Value> args) { return EscapedKey(args[0].AsString()); };
  BTH_CHECK(environment.Add({"jsonpatch.escapeKey", {std::move(overload)}}).ok());
}

absl::StatusOr<Json> ConfigurationOf(const Value& value) {
  if (!value.is(ValueKind::kObject)) {
    return absl::InvalidArgumentError(StrCat(
        "unsupported return type from ApplyConfiguration expression: ", value.type()->ToString()));
  }
  BTH_RETURN_IF_ERROR(Annotate(CheckPlaces(value, std::string(kObjectType), 0), "type mismatch"));
  return cel::ToJson(value);
}

absl::StatusOr<Json> PatchOf(const Value& value) {
  if (!value.is(ValueKind::kList)) {
    return absl::InvalidArgumentError(
        "type mismatch: JSONPatchType.expression should evaluate to array");
  }
  const cel::ListView& list = value.AsList();
  Json patch = Json::MakeArray();
  for (size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (!item.is(ValueKind::kObject) || item.AsObject().type()->name() != kPatchType) {
      return absl::InvalidArgumentError(
          StrCat("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch, "
                 "got element of ",
                 item.type()->ToString()));
    }
    const std::optional<Value> part = item.AsObject().Field("value");
    if (part.has_value() && part->is(ValueKind::kObject)) {
      const std::string place = part->AsObject().type()->name();
      BTH_RETURN_IF_ERROR(Annotate(CheckPlaces(*part, place, 0), "type mismatch"));
    }
    absl::StatusOr<Json> operation = cel::ToJson(item);
    if (!operation.ok()) {
      return Annotate(
          operation.status(),
          "JSONPath valueExpression evaluated to a type that could not marshal to JSON");
    }
    patch.MutableItems().push_back(*std::move(operation));
  }
  return patch;
}

}  // namespace bth::apiserver
