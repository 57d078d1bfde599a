#include "admission/webhooks/cluster_feed.h"

#include <utility>

namespace bth::admission {

ClusterFeed::ClusterFeed(client::ApiClient& api, Rng& rng, metrics::AdmissionMetrics& metrics,
                         Options options)
    : metrics_(metrics),
      report_(api.executor(), std::move(options.role), metrics.client()),
      queues_(api, rng, queue_handler_,
              report_.OptionsOf(types::ResourceTraits<types::Queue>::type())),
      namespaces_(api, rng, namespace_handler_,
                  report_.OptionsOf(types::ResourceTraits<types::Namespace>::type())),
      informers_(api.executor()) {
  informers_.Add(queues_);
  if (options.namespaces) informers_.Add(namespaces_);
}

}  // namespace bth::admission
