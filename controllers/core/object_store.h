// What the controllers of one process know of one kind of objects.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "api/types/meta.h"
#include "client/informer.h"
#include "controllers/core/version.h"

namespace bth::controllers {

// An object of kind T that no struct holds.
template <typename T>
struct Unreadable {
  client::ObjectKey key;
  absl::Status why;  // Says where.
};

// Told what changed, in the turn in which it became known. Must not write to the store.
template <typename T>
class StoreListener {
 public:
  virtual ~StoreListener() = default;
  virtual void OnAdd(const T& /*object*/) {}
  // Same uid, newer version.
  virtual void OnUpdate(const T& /*before*/, const T& /*after*/) {}
  virtual void OnDelete(const T& /*object*/) {}
  // It is there and cannot be read: what is known of it is what it was before, if anything. Once
  // for each text until it is readable again.
  virtual void OnUnreadable(const Unreadable<T>& /*object*/) {}
};

// "namespace/name"; "/name" for what has no namespace.
inline std::string StoreKey(std::string_view ns, std::string_view name) {
  return std::string(ns).append("/").append(name);
}

// The newest known state of each object, fed by a watch and by the answers to our own writes
// (Observe), so that a write is known before the watch tells of it; older news is dropped. A
// deletion wins: what the watch has passed over and does not know is gone, whatever an answer says.
// Objects are in order of namespace and name. Thread: the executor's.
template <typename T>
class ObjectStore final : public client::InformerHandler<T> {
 public:
  using Pointer = std::shared_ptr<const T>;

  // `trim`: drops what no controller reads before an object is kept.
  explicit ObjectStore(void (*trim)(T&) = nullptr) : trim_(trim) {}
  ObjectStore(const ObjectStore&) = delete;

  // Before the watch starts; `listener` lives as long as the store is fed.
  void Subscribe(StoreListener<T>& listener) { listeners_.push_back(&listener); }
  // What is missing in an object is filled in before it is kept: as if the server had it. Before
  // the watch starts.
  void CompleteWith(std::function<void(T&)> complete) { complete_ = std::move(complete); }
  void Complete(T& object) const {
    if (complete_) complete_(object);
  }

  // Null when there is none.
  Pointer Find(std::string_view ns, std::string_view name) const {
    return FindKey(StoreKey(ns, name));
  }
  Pointer FindKey(const std::string& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }
  // In order of name.
  std::vector<Pointer> InNamespace(std::string_view ns) const {
    std::vector<Pointer> result;
    const std::string prefix = StoreKey(ns, "");
    for (auto it = objects_.lower_bound(prefix);
         it != objects_.end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) {
      result.push_back(it->second);
    }
    return result;
  }
  std::vector<Pointer> All() const {
    std::vector<Pointer> result;
    result.reserve(objects_.size());
    for (const auto& [key, object] : objects_) result.push_back(object);
    return result;
  }
  // Those whose controller reference has this uid, in order of namespace and name.
  std::vector<Pointer> ControlledBy(const std::string& uid) const {
    std::vector<Pointer> result;
    const auto found = controlled_.find(uid);
    if (found == controlled_.end()) return result;
    for (const std::string& key : found->second) result.push_back(objects_.at(key));
    return result;
  }
  size_t size() const { return objects_.size(); }

  // What the server answered to a write of ours. Without effect when something newer is known, its
  // end included.
  void Observe(T object) {
    const std::string key = StoreKey(object.meta.ns, object.meta.name);
    const std::string uid = object.meta.uid;
    const auto found = objects_.find(key);
    const bool known = found != objects_.end() && found->second->meta.uid == uid;
    if (!known && WasTold(object)) return;
    if (Put(std::move(object)) == PutResult::kAdded) unconfirmed_[key] = uid;
  }

