// What was written to objects of one kind and the watch has not shown yet.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace bth::cache {

// A write is bound to the version it was made from, and the server answers with the next one. So an
// object that the watch still shows in a version before our last write is known as we sent it; any
// other version is ours or came after it. `Shown` is what an object shows, with its
// `resource_version`. Thread: I/O.
template <typename Shown>
class SentStatuses {
 public:
  // By the watch. Null: there is no such object.
  struct Seen {
    std::string_view uid;
    const Shown* shown = nullptr;
  };
  using Look = std::function<Seen(const std::string& key)>;
  explicit SentStatuses(Look look) : look_(std::move(look)) {}

  // What the server has, as far as we can know; its version is the one the next write builds on.
  // Null: the object is gone, whether another one has its name or not. Valid until what is seen or
  // this changes.
  const Shown* Known(const std::string& key, std::string_view uid) const {
    const Seen seen = look_(key);
    if (seen.shown == nullptr || seen.uid != uid) return nullptr;
    const auto sent = sent_.find(key);
    return sent != sent_.end() && IsNews(seen, sent->second) ? &sent->second.status : seen.shown;
  }

  // `status`, which has the version of the server's answer, was written on top of version `base`.
  void Note(const std::string& key, const std::string& uid, std::string base, Shown status) {
    Sent& sent = sent_[key];
    const bool is_same = base == status.resource_version;  // The server had nothing to change.
    if (sent.uid != uid || !IsNews(look_(key), sent)) sent.before.clear();
    if (!is_same) {
      if (sent.before.size() == kVersionsMax) sent.before.erase(sent.before.begin());
      sent.before.push_back(std::move(base));
    }
    sent.uid = uid;
    sent.status = std::move(status);
  }

  void Forget(const std::string& key) { sent_.erase(key); }
  // Forgets what the watch has caught up with.
  void ForgetShown() {
    absl::erase_if(sent_,
                   [this](const auto& entry) { return !IsNews(look_(entry.first), entry.second); });
  }

  size_t size() const { return sent_.size(); }

 private:
  // Of an object whose watch stands still. An older one that is forgotten costs a refused write.
  static constexpr size_t kVersionsMax = 16;

  struct Sent {
    std::string uid;  // Another object may have the name by now.
    // Versions that `status` is newer than, the oldest first: the watch may lag by several writes.
    std::vector<std::string> before;
    Shown status;
  };
  static bool IsNews(const Seen& seen, const Sent& sent) {
    return seen.shown != nullptr && seen.uid == sent.uid &&
           std::find(sent.before.begin(), sent.before.end(), seen.shown->resource_version) !=
               sent.before.end();
  }

  const Look look_;
  absl::flat_hash_map<std::string, Sent> sent_;
};

}  // namespace bth::cache
