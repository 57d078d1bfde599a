#include "scheduler/cluster_dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "api/model/shard_mode.h"
#include "api/types/codec.h"
#include "api/types/config_map.h"
#include "api/types/device.h"
#include "api/types/hyper_node.h"
#include "api/types/json.h"
#include "api/types/namespace.h"
#include "api/types/node_shard.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/resource_claim.h"
#include "api/types/resource_quota.h"
#include "api/types/storage.h"
#include "api/types/time.h"
#include "api/types/workload.h"
#include "base/status.h"
#include "base/strings.h"
#include "devices/read.h"

namespace bth::scheduler {
namespace {

using types::Json;

constexpr char kAssumed[] = "batholith/assumed";
// May repeat the whole object, environments included.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kBareAnnotation = "sla-waiting-time";
// The namespace's queue was filled in when its pod groups were made.
constexpr char kQueueOfNamespace[] = "scheduling.volcano.sh/queue-name";
constexpr size_t kPieceBytes = 256 << 10;

// What runs in a container is nothing to scheduling, and may be secret.
void Strip(std::vector<types::Container>* containers) {
  for (types::Container& container : *containers) {
    container.image.clear();
    container.command.clear();
    container.args.clear();
    container.env.clear();
  }
}

void Strip(std::vector<types::ContainerStatus>* statuses) {
  for (types::ContainerStatus& status : *statuses) {
    status.image.clear();
    status.state.waiting.reset();
    if (status.state.terminated) status.state.terminated->message.clear();  // The program's words.
    status.last_state = {};
  }
}

// Of volumes only those of storage matter, and whose account a pod runs under does not.
void StripSources(types::PodSpec* spec) {
  for (types::Volume& volume : spec->volumes) {
    volume.secret_name.clear();
    volume.config_map.reset();
    volume.host_path.reset();
  }
  spec->service_account_name.clear();
}

// Annotations that somebody in scheduling may read: of Kubernetes, of Volcano, and the one without
// a domain. The others may hold anything.
bool IsForScheduling(std::string_view key) {
  if (key == kLastApplied) return false;
  const size_t slash = key.find('/');
  if (slash == key.npos) return key == kBareAnnotation;
  const std::string_view domain = key.substr(0, slash);
  // The last three are of device plugins.
  return domain.ends_with("volcano.sh") || domain.ends_with("k8s.io") ||
         domain.ends_with("kubernetes.io") || domain == "hami.io" || domain == "huawei.com" ||
         domain == "nvidia.com";
}

void Strip(types::LabelMap* annotations) {
  types::LabelMap kept;
  for (const auto& [key, value] : *annotations) {
    if (IsForScheduling(key)) kept.Append(key) = value;
  }
  kept.Sort();
  *annotations = std::move(kept);
}

void Assume(std::string_view what, types::ObjectMeta* meta) {
  std::string& said = meta->annotations[kAssumed];
  StrAppend(&said, said.empty() ? "" : ",", std::string(what));
}

template <typename T>
constexpr bool kIsNamespace = false;
template <>
constexpr bool kIsNamespace<types::Namespace> = true;

}  // namespace

ClusterDump::ClusterDump(client::ApiClient& api, const cache::Mirror& mirror,
                         ClusterDumpOptions options)
    : api_(api), mirror_(mirror), options_(std::move(options)) {
  if (options_.responsibility.priority_classes) Add<types::PriorityClass>(false);
  if (options_.responsibility.disruption_budgets) Add<types::PodDisruptionBudget>(false);
  Add<types::ResourceQuota>(false);
  Add<types::Namespace>(false);
  Add<types::Service>(false);
  if (options_.responsibility.workloads) {
    Add<types::ReplicationController>(false);
    Add<types::ReplicaSet>(false);
    Add<types::StatefulSet>(false);
  }
  Add<types::StorageClass>(false);
  Add<types::CsiNode>(false);
  if (options_.responsibility.storage_capacity) {
    Add<types::CsiDriver>(false);
    Add<types::CsiStorageCapacity>(false);
  }
  Add<types::PersistentVolume>(false);
  Add<types::PersistentVolumeClaim>(false);
  Add<types::VolumeAttachment>(false);
  if (options_.shard.mode != model::ShardMode::kNone) Add<types::NodeShard>(false);
  Add<types::DeviceClass>(false);
  Add<types::ResourceSlice>(false);
  if (options_.responsibility.device_taint_rules) Add<types::DeviceTaintRule>(false);
  Add<types::ResourceClaim>(false);
  Add<types::Queue>(false);
  Add<types::Node>(true);
  Add<types::HyperNode>(false);
  if (options_.responsibility.numa_reports) Add<types::Numatopology>(false);
  AddChipSources();
  Add<types::PodGroup>(false);
  Add<types::Pod>(true);
}

ClusterDump::~ClusterDump() = default;

template <typename T>
void ClusterDump::Add(bool essential) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  kinds_.push_back({.path = {type.plural, type.Path("")},
                    .labels = "",
                    .essential = essential,
                    .render = [this](std::string part) { return Render<T>(std::move(part)); }});
}

