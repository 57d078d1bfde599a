#include "cache/cluster/mirror.h"

#include <algorithm>
#include <utility>

#include "cache/cluster/gang_views.h"
#include "cache/cluster/tables.h"

namespace bth::cache {

using model::JobId;
using model::TaskId;
using model::TaskStatus;

Mirror::Mirror(const Clock& clock, MirrorOptions options)
    : clock_(clock),
      options_(std::move(options)),
      tables_(std::make_unique<Tables>(clock_, vocabulary_, options_.shard)) {}

Mirror::~Mirror() = default;

void Mirror::StartOver() {
  auto fresh = std::make_unique<Tables>(clock_, vocabulary_, options_.shard);
  vocabulary_.dimensions().StartOver();
  Draft& draft = fresh->draft;
  // A gap tells whoever follows the changes of snapshots that there were others.
  draft.now.generation = tables_->draft.now.generation + 1;
  draft.now.loads = tables_->draft.now.loads;
  draft.now.devices = tables_->draft.now.devices;
  draft.rows_rewritten = tables_->draft.rows_rewritten;
  draft.changed = true;
  fresh->device_claims.GoOnAfter(tables_->device_claims);
  tables_ = std::move(fresh);
}

absl::Status Mirror::CanCount(const CompiledPod& pod) const {
  return tables_->pods.CanCount(pod);
}
absl::Status Mirror::CanCount(const CompiledNode& node) const {
  return tables_->nodes.CanCount(node);
}
absl::Status Mirror::CanCount(const CompiledPodGroup& group) const {
  return tables_->jobs.CanCount(group);
}

void Mirror::PutPod(CompiledPod pod) {
  const std::string key = pod.names.Key();
  PodTable& pods = tables_->pods;
  Assumptions& assumptions = tables_->assumptions;
  tables_->jobs.RemoveForeign(key);
  Assumptions::Saved saved;
  tables_->numa.Follow(pod);
  if (const TaskId known = pods.Find(key); known.valid()) {
    const std::string& uid = tables_->draft.now.tasks[known].names->uid;
    if (uid != pod.names.uid) tables_->numa.Forget(uid);
    const Assumptions::Open open = assumptions.OpenAfter(known, pod);
    if (pods.SameSpec(known, pod)) {
      assumptions.Keep(known, open);
      pods.Update(known, pod, !open.placement);
      return;
    }
    saved = assumptions.Save(known, open);
    assumptions.Drop(known);
    pods.Drop(known);
  }
  pods.Announce(pod);
  SettleDimensions();
  assumptions.Enter(pods.Add(pod), saved);
}

void Mirror::RemovePod(const std::string& key) {
  tables_->jobs.RemoveForeign(key);
  const TaskId known = tables_->pods.Find(key);
  if (!known.valid()) return;
  tables_->numa.Forget(tables_->draft.now.tasks[known].names->uid);
  tables_->assumptions.Drop(known);
  tables_->pods.Drop(known);
}

void Mirror::NoteForeignPod(const std::string& key, const std::string& job_key) {
  if (tables_->jobs.KnowsForeign(key, job_key)) return;
  RemovePod(key);
  if (!job_key.empty()) tables_->jobs.AddForeign(key, job_key);
}

void Mirror::PutNode(CompiledNode node) {
  model::NodeFacts& facts = *node.facts;
  facts.devices = tables_->chips.Complete(facts.name, std::move(facts.devices));
  tables_->nodes.Put(std::move(node));
}
void Mirror::RemoveNode(const std::string& name) {
  tables_->nodes.Remove(name);
}

void Mirror::PutHyperNode(CompiledHyperNode hyper_node) {
  tables_->draft.changed |= tables_->hyper_nodes.Put(std::move(hyper_node));
}
void Mirror::RemoveHyperNode(const std::string& name) {
  tables_->draft.changed |= tables_->hyper_nodes.Remove(name);
}
std::vector<HyperNodeNews> Mirror::TakeHyperNodeNews() {
  return tables_->hyper_nodes.TakeNews();
}

void Mirror::PutPodGroup(CompiledPodGroup group) {
  JobTable& jobs = tables_->jobs;
  group.facts->queue = group.queue.empty() ? options_.default_queue : group.queue;
  if (jobs.TakeShown(group)) return;
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Ask(group.min_resources, +1);
  if (const CompiledPodGroup* known = jobs.Known(group.facts->Key()); known != nullptr) {
    dimensions.Ask(known->min_resources, -1);
  }
  SettleDimensions();
  jobs.Put(std::move(group), [this](TaskId id) { return tables_->pods.IdentityOf(id); });
}

void Mirror::RemovePodGroup(const std::string& key) {
  JobTable& jobs = tables_->jobs;
  if (!jobs.Find(key).valid()) return;
  if (const CompiledPodGroup* known = jobs.Known(key); known != nullptr) {
    vocabulary_.dimensions().Ask(known->min_resources, -1);
  }
  jobs.Remove(key, [this](TaskId id) { return tables_->pods.IdentityOf(id); });
}

void Mirror::PutQueue(CompiledQueue queue) {
  Draft& draft = tables_->draft;
  QueueBook& queues = tables_->queues;
  if (queues.TakeShown(queue, &draft.statuses_changed)) return;
  draft.changed = true;
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Ask(queue.guarantee, +1);
  if (const CompiledQueue* known = queues.Known(*queue.row.name); known != nullptr) {
    dimensions.Ask(known->guarantee, -1);
  }
  SettleDimensions();
  const bool fresh = queues.Put(std::move(queue), vocabulary_, &draft.now);
  ++draft.rows_rewritten;
  if (fresh) tables_->jobs.WriteRows();  // Some may have waited for it.
}

void Mirror::NoteTold(const std::string& queue, const NamedAmounts& allocated) {
  tables_->queues.NoteTold(queue, allocated);
}

void Mirror::RemoveQueue(const std::string& name) {
  const CompiledQueue* known = tables_->queues.Known(name);
  if (known == nullptr) return;
  vocabulary_.dimensions().Ask(known->guarantee, -1);
  tables_->queues.Remove(name, &tables_->draft.now);
  tables_->draft.changed = true;
  tables_->jobs.WriteRows();
}

void Mirror::PutPriorityClass(const std::string& name, int32_t value, bool global_default) {
  tables_->jobs.PutPriorityClass(name, value, global_default);
}
void Mirror::RemovePriorityClass(const std::string& name) {
  tables_->jobs.RemovePriorityClass(name);
}

void Mirror::PutBudget(CompiledBudget budget) {
  Draft& draft = tables_->draft;
  if (!tables_->budgets.PutBudget(std::move(budget), &draft.now)) return;
  draft.NoteRoom();
  ++draft.rows_rewritten;
}
void Mirror::RemoveBudget(const std::string& key) {
  Draft& draft = tables_->draft;
  if (tables_->budgets.RemoveBudget(key, &draft.now)) draft.NoteRoom();
}
void Mirror::PutQuota(CompiledQuota quota) {
  if (tables_->budgets.PutQuota(std::move(quota))) tables_->draft.NoteRoom();
}
void Mirror::RemoveQuota(const std::string& ns, const std::string& name) {
  if (tables_->budgets.RemoveQuota(ns, name)) tables_->draft.NoteRoom();
}

void Mirror::PutNamespace(const std::string& name, const Labels& labels) {
  if (tables_->pod_labels.PutNamespace(name, labels, vocabulary_.symbols()))
    tables_->draft.NoteRoom();
}
void Mirror::RemoveNamespace(const std::string& name) {
  if (tables_->pod_labels.RemoveNamespace(name)) tables_->draft.NoteRoom();
}

void Mirror::PutShard(CompiledShard shard) {
  shard_untold_ = true;
  if (tables_->shards.Put(std::move(shard))) tables_->nodes.MarkShard();
}
void Mirror::RemoveShard(const std::string& name) {
  shard_untold_ = true;
  if (tables_->shards.Remove(name)) tables_->nodes.MarkShard();
}

void Mirror::CountDevices(std::shared_ptr<const model::DeviceSettings> settings) {
  tables_->draft.now.devices = std::move(settings);
}

void Mirror::PutChips(const std::string& source, std::vector<model::ChipNews> news) {
  for (const std::string& name : tables_->chips.Put(source, std::move(news))) {
    const model::NodeFacts* facts = tables_->nodes.FactsOf(name);
    if (facts == nullptr || facts->devices == nullptr) continue;
    auto devices = tables_->chips.Complete(name, facts->devices);
    if (devices != facts->devices) tables_->nodes.SetDevices(name, std::move(devices));
  }
}

void Mirror::PutLoads(std::shared_ptr<const model::NodeLoads> loads) {
  Draft& draft = tables_->draft;
  draft.now.loads = std::move(loads);
  draft.changed |= draft.some_wait();
}

std::optional<std::string> Mirror::CountResources(const std::vector<std::string>& names) {
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Pin(names);
  tables_->draft.changed |= dimensions.unsettled();
  SettleDimensions();
  NamedAmounts counted;
  for (const std::string& name : names) {
    if (model::IsCountedResource(name)) counted.emplace_back(name, 1);
  }
  return dimensions.FindUncounted(counted);
}

// Cost: nothing while the same resources count; else the shapes, and the pods that name one of
// those that turned; when a dimension changes hands, every node, queue and job beside.
void Mirror::SettleDimensions() {
  DimensionBook& dimensions = vocabulary_.dimensions();
  if (!dimensions.unsettled()) return;
  Draft& draft = tables_->draft;
  PodTable& pods = tables_->pods;
  const auto before = dimensions.shared_table();
  const std::vector<TaskId> tasks = pods.Asking(dimensions.Settle());
  const bool renamed = dimensions.shared_table() != before;
  if (!renamed && tasks.empty()) return;
  const auto shapes = pods.TakeOut(tasks);
  if (renamed) {
    tables_->nodes.WriteRows();
    draft.rows_rewritten += tables_->queues.WriteRows(vocabulary_, &draft.now);
    tables_->jobs.WriteRows();
  }
  pods.PutBack(tasks, shapes);
  draft.changed |= !tasks.empty();
  ++draft.now.generation;  // A gap: who follows changes looks at everything anew.
}

StorageMirror& Mirror::storage() {
  return tables_->storage;
}
const StorageMirror& Mirror::storage() const {
  return tables_->storage;
}
DeviceClaimMirror& Mirror::device_claims() {
  return tables_->device_claims;
}
const DeviceClaimMirror& Mirror::device_claims() const {
  return tables_->device_claims;
}
SelectorBook& Mirror::selectors() {
  return tables_->selectors;
}
NumaBook& Mirror::numa() {
  return tables_->numa;
}

absl::Status Mirror::AssumeBinding(const std::string& key, std::string_view uid,
                                   const std::string& node, const model::DevicePlan* devices) {
  return tables_->assumptions.Bind(key, uid, node, devices);
}
absl::Status Mirror::AssumeEviction(const std::string& key, std::string_view uid) {
  return tables_->assumptions.Evict(key, uid);
}
void Mirror::ForgetAssumption(const std::string& key, std::string_view uid) {
  // Its CPUs go back with a binding, not with an eviction.
  const TaskId id = tables_->pods.Find(key, uid);
  if (id.valid() && tables_->draft.now.usage.tasks[id].status == TaskStatus::kBinding) {
    tables_->numa.Forget(uid);
  }
  tables_->assumptions.Forget(key, uid);
}
absl::Status Mirror::AssumeNomination(const std::string& key, std::string_view uid,
                                      const std::string& node) {
  return tables_->assumptions.Nominate(key, uid, node);
}
void Mirror::ForgetNomination(const std::string& key, std::string_view uid) {
  tables_->assumptions.ForgetNomination(key, uid);
}
bool Mirror::AssumeGateLifted(const std::string& key, std::string_view uid) {
  return tables_->assumptions.LiftGate(key, uid);
}
void Mirror::ForgetGateLifted(const std::string& key, std::string_view uid) {
  tables_->assumptions.ForgetGate(key, uid);
}
absl::Duration Mirror::SparePod(const std::string& key, std::string_view uid) {
  return tables_->assumptions.Spare(key, uid);
}

void Mirror::AssumePhase(const std::string& pod_group_key, model::PodGroupPhase phase) {
  JobTable& jobs = tables_->jobs;
  const JobId job = jobs.Find(pod_group_key);
  if (job.valid() && jobs.RecordOf(job).group) jobs.SetPhase(job, phase);
}
void Mirror::BackOffJob(const std::string& key, absl::Duration pause) {
  const JobId job = tables_->jobs.Find(key);
  if (job.valid()) tables_->jobs.BackOff(job, pause);
}
bool Mirror::IsJobBackingOff(const std::string& key) const {
  const JobId job = tables_->jobs.Find(key);
  return job.valid() && tables_->jobs.IsBackingOff(job);
}

bool Mirror::changed() const {
  const bool others = tables_->storage.changed() || tables_->device_claims.changed();
  return tables_->draft.changed || (others && tables_->mounts.some_wait());
}
bool Mirror::statuses_changed() const {
  return tables_->draft.statuses_changed;
}

std::shared_ptr<const model::Snapshot> Mirror::Publish() {
  Tables& t = *tables_;
  Draft& draft = t.draft;
  t.assumptions.EndSpares();
  t.pods.GiveUpLeaving();
  SettleDimensions();
  t.device_serving.Publish(t.device_claims, t.nodes, vocabulary_);
  t.nodes.Publish();
  t.hyper_nodes.Publish(t.nodes, vocabulary_.symbols(), &draft.now);
  t.jobs.Publish();
  t.queues.Publish(&draft.now);
  t.budgets.Publish(&draft.now);
  t.pods.Publish();
  t.pod_labels.Publish(&draft.now);
  draft.Publish(clock_.Now());
  draft.now.dims = vocabulary_.dimensions().shared_table();
  draft.now.storage = t.storage.Publish();
  draft.now.device_claims = t.device_claims.Publish();
  auto snapshot = std::make_shared<const model::Snapshot>(draft.now);
  t.pods.Recycle();
  t.nodes.Recycle();
  t.jobs.Recycle();
  t.queues.Recycle();
  t.budgets.Recycle();
  t.pod_labels.Recycle();
  return snapshot;
}

absl::Duration Mirror::UntilNextDeadline() const {
  const absl::Duration earliest =
      std::min(tables_->jobs.UntilBackoffEnds(), tables_->assumptions.UntilSpareEnds());
  if (!tables_->draft.some_wait()) return earliest;
  return std::min(earliest, tables_->pods.NextGivenUp() - clock_.Now());
}

std::vector<std::string> Mirror::ReadyNodes() const {
  return tables_->nodes.ReadyNames();
}
const model::NodeFacts* Mirror::NodeNamed(const std::string& name) const {
  return tables_->nodes.FactsOf(name);
}

bool Mirror::OwnsGroup(const std::string& pod_group_key) const {
  const JobId job = tables_->jobs.Find(pod_group_key);
  return job.valid() && tables_->jobs.Owns(job);
}
std::optional<GangView> Mirror::Gang(const std::string& pod_group_key) const {
  return GangOf(tables_->draft.now, tables_->jobs, pod_group_key);
}
std::vector<PlacedPod> Mirror::PlacedPods(const std::string& pod_group_key) const {
  return PlacedPodsOf(tables_->draft.now, tables_->jobs, pod_group_key);
}
bool Mirror::HoldsPlaces(const std::string& pod_group_key) const {
  return cache::HoldsPlaces(tables_->draft.now, tables_->jobs, pod_group_key);
}
std::optional<PlacedTimes> Mirror::TimesOfPlaced(const std::string& pod_group_key) const {
  return PlacedTimesOf(tables_->draft.now, tables_->jobs, pod_group_key);
}
bool Mirror::WasWhole(const std::string& pod_group_key) const {
  return cache::WasWhole(tables_->draft.now, tables_->jobs, pod_group_key);
}
std::vector<std::string> Mirror::HalfBoundGroups() const {
  return HalfBoundGroupsOf(tables_->draft.now, tables_->jobs);
}
const CompiledPodGroup* Mirror::Group(const std::string& pod_group_key) const {
  return tables_->jobs.Known(pod_group_key);
}
const ShownPodGroup* Mirror::ShownOf(const std::string& pod_group_key) const {
  const CompiledPodGroup* known = Group(pod_group_key);
  return known == nullptr ? nullptr : &known->shown;
}
const CompiledQueue* Mirror::Queue(const std::string& name) const {
  return tables_->queues.Known(name);
}
std::string Mirror::UidOfQueue(const std::string& queue) const {
  const CompiledQueue* known = Queue(queue);
  return known == nullptr ? std::string() : known->row.uid;
}

std::optional<PodView> Mirror::Pod(const std::string& key) const {
  return ViewOf(tables_->pods.Find(key));
}
std::optional<PodView> Mirror::Pod(const std::string& key, std::string_view uid) const {
  return ViewOf(tables_->pods.Find(key, uid));
}
std::optional<PodView> Mirror::ViewOf(TaskId id) const {
  if (!id.valid()) return std::nullopt;
  const Assumptions& assumptions = tables_->assumptions;
  const NodeTable& nodes = tables_->nodes;
  const model::TaskRow& row = tables_->draft.now.tasks[id];
  const model::TaskState& state = tables_->draft.now.usage.tasks[id];
  const PodRecord& record = tables_->pods.RecordOf(id);
  PodView view{.uid = row.names->uid,
               .status = state.status,
               .assumed = assumptions.HasPlacement(id),
               .node = nodes.NameOf(record.node),
               .reason = record.News(PodNews::kScheduledReason),
               .message = record.News(PodNews::kScheduledMessage),
               .nominated_node = record.News(PodNews::kNominatedNode)};
  if (assumptions.HasNomination(id)) view.assumed_nomination = nodes.NameOf(row.nominated_node);
  if (view.assumed && state.status == TaskStatus::kBinding &&
      tables_->draft.now.nodes[state.node].facts) {
    view.assumed_node = nodes.NameOf(state.node);
  }
  return view;
}

std::optional<ShardNews> Mirror::TakeShardNews() {
  ShardBook& shards = tables_->shards;
  const CompiledShard* own = shards.Own();
  if (own == nullptr || (!shard_untold_ && !shards.some_leave())) return std::nullopt;
  absl::flat_hash_set<absl::string_view> busy;
  if (shards.some_leave()) busy = tables_->assumptions.NodesBeingBoundTo();
  ShardNews news{
      .name = own->name,
      .resource_version = own->resource_version,
      .use = shards.Use([&busy](const std::string& node) { return busy.contains(node); })};
  shard_untold_ = news.use != own->shown;
  if (!shard_untold_) return std::nullopt;
  return news;
}
bool Mirror::lacks_shard() const {
  return options_.shard.mode != model::ShardMode::kNone && tables_->shards.Own() == nullptr;
}
size_t Mirror::nodes_in_shard() const {
  return tables_->shards.nodes();
}

std::vector<GrouplessPod> Mirror::PodsWithoutGroup(size_t max) const {
  return tables_->pods.Unclaimed(max);
}
std::vector<LeftWithPod> Mirror::LeftWithoutGroup() const {
  return tables_->pods.LeftWithUnclaimed(tables_->device_claims.published());
}
bool Mirror::TakeGrouplessChanged() {
  return tables_->jobs.TakeUnclaimedChanged();
}

TableSizes Mirror::table_sizes() const {
  const DimensionBook& dimensions = vocabulary_.dimensions();
  const ShapeBook& shapes = tables_->pods.shapes();
  return {.symbols = vocabulary_.symbols().size(),
          .label_keys = tables_->pod_labels.label_keys(),
          .label_sets = tables_->pod_labels.label_sets(),
          .pod_groups = tables_->jobs.pod_groups(),
          .queues = tables_->queues.size(),
          .shapes = shapes.shapes(),
          .constraints = shapes.constraints(),
          .resources = dimensions.names(),
          .dimensions = dimensions.used(),
          .without_dimension = dimensions.waiting(),
          .hyper_nodes = tables_->hyper_nodes.size(),
          .hyper_nodes_cut_off = tables_->hyper_nodes.cut_off()};
}
size_t Mirror::pods() const {
  return tables_->pods.size();
}
size_t Mirror::nodes() const {
  return tables_->nodes.size();
}
int64_t Mirror::rows_rewritten() const {
  return tables_->draft.rows_rewritten;
}

absl::Status Mirror::Check() const {
  IdVector<model::NodeId, int32_t> mentions;
  absl::Status status = tables_->pods.Check(&mentions);
  status.Update(tables_->numa.Check(&mentions));
  status.Update(tables_->nodes.Check(mentions));
  status.Update(tables_->jobs.Check());
  status.Update(tables_->assumptions.Check());
  status.Update(tables_->devices.Check());
  status.Update(tables_->device_claims.Check());
  return status;
}

}  // namespace bth::cache
