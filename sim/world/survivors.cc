#include "sim/world/survivors.h"

#include "base/strings.h"

namespace bth::sim {

Survivors::Collections Survivors::RevisionsIn(const apiserver::Store& store) {
  Collections out;
  for (const auto& [name, collection] : store.collections()) {
    for (const apiserver::ObjectPtr& object : collection->All("")) {
      out[name][object->key] = object->revision;
    }
  }
  return out;
}

void Survivors::Take(const std::string& collection, const apiserver::StoreEvent& event) {
  const apiserver::ObjectKey& key = event.object->key;
  Revisions& revisions = told_[collection];
  if (event.type == apiserver::EventType::kDeleted) {
    revisions.erase(key);
  } else {
    revisions[key] = event.revision;
  }
}

void Survivors::Told(const std::string& collection, const apiserver::StoreEvent& event) {
  // What a server writes while it starts is not announced.
  if (!untold_.empty() && untold_.front().second.revision == event.revision) untold_.pop_front();
  Take(collection, event);
}

std::string Survivors::Judge(const apiserver::Store& store, const Replay& replay) {
  // Up to here it has read; beyond it has begun to write.
  const int64_t read = store.delivered();
  while (!untold_.empty() && untold_.front().second.revision <= read) {
    const auto [collection, event] = std::move(untold_.front());
    untold_.pop_front();
    Take(collection, event);
    replay(collection, event);
  }
  untold_.clear();
  Collections found = RevisionsIn(store);
  for (const auto& [collection, revisions] : told_) {
    for (const auto& [key, revision] : revisions) {
      const auto it = found[collection].find(key);
      const int64_t has = it == found[collection].end() ? 0 : it->second;
      if (has == revision || has > read) continue;
      return StrCat(collection, " ", key.ns, "/", key.name, " was written with revision ", revision,
                    "; after the restart ", has == 0 ? "there is none" : StrCat("it has ", has),
                    " at revision ", read);
    }
  }
  for (const auto& [collection, revisions] : found) {
    for (const auto& [key, revision] : revisions) {
      if (revision > read || told_[collection].contains(key)) continue;
      return StrCat(collection, " ", key.ns, "/", key.name, " is there with revision ", revision,
                    " after the restart; it was deleted, or never written");
    }
  }
  return "";
}

}  // namespace bth::sim
