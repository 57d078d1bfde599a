#include "nodesim/volume_controller.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

using types::Json;
using types::PersistentVolume;
using types::PersistentVolumeClaim;
using types::StorageClass;

constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

client::WorkQueueOptions VolumeQueueOptions(const VolumeControllerOptions& options) {
  client::WorkQueueOptions out;
  out.backoff_initial = options.retry_initial;
  out.backoff_max = options.retry_max;
  out.retry_qps = 0;
  return out;
}

std::string ClassOf(const PersistentVolumeClaim& claim) {
  return claim.spec.storage_class_name.value_or("");
}

bool IsBound(const PersistentVolumeClaim& claim) {
  return !claim.spec.volume_name.empty() && claim.meta.annotations.Find(kBindCompleted) != nullptr;
}

int64_t StorageIn(const types::ResourceList& list) {
  const types::Quantity* found = list.Find("storage");
  return found == nullptr ? 0 : found->Value();
}

// The volume names the claim: this one, or any of its name.
bool Names(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& ref = volume.spec.claim_ref;
  return ref && ref->ns == claim.meta.ns && ref->name == claim.meta.name &&
         (ref->uid.empty() || ref->uid == claim.meta.uid);
}

bool NamesAnother(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.spec.claim_ref && !Names(volume, claim);
}

// It belongs to one claim, and not just to any of a name.
bool IsTaken(const PersistentVolume& volume) {
  return volume.spec.claim_ref && !volume.spec.claim_ref->uid.empty();
}

bool Fits(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto mode = [](const std::string& text) { return text.empty() ? "Filesystem" : text; };
  const auto& modes = volume.spec.access_modes;
  return volume.spec.storage_class_name == ClassOf(claim) && !volume.meta.deletion_time &&
         StorageIn(volume.spec.capacity) >= StorageIn(claim.spec.requests) &&
         mode(volume.spec.volume_mode) == mode(claim.spec.volume_mode) &&
         volume.spec.volume_attributes_class_name == claim.spec.volume_attributes_class_name &&
         (!claim.spec.selector || claim.spec.selector->Matches(volume.meta.labels)) &&
         std::all_of(claim.spec.access_modes.begin(), claim.spec.access_modes.end(),
                     [&modes](const std::string& wanted) {
                       return std::find(modes.begin(), modes.end(), wanted) != modes.end();
                     });
}

Json ReferenceTo(const PersistentVolumeClaim& claim) {
  Json out = Json::MakeObject();
  out.Set("apiVersion", "v1");
  out.Set("kind", "PersistentVolumeClaim");
  out.Set("namespace", claim.meta.ns);
  out.Set("name", claim.meta.name);
  out.Set("uid", claim.meta.uid);
  return out;
}

Json TextArray(const std::vector<std::string>& words) {
  Json out = Json::MakeArray();
  for (const std::string& word : words) out.MutableItems().emplace_back(word);
  return out;
}

// What a write that came too late is answered with: the watch brings another turn.
bool Overtaken(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsNotFound(status) || absl::IsAlreadyExists(status);
}

}  // namespace

template <typename T>
class VolumeController::Handler final : public client::InformerHandler<T> {
 public:
  explicit Handler(VolumeController& controller) : controller_(controller) {}
  void OnAdd(T&& object) override { controller_.Put(std::move(object)); }
  void OnUpdate(T&& object) override { controller_.Put(std::move(object)); }
  void OnDelete(const client::ObjectKey& key) override {
    controller_.Remove(static_cast<const T*>(nullptr), key);
  }

 private:
  VolumeController& controller_;
};

VolumeController::VolumeController(client::ApiClient& api, Rng& rng,
                                   VolumeControllerOptions options)
    : api_(api),
      options_(options),
      queue_(api.executor(), VolumeQueueOptions(options)),
      watched_(api, rng) {
  watched_.Add<StorageClass>(std::make_shared<Handler<StorageClass>>(*this));
  watched_.Add<PersistentVolume>(std::make_shared<Handler<PersistentVolume>>(*this));
  watched_.Add<PersistentVolumeClaim>(std::make_shared<Handler<PersistentVolumeClaim>>(*this));
}

VolumeController::~VolumeController() {
  watched_.StopAll();
  lanes_.clear();
}

void VolumeController::Start() {
  watched_.StartAll();
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Keep(api_.executor(), "nodesim.volumes", [this] { return Lane(); });
  }
}

