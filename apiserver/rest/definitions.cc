#include "apiserver/rest/definitions.h"

#include <string>
#include <utility>

#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/schema/coerce.h"
#include "apiserver/schema/definition_rules.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kCollection[] = "customresourcedefinitions.apiextensions.k8s.io";

// Any served version of a definition; null when there is none.
ResourceTypePtr StoredType(const std::vector<ResourceTypePtr>& types, const std::string& name) {
  for (const ResourceTypePtr& type : types) {
    if (type->custom && type->collection == name) return type;
  }
  return nullptr;
}

const StructuralSchema& StoredSchema(const ResourceType& type) {
  return type.stored_as != nullptr ? *type.stored_as : *type.structural;
}

// Objects are answered as they lie in the store, so they must look as if they had been read with
// the present schema of the storage version: unknown fields are not there, new defaults are.
// Their revisions stay, and the disk keeps what was written. Cost: one parse per object, when a
// schema has changed or after a start.
void Conform(Core& core, const ResourceTypePtr& before, const ResourceType& type) {
  Collection& collection = core.CollectionOf(type);
  if (before != nullptr && *before->storage_schema == *type.storage_schema &&
      before->storage_api_version == type.storage_api_version) {
    return;
  }
  const StructuralSchema& schema = StoredSchema(type);
  for (const ObjectPtr& stored : collection.All("")) {
    Json object = ParseStored(*stored);
    object.Set("apiVersion", type.storage_api_version);
    PruneFields(schema, object, nullptr);
    DefaultFields(schema.root(), object);
    if (object.Dump() == stored->bytes) continue;
    collection.Restore(MakeStored(object, collection.fields()));
  }
}

absl::Status Install(Core& core, const Json& definition) {
  const std::string name(definition["metadata"]["name"].AsString());
  if (!IsEstablished(definition)) {
    core.registry.Uninstall(name);
    return absl::OkStatus();
  }
  const ResourceTypePtr before = StoredType(core.registry.All(), name);
  BTH_ASSIGN_OR_RETURN(const std::vector<ResourceTypePtr> types, core.registry.Install(definition));
  // Without a served version the objects stay, unreachable.
  for (const ResourceTypePtr& type : types) core.Declare(*type);
  if (!types.empty()) Conform(core, before, *types.front());
  return absl::OkStatus();
}

absl::Status CheckManifest(Json definition) {
  BTH_RETURN_IF_ERROR(CheckDefinitionKeywords(definition));
  DefaultDefinition(definition);
  const std::vector<Cause> causes = CheckDefinition(definition, nullptr);
  if (!causes.empty()) {
    return absl::InvalidArgumentError(StrCat(causes.front().field, ": ", causes.front().message));
  }
  return TypesOfDefinition(definition).status();
}

absl::Status CreateManifest(Core& core, Json definition) {
  const std::string name(std::as_const(definition)["metadata"]["name"].AsString());
  Collection& collection = *core.store->Find(kCollection);
  if (collection.Get({"", name}) != nullptr) return absl::OkStatus();
  BTH_RETURN_IF_ERROR(Annotate(CheckManifest(definition), name));
  const std::string now = types::FormatTimestamp(core.Now());
  definition.Set("apiVersion", "apiextensions.k8s.io/v1");
  definition.Set("kind", "CustomResourceDefinition");
  definition.Erase("status");
  Json& meta = definition["metadata"];
  meta.Set("uid", core.NewUid());
  meta.Set("creationTimestamp", now);
  meta.Set("generation", 1);
  DefaultDefinition(definition);
  const TakenNames taken =
      core.registry.NamesBeside(std::as_const(definition)["spec"]["group"].AsString(), name);
  EstablishDefinition(definition, taken, now);
  core.store->Put(collection, std::move(definition));
  return absl::OkStatus();
}

// The objects go at once: without their definition nobody could take their finalizers away.
void RemoveObjects(Core& core, const std::string& name) {
  Collection* collection = core.store->Find(name);
  if (collection == nullptr) return;
  for (const ObjectPtr& object : collection->All("")) {
    core.store->Remove(*collection, ParseStored(*object));
  }
  core.store->Retire(*collection);
}

// Definitions that waited for names may have them now.
void AcceptFreedNames(Core& core) {
  Collection& collection = *core.store->Find(kCollection);
  for (const ObjectPtr& stored : collection.All("")) {
    Json definition = ParseStored(*stored);
    if (IsEstablished(definition)) continue;
    const TakenNames taken = core.registry.NamesBeside(
        std::as_const(definition)["spec"]["group"].AsString(), stored->key.name);
    EstablishDefinition(definition, taken, types::FormatTimestamp(core.Now()));
    if (IsEstablished(definition)) core.store->Put(collection, std::move(definition));
  }
}

}  // namespace

absl::Status ServeDefinitions(const std::shared_ptr<Core>& core,
                              const std::vector<Json>& manifests) {
  Collection& collection = *core->store->Find(kCollection);
  for (const ObjectPtr& stored : collection.All("")) {
    BTH_RETURN_IF_ERROR(Annotate(Install(*core, ParseStored(*stored)), stored->key.name));
  }
  std::weak_ptr<Core> weak = core;
  core->store->OnCommit([weak](Collection& changed, const StoreEvent& event) {
    if (changed.name() != kCollection) return;
    const auto alive = weak.lock();
    if (alive == nullptr) return;
    const std::string name = event.object->key.name;
    if (event.type != EventType::kDeleted) {
      const absl::Status status = Install(*alive, ParseStored(*event.object));
      if (!status.ok()) {
        Log(LogLevel::kError, "definition.refused", {{"name", name}, {"error", status}});
      }
      return;
    }
    alive->registry.Uninstall(name);
    alive->executor.Post([weak, name] {
      const auto core_alive = weak.lock();
      // A definition of the same name may be back already; then its objects are its own.
      if (core_alive == nullptr) return;
      if (core_alive->store->Find(kCollection)->Get({"", name}) == nullptr) {
        RemoveObjects(*core_alive, name);
      }
      AcceptFreedNames(*core_alive);
    });
  });
  for (const Json& manifest : manifests) {
    BTH_RETURN_IF_ERROR(CreateManifest(*core, manifest));
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
