#include "apiserver/protobuf/field_types.h"

#include <string>
#include <vector>

#include "apiserver/protobuf/known_fields.h"
#include "apiserver/schema/wrong_type.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Json;
using types::ProtoField;

// The name of a field with those it lies in; text only for a message. Lists and maps have no part
// of their own in it.
struct FieldPath {
  const FieldPath* parent = nullptr;
  std::string_view name;

  std::string Text() const {
    return parent == nullptr || parent->name.empty() ? std::string(name)
                                                     : StrCat(parent->Text(), ".", name);
  }
};

std::string_view LastPart(std::string_view message) {
  return message.substr(message.rfind('.') + 1);
}

// What the protobuf type is to the API's decoder.
std::string TypeWord(std::string_view type) {
  if (type == "i") return "int32";
  if (type == "b") return "bool";
  if (type == "y") return "[]uint8";
  return type.size() == 1 ? "string" : StrCat("v1.", LastPart(type));
}

// Messages have longer names.
bool IsScalar(std::string_view type) {
  return type.size() == 1;
}

bool HasType(std::string_view type, const Json& value) {
  switch (IsScalar(type) ? type.front() : '\0') {
    case 's':
    case 'y':
    case 't':
    case 'u':
      return value.is_string();
    case 'i':
      return value.is_int();
    case 'b':
      return value.is_bool();
    case 'n':
    case 'q':
      return value.is_string() || value.is_number();
    case 'r':
      return true;
    default:
      return value.is_object() || FieldsOfMessage(type).empty();
  }
}

class TypeChecker {
 public:
  absl::Status Object(std::string_view message, const Json& object, const FieldPath& at) const {
    if (IsScalar(message)) return absl::OkStatus();
    const std::vector<ProtoField>& fields = FieldsOfMessage(message);
    for (const auto& [name, value] : object.members()) {
      const ProtoField* field = FieldNamed(fields, name);
      if (field == nullptr || value.is_null()) continue;
      const FieldPath here{.parent = &at, .name = name};
      BTH_RETURN_IF_ERROR(Field(message, *field, value, here));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Field(std::string_view message, const ProtoField& field, const Json& value,
                     const FieldPath& at) const {
    const auto wrong = [&](const Json& found, std::string_view wrapping) {
      return WrongType(StrCat(LastPart(message), ".", at.Text()), found,
                       StrCat(wrapping, TypeWord(field.type)));
    };
    if (field.list) {
      if (!value.is_array()) return wrong(value, "[]");
      for (const Json& item : value.items()) {
        if (item.is_null()) continue;
        if (!HasType(field.type, item)) return wrong(item, "");
        BTH_RETURN_IF_ERROR(Object(field.type, item, at));
      }
      return absl::OkStatus();
    }
    if (field.map) {
      if (!value.is_object()) return wrong(value, "map[string]");
      for (const auto& [key, member] : value.members()) {
        if (member.is_null()) continue;
        if (!HasType(field.type, member)) return wrong(member, "");
        BTH_RETURN_IF_ERROR(Object(field.type, member, at));
      }
      return absl::OkStatus();
    }
    if (!HasType(field.type, value)) return wrong(value, "");
    return Object(field.type, value, at);
  }
};

}  // namespace

absl::Status CheckFieldTypes(std::string_view group, std::string_view kind, const Json& object) {
  const std::string message = StrCat(types::PackageOfGroup(group), ".", kind);
  const FieldPath root;
  return TypeChecker().Object(message, object, root);
}

}  // namespace bth::apiserver
