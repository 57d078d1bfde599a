#include "apiserver/store/object.h"

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Field selectors compare text, so scalars are written the way clients write them.
std::string ScalarText(const Json& value, const std::string& fallback) {
  if (value.is_string()) return std::string(value.AsString());
  if (value.is_bool()) return value.AsBool() ? "true" : "false";
  if (value.is_int()) return StrCat(value.AsInt());
  return fallback;
}

std::vector<OwnerReference> OwnersOf(const Json& metadata) {
  std::vector<OwnerReference> owners;
  const Json::Array& items = metadata["ownerReferences"].items();
  owners.reserve(items.size());
  for (const Json& item : items) {
    owners.push_back({std::string(item["uid"].AsString()),
                      std::string(item["apiVersion"].AsString()),
                      std::string(item["kind"].AsString()), std::string(item["name"].AsString()),
                      item["blockOwnerDeletion"].AsBool()});
  }
  return owners;
}

void IndexDeletion(const Json& metadata, StoredObject& stored) {
  stored.deleting = metadata["deletionTimestamp"].is_string();
  if (!stored.deleting) return;
  for (const Json& finalizer : metadata["finalizers"].items()) {
    stored.awaits_dependents |= finalizer.AsString() == kForegroundFinalizer;
    stored.orphans_dependents |= finalizer.AsString() == kOrphanFinalizer;
  }
}

}  // namespace

ObjectPtr MakeStored(const Json& object, const std::vector<SelectableField>& fields) {
  auto stored = std::make_shared<StoredObject>();
  const Json& metadata = object["metadata"];
  stored->key.ns = metadata["namespace"].AsString();
  stored->key.name = metadata["name"].AsString();
  stored->uid = metadata["uid"].AsString();
  const bool has_revision = SimpleAtoi(metadata["resourceVersion"].AsString(), &stored->revision);
  BTH_CHECK(has_revision);
  for (const Json::Member& label : metadata["labels"].members()) {
    stored->labels.Append(label.first) = label.second.AsString();
  }
  stored->labels.Sort();
  for (const SelectableField& field : fields) {
    const Json* at = &object;
    for (const std::string& step : field.path) at = &(*at)[step];
    stored->fields.push_back(ScalarText(*at, field.fallback));
  }
  stored->owners = OwnersOf(metadata);
  IndexDeletion(metadata, *stored);
  object.DumpTo(&stored->bytes);
  stored->bytes.shrink_to_fit();
  return stored;
}

Json ParseStored(const StoredObject& object) {
  absl::StatusOr<Json> parsed =
      Json::Parse(object.bytes, {.bytes_max = object.bytes.size(), .depth_max = 256});
  BTH_CHECK(parsed.ok());
  return *std::move(parsed);
}

ObjectPtr WithRevision(const StoredObject& object, int64_t revision) {
  Json json = ParseStored(object);
  json["metadata"].Set("resourceVersion", StrCat(revision));
  auto copy = std::make_shared<StoredObject>(object);
  copy->revision = revision;
  copy->bytes = json.Dump();
  return copy;
}

}  // namespace bth::apiserver
