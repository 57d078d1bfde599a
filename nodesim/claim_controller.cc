#include "nodesim/claim_controller.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/types/fragment.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/finalizers.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

using types::Json;
using types::Pod;
using types::PodResourceClaim;
using types::ResourceClaim;
using types::ResourceClaimTemplate;

constexpr std::string_view kProtection = "resource.kubernetes.io/delete-protection";
constexpr std::string_view kEntryAnnotation = "resource.kubernetes.io/pod-claim-name";

client::WorkQueueOptions ClaimQueueOptions(const ClaimControllerOptions& options) {
  client::WorkQueueOptions out;
  out.backoff_initial = options.retry_initial;
  out.backoff_max = options.retry_max;
  out.retry_qps = 0;
  return out;
}

// Its devices are of no use to it any more.
bool HasEnded(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed" ||
         (pod.meta.deletion_time && pod.spec.node_name.empty());
}

const std::string* ClaimIn(const Pod& pod, const std::string& entry) {
  for (const types::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
    if (status.name == entry) return &status.resource_claim_name;
  }
  return nullptr;
}

bool IsProtected(const ResourceClaim& claim) {
  const auto& finalizers = claim.meta.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), kProtection) != finalizers.end();
}

// The claim that `from` makes for an entry of the pod.
Json ClaimBody(const ResourceClaimTemplate& from, const Pod& pod, const std::string& entry) {
  Json body = Json::MakeObject();
  body.Set("apiVersion", "resource.k8s.io/v1");
  body.Set("kind", "ResourceClaim");
  Json& meta = body["metadata"];
  meta.Set("namespace", pod.meta.ns);
  meta.Set("generateName", StrCat(pod.meta.name, "-", entry, "-"));
  for (const auto& [name, value] : from.spec.meta.labels) meta["labels"].Set(name, value);
  for (const auto& [name, value] : from.spec.meta.annotations) meta["annotations"].Set(name, value);
  meta["annotations"].Set(kEntryAnnotation, entry);
  meta["ownerReferences"].MutableItems().push_back(
      Json::MakeObject({{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"name", pod.meta.name},
                        {"uid", pod.meta.uid},
                        {"controller", true},
                        {"blockOwnerDeletion", true}}));
  body.Set("spec", from.spec.spec.raw);
  return body;
}

Json UserList(const std::vector<types::ClaimConsumer>& users) {
  if (users.empty()) return Json();
  Json out = Json::MakeArray();
  for (const types::ClaimConsumer& user : users) {
    out.MutableItems().push_back(types::FragmentToJson(user));
  }
  return out;
}

// What a write that came too late is answered with: the watch brings another turn.
bool CameTooLate(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsNotFound(status) || absl::IsAlreadyExists(status);
}

client::ApiPath ClaimPath(const ResourceClaim& claim) {
  return client::PathOf<ResourceClaim>(claim.meta.ns, claim.meta.name);
}

}  // namespace

template <typename T>
class ClaimController::Handler final : public client::InformerHandler<T> {
 public:
  explicit Handler(ClaimController& controller) : controller_(controller) {}
  void OnAdd(T&& object) override { controller_.Put(std::move(object)); }
  void OnUpdate(T&& object) override { controller_.Put(std::move(object)); }
  void OnDelete(const client::ObjectKey& key) override {
    controller_.Remove(static_cast<const T*>(nullptr), key);
  }

 private:
  ClaimController& controller_;
};

ClaimController::ClaimController(client::ApiClient& api, Rng& rng, ClaimControllerOptions options)
    : api_(api),
      options_(options),
      queue_(api.executor(), ClaimQueueOptions(options)),
      watched_(api, rng) {
  watched_.Add<ResourceClaimTemplate>(std::make_shared<Handler<ResourceClaimTemplate>>(*this));
  watched_.Add<ResourceClaim>(std::make_shared<Handler<ResourceClaim>>(*this));
  watched_.Add<Pod>(std::make_shared<Handler<Pod>>(*this));
}

ClaimController::~ClaimController() {
  watched_.StopAll();
  lanes_.clear();
}

void ClaimController::Start() {
  watched_.StartAll();
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Keep(api_.executor(), "nodesim.claims", [this] { return Lane(); });
  }
}

// --- What the API tells ------------------------------------------------------------------------

void ClaimController::Put(Pod&& pod) {
  if (pod.spec.resource_claims.empty() && pod.status.extended_claim.empty()) return;
  const std::string key = pod.meta.Key();
  queue_.Add(StrCat("pod/", key));
  if (HasEnded(pod)) QueueClaimsOf(pod);
  pods_[key] = std::move(pod);
}

void ClaimController::Put(ResourceClaim&& claim) {
  const std::string key = claim.meta.Key();
  queue_.Add(StrCat("claim/", key));
  Forget(key);
  if (const auto* owner = claim.meta.Controller()) claims_of_[owner->uid].insert(key);
  claims_[key] = std::move(claim);
}

