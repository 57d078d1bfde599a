// The webhooks as the API server knows them. Pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/doctor/points.h"

namespace bth::cli {

struct WebhookFacts {
  ObjectsRead mutating;
  ObjectsRead validating;
  std::map<std::string, ObjectsRead> slices;  // EndpointSlices by namespace.
  absl::Time now;
};

// Namespaces of the services that our webhooks are called at.
std::vector<std::string> WebhookNamespaces(const WebhookFacts& facts);

// Each configuration: its authority, whether its service has somebody, and what happens without.
void CheckWebhooks(const WebhookFacts& facts, std::vector<Point>* points);

// A job that must be refused, for a trial.
types::Json BadJob();
// What came of it.
void CheckTrial(const absl::Status& answer, bool has_webhooks, std::vector<Point>* points);

}  // namespace bth::cli
