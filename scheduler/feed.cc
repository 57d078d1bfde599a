#include "scheduler/feed.h"

#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "api/model/device_settings.h"
#include "api/types/config_map.h"
#include "api/types/node_shard.h"
#include "base/defect.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/event_object.h"
#include "devices/read.h"

namespace bth::scheduler {
namespace {

using client::EventObjectOf;

constexpr char kUnusable[] = "Unusable";
constexpr char kSetAside[] = "SetAside";
constexpr char kHyperNodeFaulty[] = "HyperNodeFaulty";

template <typename T>
client::EventObject ObjectOf(const client::ObjectKey& key) {
  return EventObjectOf(types::ResourceTraits<T>::type(), key);
}

template <typename T>
client::ObjectKey ObjectKeyOf(const T& object) {
  return {object.meta.ns, object.meta.name, object.meta.uid};
}

// Defined by a manifest that somebody has to apply, unlike those that every server has or may lack.
// One can do without HyperNodes.
bool IsOurs(const types::ResourceType& type) {
  return absl::EndsWith(type.group, ".volcano.sh") && type.kind != "HyperNode";
}

// Where somebody finds the rights to read them.
template <typename T>
constexpr std::string_view kRoles =
    std::is_same_v<T, types::ConfigMap> ? "deploy/optional/chip_access.yaml"
                                        : "deploy/scheduler/rbac.yaml";

// Kinds whose objects may have notices.
template <typename T>
constexpr bool kNoticed = std::is_same_v<T, types::Pod> || cache::Router::kIsTold<T>;

}  // namespace

bool operator==(const FeedForm& a, const FeedForm& b) {
  const bool same_devices =
      a.devices == b.devices ||
      (a.devices != nullptr && b.devices != nullptr && *a.devices == *b.devices);
  return a.documents == b.documents && a.numa_reports == b.numa_reports && same_devices;
}

template <typename T>
class Feed::Handler final : public client::InformerHandler<T> {
 public:
  explicit Handler(Feed& feed) : feed_(feed) {}
  void OnAdd(T&& object) override { feed_.Take(object); }
  void OnUpdate(T&& object) override { feed_.Take(object); }
  void OnDelete(const client::ObjectKey& key) override { feed_.Drop<T>(key); }
  void OnBatchEnd() override { feed_.on_batch_(); }

