// Watches of several kinds, and who hears of each.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/informer.h"

namespace bth::nodesim {

// Thread: the executor's. Lifetime: `api` and `rng` outlive it.
class WatchedKinds final {
 public:
  WatchedKinds(client::ApiClient& api, Rng& rng)
      : api_(api), rng_(rng), informers_(api.executor()) {}

  // Before StartAll.
  template <typename T>
  void Add(std::shared_ptr<client::InformerHandler<T>> handler) {
    client::InformerOptions options;
    options.reflector.on_error = [](const absl::Status& status) {
      Log(LogLevel::kWarning, "nodesim.watch_failed", {{"status", status}});
    };
    owned_.push_back(std::make_unique<client::Informer<T>>(api_, rng_, *handler, options));
    informers_.Add(*owned_.back());
    handlers_.push_back(std::move(handler));
  }
  void StartAll() { informers_.StartAll(); }
  void StopAll() { informers_.StopAll(); }
  bool AllSynced() const { return informers_.AllSynced(); }

 private:
  client::ApiClient& api_;
  Rng& rng_;
  std::vector<std::shared_ptr<void>> handlers_;
  std::vector<std::unique_ptr<client::InformerBase>> owned_;
  client::InformerSet informers_;
};

}  // namespace bth::nodesim
