// Brings our authorities, and where asked the whole registration, to the API server.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "admission/rules/paths.h"
#include "admission/webhooks/configurations.h"
#include "client/api_client.h"
#include "metrics/admission_metrics.h"
#include "net/awaitable.h"

namespace bth::admission {

struct RegistrationOptions {
  std::vector<const Webhook*> webhooks;
  WebhookAddress address;
  QueueCheck queue_check = QueueCheck::kOff;
  // Configurations are created and kept up to date; else only authorities are written into those
  // that are there.
  bool create = false;
  // At the start: how often, and how long, a configuration is looked for that is not there, or a
  // server asked that does not answer.
  absl::Duration retry = absl::Seconds(1);
  absl::Duration wait_max = absl::Minutes(5);
};

// Whole objects are written, with the version that was read: the role that Volcano's manifests give
// allows updates, and no patches. Fields unknown here are kept, and authorities of others trusted;
// what has ours already is not written, so that replicas whose authorities differ leave each
// other's in place. Lifetime: shorter than `api` and `metrics`, longer than its coroutines. Thread:
// the executor's.
class Registration final {
 public:
  Registration(client::ApiClient& api, metrics::AdmissionMetrics& metrics,
               RegistrationOptions options);
  Registration(const Registration&) = delete;

  // For every webhook, one after another. What is missing is waited for, in all for `wait_max` at
  // most; what is not allowed ends it at once. Errors are worded as Volcano's.
  net::Awaitable<absl::Status> Begin(std::string authorities_pem);
  // The same later on, without waiting: the first error, after all were tried. kNotFound only where
  // nothing worse came up: a configuration that is not there calls nobody.
  net::Awaitable<absl::Status> Renew(std::string authorities_pem);

 private:
  net::Awaitable<absl::Status> Write(const Webhook& webhook, const std::string& authorities_pem);
  net::Awaitable<absl::Status> Create(const Webhook& webhook, const std::string& authorities_pem);
  bool IsWorthWaiting(const absl::Status& status) const;

  client::ApiClient& api_;
  metrics::AdmissionMetrics& metrics_;
  const RegistrationOptions options_;
};

}  // namespace bth::admission
