#include "cmd/common/own_admission.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "admission/rules/paths.h"
#include "admission/webhooks/cluster_view.h"
#include "api/types/codec.h"
#include "api/types/namespace.h"
#include "api/types/queue.h"
#include "apiserver/patch/patch.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/errors.h"
#include "apiserver/webhooks/review.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

using apiserver::Operation;
using apiserver::StoreEvent;
using apiserver::WriteContext;

// What both stages work with; the store's observer keeps it, too. Thread: the executor's.
class StoredCluster final {
 public:
  // Reads what the store holds.
  explicit StoredCluster(apiserver::Core& core)
      : queues_(CollectionName(core, "scheduling.volcano.sh", "v1beta1", "queues")),
        namespaces_(CollectionName(core, "", "v1", "namespaces")) {
    for (const std::string* name : {&queues_, &namespaces_}) {
      const apiserver::Collection* const collection = core.store->Find(*name);
      if (collection == nullptr) continue;
      for (const apiserver::ObjectPtr& object : collection->All("")) Put(*name, *object);
    }
  }

  void Note(const std::string& collection, const StoreEvent& event) {
    if (collection != queues_ && collection != namespaces_) return;
    if (event.type != apiserver::EventType::kDeleted) return Put(collection, *event.object);
    if (collection == queues_) return view_.RemoveQueue(event.object->key.name);
    view_.RemoveNamespace(event.object->key.name);
  }
  const admission::Known& view() const { return view_; }

 private:
  static std::string CollectionName(const apiserver::Core& core, std::string_view group,
                                    std::string_view version, std::string_view plural) {
    const apiserver::ResourceTypePtr type = core.registry.Find(group, version, plural);
    return type == nullptr ? "" : type->collection;
  }
  // An object that cannot be read leaves what was known of it.
  void Put(const std::string& collection, const apiserver::StoredObject& object) {
    if (collection == namespaces_) {
      const auto ns = types::Decode<types::Namespace>(std::string_view(object.bytes));
      if (ns.ok()) view_.PutNamespace(ns->meta);
      return;
    }
    absl::StatusOr<types::Queue> queue =
        types::Decode<types::Queue>(std::string_view(object.bytes));
    if (queue.ok()) return view_.PutQueue(*std::move(queue));
    Log(LogLevel::kError, "object.malformed",
        {{"resource", "queues"}, {"object", object.key.name}, {"status", queue.status()}});
  }

  const std::string queues_;
  const std::string namespaces_;
  admission::ClusterView view_;
};

bool IsAskedAbout(const admission::Webhook& webhook, const WriteContext& write) {
  const auto& operations = webhook.operations;
  return write.Is(webhook.group, webhook.resource) &&
         std::find(operations.begin(), operations.end(), OperationName(write.operation)) !=
             operations.end();
}

// The namespaces that the registrations of deploy/admission leave out.
bool IsLeftOut(const WriteContext& write) {
  return write.ns == "kube-system" || write.ns == "volcano-system";
}

admission::Request RequestFor(const admission::Webhook& webhook, const WriteContext& write) {
  admission::Request request;
  request.operation = OperationName(write.operation);
  request.resource = {std::string(webhook.group), std::string(webhook.version),
                      std::string(webhook.resource)};
  request.name = write.name;
  request.ns = write.ns;
  if (write.operation != Operation::kDelete) request.object = &write.object;
  if (write.old.has_value()) request.old_object = &*write.old;
  request.user.name = write.user.name;
  request.user.uid = write.user.uid;
  request.user.groups = write.user.groups;
  request.dry_run = write.dry_run;
  return request;
}

// In the words of a refusal by HTTP.
absl::Status Denied(const admission::Webhook& webhook, const std::string& message) {
  apiserver::ReviewAnswer answer;
  answer.status = types::Json::MakeObject({{"message", message}});
  return apiserver::RefusalOf(webhook.name, answer);
}

// Either all that mutate, or all that validate, in the order of their table.
class OwnStage final : public apiserver::Stage {
 public:
  OwnStage(bool mutating, std::shared_ptr<const admission::Settings> settings,
           std::shared_ptr<const StoredCluster> cluster)
      : mutating_(mutating), settings_(std::move(settings)), cluster_(std::move(cluster)) {}

  std::string_view name() const override {
    return mutating_ ? "own-mutating-webhooks" : "own-validating-webhooks";
  }
  bool Concerns(const WriteContext& write) const override {
    // Of what the server itself writes nobody is asked.
    if (write.request == nullptr || !write.subresource.empty() || IsLeftOut(write)) return false;
    return Any([&](const admission::Webhook& webhook) { return IsAskedAbout(webhook, write); });
  }
  absl::Status Apply(WriteContext& write) override {
    for (const admission::Webhook& webhook : admission::Webhooks()) {
      if (webhook.mutating != mutating_ || !IsAskedAbout(webhook, write)) continue;
      if (absl::Status status = Ask(webhook, write); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  template <typename Claim>
  bool Any(const Claim& claim) const {
    const auto webhooks = admission::Webhooks();
    return std::any_of(webhooks.begin(), webhooks.end(), [&](const admission::Webhook& webhook) {
      return webhook.mutating == mutating_ && claim(webhook);
    });
  }
  absl::Status Ask(const admission::Webhook& webhook, WriteContext& write) const {
    const admission::Request request = RequestFor(webhook, write);
    admission::Verdict verdict = admission::Review(webhook, request, *settings_, cluster_->view());
    for (const std::string& warning : verdict.warnings) write.warnings.push_back(warning);
    if (!verdict.allowed) return Denied(webhook, verdict.message);
    if (!mutating_ || !verdict.patch.has_value() || verdict.patch->empty()) return absl::OkStatus();
    absl::StatusOr<types::Json> patched =
        apiserver::ApplyJsonPatch(write.object, admission::ToJson(*std::move(verdict.patch)));
    if (!patched.ok()) return apiserver::InternalError(ToStd(patched.status().message()));
    write.object = *std::move(patched);
    return absl::OkStatus();
  }

  const bool mutating_;
  const std::shared_ptr<const admission::Settings> settings_;
  const std::shared_ptr<const StoredCluster> cluster_;
};

}  // namespace

void AddOwnAdmission(apiserver::ApiServer& server, admission::Settings settings) {
  const auto cluster = std::make_shared<StoredCluster>(server.core());
  server.store().OnCommit([cluster](apiserver::Collection& collection, const StoreEvent& event) {
    cluster->Note(collection.name(), event);
  });
  const auto shared = std::make_shared<const admission::Settings>(std::move(settings));
  server.AddStage(apiserver::StagePoint::kMutate,
                  std::make_unique<OwnStage>(true, shared, cluster));
  server.AddStage(apiserver::StagePoint::kValidateOutside,
                  std::make_unique<OwnStage>(false, shared, cluster));
}

}  // namespace bth::cmd