// --- What the API tells ------------------------------------------------------------------------

void VolumeController::Put(PersistentVolumeClaim&& claim) {
  const std::string key = claim.meta.Key();
  claims_[key] = std::move(claim);
  queue_.Add(StrCat("claim/", key));
}

void VolumeController::Put(PersistentVolume&& volume) {
  const std::string name = volume.meta.name;
  queue_.Add(StrCat("volume/", name));
  if (const auto& ref = volume.spec.claim_ref; ref) {
    queue_.Add(StrCat("claim/", ref->ns, "/", ref->name));
  }
  const bool free = !volume.spec.claim_ref.has_value();
  volumes_[name] = std::move(volume);
  if (free) WakeUnbound();
}

void VolumeController::Put(StorageClass&& storage_class) {
  const std::string name = storage_class.meta.name;
  classes_[name] = std::move(storage_class);
  WakeUnbound();
}

void VolumeController::Remove(const PersistentVolumeClaim*, const client::ObjectKey& key) {
  const std::string name = StrCat(key.namespace_name, "/", key.name);
  claims_.erase(name);
  for (const auto& [volume, object] : volumes_) {
    const auto& ref = object.spec.claim_ref;
    if (ref && StrCat(ref->ns, "/", ref->name) == name) {
      queue_.Add(StrCat("volume/", volume));
    }
  }
}

void VolumeController::Remove(const PersistentVolume*, const client::ObjectKey& key) {
  const auto known = volumes_.find(key.name);
  if (known == volumes_.end()) return;
  const auto ref = known->second.spec.claim_ref;
  volumes_.erase(known);
  if (ref) queue_.Add(StrCat("claim/", ref->ns, "/", ref->name));
}

void VolumeController::Remove(const StorageClass*, const client::ObjectKey& key) {
  classes_.erase(key.name);
}

void VolumeController::WakeUnbound() {
  for (const auto& [key, claim] : claims_) {
    if (!IsBound(claim)) queue_.Add(StrCat("claim/", key));
  }
}

// --- What is written ----------------------------------------------------------------------------

net::Awaitable<void> VolumeController::Lane() {
  for (;;) {
    const std::optional<std::string> key = co_await queue_.Next();
    if (!key) co_return;
    const absl::Status status = co_await Work(*key);
    if (status.ok() || Overtaken(status)) {
      queue_.Forget(*key);
    } else {
      ++counters_.failures;
      Log(LogLevel::kDebug, "nodesim.failed", {{"key", *key}, {"status", status}});
      queue_.AddRateLimited(*key, client::RetryAfter(status).value_or(absl::ZeroDuration()));
    }
    queue_.Done(*key);
  }
}

net::Awaitable<absl::Status> VolumeController::Work(std::string key) {
  if (!HasSynced()) {
    queue_.AddAfter(key, absl::Milliseconds(50));
    co_return absl::OkStatus();
  }
  const size_t slash = key.find('/');
  if (key.substr(0, slash) == "claim") co_return co_await WorkOnClaim(key.substr(slash + 1));
  co_return co_await WorkOnVolume(key.substr(slash + 1));
}

const PersistentVolume* VolumeController::VolumeOf(const PersistentVolumeClaim& claim) const {
  if (!claim.spec.volume_name.empty()) {
    const auto named = volumes_.find(claim.spec.volume_name);
    return named == volumes_.end() ? nullptr : &named->second;
  }
  for (const auto& [name, volume] : volumes_) {
    if (Names(volume, claim)) return &volume;
  }
  return nullptr;
}

const PersistentVolume* VolumeController::SmallestFor(const PersistentVolumeClaim& claim) const {
  const PersistentVolume* best = nullptr;
  for (const auto& [name, volume] : volumes_) {
    if (volume.spec.claim_ref || volume.phase != "Available" || !Fits(volume, claim)) continue;
    if (best == nullptr || StorageIn(volume.spec.capacity) < StorageIn(best->spec.capacity)) {
      best = &volume;
    }
  }
  return best;
}