 private:
  Feed& feed_;
};

Feed::Feed(client::ApiClient& api, FeedTargets targets, FeedOptions options,
           metrics::SchedulerMetrics* metrics, Rng& rng)
    : api_(api),
      mirror_(targets.mirror),
      notices_(targets.notices),
      set_aside_(targets.set_aside),
      classes_(targets.notices),
      options_(std::move(options)),
      router_(mirror_, options_.responsibility),
      metrics_(metrics),
      rng_(rng),
      on_batch_(std::move(targets.on_batch)),
      on_queue_gone_(std::move(targets.on_queue_gone)),
      on_report_orphaned_(std::move(targets.on_report_orphaned)),
      on_defect_(std::move(targets.on_defect)),
      watch_notices_(api.executor(), "deploy/scheduler/rbac.yaml"),
      informers_(api.executor()) {
  // Single pods know nothing of gangs, queues and evictions.
  const bool jobs = !options_.responsibility.single_pods;
  if (jobs && options_.responsibility.priority_classes) Add<types::PriorityClass>(false);
  if (jobs && options_.responsibility.disruption_budgets) {
    Add<types::PodDisruptionBudget>(true, true);
  }
  if (jobs) Add<types::ResourceQuota>(true, true);
  Add<types::StorageClass>(true, true);
  Add<types::CsiNode>(true, true);
  if (options_.responsibility.storage_capacity) {
    Add<types::CsiDriver>(true, true);
    Add<types::CsiStorageCapacity>(true, true);
  }
  Add<types::PersistentVolume>(true, true);
  Add<types::PersistentVolumeClaim>(true, true);
  Add<types::VolumeAttachment>(true, true);
  Add<types::DeviceClass>(true, true);
  Add<types::ResourceSlice>(true, true);
  if (options_.responsibility.device_taint_rules) Add<types::DeviceTaintRule>(true, true);
  Add<types::ResourceClaim>(true, true);
  Add<types::Namespace>(true, true);
  Add<types::Service>(true, true);
  if (options_.responsibility.workloads) {
    Add<types::ReplicationController>(true, true);
    Add<types::ReplicaSet>(true, true);
    Add<types::StatefulSet>(true, true);
  }
  if (options_.shards) Add<types::NodeShard>(true);
  if (jobs) Add<types::Queue>(true);
  Add<types::Node>(false);
  if (jobs) Add<types::HyperNode>(true, true);
  if (options_.responsibility.numa_reports) Add<types::Numatopology>(true, true);
  AddChipSources();
  if (jobs) Add<types::PodGroup>(true);
  Add<types::Pod>(false);
}

Feed::~Feed() {
  informers_.StopAll();
}

std::vector<std::string> Feed::MissingDefinitions() const {
  std::vector<std::string> missing = informers_.Missing();
  std::erase_if(missing, [](const std::string& name) {
    return !absl::EndsWith(name, ".volcano.sh") || absl::StartsWith(name, "hypernodes.");
  });
  return missing;
}

template <typename T>
void Feed::Take(const T& object) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  const client::ObjectKey key = ObjectKeyOf(object);
  if (set_aside_.Holds(type.kind, key, object.meta.resource_version)) return;
  try {
    Put(object);
    if (!notices_.empty()) notices_.Mended(EventObjectOf(object), kSetAside);
  } catch (const std::exception& error) {
    Fail<T>(key, object.meta.resource_version, error);
  }
}

template <typename T>
void Feed::Drop(const client::ObjectKey& key) {
  set_aside_.Gone(types::ResourceTraits<T>::type().kind, key);
  try {
    Remove<T>(key);
  } catch (const std::exception& error) {
    Fail<T>(key, "", error);
  }
}

// The object is taken out as a whole. Even when that works, who knows what the defect has left
// behind: the caller has the cluster read anew in any case.
template <typename T>
void Feed::Fail(const client::ObjectKey& key, const std::string& version,
                const std::exception& error) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  Log(LogLevel::kError, "defect.object",
      {{"kind", type.kind},
       {"object", StrCat(key.namespace_name, "/", key.name)},
       {"what", error.what()},
       {"where", WhereOf(error)}});
  if (metrics_ != nullptr) metrics_->DefectContained("object");
  bool whole = false;
  try {
    Remove<T>(key);
    whole = true;
  } catch (const std::exception& again) {
    Log(LogLevel::kError, "defect.mirror", {{"what", again.what()}, {"where", WhereOf(again)}});
  }
  if (!version.empty()) {
    set_aside_.Add(type.kind, key, version);
    TellAside(ObjectOf<T>(key), error.what());
  }
  on_defect_(whole);
}

void Feed::TellAside(const client::EventObject& object, std::string_view what) {
  notices_.Put(object, kSetAside,
               StrCat("the scheduler failed while it worked on it, and leaves it aside until "
                      "it changes: this is a defect of the scheduler, report it (",
                      what, ")"));
}

void Feed::SetGroupAside(const client::ObjectKey& key, const std::string& version,
                         std::string_view what) {
  const types::ResourceType& type = types::ResourceTraits<types::PodGroup>::type();
  set_aside_.Add(type.kind, key, version);
  try {
    Remove<types::PodGroup>(key);
  } catch (const std::exception& error) {
    Fail<types::PodGroup>(key, version, error);
  }
  TellAside(EventObjectOf(type, key), what);
}

// Which version the cycle saw is not known: one that is told again has another chance.
void Feed::SetPodAside(const client::ObjectKey& key, std::string_view what) {
  const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
  set_aside_.Add(type.kind, key, "");
  try {
    Remove<types::Pod>(key);
  } catch (const std::exception& error) {
    Fail<types::Pod>(key, "", error);
  }
  TellAside(EventObjectOf(type, key), what);
}