void ClusterDump::AddChipSources() {
  if (options_.responsibility.devices == nullptr) return;
  const types::ResourceType& type = types::ResourceTraits<types::ConfigMap>::type();
  for (const devices::ChipSource& source :
       devices::ChipSourcesOf(*options_.responsibility.devices)) {
    const auto render = [this](std::string part) {
      return Render<types::ConfigMap>(std::move(part));
    };
    kinds_.push_back({.path = {type.plural, type.Path(std::string(source.ns))},
                      .labels = std::string(source.label),
                      .render = render});
  }
}

template <typename T>
absl::StatusOr<ClusterDump::Piece> ClusterDump::Render(std::string part) {
  BTH_ASSIGN_OR_RETURN(types::ListResult<T> list, types::DecodeList<T>(std::move(part)));
  Piece piece;
  piece.continue_token = std::move(list.continue_token);
  counts_.malformed += static_cast<int64_t>(list.malformed.size());
  for (T& object : list.items) {
    types::ObjectMeta& meta = object.meta;
    Strip(&meta.annotations);
    if (kIsNamespace<T>) meta.annotations.Erase(kQueueOfNamespace);
    if (!Reduce(object)) continue;
    StrAppend(&piece.text, types::Encode(object), "\n");
    ++counts_.objects;
  }
  return piece;
}

bool ClusterDump::Reduce(types::Node& node) const {
  return options_.responsibility.OwnsNode(node.meta);
}

// Addresses, ports and sizes are nothing to scheduling.
bool ClusterDump::Reduce(types::Service& service) const {
  types::LabelMap selector = std::move(service.spec.selector);
  service.spec = types::ServiceSpec();
  service.spec.selector = std::move(selector);
  return !service.spec.selector.empty();
}

bool ClusterDump::Reduce(types::PodGroup& group) const {
  if (group.spec.queue.empty()) group.spec.queue = options_.default_queue;
  return true;
}

bool ClusterDump::Reduce(types::Pod& pod) const {
  Strip(&pod.spec.containers);
  Strip(&pod.spec.init_containers);
  StripSources(&pod.spec);
  pod.status.message.clear();
  Strip(&pod.status.container_statuses);
  Strip(&pod.status.init_container_statuses);
  const std::optional<cache::PodView> view = mirror_.Pod(pod.meta.Key(), pod.meta.uid);
  if (!view) return true;
  if (!view->assumed_node.empty() && pod.spec.node_name.empty()) {
    pod.spec.node_name = std::string(view->assumed_node);
    Assume("binding", &pod.meta);
  }
  if (view->assumed && view->status == model::TaskStatus::kReleasing && !pod.meta.deletion_time) {
    pod.meta.deletion_time = api_.executor().Now();
    Assume("eviction", &pod.meta);
  }
  if (!view->assumed_nomination.empty() && pod.spec.node_name.empty() &&
      pod.status.nominated_node_name != view->assumed_nomination) {
    pod.status.nominated_node_name = std::string(view->assumed_nomination);
    Assume("nomination", &pod.meta);
  }
  return true;
}

std::string ClusterDump::Header() const {
  Json::Array names;
  for (const std::string& name : options_.responsibility.scheduler_names) names.emplace_back(name);
  const std::string now = types::FormatMicroTimestamp(api_.executor().Now());
  Json header = Json::MakeObject({{"apiVersion", "batholith/v1"},
                                  {"kind", "ClusterDump"},
                                  {"metadata", Json::MakeObject({{"name", "dump"}})},
                                  {"time", now},
                                  {"schedulerNames", Json(std::move(names))}});
  if (const cache::ShardOptions& shard = options_.shard; shard.mode != model::ShardMode::kNone) {
    header.Set("sharding", Json::MakeObject(
                               {{"mode", model::ShardModeName(shard.mode)}, {"name", shard.name}}));
  }
  return header.Dump() + "\n";
}