net::Awaitable<absl::Status> VolumeController::WorkOnClaim(std::string key) {
  const auto known = claims_.find(key);
  if (known == claims_.end() || known->second.meta.deletion_time) co_return absl::OkStatus();
  const PersistentVolumeClaim claim = known->second;
  const PersistentVolume* volume = VolumeOf(claim);
  if (IsBound(claim)) {
    // A volume of another claim is not told to be bound: its own turn would tell that it is not.
    if (volume == nullptr || NamesAnother(*volume, claim)) co_return co_await TellLost(claim);
    if (!IsTaken(*volume)) co_return co_await Bind(claim, *volume);
    co_return co_await TellBound(claim, *volume);
  }
  if (volume != nullptr) {
    if (NamesAnother(*volume, claim)) co_return absl::OkStatus();
    co_return co_await Bind(claim, *volume);
  }
  if (!claim.spec.volume_name.empty()) co_return absl::OkStatus();  // Waits for that one.
  const auto storage_class = classes_.find(ClassOf(claim));
  const bool classed = storage_class != classes_.end();
  const bool waits = classed && storage_class->second.volume_binding_mode == "WaitForFirstConsumer";
  if (waits && claim.meta.Annotation(kSelectedNode).empty()) co_return absl::OkStatus();
  if (!waits) {
    if (const PersistentVolume* found = SmallestFor(claim)) co_return co_await Bind(claim, *found);
  }
  if (!classed) co_return absl::OkStatus();
  const std::string provisioner = storage_class->second.provisioner;
  if (provisioner.empty() || provisioner == kNoProvisioner) co_return absl::OkStatus();
  co_return co_await Make(claim, provisioner, storage_class->second.reclaim_policy);
}

// Its volume is gone, or that of another claim.
net::Awaitable<absl::Status> VolumeController::TellLost(PersistentVolumeClaim claim) {
  if (claim.status.phase == "Lost") co_return absl::OkStatus();
  // The watch of volumes may be behind that of claims.
  const auto there = co_await client::GetObject<PersistentVolume>(api_, "", claim.spec.volume_name);
  if (there.ok() && !NamesAnother(*there, claim)) co_return absl::OkStatus();
  if (!there.ok() && !absl::IsNotFound(there.status())) co_return there.status();
  client::MergePatch lost;
  lost.RequireUid(claim.meta.uid);
  lost.Set({"status", "phase"}, "Lost");
  client::ApiPath path = client::PathOf<PersistentVolumeClaim>(claim.meta.ns, claim.meta.name);
  co_return (co_await api_.PatchStatus(std::move(path), lost.Build())).status();
}

net::Awaitable<absl::Status> VolumeController::Bind(PersistentVolumeClaim claim,
                                                    PersistentVolume volume) {
  if (!IsTaken(volume)) {
    client::MergePatch patch;
    patch.RequireResourceVersion(volume.meta.resource_version);
    patch.Set({"spec", "claimRef"}, ReferenceTo(claim));
    if (!volume.spec.claim_ref) {
      patch.Set({"metadata", "annotations", kBoundByController}, "yes");
    }
    client::ApiPath path = client::PathOf<PersistentVolume>("", volume.meta.name);
    const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
    if (!text.ok()) co_return text.status();
  }
  if (IsBound(claim)) co_return co_await TellBound(std::move(claim), std::move(volume));
  client::MergePatch patch;
  patch.RequireResourceVersion(claim.meta.resource_version);
  patch.Set({"metadata", "annotations", kBindCompleted}, "yes");
  if (claim.spec.volume_name.empty()) {
    patch.Set({"metadata", "annotations", kBoundByController}, "yes");
    patch.Set({"spec", "volumeName"}, volume.meta.name);
  }
  client::ApiPath path = client::PathOf<PersistentVolumeClaim>(claim.meta.ns, claim.meta.name);
  const client::ApiClient::Text text = co_await api_.Patch(std::move(path), patch.Build());
  if (!text.ok()) co_return text.status();
  ++counters_.bound;
  co_return co_await TellBound(std::move(claim), std::move(volume));
}

net::Awaitable<absl::Status> VolumeController::TellBound(PersistentVolumeClaim claim,
                                                         PersistentVolume volume) {
  if (volume.phase != "Bound") {
    const absl::Status told = co_await SetVolumePhase(volume.meta.name, "Bound");
    if (!told.ok()) co_return told;
  }
  if (claim.status.phase == "Bound") co_return absl::OkStatus();
  client::MergePatch patch;
  patch.RequireUid(claim.meta.uid);
  patch.Set({"status", "phase"}, "Bound");
  patch.Set({"status", "accessModes"}, TextArray(volume.spec.access_modes));
  if (const types::Quantity* size = volume.spec.capacity.Find("storage")) {
    patch.Set({"status", "capacity", "storage"}, size->ToString());
  }
  client::ApiPath path = client::PathOf<PersistentVolumeClaim>(claim.meta.ns, claim.meta.name);
  co_return (co_await api_.PatchStatus(std::move(path), patch.Build())).status();
}