template <typename T>
void Feed::Add(bool absent_is_empty, bool forbidden_is_empty) {
  client::InformerOptions options;
  options.reflector.absent_is_empty = absent_is_empty;
  options.reflector.forbidden_is_empty = forbidden_is_empty;
  AddInformer<T>(std::move(options));
}

void Feed::AddChipSources() {
  if (options_.responsibility.devices == nullptr) return;
  for (const devices::ChipSource& source :
       devices::ChipSourcesOf(*options_.responsibility.devices)) {
    client::InformerOptions options;
    options.name = StrCat("configmaps of ", source.ns);
    options.namespace_name = source.ns;
    options.reflector.label_selector = source.label;
    options.reflector.forbidden_is_empty = true;
    AddInformer<types::ConfigMap>(std::move(options));
  }
}

template <typename T>
void Feed::AddInformer(client::InformerOptions options) {
  auto handler = std::make_shared<Handler<T>>(*this);
  const std::string resource = types::ResourceTraits<T>::type().plural;
  if (IsOurs(types::ResourceTraits<T>::type())) {
    options.reflector.on_presence = [this, name = types::ResourceTraits<T>::type().FullName()](
                                        bool is_there) { watch_notices_.Presence(name, is_there); };
  }
  options.reflector.on_forbidden = [resource](const absl::Status& status) {
    Log(LogLevel::kError, "informer.forbidden",
        {{"resource", resource},
         {"effect", "scheduled as if there were none"},
         {"remedy", StrCat("grant get, list and watch on it, as ", kRoles<T>, " does")},
         {"status", status}});
  };
  options.reflector.list_from_cache = !options_.newest;
  options.reflector.on_error = [this, resource](const absl::Status& status) {
    watch_notices_.Failed(resource, status);
  };
  if (metrics_ != nullptr) {
    metrics_->client().Publish(resource);
    options.reflector.on_relist = [this, resource] { metrics_->InformerRelisted(resource); };
    options.reflector.on_rewatch = [this, resource] { metrics_->WatchRestarted(resource); };
  }
  options.on_malformed = [this](const client::ObjectKey& key, const absl::Status& status) {
    const types::ResourceType& type = types::ResourceTraits<T>::type();
    if constexpr (cache::Router::kIsTold<T>) {
      RejectWithEvent(type, key, status);
    } else {
      Reject(type, key, status);
    }
  };
  if constexpr (cache::Router::kIsTold<T>) {
    options.on_malformed_gone = [this](const client::ObjectKey& key) {
      notices_.Gone(ObjectOf<T>(key));
    };
  }
  auto informer = std::make_unique<client::Informer<T>>(api_, rng_, *handler, std::move(options));
  informers_.Add(*informer);
  owned_.push_back(std::move(informer));
  handlers_.push_back(std::move(handler));
}

void Feed::Reject(const types::ResourceType& type, const client::ObjectKey& key,
                  const absl::Status& status) {
  constexpr size_t kRejectedMax = 10'000;
  if (metrics_ != nullptr) metrics_->MalformedObject(type.plural);
  const std::string name = StrCat(type.plural, "/", key.namespace_name, "/", key.name);
  if (rejected_.size() >= kRejectedMax) rejected_.clear();
  std::string& said = rejected_[name];
  std::string text = std::string(status.message());
  if (said == text) return;
  said = std::move(text);
  Log(LogLevel::kWarning, "object.unusable", {{"object", name}, {"status", status}});
}

void Feed::RejectWithEvent(const types::ResourceType& type, const client::ObjectKey& key,
                           const absl::Status& status) {
  Reject(type, key, status);
  notices_.Put(EventObjectOf(type, key), kUnusable,
               StrCat("the scheduler cannot use it as it is: ", status.message(),
                      "; correct it, till then its last usable state counts, if any"));
}

