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
  auto [it, fresh] = record.sub_jobs.try_emplace(origin.key);
  if (!fresh) return it->second;
  const SubJobId id = sub_job_slots_.Take();
  it->second = id;
  now->sub_jobs.EnsureContains(id);
  now->usage.sub_jobs.EnsureContains(id);
  const SubGroup* const group = origin.group;
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
  auto [it, fresh] = record.priorities.try_emplace(priority, 0);
  it->second += sign;
  if (it->second == 0) record.priorities.erase(it);
  const int32_t top =
      record.priorities.empty() ? 0 : std::max(0, record.priorities.rbegin()->first);
  if (now->sub_jobs[sub_job].priority != top) now->sub_jobs.Mutable(sub_job).priority = top;
}

void GroupParts::DropIfEmpty(SubJobId sub_job, JobRecord& record, model::Snapshot* now) {
  const std::string& key = now->sub_jobs[sub_job].facts->key;
  if (records_[sub_job].tasks > 0 || key == record.key) return;
  record.sub_jobs.erase(key);
  now->sub_jobs.Mutable(sub_job) = model::SubJobRow();
  now->usage.sub_jobs.Mutable(sub_job) = model::SubJobCounts();
  sub_job_slots_.Free(sub_job);
}

void GroupParts::Clear(JobRecord& record, model::Snapshot* now) {
  for (const auto& [key, id] : record.sub_jobs) {
    now->sub_jobs.Mutable(id) = model::SubJobRow();
    now->usage.sub_jobs.Mutable(id) = model::SubJobCounts();
    sub_job_slots_.Free(id);
  }
  for (const auto& [name, id] : record.roles) {
    now->roles.Mutable(id) = model::RoleRow();
    now->usage.roles.Mutable(id) = model::RoleCounts();
    role_slots_.Free(id);
  }
  record.sub_jobs.clear();
  record.roles.clear();
}

void GroupParts::Recycle() {
  sub_job_slots_.Recycle();
  role_slots_.Recycle();
}

}  // namespace bth::cache
