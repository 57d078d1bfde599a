// The stores that the controllers of one process share, each with its watch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/types/resource.h"
#include "base/check.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/informer.h"
#include "client/informer_report.h"
#include "controllers/core/object_store.h"
#include "controllers/core/trim.h"
#include "metrics/client_metrics.h"

namespace bth::controllers {

// Lifetime: `api`, `rng` and `metrics` outlive it. Thread: the executor's.
class Watches final {
 public:
  Watches(client::ApiClient& api, Rng& rng, metrics::ClientMetrics& metrics)
      : api_(api),
        rng_(rng),
        report_(api.executor(), "deploy/controllers/rbac.yaml", metrics),
        informers_(api.executor()) {}
  Watches(const Watches&) = delete;

  // The store of one kind in all namespaces, made when first asked for. New kinds: before StartAll.
  template <typename T>
  ObjectStore<T>& Of() {
    const types::ResourceType& type = types::ResourceTraits<T>::type();
    std::unique_ptr<WatchedBase>& slot = watched_[type.FullName()];
    if (slot == nullptr) {
      BTH_CHECK(!started_);
      auto watched = std::make_unique<Watched<T>>();
      ObjectStore<T>& store = watched->store;
      client::InformerOptions options = report_.OptionsOf(type);
      options.on_malformed = [&store, tell = std::move(options.on_malformed)](
                                 const client::ObjectKey& key, const absl::Status& why) {
        tell(key, why);
        store.TellUnreadable({key, why});
      };
      watched->informer =
          std::make_unique<client::Informer<T>>(api_, rng_, store, std::move(options));
      informers_.Add(*watched->informer);
      slot = std::move(watched);
    }
    return static_cast<Watched<T>&>(*slot).store;
  }

  void StartAll() {
    started_ = true;
    informers_.StartAll();
  }
  void StopAll() { informers_.StopAll(); }
  bool AllSynced() const { return informers_.AllSynced(); }
  std::vector<std::string> Unsynced() const { return informers_.Unsynced(); }
  // Kinds that the server does not know.
  std::vector<std::string> Missing() const { return informers_.Missing(); }
  net::Awaitable<absl::Status> WaitForSync(absl::Duration timeout) {
    return informers_.WaitForSync(timeout);
  }

 private:
  struct WatchedBase {
    virtual ~WatchedBase() = default;
  };
  template <typename T>
  struct Watched final : WatchedBase {
    ObjectStore<T> store{TrimOf<T>()};
    std::unique_ptr<client::InformerBase> informer;
  };

  client::ApiClient& api_;
  Rng& rng_;
  client::InformerReport report_;
  bool started_ = false;
  std::map<std::string, std::unique_ptr<WatchedBase>> watched_;  // By plural and group.
  client::InformerSet informers_;
};

}  // namespace bth::controllers
