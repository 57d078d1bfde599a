#include "apiserver/rest/namespaces.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/write.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

const Collection& Namespaces(const Core& core) {
  return *core.store->Find("namespaces");
}

// Deletes the objects of a namespace that is being deleted, and the namespace when none is left.
// Bound pods and objects with finalizers stay for a while; the removal of each calls this again.
void Sweep(Core& core, const std::string& ns) {
  const ObjectPtr stored = Namespaces(core).Get({"", ns});
  if (stored == nullptr) return;
  Json object = ParseStored(*stored);
  if (!IsDeleting(object)) return;
  bool empty = true;
  for (const ResourceTypePtr& type : core.registry.All()) {
    if (!type->namespaced || type->virtual_only) continue;
    for (const ObjectPtr& inside : core.CollectionOf(*type).All(ns)) {
      const absl::StatusOr<Written> deleted = DeleteNow(core, *type, inside, {}, false);
      empty &= deleted.ok() && deleted->deleted;
    }
  }
  if (!empty) return;
  object["spec"].Erase("finalizers");
  if (HasFinalizers(object)) {
    core.store->Put(core.CollectionOf(*core.registry.Find("", "v1", "namespaces")), object);
  } else {
    core.store->Remove(core.CollectionOf(*core.registry.Find("", "v1", "namespaces")), object);
  }
}

void PutSystemObject(Core& core, const ResourceType& type, Json object) {
  Collection& collection = core.CollectionOf(type);
  const std::string name(object["metadata"]["name"].AsString());
  if (collection.Get({"", name}) != nullptr) return;
  Json& meta = object["metadata"];
  meta.Set("uid", core.NewUid());
  meta.Set("creationTimestamp", TimeText(core.Now()));
  if (type.has_generation) meta.Set("generation", 1);
  core.store->Put(collection, std::move(object));
}

}  // namespace

absl::Status CheckNamespace(const Core& core, const ApiRequest& request, std::string_view name) {
  if (!request.type->namespaced || request.type->virtual_only) return absl::OkStatus();
  const ObjectPtr ns = Namespaces(core).Get({"", request.ns});
  if (ns == nullptr) return NotFound({"", "namespaces", "Namespace", request.ns});
  if (IsDeleting(ParseStored(*ns))) {
    return Forbidden(request.type->Named(std::string(name)),
                     absl::StrCat("unable to create new content in namespace ", request.ns,
                                  " because it is being terminated"));
  }
  return absl::OkStatus();
}

void CreateSystemObjects(Core& core) {
  const ResourceTypePtr namespaces = core.registry.Find("", "v1", "namespaces");
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    Json labels = Json::MakeObject({{"kubernetes.io/metadata.name", name}});
    PutSystemObject(
        core, *namespaces,
        Json::MakeObject(
            {{"apiVersion", "v1"},
             {"kind", "Namespace"},
             {"metadata", Json::MakeObject({{"name", name}, {"labels", std::move(labels)}})},
             {"spec", Json::MakeObject({{"finalizers", Json::MakeArray({"kubernetes"})}})},
             {"status", Json::MakeObject({{"phase", "Active"}})}}));
  }
  const ResourceTypePtr classes = core.registry.Find("scheduling.k8s.io", "v1", "priorityclasses");
  const std::pair<const char*, int> system[] = {{"system-cluster-critical", 2000000000},
                                                {"system-node-critical", 2000001000}};
  for (const auto& [name, value] : system) {
    PutSystemObject(
        core, *classes,
        Json::MakeObject(
            {{"apiVersion", "scheduling.k8s.io/v1"},
             {"kind", "PriorityClass"},
             {"metadata", Json::MakeObject({{"name", name}})},
             {"value", value},
             {"preemptionPolicy", "PreemptLowerPriority"},
             {"description", "For pods without which the cluster or its node does not work."}}));
  }
}

void CollectNamespaces(const std::shared_ptr<Core>& core) {
  std::weak_ptr<Core> weak = core;
  auto sweep_later = [weak](std::string ns) {
    if (auto locked = weak.lock()) {
      locked->executor.Post([weak, ns = std::move(ns)] {
        if (auto alive = weak.lock()) Sweep(*alive, ns);
      });
    }
  };
  core->store->OnCommit([sweep_later, weak](Collection& collection, const StoreEvent& event) {
    if (collection.name() == "namespaces") {
      if (event.type == EventType::kModified) sweep_later(event.object->key.name);
      return;
    }
    // A deletion matters only to a namespace that waits for it.
    if (event.type != EventType::kDeleted || event.object->key.ns.empty()) return;
    const auto alive = weak.lock();
    if (alive == nullptr) return;
    const ObjectPtr ns = Namespaces(*alive).Get({"", event.object->key.ns});
    if (ns != nullptr && IsDeleting(ParseStored(*ns))) sweep_later(event.object->key.ns);
  });
  for (const ObjectPtr& ns : Namespaces(*core).All("")) sweep_later(ns->key.name);
}

}  // namespace bth::apiserver
