#include "admission/webhooks/cluster_feed.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace bth::admission {

ClusterFeed::ClusterFeed(client::ApiClient& api, Rng& rng, metrics::AdmissionMetrics& metrics,
                         Options options)
    : metrics_(metrics),
      notices_(api.executor(), std::move(options.role)),
      queues_(api, rng, queue_handler_, OptionsOf(types::ResourceTraits<types::Queue>::type())),
      namespaces_(api, rng, namespace_handler_,
                  OptionsOf(types::ResourceTraits<types::Namespace>::type())),
      informers_(api.executor()) {
  informers_.Add(queues_);
  if (options.namespaces) informers_.Add(namespaces_);
}

client::InformerOptions ClusterFeed::OptionsOf(const types::ResourceType& type) {
  client::InformerOptions options;
  // Without their definition there are no queues, and what names one is refused for it.
  options.reflector.absent_is_empty = type.group.find("volcano.sh") != std::string::npos;
  options.reflector.on_presence = [this, name = type.FullName()](bool is_there) {
    notices_.Presence(name, is_there);
  };
  options.reflector.on_error = [this, plural = type.plural](const absl::Status& status) {
    notices_.Failed(plural, status);
  };
  metrics::ClientMetrics& counts = metrics_.client();
  options.reflector.on_relist = [&counts, plural = type.plural] {
    counts.InformerRelisted(plural);
  };
  options.reflector.on_rewatch = [&counts, plural = type.plural] { counts.WatchRestarted(plural); };
  options.on_malformed = [&counts, plural = type.plural](const client::ObjectKey& key,
                                                         const absl::Status& status) {
    counts.MalformedObject(plural);
    Log(LogLevel::kError, "object.malformed",
        {{"resource", plural}, {"object", key.name}, {"status", status}});
  };
  counts.Publish(type.plural);
  return options;
}

}  // namespace bth::admission
