// What was written to PodGroups and the watch has not shown yet.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

class Mirror;

// A write is bound to the version it was made from, and the server answers with the next one. So a
// group that the watch still shows in a version before our last write is known as we sent it; any
// other version is ours or came after it. Thread: I/O.
class SentGroups {
 public:
  explicit SentGroups(const Mirror& mirror) : mirror_(mirror) {}

  // What the server has, as far as we can know; its version is the one the next write builds on.
  // Null: there is no such group. Valid until the mirror or this changes.
  const ShownPodGroup* Known(const std::string& key) const;

  // `status`, which has the version of the server's answer, was written on top of version `base`.
  void Note(const std::string& key, const std::string& uid, std::string base, ShownPodGroup status);
  void Forget(const std::string& key) { sent_.erase(key); }
  // Forgets what the watch has caught up with.
  void ForgetShown();

  size_t size() const { return sent_.size(); }

 private:
  struct Sent {
    std::string uid;  // Another group may have the name by now.
    // Versions that `status` is newer than, the oldest first: the watch may lag by several writes.
    std::vector<std::string> before;
    ShownPodGroup status;
  };
  bool IsNews(const std::string& key, const Sent& sent) const;

  const Mirror& mirror_;
  absl::flat_hash_map<std::string, Sent> sent_;
};

}  // namespace bth::cache
