// What must still be there when the API server comes back from a crash.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "apiserver/store/store.h"

namespace bth::sim {

// Keeps which revision of each object was acknowledged, beside what the server had applied without
// having told anybody. Thread: the timeline's.
class Survivors final {
 public:
  using Replay =
      std::function<void(const std::string& collection, const apiserver::StoreEvent& event)>;

  // What a server has at its first start.
  void Begin(const apiserver::Store& store) { told_ = RevisionsIn(store); }
  // Applied, and not yet on disk.
  void Applied(const std::string& collection, const apiserver::StoreEvent& event) {
    untold_.emplace_back(collection, event);
  }
  // On disk, and told to whoever wants to know.
  void Told(const std::string& collection, const apiserver::StoreEvent& event);
  // A server has read its disk. What came through though nobody had been told is replayed. Returns
  // what is missing, or there though it was never written; empty: nothing.
  std::string Judge(const apiserver::Store& store, const Replay& replay);

 private:
  using Revisions = std::map<apiserver::ObjectKey, int64_t>;
  using Collections = std::map<std::string, Revisions>;

  static Collections RevisionsIn(const apiserver::Store& store);
  void Take(const std::string& collection, const apiserver::StoreEvent& event);

  Collections told_;
  std::deque<std::pair<std::string, apiserver::StoreEvent>> untold_;
};

}  // namespace bth::sim
