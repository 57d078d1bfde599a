#include "apiserver/webhooks/webhook_book.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/errors.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kValidating[] = "validatingwebhookconfigurations.admissionregistration.k8s.io";
constexpr char kMutating[] = "mutatingwebhookconfigurations.admissionregistration.k8s.io";

}  // namespace

WebhookBook::WebhookBook(std::shared_ptr<Outside> outside, bool mutating,
                         std::shared_ptr<const cel::Environment> environment)
    : outside_(std::move(outside)),
      mutating_(mutating),
      collection_(mutating ? kMutating : kValidating),
      environment_(std::move(environment)) {}

void WebhookBook::Start() {
  Core& core = outside_->core;
  for (const ObjectPtr& stored : core.store->Find(collection_)->All("")) {
    by_configuration_[stored->key.name] = ReadWebhooks(ParseStored(*stored), environment_);
  }
  Flatten();
  core.store->OnCommit(
      [self = shared_from_this()](Collection& collection, const StoreEvent& event) {
        self->OnCommit(collection, event);
      });
}

void WebhookBook::OnCommit(const Collection& collection, const StoreEvent& event) {
  if (collection.name() != collection_) return;
  const std::string& name = event.object->key.name;
  if (event.type == EventType::kDeleted) {
    by_configuration_.erase(name);
  } else {
    by_configuration_[name] = ReadWebhooks(ParseStored(*event.object), environment_);
  }
  Flatten();
}

void WebhookBook::Flatten() {
  webhooks_.clear();
  for (const auto& [name, webhooks] : by_configuration_) {
    webhooks_.insert(webhooks_.end(), webhooks.begin(), webhooks.end());
  }
}

bool WebhookBook::MayConcern(const WriteContext& write) const {
  if (webhooks_.empty() || IsExempt(write)) return false;
  return std::any_of(webhooks_.begin(), webhooks_.end(),
                     [&](const WebhookPtr& webhook) { return webhook->terms.MayMatch(write); });
}

absl::StatusOr<std::optional<Invocation>> WebhookBook::Choose(const WebhookPtr& webhook,
                                                              const WriteContext& write) const {
  const Target target = TargetOf(write, !mutating_);
  absl::StatusOr<ResourceTypePtr> as = webhook->terms.Match(outside_->core, target);
  if (!as.ok()) return as.status();
  if (*as == nullptr) return std::nullopt;
  if (!webhook->conditions.empty()) {
    const WriteDocuments documents(outside_->core, target, *as, !mutating_);
    const WriteVariables variables(documents);
    const absl::StatusOr<bool> hold = webhook->conditions.Hold(variables);
    const AdmissionMetrics::Condition labels{webhook->name, "webhook",
                                             mutating_ ? "admit" : "validating", target.operation};
    if (!hold.ok()) {
      outside_->metrics.ConditionFailed(labels);
      if (webhook->ignores_failure) return std::nullopt;
      return Forbidden({write.type->group, write.type->plural, write.type->kind, write.name},
                       ToStd(hold.status().message()));
    }
    if (!*hold) {
      outside_->metrics.ConditionExcluded(labels);
      return std::nullopt;
    }
  }
  return Invocation{webhook, *as};
}

}  // namespace bth::apiserver
