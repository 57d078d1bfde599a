#include "apiserver/protobuf/known_fields.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/schema/coerce.h"
#include "apiserver/schema/place.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Json;
using types::ProtoField;

void Collect(const types::ProtoMessage& message, std::vector<ProtoField>& fields) {
  for (const auto& [number, field] : message) {
    if (!field.inlined) {
      fields.push_back(field);
    } else if (const types::ProtoMessage* inner = types::FindMessage(field.type)) {
      Collect(*inner, fields);
    }
  }
}

class Finder {
 public:
  std::vector<std::string> TakeUnknown() {
    std::sort(unknown_.begin(), unknown_.end());
    return std::move(unknown_);
  }

  void Object(const std::vector<ProtoField>& fields, const Json& object, const Place& at) {
    for (const auto& [name, value] : object.members()) {
      if (at.is_root() && (name == "apiVersion" || name == "kind")) continue;
      const Place here = at.Field(name);
      if (const ProtoField* field = FieldNamed(fields, name)) {
        Value(*field, value, here);
      } else if (unknown_.size() < kUnknownMax) {
        unknown_.push_back(here.Text());
      }
    }
  }

 private:
  void Value(const ProtoField& field, const Json& value, const Place& at) {
    const std::vector<ProtoField>& inner = FieldsOfMessage(field.type);
    if (inner.empty()) return;
    if (field.list) {
      for (size_t i = 0; i < value.size(); ++i) Object(inner, value[i], at.Item(i));
    } else if (field.map) {
      for (const auto& [name, member] : value.members()) Object(inner, member, at.Field(name));
    } else {
      Object(inner, value, at);
    }
  }

  std::vector<std::string> unknown_;
};

}  // namespace

const ProtoField* FieldNamed(const std::vector<ProtoField>& fields, std::string_view name) {
  auto it = std::lower_bound(
      fields.begin(), fields.end(), name,
      [](const ProtoField& field, std::string_view key) { return field.name < key; });
  return it != fields.end() && it->name == name ? &*it : nullptr;
}

const std::vector<ProtoField>& FieldsOfMessage(std::string_view name) {
  // One executor thread asks; the entries are never removed.
  static std::map<std::string, std::vector<ProtoField>, std::less<>> known;
  static const std::vector<ProtoField> kNone;
  if (auto it = known.find(name); it != known.end()) return it->second;
  const types::ProtoMessage* message = types::FindMessage(name);
  if (message == nullptr) return kNone;
  std::vector<ProtoField> fields;
  Collect(*message, fields);
  std::sort(fields.begin(), fields.end(),
            [](const ProtoField& a, const ProtoField& b) { return a.name < b.name; });
  return known.emplace(std::string(name), std::move(fields)).first->second;
}

std::vector<std::string> UnknownFields(std::string_view group, std::string_view kind,
                                       const Json& object) {
  const std::string package = types::PackageOfGroup(group);
  const std::vector<ProtoField>& fields = FieldsOfMessage(StrCat(package, ".", kind));
  if (fields.empty()) return {};
  Finder finder;
  finder.Object(fields, object, Place());
  return finder.TakeUnknown();
}

}  // namespace bth::apiserver
