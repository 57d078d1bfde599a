#include "framework/report/queue_devices.h"

#include <algorithm>
#include <optional>

#include "api/model/device_claims.h"
#include "api/model/device_settings.h"
#include "base/strings.h"
#include "framework/session/session.h"

namespace bth::framework {

using algo::JobChanges;
using model::JobId;
using model::QueueId;
using model::TaskId;

namespace {

constexpr int64_t kMilli = 1000;

// What the pod was given, by an earlier cycle or by this one; null: nothing.
std::shared_ptr<const model::PodDevices> HeldBy(const Session& session, TaskId task,
                                                model::NodeId node) {
  if (node.valid() && session.base().nodes.Contains(node)) {
    const auto& holders = session.base().nodes[node].device_holders;
    if (holders != nullptr) {
      const auto at = std::lower_bound(
          holders->begin(), holders->end(), task,
          [](const model::DeviceHolder& holder, TaskId id) { return holder.task < id; });
      if (at != holders->end() && at->task == task) return at->devices;
    }
  }
  const auto plan = session.votes().DevicePlanOf(task);
  return plan == nullptr ? nullptr : plan->held;
}

int64_t RequestOf(const Session& session, TaskId task, const std::string& resource) {
  const std::optional<int> dim = session.dims().Find(resource);
  return dim ? session.request(task)[*dim] : 0;
}

}  // namespace

QueueDevices::OfJob QueueDevices::Read(const Session& session, JobId job, bool now) {
  OfJob out;
  if (!reads_) return out;
  const model::Snapshot& base = session.base();
  const model::JobRow& row = session.job(job);
  out.queue = row.queue;
  const auto add_claims = [&](const model::TaskRow& task) {
    for (const model::DeviceClaimUse& use : task.device_claims->uses) {
      if (use.claim.empty()) continue;
      std::string key = StrCat(task.names->ns, "/", use.claim);
      const auto known = [&key](const auto& claim) { return claim.first == key; };
      if (std::any_of(out.claims.begin(), out.claims.end(), known)) continue;
      const model::DeviceClaimFacts* facts = view_ == nullptr ? nullptr : view_->claims.Find(key);
      if (facts == nullptr) {
        out.unresolved = true;
        continue;
      }
      out.claims.emplace_back(std::move(key), std::make_shared<const algo::DeviceAmounts>(
                                                  algo::AmountsOf(*facts, /*parts=*/true)));
    }
  };
  const auto add_shares = [&](TaskId task, model::NodeId node) {
    const auto held = HeldBy(session, task, node);
    if (held == nullptr) return;
    for (const model::HeldDevices& kind : held->held) {
      if (kind.kind.family != model::DeviceFamily::kVgpu) continue;
      out.has_shares = true;
      for (const model::HeldDevice& part : kind.devices) {
        out.memory += part.memory * kMilli;
        out.cores += part.cores * kMilli;
      }
      out.memory -= RequestOf(session, task, settings_->vgpus.memory);
      out.cores -= RequestOf(session, task, settings_->vgpus.cores);
    }
  };
  for (TaskId task : *row.tasks) {
    const model::TaskState& state = now ? session.state(task) : base.usage.tasks[task];
    if (!model::InGroup(state.status, model::kAllocatedGroup)) continue;
    const model::TaskRow& task_row = session.task(task);
    if (task_row.device_claims != nullptr) add_claims(task_row);
    if (settings_ != nullptr && settings_->vgpu &&
        base.constraints_of(task_row.shape).devices != nullptr) {
      add_shares(task, state.node);
    }
  }
  std::sort(out.claims.begin(), out.claims.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

QueueId QueueDevices::Above(QueueId queue) const {
  return tree_.root().valid() ? tree_[queue].parent : QueueId();
}

void QueueDevices::Count(const OfJob& job, int sign) {
  if (job.empty()) return;
  // A queue in a circle has no way up.
  int depth = 0;
  constexpr int kDepthMax = 1024;
  for (QueueId at = job.queue; at.valid() && depth < kDepthMax; at = Above(at), ++depth) {
    OfQueue& queue = queues_[at];
    queue.jobs_with_shares += job.has_shares ? sign : 0;
    queue.memory += sign * job.memory;
    queue.cores += sign * job.cores;
    for (const auto& [key, amounts] : job.claims) {
      int32_t& users = queue.users[key];
      users += sign;
      if (sign > 0 ? users == 1 : users == 0) algo::Add(*amounts, sign, &queue.classes);
      if (users == 0) queue.users.erase(key);
    }
    if (queue.users.empty() && queue.jobs_with_shares == 0) queues_.erase(at);
    if (!tree_.root().valid() || !tree_[at].attached()) break;
  }
}

void QueueDevices::Reread(const Session& session, JobId job) {
  const auto known = jobs_.find(job);
  if (known != jobs_.end()) {
    Count(known->second, -1);
    jobs_.erase(known);
  }
  unresolved_.erase(job);
  if (!session.base().jobs.Contains(job) || !algo::TakesPart(session.job(job))) return;
  OfJob now = Read(session, job, /*now=*/false);
  if (now.unresolved) unresolved_.insert(job);
  if (now.empty()) return;
  Count(now, 1);
  jobs_.emplace(job, std::move(now));
}

void QueueDevices::Advance(const Session& session) {
  const model::Snapshot& base = session.base();
  const bool reads = base.device_claims != nullptr || base.devices != nullptr;
  if (reads != reads_ || base.devices != settings_) {
    changes_ = {};
    jobs_.clear();
    queues_.clear();
    unresolved_.clear();
  }
  reads_ = reads;
  settings_ = base.devices;
  const bool new_view = view_ != base.device_claims;
  view_ = base.device_claims;
  if (tree_.Follow(base)) {
    queues_.clear();
    for (const auto& [job, devices] : jobs_) Count(devices, 1);
  }
  if (new_view) {
    for (JobId job : std::vector<JobId>(unresolved_.begin(), unresolved_.end())) {
      Reread(session, job);
    }
  }
  if (!reads_) {
    changes_ = {};
    return;
  }
  changes_.Advance(
      base, [] {},
      [&](JobId job, const JobChanges::Job*, const JobChanges::Job*) { Reread(session, job); });
}

std::map<QueueId, QueueDevices::Amounts> QueueDevices::Allocated(
    const Session& session, const IdVector<QueueId, model::ResourceVec>& asked) {
  if (!reads_) return {};
  // What the session did is counted, told, and taken back.
  static const OfJob& kNothing = *new OfJob();
  std::vector<std::pair<const OfJob*, OfJob>> changed;
  for (JobId job : session.touched_jobs()) {
    if (!algo::TakesPart(session.job(job))) continue;
    const auto known = jobs_.find(job);
    const OfJob* before = known == jobs_.end() ? &kNothing : &known->second;
    OfJob now = Read(session, job, /*now=*/true);
    if (now.empty() && before->empty()) continue;
    Count(*before, -1);
    Count(now, 1);
    changed.emplace_back(before, std::move(now));
  }
  std::map<QueueId, Amounts> out;
  for (const auto& [id, queue] : queues_) {
    Amounts& amounts = out[id];
    for (const auto& [name, row] : queue.classes) {
      if (row.count > 0) {
        amounts.emplace_back(algo::AmountName(name),
                             std::min(row.count, INT64_MAX / kMilli) * kMilli);
      }
      for (const auto& [dimension, milli] : row.amounts) {
        if (milli != 0) amounts.emplace_back(algo::AmountName(name, dimension), milli);
      }
    }
    if (queue.jobs_with_shares == 0) continue;
    for (const auto& [name, more] : {std::pair(settings_->vgpus.memory, queue.memory),
                                     std::pair(settings_->vgpus.cores, queue.cores)}) {
      const std::optional<int> dim = session.dims().Find(name);
      amounts.emplace_back(name, (dim ? asked[id][*dim] : 0) + more);
    }
  }
  for (auto at = changed.rbegin(); at != changed.rend(); ++at) {
    Count(at->second, -1);
    Count(*at->first, 1);
  }
  return out;
}

}  // namespace bth::framework