template <typename T>
bool Feed::IsUsable(const T& object, const absl::Status& status) {
  if (status.ok()) {
    if (kNoticed<T> && !notices_.empty()) notices_.Mended(EventObjectOf(object), kUnusable);
    return true;
  }
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  if (router_.IsTold(object, status)) {
    RejectWithEvent(type, ObjectKeyOf(object), status);
  } else {
    Reject(type, ObjectKeyOf(object), status);
  }
  return false;
}

template <typename T>
void Feed::Put(const T& object) {
  IsUsable(object, router_.Put(object));
}

void Feed::Put(const types::Pod& pod) {
  absl::StatusOr<cache::CompiledPod> compiled = router_.Read(pod);
  if (!IsUsable(pod, compiled.status())) return;
  if (metrics_ != nullptr && compiled->ours && compiled->node_name.empty()) {
    metrics_->TaskReached(metrics::TaskMoment::kWatched,
                          api_.executor().Now() - pod.meta.creation_time);
  }
  router_.Take(*std::move(compiled));
}

void Feed::Put(const types::PodGroup& group) {
  absl::StatusOr<cache::CompiledPodGroup> compiled = router_.Read(group);
  if (!IsUsable(group, compiled.status())) return;
  const client::EventObject object = EventObjectOf(group);
  if (options_.responsibility.priority_classes) classes_.PutGroup(object, compiled->priority_class);
  const std::shared_ptr<const model::JobFacts> facts = compiled->facts;
  router_.Take(*std::move(compiled));  // Tells the facts their queue.
  if (metrics_ == nullptr) return;
  metrics_->JobSeen({facts->ns, facts->name, facts->queue},
                    absl::FromUnixMicros(facts->created_us));
}

void Feed::Put(const types::PriorityClass& priority) {
  IsUsable(priority, router_.Put(priority));
  classes_.PutClass(priority.meta.name);
}

template <typename T>
void Feed::Remove(const client::ObjectKey& key) {
  if (kNoticed<T> && !notices_.empty()) notices_.Gone(ObjectOf<T>(key));
  router_.Remove(cache::Kind<T>(), {key.namespace_name, key.name});
  Forget(cache::Kind<T>(), key);
}

void Feed::Forget(cache::Kind<types::PodGroup>, const client::ObjectKey& key) {
  classes_.RemoveGroup(ObjectOf<types::PodGroup>(key));
  if (metrics_ != nullptr) gone_groups_.push_back(key);
}

void Feed::Forget(cache::Kind<types::Queue>, const client::ObjectKey& key) {
  on_queue_gone_(key.name);
  if (metrics_ != nullptr) gone_queues_.push_back(key.name);
}

void Feed::Forget(cache::Kind<types::Node>, const client::ObjectKey& key) {
  const std::string_view report = mirror_.numa().UidOf(key.name);
  if (!report.empty()) on_report_orphaned_(key.name, std::string(report));
}

void Feed::Forget(cache::Kind<types::PriorityClass>, const client::ObjectKey& key) {
  classes_.RemoveClass(key.name);
}

void Feed::TellHyperNodes() {
  for (const cache::HyperNodeNews& news : mirror_.TakeHyperNodeNews()) {
    const client::EventObject object = ObjectOf<types::HyperNode>({"", news.name, news.uid});
    if (news.message.empty()) {
      notices_.Mended(object, kHyperNodeFaulty);
    } else {
      notices_.Put(object, kHyperNodeFaulty,
                   StrCat(news.message, "; what is wrong is left out, the rest counts"));
    }
  }
}

void Feed::DropSeries() {
  for (const client::ObjectKey& key : std::exchange(gone_groups_, {})) {
    const bool made_anew = mirror_.ShownOf(StrCat(key.namespace_name, "/", key.name)) != nullptr;
    if (!made_anew) metrics_->RemoveJob(key.namespace_name, key.name);
  }
  for (const std::string& queue : std::exchange(gone_queues_, {})) {
    if (mirror_.Queue(queue) == nullptr) metrics_->RemoveQueue(queue);
  }
}

}  // namespace bth::scheduler
