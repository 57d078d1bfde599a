#include "client/known_objects.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace bth::client {
namespace {

std::string Join(const ObjectKey& key) {
  return absl::StrCat(key.namespace_name, "/", key.name);
}

// Names hold no slash, so that the first one ends the namespace.
ObjectKey Split(const std::string& joined, std::string uid) {
  const size_t slash = joined.find('/');
  return {joined.substr(0, slash), joined.substr(slash + 1), std::move(uid)};
}

}  // namespace

KnownObjects::Change KnownObjects::Observe(const ObjectKey& key, const std::string& version,
                                           ObjectKey* replaced) {
  const auto [found, fresh] = entries_.try_emplace(Join(key));
  Entry& entry = found->second;
  entry.list = list_;
  Change change = Change::kUpdate;
  if (fresh) {
    change = Change::kAdd;
  } else if (entry.uid != key.uid) {
    *replaced = {key.namespace_name, key.name, entry.uid};
    change = Change::kReplace;
  } else if (entry.version == version && !version.empty()) {
    return Change::kNone;
  }
  entry.uid = key.uid;
  entry.version = version;
  return change;
}

bool KnownObjects::Keep(const ObjectKey& key, ObjectKey* replaced) {
  const auto found = entries_.find(Join(key));
  if (found == entries_.end()) return false;
  if (key.uid.empty() || found->second.uid == key.uid) {
    found->second.list = list_;
    // Whatever comes next is news, even if it has the version known so far.
    found->second.version.clear();
    return false;
  }
  *replaced = {key.namespace_name, key.name, found->second.uid};
  entries_.erase(found);
  return true;
}

bool KnownObjects::Forget(const ObjectKey& key, ObjectKey* gone) {
  const auto found = entries_.find(Join(key));
  if (found == entries_.end()) return false;
  *gone = {key.namespace_name, key.name, found->second.uid};
  entries_.erase(found);
  return true;
}

std::vector<ObjectKey> KnownObjects::EndList() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [name, entry] : entries_) {
    if (entry.list != list_) names.emplace_back(name, entry.uid);
  }
  std::sort(names.begin(), names.end());
  std::vector<ObjectKey> gone;
  for (auto& [name, uid] : names) {
    entries_.erase(name);
    gone.push_back(Split(name, std::move(uid)));
  }
  return gone;
}

}  // namespace bth::client
