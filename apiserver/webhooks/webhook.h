// Webhooks as they were configured, ready to be asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/matching/conditions.h"
#include "apiserver/matching/match_terms.h"

namespace bth::apiserver {

// Where a webhook is called.
struct ServiceReference {
  std::string ns;
  std::string name;
  std::string path;
  int port = 443;
};
struct ClientConfig {
  std::string url;  // Empty: by service.
  std::optional<ServiceReference> service;
  std::string ca_pem;  // Empty: the system's roots.
};

// Immutable; calls that are under way keep it.
struct Webhook {
  std::string configuration;  // The object that has it.
  std::string name;
  std::string id;  // Tells it from all others while the configuration is as it is.
  ClientConfig client;
  MatchTerms terms;
  MatchConditions conditions;
  bool ignores_failure = false;
  bool invoked_again = false;  // reinvocationPolicy IfNeeded.
  absl::Duration timeout;
  bool first_review_is_beta = false;  // v1beta1 stands before v1.
};
using WebhookPtr = std::shared_ptr<const Webhook>;

// Reads a stored configuration; its webhooks in their order. One that cannot be read (its
// expressions come from a younger server) is reported, and refuses what it would have been asked.
std::vector<WebhookPtr> ReadWebhooks(const Json& configuration,
                                     const std::shared_ptr<const cel::Environment>& environment);

}  // namespace bth::apiserver
