// CoerceMetadata: metadata has the same fields everywhere, whatever a schema says.
#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/schema/coerce.h"
#include "apiserver/schema/place.h"
#include "apiserver/schema/wrong_type.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

enum class MetaForm { kText, kWhole, kMap, kTexts, kOwners, kObjects };

struct MetaField {
  std::string_view name;
  MetaForm form;
};
constexpr MetaField kMetaFields[] = {
    {"annotations", MetaForm::kMap},
    {"creationTimestamp", MetaForm::kText},
    {"deletionGracePeriodSeconds", MetaForm::kWhole},
    {"deletionTimestamp", MetaForm::kText},
    {"finalizers", MetaForm::kTexts},
    {"generateName", MetaForm::kText},
    {"generation", MetaForm::kWhole},
    {"labels", MetaForm::kMap},
    {"managedFields", MetaForm::kObjects},
    {"name", MetaForm::kText},
    {"namespace", MetaForm::kText},
    {"ownerReferences", MetaForm::kOwners},
    {"resourceVersion", MetaForm::kText},
    {"selfLink", MetaForm::kText},
    {"uid", MetaForm::kText},
};

const MetaField* FieldNamed(std::string_view name) {
  auto it = std::lower_bound(
      std::begin(kMetaFields), std::end(kMetaFields), name,
      [](const MetaField& field, std::string_view key) { return field.name < key; });
  return it != std::end(kMetaFields) && it->name == name ? it : nullptr;
}

absl::Status CheckTexts(std::string_view field, const Json& value) {
  if (!value.is_array()) return WrongType(field, value, "[]string");
  for (const Json& item : value.items()) {
    if (!item.is_string() && !item.is_null()) return WrongType(field, item, "string");
  }
  return absl::OkStatus();
}

absl::Status CheckTextMap(std::string_view field, const Json& value) {
  if (!value.is_object()) return WrongType(field, value, "map[string]string");
  for (const auto& [key, item] : value.members()) {
    if (!item.is_string() && !item.is_null()) return WrongType(field, item, "string");
  }
  return absl::OkStatus();
}

absl::Status CheckOwners(const Json& value) {
  if (!value.is_array()) {
    return WrongType("ObjectMeta.ownerReferences", value, "[]v1.OwnerReference");
  }
  for (const Json& item : value.items()) {
    if (!item.is_object()) {
      return WrongType("ObjectMeta.ownerReferences", item, "v1.OwnerReference");
    }
    for (const auto& [key, member] : item.members()) {
      const bool flag = key == "controller" || key == "blockOwnerDeletion";
      if (member.is_null() || (flag ? member.is_bool() : member.is_string())) continue;
      return WrongType("OwnerReference.ownerReferences." + key, member, flag ? "bool" : "string");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckField(const MetaField& field, const Json& value) {
  if (value.is_null()) return absl::OkStatus();
  const std::string name = StrCat("ObjectMeta.", field.name);
  switch (field.form) {
    case MetaForm::kText:
      return value.is_string() ? absl::OkStatus() : WrongType(name, value, "string");
    case MetaForm::kWhole:
      return value.is_int() ? absl::OkStatus() : WrongType(name, value, "int64");
    case MetaForm::kMap:
      return CheckTextMap(name, value);
    case MetaForm::kTexts:
      return CheckTexts(name, value);
    case MetaForm::kOwners:
      return CheckOwners(value);
    case MetaForm::kObjects:
      return value.is_array() ? absl::OkStatus()
                              : WrongType(name, value, "[]v1.ManagedFieldsEntry");
  }
  return absl::OkStatus();
}

class MetadataCoercer {
 public:
  explicit MetadataCoercer(std::vector<std::string>* unknown) : unknown_(unknown) {}

  absl::Status Metadata(Json& metadata, const Place& at) {
    for (const auto& [name, value] : std::as_const(metadata).members()) {
      const MetaField* field = FieldNamed(name);
      if (field != nullptr) {
        BTH_RETURN_IF_ERROR(CheckField(*field, value));
      } else if (unknown_ != nullptr && unknown_->size() < kUnknownMax) {
        unknown_->push_back(at.Field(name).Text());
      }
    }
    std::erase_if(metadata.MutableMembers(),
                  [](const Json::Member& member) { return FieldNamed(member.first) == nullptr; });
    return absl::OkStatus();
  }

  // Walks to the embedded objects.
  absl::Status Embedded(const SchemaNode& node, Json& value, const Place& at) {
    if (value.is_array() && node.items != nullptr) {
      Json::Array& items = value.MutableItems();
      for (size_t i = 0; i < items.size(); ++i) {
        BTH_RETURN_IF_ERROR(Embedded(*node.items, items[i], at.Item(i)));
      }
    }
    if (!value.is_object()) return absl::OkStatus();
    if (node.embedded) BTH_RETURN_IF_ERROR(Whole(value, at));
    for (auto& [name, member] : value.MutableMembers()) {
      const SchemaNode* child = node.Property(name);
      if (child == nullptr) child = node.additional.get();
      if (child == nullptr) continue;
      BTH_RETURN_IF_ERROR(Embedded(*child, member, at.Field(name)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Whole(Json& object, const Place& at) {
    for (const char* key : {"apiVersion", "kind"}) {
      const Json* text = std::as_const(object).Find(key);
      if (text != nullptr && !text->is_string()) {
        return absl::InvalidArgumentError(
            StrCat(at.Field(key).Text(), ": Invalid value: ", text->Dump(), ": must be a string"));
      }
    }
    Json* metadata = object.Find("metadata");
    if (metadata == nullptr) return absl::OkStatus();
    if (!metadata->is_object()) {
      return absl::InvalidArgumentError(StrCat(at.Field("metadata").Text(), ": Invalid value: ",
                                               metadata->Dump(), ": must be an object"));
    }
    const Place inside = at.Field("metadata");
    return Metadata(*metadata, inside);
  }

  std::vector<std::string>* unknown_;
};

}  // namespace

absl::Status CoerceMetadata(const StructuralSchema& schema, Json& object,
                            std::vector<std::string>* unknown) {
  MetadataCoercer coercer(unknown);
  const Place root;
  if (Json* metadata = object.Find("metadata"); metadata != nullptr && metadata->is_object()) {
    const Place at = root.Field("metadata");
    BTH_RETURN_IF_ERROR(coercer.Metadata(*metadata, at));
  }
  if (!schema.has_embedded()) return absl::OkStatus();
  return coercer.Embedded(schema.root(), object, root);
}

}  // namespace bth::apiserver
