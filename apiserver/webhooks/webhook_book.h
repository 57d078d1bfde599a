// The webhooks of all configurations of one kind, in the order in which they are asked.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/matching/outside.h"
#include "apiserver/webhooks/caller.h"
#include "apiserver/webhooks/webhook.h"

namespace bth::apiserver {

// Who is to be asked about one write, and how it is shown to them.
struct Invocation {
  WebhookPtr webhook;
  ResourceTypePtr as;
};

// Follows the store. Thread: the executor's. Lifetime: the store's observer and stages hold it.
class WebhookBook final : public std::enable_shared_from_this<WebhookBook> {
 public:
  WebhookBook(std::shared_ptr<Outside> outside, bool mutating,
              std::shared_ptr<const cel::Environment> environment);

  void Start();
  bool MayConcern(const WriteContext& write) const;
  // By configuration and place; the list is the one of now.
  const std::vector<WebhookPtr>& webhooks() const { return webhooks_; }
  // Nothing: the webhook need not be asked. Errors: it cannot be told, and that counts.
  absl::StatusOr<std::optional<Invocation>> Choose(const WebhookPtr& webhook,
                                                   const WriteContext& write) const;

 private:
  void OnCommit(const Collection& collection, const StoreEvent& event);
  void Flatten();

  const std::shared_ptr<Outside> outside_;
  const bool mutating_;
  const std::string collection_;
  const std::shared_ptr<const cel::Environment> environment_;
  std::map<std::string, std::vector<WebhookPtr>> by_configuration_;
  std::vector<WebhookPtr> webhooks_;
};

// Serves both kinds of configurations: their rules, the validating stage, and the mutator that is
// to be put behind the one of policies.
std::unique_ptr<Mutator> ServeWebhooks(const std::shared_ptr<Core>& core,
                                       const std::shared_ptr<Outside>& outside, ConnectTo connect);

}  // namespace bth::apiserver
