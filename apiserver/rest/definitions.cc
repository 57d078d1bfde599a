#include "apiserver/rest/definitions.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/rest/metadata.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kCollection[] = "customresourcedefinitions.apiextensions.k8s.io";

absl::Status Install(Core& core, const Json& definition) {
  BTH_ASSIGN_OR_RETURN(const std::vector<ResourceTypePtr> types, core.registry.Install(definition));
  // Without a served version the objects stay, unreachable.
  for (const ResourceTypePtr& type : types) core.Declare(*type);
  return absl::OkStatus();
}

absl::Status CreateManifest(Core& core, Json definition) {
  const std::string name(std::as_const(definition)["metadata"]["name"].AsString());
  Collection& collection = *core.store->Find(kCollection);
  if (collection.Get({"", name}) != nullptr) return absl::OkStatus();
  BTH_RETURN_IF_ERROR(Annotate(TypesOfDefinition(definition).status(), name));
  const std::string now = TimeText(core.Now());
  definition.Set("apiVersion", "apiextensions.k8s.io/v1");
  definition.Set("kind", "CustomResourceDefinition");
  definition.Erase("status");
  Json& meta = definition["metadata"];
  meta.Set("uid", core.NewUid());
  meta.Set("creationTimestamp", now);
  meta.Set("generation", 1);
  EstablishDefinition(definition, now);
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
    });
  });
  for (const Json& manifest : manifests) {
    BTH_RETURN_IF_ERROR(CreateManifest(*core, manifest));
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