void ClaimController::Forget(const std::string& claim_key) {
  const auto known = claims_.find(claim_key);
  if (known == claims_.end()) return;
  if (const types::OwnerReference* owner = known->second.meta.Controller()) {
    const auto of_pod = claims_of_.find(owner->uid);
    of_pod->second.erase(claim_key);
    if (of_pod->second.empty()) claims_of_.erase(of_pod);
  }
  claims_.erase(known);
}

void ClaimController::Put(ResourceClaimTemplate&& from) {
  const std::string key = from.meta.Key();
  for (const auto& [pod_key, pod] : pods_) {
    for (const PodResourceClaim& entry : pod.spec.resource_claims) {
      if (StrCat(pod.meta.ns, "/", entry.resource_claim_template_name) == key) {
        queue_.Add(StrCat("pod/", pod_key));
      }
    }
  }
  templates_[key] = std::move(from);
}

void ClaimController::Remove(const Pod*, const client::ObjectKey& key) {
  const auto known = pods_.find(StrCat(key.namespace_name, "/", key.name));
  if (known == pods_.end()) return;
  QueueClaimsOf(known->second);
  pods_.erase(known);
}

void ClaimController::Remove(const ResourceClaim*, const client::ObjectKey& key) {
  Forget(StrCat(key.namespace_name, "/", key.name));
}

void ClaimController::Remove(const ResourceClaimTemplate*, const client::ObjectKey& key) {
  templates_.erase(StrCat(key.namespace_name, "/", key.name));
}

void ClaimController::QueueClaimsOf(const Pod& pod) {
  for (const PodResourceClaim& entry : pod.spec.resource_claims) {
    const std::string* made = ClaimIn(pod, entry.name);
    const std::string& name = made != nullptr ? *made : entry.resource_claim_name;
    if (!name.empty()) queue_.Add(StrCat("claim/", pod.meta.ns, "/", name));
  }
  // Also those made for it that its status does not name, or not any more.
  if (const auto made = claims_of_.find(pod.meta.uid); made != claims_of_.end()) {
    for (const std::string& key : made->second) queue_.Add(StrCat("claim/", key));
  }
  // What the scheduler made for its extended resources.
  const std::string& extended = pod.status.extended_claim;
  if (!extended.empty()) queue_.Add(StrCat("claim/", pod.meta.ns, "/", extended));
}

// --- What is written ----------------------------------------------------------------------------

net::Awaitable<void> ClaimController::Lane() {
  for (;;) {
    const std::optional<std::string> key = co_await queue_.Next();
    if (!key) co_return;
    const absl::Status status = co_await Work(*key);
    if (status.ok() || CameTooLate(status)) {
      queue_.Forget(*key);
    } else {
      ++counters_.failures;
      Log(LogLevel::kDebug, "nodesim.failed", {{"key", *key}, {"status", status}});
      queue_.AddRateLimited(*key, client::RetryAfter(status).value_or(absl::ZeroDuration()));
    }
    queue_.Done(*key);
  }
}

net::Awaitable<absl::Status> ClaimController::Work(std::string key) {
  if (!HasSynced()) {
    queue_.AddAfter(key, absl::Milliseconds(50));
    co_return absl::OkStatus();
  }
  const size_t slash = key.find('/');
  if (key.substr(0, slash) == "pod") co_return co_await WorkOnPod(key.substr(slash + 1));
  co_return co_await WorkOnClaim(key.substr(slash + 1));
}

net::Awaitable<absl::Status> ClaimController::WorkOnPod(std::string key) {
  const auto known = pods_.find(key);
  if (known == pods_.end() || known->second.meta.deletion_time) co_return absl::OkStatus();
  Pod pod = known->second;
  if (HasEnded(pod)) co_return absl::OkStatus();
  bool is_news = false;
  const std::vector<PodResourceClaim> entries = pod.spec.resource_claims;
  for (const PodResourceClaim& entry : entries) {
    if (entry.resource_claim_template_name.empty()) continue;
    if (ClaimIn(pod, entry.name) != nullptr) continue;
    const absl::StatusOr<std::string> name = co_await EnsureClaim(pod, entry);
    if (!name.ok()) co_return name.status();
    if (name->empty()) continue;  // The template brings another turn.
    pod.status.resource_claim_statuses.push_back(
        {.name = entry.name, .resource_claim_name = *name});
    is_news = true;
  }
  if (!is_news) co_return absl::OkStatus();
  co_return co_await TellPod(std::move(pod));
}

net::Awaitable<absl::StatusOr<std::string>> ClaimController::EnsureClaim(Pod pod,
                                                                         PodResourceClaim entry) {
  // One that was made, but of which the pod was not told.
  if (const auto made = claims_of_.find(pod.meta.uid); made != claims_of_.end()) {
    for (const std::string& key : made->second) {
      const ResourceClaim& claim = claims_.at(key);
      if (!claim.meta.deletion_time && claim.meta.Annotation(kEntryAnnotation) == entry.name) {
        co_return claim.meta.name;
      }
    }
  }
  const auto from = templates_.find(StrCat(pod.meta.ns, "/", entry.resource_claim_template_name));
  if (from == templates_.end()) co_return std::string();
  const std::string body = ClaimBody(from->second, pod, entry.name).Dump();
  client::ApiPath path = client::PathOf<ResourceClaim>(pod.meta.ns);
  const client::ApiClient::Text text = co_await api_.Create(std::move(path), body);
  if (!text.ok()) co_return text.status();
  absl::StatusOr<ResourceClaim> made = types::Decode<ResourceClaim>(std::string_view(*text));
  if (!made.ok()) co_return made.status();
  ++counters_.made;
  const std::string name = made->meta.name;
  // The watch may be late: the next turn of the pod must not make another one.
  if (!claims_.contains(made->meta.Key())) Put(*std::move(made));
  co_return name;
}

