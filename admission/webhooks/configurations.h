// The webhook configurations of the API server, as documents: which one belongs to which webhook,
// and what must stand in it. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "admission/rules/paths.h"
#include "api/types/json.h"
#include "client/api_client.h"

namespace bth::admission {

using types::Json;

// Where the API server finds the webhooks: a Service, or when it is set, a URL without path.
struct WebhookAddress {
  std::string ns;
  std::string service;
  std::string url;
};

// Whether it is checked who may submit to a queue (--check-queue-access).
enum class QueueCheck : uint8_t { kOff, kOn };

// "volcano-admission-service-jobs-mutate": the same in every installation.
std::string ConfigurationName(const Webhook& webhook);
// Of the configuration, or without its name for creating it.
client::ApiPath ConfigurationPath(const Webhook& webhook);
client::ApiPath ConfigurationsPath(const Webhook& webhook);

// Beside the webhook's own resource, the one of its group and version that it is asked about where
// queues are checked, and only for that, since no rule looks at it: job templates, of the webhook
// of job flows, which make jobs of them. "": none.
std::string_view CheckedResource(const Webhook& webhook);

// Puts the authorities that the API server shall trust into every entry that lacks one of them.
// Others that are there stay, by Bundle's rules: other replicas may serve certificates of theirs.
// True when something changed.
bool SetAuthorities(Json& configuration, const std::string& authorities_pem, absl::Time now);

// A configuration as deploy/admission/webhooks.yaml has it. Where queues are checked, that of pod
// groups has UPDATE besides, on the condition that the queue changes, and that of job flows the
// resource jobtemplates; where they are not, pods are asked about on the condition that they have
// an annotation that /pods/validate reads.
Json MakeConfiguration(const Webhook& webhook, const WebhookAddress& address,
                       std::string_view authorities_pem, QueueCheck check = QueueCheck::kOff);

// Writes into `configuration` what decides whom the API server asks about what: address, rules,
// versions, side effects, and authorities where there are none; those that are there are
// SetAuthorities' affair. What an administrator sets in an entry stays: failurePolicy, timeout,
// selectors, conditions other than ours. An entry of ours that is missing is added. True when
// something changed.
bool BringUpToDate(Json& configuration, const Json& wanted);

}  // namespace bth::admission