net::Awaitable<absl::StatusOr<std::optional<std::string>>> ClusterDump::NextPart() {
  Kind& kind = kinds_[kind_];
  if (!list_.has_value()) {
    client::ListOptions options;
    options.continue_token = continue_token_;
    options.label_selector = kind.labels;
    absl::StatusOr<client::ListStream> list = co_await api_.ListInParts(kind.path, options);
    const absl::Status& status = list.status();
    if (!kind.essential && (absl::IsNotFound(status) || absl::IsPermissionDenied(status))) {
      counts_.missing.push_back(kind.path.resource);
      co_return std::nullopt;
    }
    if (!list.ok()) co_return Annotate(status, StrCat("list ", kind.path.path));
    list_.emplace(*std::move(list));
  }
  absl::StatusOr<client::ListStream::Part> part = co_await list_->Next();
  if (!part.ok()) co_return Annotate(part.status(), StrCat("list ", kind.path.path));
  absl::StatusOr<Piece> piece = kind.render(std::move(part->text));
  if (!piece.ok()) co_return Annotate(piece.status(), StrCat("list ", kind.path.path));
  if (!part->last) co_return std::move(piece->text);
  list_.reset();
  continue_token_ = std::move(piece->continue_token);
  if (piece->text.empty() && continue_token_.empty()) co_return std::nullopt;
  if (continue_token_.empty()) ++kind_;
  co_return std::move(piece->text);
}

net::Awaitable<absl::StatusOr<std::optional<std::string>>> ClusterDump::Next() {
  std::string text;
  if (!std::exchange(header_told_, true)) text = Header();
  while (kind_ < kinds_.size() && text.size() < kPieceBytes) {
    const size_t kind = kind_;
    absl::StatusOr<std::optional<std::string>> part = co_await NextPart();
    if (!part.ok()) co_return part.status();
    if (part->has_value()) {
      text += **part;
    } else if (kind_ == kind) {
      ++kind_;
    }
  }
  if (text.empty()) co_return std::nullopt;
  co_return std::move(text);
}

namespace {

// A file that vanishes unless it is kept.
class FreshFile final {
 public:
  explicit FreshFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}
  FreshFile(const FreshFile&) = delete;
  ~FreshFile() {
    if (fd_ >= 0) close(fd_);
    if (!part_.empty()) unlink(part_.c_str());
  }

  absl::Status Open() {
    unlink(part_.c_str());  // Of a run that was killed; a link there is not followed.
    fd_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd_ < 0 ? Failed("cannot be made") : absl::OkStatus();
  }
  absl::Status Write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return Failed("cannot be written");
      text.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }
  absl::Status Keep() {
    if (close(std::exchange(fd_, -1)) != 0) return Failed("cannot be written");
    if (rename(part_.c_str(), path_.c_str()) != 0) return Failed("cannot be renamed");
    part_.clear();
    return absl::OkStatus();
  }

 private:
  absl::Status Failed(std::string_view what) const {
    return absl::UnavailableError(
        StrCat(part_, ": ", std::string(what), ": ", std::strerror(errno)));
  }
  const std::string path_;
  std::string part_;
  int fd_ = -1;
};

}  // namespace

absl::Status WriteWhole(const std::string& path, std::string_view text) {
  FreshFile file(path);
  BTH_RETURN_IF_ERROR(file.Open());
  BTH_RETURN_IF_ERROR(file.Write(text));
  return file.Keep();
}

net::Awaitable<absl::Status> WriteDump(std::unique_ptr<net::ByteStream> dump, std::string path) {
  FreshFile file(std::move(path));
  BTH_CO_RETURN_IF_ERROR(file.Open());
  for (;;) {
    absl::StatusOr<std::optional<std::string>> piece = co_await dump->Next();
    if (!piece.ok()) co_return piece.status();
    if (!piece->has_value()) break;
    BTH_CO_RETURN_IF_ERROR(file.Write(**piece));
  }
  co_return file.Keep();
}

}  // namespace bth::scheduler
