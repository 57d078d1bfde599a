// Volumes, claims, classes and what CSI drivers tell.
#include "absl/strings/str_cat.h"
#include "cache/intake/compile_volumes.h"
#include "scheduler/feed.h"

namespace bth::scheduler {
namespace {

std::string KeyText(const client::ObjectKey& key) {
  return absl::StrCat(key.namespace_name, "/", key.name);
}

}  // namespace

void Feed::Put(const types::PersistentVolumeClaim& object) {
  mirror_.storage().Put(cache::Compile(object, mirror_.vocabulary().symbols()));
}
void Feed::Put(const types::PersistentVolume& object) {
  mirror_.storage().Put(cache::Compile(object, mirror_.vocabulary().symbols()));
}
void Feed::Put(const types::StorageClass& object) {
  mirror_.storage().PutClass(object.meta.name,
                             cache::Compile(object, mirror_.vocabulary().symbols()));
}
void Feed::Put(const types::CsiNode& object) {
  mirror_.storage().PutCsiNode(object.meta.name, cache::Compile(object));
}
void Feed::Put(const types::CsiDriver& object) {
  mirror_.storage().PutCsiDriver(object.meta.name, object.storage_capacity.value_or(false));
}
void Feed::Put(const types::CsiStorageCapacity& object) {
  mirror_.storage().PutCapacity(object.meta.Key(), object.storage_class_name,
                                cache::Compile(object, mirror_.vocabulary().symbols()));
}
void Feed::Put(const types::VolumeAttachment& object) {
  mirror_.storage().PutAttachment(object.meta.name, object.node_name,
                                  object.persistent_volume_name);
}

void Feed::Remove(const types::PersistentVolumeClaim*, const client::ObjectKey& key) {
  mirror_.storage().RemoveClaim(KeyText(key));
}
void Feed::Remove(const types::PersistentVolume*, const client::ObjectKey& key) {
  mirror_.storage().RemoveVolume(key.name);
}
void Feed::Remove(const types::StorageClass*, const client::ObjectKey& key) {
  mirror_.storage().RemoveClass(key.name);
}
void Feed::Remove(const types::CsiNode*, const client::ObjectKey& key) {
  mirror_.storage().RemoveCsiNode(key.name);
}
void Feed::Remove(const types::CsiDriver*, const client::ObjectKey& key) {
  mirror_.storage().RemoveCsiDriver(key.name);
}
void Feed::Remove(const types::CsiStorageCapacity*, const client::ObjectKey& key) {
  mirror_.storage().RemoveCapacity(KeyText(key));
}
void Feed::Remove(const types::VolumeAttachment*, const client::ObjectKey& key) {
  mirror_.storage().RemoveAttachment(key.name);
}

}  // namespace bth::scheduler