  void OnAdd(T&& object) override { FromWatch(std::move(object)); }
  void OnUpdate(T&& object) override { FromWatch(std::move(object)); }
  void OnDelete(const client::ObjectKey& key) override {
    const std::string text = StoreKey(key.namespace_name, key.name);
    const auto found = objects_.find(text);
    // A newer object of the same name may be known already, from our own write.
    if (found != objects_.end() && found->second->meta.uid == key.uid) Drop(found);
  }
  void TellUnreadable(const Unreadable<T>& object) {
    for (StoreListener<T>* listener : listeners_) listener->OnUnreadable(object);
  }

  // After a list, what was observed and is older than it, but not on it, is gone. (The watch cannot
  // tell of it: it never saw it.) Events skip nothing, so that they leave nothing to look for.
  void OnTold(const std::string& version, bool whole) override {
    told_ = version;
    if (!whole) return;
    for (auto it = unconfirmed_.begin(); it != unconfirmed_.end();) {
      const auto found = objects_.find(it->first);
      const bool same = found != objects_.end() && found->second->meta.uid == it->second;
      if (same && !WasTold(*found->second)) {
        ++it;
        continue;
      }
      it = unconfirmed_.erase(it);
      if (same) Drop(found);
    }
  }

 private:
  using Objects = std::map<std::string, Pointer>;
  enum class PutResult { kAdded, kUpdated, kOld };

  // The watch is past this version of the object.
  bool WasTold(const T& object) const {
    return !IsNewerVersion(object.meta.resource_version, told_);
  }
  void FromWatch(T&& object) {
    unconfirmed_.erase(StoreKey(object.meta.ns, object.meta.name));
    Put(std::move(object));
  }

  PutResult Put(T&& object) {
    if (trim_ != nullptr) trim_(object);
    Complete(object);
    const std::string key = StoreKey(object.meta.ns, object.meta.name);
    auto found = objects_.find(key);
    if (found != objects_.end() && found->second->meta.uid != object.meta.uid) {
      // Two objects of one name: the one with the higher version is the later one.
      if (!IsNewerVersion(object.meta.resource_version, found->second->meta.resource_version)) {
        return PutResult::kOld;
      }
      Drop(found);
      found = objects_.end();
    }
    if (found == objects_.end()) {
      const Pointer now = std::make_shared<const T>(std::move(object));
      objects_.emplace(key, now);
      Link(key, *now);
      for (StoreListener<T>* listener : listeners_) listener->OnAdd(*now);
      return PutResult::kAdded;
    }
    if (!IsNewerVersion(object.meta.resource_version, found->second->meta.resource_version)) {
      return PutResult::kOld;
    }
    const Pointer before = found->second;
    const Pointer after = std::make_shared<const T>(std::move(object));
    Unlink(key, *before);
    found->second = after;
    Link(key, *after);
    for (StoreListener<T>* listener : listeners_) listener->OnUpdate(*before, *after);
    return PutResult::kUpdated;
  }

  void Drop(typename Objects::iterator at) {
    const Pointer gone = at->second;
    Unlink(at->first, *gone);
    objects_.erase(at);
    for (StoreListener<T>* listener : listeners_) listener->OnDelete(*gone);
  }
  void Link(const std::string& key, const T& object) {
    if (const auto* owner = object.meta.Controller()) controlled_[owner->uid].insert(key);
  }
  void Unlink(const std::string& key, const T& object) {
    const auto* owner = object.meta.Controller();
    if (owner == nullptr) return;
    const auto found = controlled_.find(owner->uid);
    found->second.erase(key);
    if (found->second.empty()) controlled_.erase(found);
  }

  void (*const trim_)(T&);
  std::function<void(T&)> complete_;  // May be empty.
  Objects objects_;
  absl::flat_hash_map<std::string, std::set<std::string>> controlled_;  // Keys, by owner's uid.
  std::string told_;  // The watch has told everything up to this version.
  // Observed, not yet told by the watch: key and uid.
  std::map<std::string, std::string> unconfirmed_;
  std::vector<StoreListener<T>*> listeners_;
};

}  // namespace bth::controllers
