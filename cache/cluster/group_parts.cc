#include "cache/cluster/group_parts.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/strings.h"
#include "cache/intake/grouping.h"

namespace bth::cache {

using model::JobId;
using model::RoleId;
using model::SubJobId;

bool HasUnnamedRole(const CompiledPodGroup& group) {
  return std::any_of(group.role_minimums.begin(), group.role_minimums.end(),
                     [](const auto& minimum) { return minimum.first.empty(); });
}

SubJobId GroupParts::SubJobFor(JobId job, JobRecord& record, const PodIdentity& pod,
                               model::Snapshot* now) {
  if (record.group) {
    for (const SubGroup& group : record.group->sub_groups) {
      const std::optional<SubJobMatch> match = MatchSubGroup(group, pod.labels);
      if (!match) continue;
      const Origin origin{.key = StrCat(record.key, "/", group.name, "-", match->suffix),
                          .group = &group,
                          .match_index = match->index};
      return Make(job, record, origin, now);
    }
  }
  return DefaultSubJob(job, record, now);
}

SubJobId GroupParts::DefaultSubJob(JobId job, JobRecord& record, model::Snapshot* now) {
  return Make(job, record, {.key = record.key}, now);
}

SubJobId GroupParts::Make(JobId job, JobRecord& record, const Origin& origin,
                          model::Snapshot* now) {
  const SubGroup* const group = origin.group;
  SubJobId& known = group == nullptr ? record.default_sub_job
                                     : record.sub_jobs.try_emplace(origin.key).first->second;
  if (known.valid()) return known;
  const SubJobId id = sub_job_slots_.Take();
  known = id;
  now->sub_jobs.EnsureContains(id);
  now->usage.sub_jobs.EnsureContains(id);
  model::SubJobRow row;
  row.facts = std::make_shared<const model::SubJobFacts>(
      model::SubJobFacts{.group = group == nullptr ? record.key : group->name, .key = origin.key});
  row.job = job;
  row.match_index = origin.match_index;
  if (group != nullptr) {
    row.min_available = group->size;
    const auto& groups = record.group->sub_groups;
    row.group = static_cast<int32_t>(group - groups.data());
  } else if (record.group && record.group->sub_groups.empty()) {
    row.min_available = record.group->min_member;
  }
  now->sub_jobs.Mutable(id) = row;
  now->usage.sub_jobs.Mutable(id) = model::SubJobCounts();
  records_.EnsureContains(id);
  records_[id] = SubJob();
  record.lists_dirty = true;
  return id;
}

RoleId GroupParts::RoleFor(JobId job, JobRecord& record, const std::string& role,
                           model::Snapshot* now) {
  if (role.empty() && (!record.group || !HasUnnamedRole(*record.group))) return RoleId();
  auto [it, fresh] = record.roles.try_emplace(role);
  if (!fresh) return it->second;
  const RoleId id = role_slots_.Take();
  it->second = id;
  now->roles.EnsureContains(id);
  now->usage.roles.EnsureContains(id);
  now->roles.Mutable(id) = {.job = job, .name = std::make_shared<const std::string>(role)};
  now->usage.roles.Mutable(id) = model::RoleCounts();
  return id;
}

void GroupParts::CountPriority(SubJobId sub_job, int32_t priority, int32_t sign,
                               model::Snapshot* now) {
  SubJob& record = records_[sub_job];
  record.tasks += sign;
  auto at =
      std::lower_bound(record.priorities.begin(), record.priorities.end(), priority,
                       [](const auto& known, int32_t wanted) { return known.first < wanted; });
  if (at == record.priorities.end() || at->first != priority) {
    at = record.priorities.insert(at, {priority, 0});
  }
  at->second += sign;
  if (at->second == 0) record.priorities.erase(at);
  const int32_t top = record.priorities.empty() ? 0 : std::max(0, record.priorities.back().first);
  if (now->sub_jobs[sub_job].priority != top) now->sub_jobs.Mutable(sub_job).priority = top;
}

void GroupParts::DropIfEmpty(SubJobId sub_job, JobRecord& record, model::Snapshot* now) {
  if (records_[sub_job].tasks > 0 || sub_job == record.default_sub_job) return;
  record.sub_jobs.erase(now->sub_jobs[sub_job].facts->key);
  now->sub_jobs.Mutable(sub_job) = model::SubJobRow();
  now->usage.sub_jobs.Mutable(sub_job) = model::SubJobCounts();
  sub_job_slots_.Free(sub_job);
}

void GroupParts::Clear(JobRecord& record, model::Snapshot* now) {
  const auto drop = [&](SubJobId id) {
    now->sub_jobs.Mutable(id) = model::SubJobRow();
    now->usage.sub_jobs.Mutable(id) = model::SubJobCounts();
    sub_job_slots_.Free(id);
  };
  if (record.default_sub_job.valid()) drop(record.default_sub_job);
  for (const auto& [key, id] : record.sub_jobs) drop(id);
  for (const auto& [name, id] : record.roles) {
    now->roles.Mutable(id) = model::RoleRow();
    now->usage.roles.Mutable(id) = model::RoleCounts();
    role_slots_.Free(id);
  }
  record.default_sub_job = SubJobId();
  record.sub_jobs.clear();
  record.roles.clear();
}

void GroupParts::Recycle() {
  sub_job_slots_.Recycle();
  role_slots_.Recycle();
}

}  // namespace bth::cache
