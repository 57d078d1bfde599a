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
  if (options.job_templates) {
    templates_.emplace(api, rng, template_handler_,
                       report_.OptionsOf(types::ResourceTraits<types::JobTemplate>::type()));
    informers_.Add(*templates_);
  }
}

std::vector<std::string> ClusterFeed::Missing() const {
  std::vector<std::string> missing = informers_.Missing();
  if (templates_.has_value()) std::erase(missing, templates_->name());
  return missing;
}

}  // namespace bth::admission
