// Services and workloads: which pods belong together.
#include "cache/intake/compile_selectors.h"
#include "scheduler/feed.h"

namespace bth::scheduler {
namespace {

template <typename T>
std::string WorkloadOf(const T*, const client::ObjectKey& key) {
  return cache::WorkloadKey(types::ResourceTraits<T>::type().kind, key.namespace_name, key.name);
}

}  // namespace

void Feed::Put(const types::Service& service) {
  mirror_.selectors().Put(cache::Compile(service));
}
void Feed::Put(const types::ReplicationController& controller) {
  mirror_.selectors().Put(cache::Compile(controller));
}
void Feed::Put(const types::ReplicaSet& set) {
  mirror_.selectors().Put(cache::Compile(set));
}
void Feed::Put(const types::StatefulSet& set) {
  mirror_.selectors().Put(cache::Compile(set));
}

void Feed::Remove(const types::Service*, const client::ObjectKey& key) {
  mirror_.selectors().RemoveService(key.namespace_name, key.name);
}
void Feed::Remove(const types::ReplicationController* kind, const client::ObjectKey& key) {
  mirror_.selectors().RemoveWorkload(WorkloadOf(kind, key));
}
void Feed::Remove(const types::ReplicaSet* kind, const client::ObjectKey& key) {
  mirror_.selectors().RemoveWorkload(WorkloadOf(kind, key));
}
void Feed::Remove(const types::StatefulSet* kind, const client::ObjectKey& key) {
  mirror_.selectors().RemoveWorkload(WorkloadOf(kind, key));
}

}  // namespace bth::scheduler