net::Awaitable<absl::Status> ClaimController::TellPod(Pod pod) {
  Json statuses = Json::MakeArray();
  for (const types::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
    Json row = Json::MakeObject({{"name", status.name}});
    if (!status.resource_claim_name.empty()) {
      row.Set("resourceClaimName", status.resource_claim_name);
    }
    statuses.MutableItems().push_back(std::move(row));
  }
  client::MergePatch patch;
  // Who saw an old pod must not name another claim than the one that it may use by now.
  patch.RequireResourceVersion(pod.meta.resource_version);
  patch.Set({"status", "resourceClaimStatuses"}, std::move(statuses));
  client::ApiPath path = client::PathOf<Pod>(pod.meta.ns, pod.meta.name);
  co_return (co_await api_.PatchStatus(std::move(path), patch.Build())).status();
}

net::Awaitable<absl::StatusOr<bool>> ClaimController::IsInUse(types::ClaimConsumer user,
                                                              std::string ns) {
  if (user.resource != "pods") co_return true;  // Nobody here knows what that needs.
  const auto known = pods_.find(StrCat(ns, "/", user.name));
  if (known != pods_.end() && known->second.meta.uid == user.uid) {
    co_return !HasEnded(known->second);
  }
  // The watch of pods may be behind that of claims.
  const absl::StatusOr<Pod> there = co_await client::GetObject<Pod>(api_, ns, user.name);
  if (absl::IsNotFound(there.status())) co_return false;
  if (!there.ok()) co_return there.status();
  co_return there->meta.uid == user.uid && !HasEnded(*there);
}

net::Awaitable<absl::Status> ClaimController::WorkOnClaim(std::string key) {
  const auto known = claims_.find(key);
  if (known == claims_.end()) co_return absl::OkStatus();
  ResourceClaim claim = known->second;
  std::vector<types::ClaimConsumer> users;
  for (const types::ClaimConsumer& user : claim.status.reserved_for) {
    const absl::StatusOr<bool> in_use = co_await IsInUse(user, claim.meta.ns);
    if (!in_use.ok()) co_return in_use.status();
    if (*in_use) users.push_back(user);
  }
  const bool fewer = users.size() < claim.status.reserved_for.size();
  const bool gives_back =
      users.empty() && claim.status.allocation && (fewer || claim.meta.deletion_time);
  if (fewer || gives_back) {
    client::MergePatch patch;
    patch.RequireResourceVersion(claim.meta.resource_version);
    patch.Set({"status", "reservedFor"}, UserList(users));
    if (gives_back) patch.Remove({"status", "allocation"});
    if (gives_back) patch.Remove({"status", "devices"});
    const client::ApiClient::Text text = co_await api_.PatchStatus(ClaimPath(claim), patch.Build());
    if (!text.ok()) co_return text.status();
    absl::StatusOr<ResourceClaim> written = types::Decode<ResourceClaim>(std::string_view(*text));
    if (!written.ok()) co_return written.status();
    claim = *std::move(written);
    if (gives_back) ++counters_.released;
  }
  if (users.empty() && !claim.status.allocation && IsProtected(claim) &&
      (gives_back || claim.meta.deletion_time)) {
    absl::Status status = co_await Unprotect(claim);
    if (!status.ok()) co_return status;
  }
  if (claim.meta.deletion_time || !users.empty()) co_return absl::OkStatus();
  // Made for a pod that has ended: nobody else will need it.
  const types::OwnerReference* owner = claim.meta.Controller();
  if (owner == nullptr || owner->kind != "Pod") co_return absl::OkStatus();
  const auto pod = pods_.find(StrCat(claim.meta.ns, "/", owner->name));
  if (pod == pods_.end() || pod->second.meta.uid != owner->uid || !HasEnded(pod->second)) {
    co_return absl::OkStatus();
  }
  client::DeleteOptions options;
  options.uid = claim.meta.uid;
  client::ApiPath path = ClaimPath(claim);
  const client::ApiClient::Text text = co_await api_.Delete(std::move(path), std::move(options));
  if (text.ok()) ++counters_.removed;
  co_return text.status();
}

net::Awaitable<absl::Status> ClaimController::Unprotect(ResourceClaim claim) {
  co_return (
      co_await api_.Patch(ClaimPath(claim), client::WithoutFinalizer(claim.meta, kProtection)))
      .status();
}

}  // namespace bth::nodesim
