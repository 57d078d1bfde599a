// From the mirror's columns to an immutable snapshot.
#include <algorithm>
#include <utility>

#include "algo/gang_rules.h"
#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::JobId;
using model::NodeId;
using model::PodGroupPhase;
using model::SubJobId;
using model::TaskStatus;

bool Mirror::changed() const {
  return changed_ || (storage_.changed() && !waiting_with_volumes_.empty());
}

void Mirror::Touch(JobId job) {
  if (dirty_jobs_.insert(job).second) changed_jobs_.push_back(job);
}

model::TaskRow& Mirror::ChangeRow(model::TaskId id) {
  if (const JobId job = pod_records_[id].job; job.valid()) changed_jobs_.push_back(job);
  return now_.tasks.Mutable(id);
}

void Mirror::PublishChanges() {
  std::sort(changed_jobs_.begin(), changed_jobs_.end());
  changed_jobs_.erase(std::unique(changed_jobs_.begin(), changed_jobs_.end()), changed_jobs_.end());
  now_.changed_jobs = std::make_shared<const std::vector<JobId>>(std::exchange(changed_jobs_, {}));
}

bool Mirror::IsActive(JobId job) const {
  const JobRecord& record = job_records_[job];
  const model::JobRow& row = now_.jobs[job];
  if (row.facts == nullptr || !row.has_pod_group || !row.queue.valid()) return false;
  if (record.held_until > clock_->Now() || !Owns(record)) return false;
  const model::JobCounts& counts = now_.usage.jobs[job];
  if (counts.count(TaskStatus::kPending) > 0) return true;
  if (counts.total() > 0 && counts.ready() < row.min_available) return true;
  const ShownPodGroup& shown = record.group->shown;
  if (counts.phase == PodGroupPhase::kNone || counts.phase == PodGroupPhase::kPending) return true;
  return algo::DerivePhase(counts, row.min_available, false) != counts.phase ||
         counts.count(TaskStatus::kRunning) != shown.running ||
         counts.count(TaskStatus::kSucceeded) != shown.succeeded ||
         counts.count(TaskStatus::kFailed) != shown.failed;
}

void Mirror::PublishNodes() {
  const auto before = [this](NodeId a, NodeId b) {
    return node_records_[a].name < node_records_[b].name;
  };
  const auto& ready = ready_nodes_.Publish(before);
  if (ready != now_.nodes_by_name) {
    for (size_t rank = 0; rank < ready->size(); ++rank) {
      const NodeId node = (*ready)[rank];
      if (now_.nodes[node].name_rank == rank) continue;
      now_.nodes.Mutable(node).name_rank = static_cast<uint32_t>(rank);
    }
    now_.nodes_by_name = ready;
    images_dirty_ = true;  // Image scores divide by the number of nodes.
  }
  if (images_dirty_ || now_.images == nullptr) {
    auto images = std::make_shared<std::vector<model::ImageSpread>>();
    for (const auto& [image, nodes] : image_nodes_) images->push_back({image, nodes});
    std::sort(images->begin(), images->end(),
              [](const auto& a, const auto& b) { return a.image < b.image; });
    now_.images = std::move(images);
    images_dirty_ = false;
  }
}

void Mirror::PublishJobs() {
  const absl::Time now = clock_->Now();
  for (auto it = held_.begin(); it != held_.end();) {
    const JobId job = *it;
    if (job_records_[job].held_until <= now) {
      Touch(job);
      held_.erase(it++);
    } else {
      ++it;
    }
  }
  for (JobId job : dirty_jobs_) {
    JobRecord& record = job_records_[job];
    if (record.lists_dirty && now_.jobs[job].facts != nullptr) {
      model::JobRow& row = now_.jobs.Mutable(job);
      row.tasks = std::make_shared<const std::vector<model::TaskId>>(record.tasks);
      auto sub_jobs = std::make_shared<std::vector<SubJobId>>();
      for (const auto& [key, id] : record.sub_jobs) sub_jobs->push_back(id);
      std::sort(sub_jobs->begin(), sub_jobs->end(), [this](SubJobId a, SubJobId b) {
        return now_.sub_jobs[a].facts->key < now_.sub_jobs[b].facts->key;
      });
      row.sub_jobs = std::move(sub_jobs);
      record.lists_dirty = false;
    }
    const model::JobRow& row = now_.jobs[job];
    const bool has_group = row.facts != nullptr && row.has_pod_group;
    all_.Set(job, has_group && row.queue.valid());
    without_queue_.Set(job, has_group && !row.queue.valid() && Owns(record));
    active_.Set(job, IsActive(job));
  }
  dirty_jobs_.clear();
  const auto by_age = [this](JobId a, JobId b) {
    const model::JobFacts& left = *now_.jobs[a].facts;
    const model::JobFacts& right = *now_.jobs[b].facts;
    if (left.created_us != right.created_us) return left.created_us < right.created_us;
    if (left.uid != right.uid) return left.uid < right.uid;
    return left.ns != right.ns ? left.ns < right.ns : left.name < right.name;
  };
  now_.all_jobs = all_.Publish(by_age);
  now_.active_jobs = active_.Publish(by_age);
  now_.jobs_without_queue = without_queue_.Publish(by_age);
}

std::shared_ptr<const model::Snapshot> Mirror::Publish() {
  EndSpares();
  GiveUpLeaving();
  SettleDimensions();
  PublishNodes();
  PublishJobs();
  queues_.Publish(&now_);
  PublishBudgets();
  PublishSpreads();
  PublishPeers();
  PublishChanges();
  ++now_.generation;
  now_.taken_at = clock_->Now();
  now_.dims = vocabulary_.dimensions().shared_table();
  now_.storage = storage_.Publish();
  changed_ = false;
  statuses_changed_ = false;
  auto snapshot = std::make_shared<const model::Snapshot>(now_);
  task_slots_.Recycle();
  node_slots_.Recycle();
  job_slots_.Recycle();
  parts_.Recycle();
  shapes_.Recycle();
  queues_.Recycle();
  budgets_.Recycle();
  peers_.Recycle();
  return snapshot;
}

}  // namespace bth::cache
