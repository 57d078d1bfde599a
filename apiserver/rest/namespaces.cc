#include "apiserver/rest/namespaces.h"

#include <set>
#include <utility>

#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/write.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

const Collection& Namespaces(const Core& core) {
  return *core.store->Find("namespaces");
}

// As many objects are deleted before others get their turn; a deletion takes some 50 µs.
constexpr size_t kNamespaceDeletionsPerTurn = 64;

// Deletes objects of a namespace that is being deleted, and the namespace when none is left.
// Bound pods and objects with finalizers stay for a while; the removal of each calls this again.
// True when there is more to delete at once.
bool Sweep(Core& core, const std::string& ns) {
  const ObjectPtr stored = Namespaces(core).Get({"", ns});
  if (stored == nullptr || !stored->deleting) return false;
  DeleteOptions options;
  options.propagation = "Background";
  size_t deletions = 0;
  bool empty = true;
  for (const ResourceTypePtr& type : core.registry.All()) {
    if (!type->namespaced || type->virtual_only) continue;
    for (const ObjectPtr& inside : core.CollectionOf(*type).All(ns)) {
      if (inside->deleting && !inside->awaits_dependents && !inside->orphans_dependents) {
        empty = false;
        continue;
      }
      if (deletions++ == kNamespaceDeletionsPerTurn) return true;
      const absl::StatusOr<Written> deleted = DeleteNow(core, *type, inside, options, false);
      empty &= deleted.ok() && deleted->deleted;
    }
  }
  if (!empty) return false;
  Json object = ParseStored(*stored);
  const bool was_final = object.At({"spec", "finalizers"}).is_null();
  object["spec"].Erase("finalizers");
  if (HasFinalizers(object)) {
    if (was_final)
      return false;  // Somebody else's finalizers stay; writing it again tells nothing.
    core.store->Put(core.CollectionOf(*core.registry.Find("", "v1", "namespaces")), object);
  } else {
    core.store->Remove(core.CollectionOf(*core.registry.Find("", "v1", "namespaces")), object);
  }
  return false;
}

// Sweeps namespaces by turns on the executor, each one at a time. Held by the store's observer.
class Sweeper final : public std::enable_shared_from_this<Sweeper> {
 public:
  explicit Sweeper(Core& core) : core_(core) {}

  void SweepLater(const std::string& ns) {
    if (!due_.insert(ns).second) return;
    core_.executor.Post([weak = weak_from_this(), ns] {
      auto self = weak.lock();
      if (self == nullptr) return;
      self->due_.erase(ns);
      if (Sweep(self->core_, ns)) self->SweepLater(ns);
    });
  }

 private:
  Core& core_;
  std::set<std::string> due_;
};

void PutSystemObject(Core& core, const ResourceType& type, Json object) {
  Collection& collection = core.CollectionOf(type);
  const std::string name(object["metadata"]["name"].AsString());
  if (collection.Get({"", name}) != nullptr) return;
  Json& meta = object["metadata"];
  meta.Set("uid", core.NewUid());
  meta.Set("creationTimestamp", types::FormatTimestamp(core.Now()));
  if (type.has_generation) meta.Set("generation", 1);
  core.store->Put(collection, std::move(object));
}

}  // namespace

absl::Status CheckNamespace(const Core& core, const ApiRequest& request, std::string_view name) {
  if (!request.type->namespaced || request.type->virtual_only) return absl::OkStatus();
  const ObjectPtr ns = Namespaces(core).Get({"", request.ns});
  if (ns == nullptr) return NotFound({"", "namespaces", "Namespace", request.ns});
  if (ns->deleting) {
    return Forbidden(request.type->Named(std::string(name)),
                     StrCat("unable to create new content in namespace ", request.ns,
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
  auto sweeper = std::make_shared<Sweeper>(*core);
  core->store->OnCommit(
      [sweeper, store = core->store.get()](Collection& collection, const StoreEvent& event) {
        if (collection.name() == "namespaces") {
          if (event.object->deleting) sweeper->SweepLater(event.object->key.name);
          return;
        }
        // A deletion matters only to a namespace that waits for it.
        if (event.type != EventType::kDeleted || event.object->key.ns.empty()) return;
        const ObjectPtr ns = store->Find("namespaces")->Get({"", event.object->key.ns});
        if (ns != nullptr && ns->deleting) sweeper->SweepLater(ns->key.name);
      });
  for (const ObjectPtr& ns : Namespaces(*core).All("")) {
    if (ns->deleting) sweeper->SweepLater(ns->key.name);
  }
}

}  // namespace bth::apiserver