// The volume comes back with the watch; then it is bound.
net::Awaitable<absl::Status> VolumeController::Make(PersistentVolumeClaim claim,
                                                    std::string provisioner,
                                                    std::string reclaim_policy) {
  co_await net::Sleep(api_.executor(), options_.make_delay);
  const std::string name = StrCat("pvc-", claim.meta.uid);
  const types::Quantity* size = claim.spec.requests.Find("storage");
  Json body = Json::MakeObject();
  body.Set("apiVersion", "v1");
  body.Set("kind", "PersistentVolume");
  body.MutableAt({"metadata", "name"}) = name;
  body.MutableAt({"metadata", "annotations", kProvisionedBy}) = provisioner;
  body.MutableAt({"spec", "capacity", "storage"}) = size == nullptr ? "1Gi" : size->ToString();
  body.MutableAt({"spec", "accessModes"}) = TextArray(claim.spec.access_modes);
  body.MutableAt({"spec", "storageClassName"}) = ClassOf(claim);
  if (const std::string& attributes = claim.spec.volume_attributes_class_name;
      !attributes.empty()) {
    body.MutableAt({"spec", "volumeAttributesClassName"}) = attributes;
  }
  body.MutableAt({"spec", "persistentVolumeReclaimPolicy"}) =
      reclaim_policy.empty() ? "Delete" : reclaim_policy;
  if (!claim.spec.volume_mode.empty()) {
    body.MutableAt({"spec", "volumeMode"}) = claim.spec.volume_mode;
  }
  body.MutableAt({"spec", "claimRef"}) = ReferenceTo(claim);
  body.MutableAt({"spec", "csi", "driver"}) = provisioner;
  body.MutableAt({"spec", "csi", "volumeHandle"}) = name;
  client::ApiPath path = client::PathOf<PersistentVolume>();
  const client::ApiClient::Text text = co_await api_.Create(std::move(path), body.Dump());
  if (text.ok()) ++counters_.made;
  co_return text.status();
}

net::Awaitable<absl::Status> VolumeController::SetVolumePhase(std::string name, std::string phase) {
  client::MergePatch patch;
  patch.Set({"status", "phase"}, phase);
  client::ApiPath path = client::PathOf<PersistentVolume>("", name);
  co_return (co_await api_.PatchStatus(std::move(path), patch.Build())).status();
}

net::Awaitable<absl::Status> VolumeController::WorkOnVolume(std::string name) {
  const auto known = volumes_.find(name);
  if (known == volumes_.end() || known->second.meta.deletion_time) co_return absl::OkStatus();
  const PersistentVolume volume = known->second;
  if (!IsTaken(volume)) {
    if (volume.phase == "Available") co_return absl::OkStatus();
    co_return co_await SetVolumePhase(name, "Available");
  }
  const types::ObjectReference ref = *volume.spec.claim_ref;
  const auto claim = claims_.find(StrCat(ref.ns, "/", ref.name));
  if (claim != claims_.end() && claim->second.meta.uid == ref.uid) co_return absl::OkStatus();
  // The watch of claims may be behind that of volumes.
  const auto there = co_await client::GetObject<PersistentVolumeClaim>(api_, ref.ns, ref.name);
  if (there.ok() && there->meta.uid == ref.uid) co_return absl::OkStatus();
  if (!there.ok() && !absl::IsNotFound(there.status())) co_return there.status();
  const bool removes = volume.spec.reclaim_policy == "Delete" &&
                       volume.meta.annotations.Find(kProvisionedBy) != nullptr;
  if (!removes) {
    if (volume.phase == "Released") co_return absl::OkStatus();
    co_return co_await SetVolumePhase(name, "Released");
  }
  client::DeleteOptions options;
  options.uid = volume.meta.uid;
  client::ApiPath path = client::PathOf<PersistentVolume>("", name);
  const client::ApiClient::Text text = co_await api_.Delete(std::move(path), std::move(options));
  if (text.ok()) ++counters_.removed;
  co_return text.status();
}

}  // namespace bth::nodesim
