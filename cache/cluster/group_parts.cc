#include "cache/cluster/group_parts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "cache/intake/grouping.h"

namespace bth::cache {

using model::JobId;
using model::RoleId;
using model::SubJobId;

bool HasUnnamedRole(const CompiledPodGroup& group) {
  return !group.role_minimums.empty() && group.role_minimums.front().first.empty();
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

RoleId GroupParts::EnterRole(JobId job, JobRecord& record, const std::string& role,
                             model::Snapshot* now) {
  if (role.empty() && (!record.group || !HasUnnamedRole(*record.group))) return RoleId();
  const RoleId id = RoleFor(job, record, role, now);
  ++role_tasks_[id];
  return id;
}

void GroupParts::LeaveRole(RoleId role, JobRecord& record, model::Snapshot* now) {
  if (!role.valid()) return;
  --role_tasks_[role];
  if (IsIdle(*now->roles[role].name, role, record)) DropRole(role, record, now);
}

std::shared_ptr<std::vector<RoleId>> GroupParts::NamedRoles(JobId job, JobRecord& record,
                                                            model::Snapshot* now) {
  std::vector<RoleId> idle;
  for (const auto& [name, role] : record.roles) {
    now->roles.Mutable(role).min_available = 0;
    if (IsIdle(name, role, record)) idle.push_back(role);
  }
  std::sort(idle.begin(), idle.end());  // Ids are given out again as they were freed.
  for (RoleId role : idle) DropRole(role, record, now);
  auto named = std::make_shared<std::vector<RoleId>>();
  for (const auto& [name, minimum] : record.group->role_minimums) {
    named->push_back(RoleFor(job, record, name, now));
    now->roles.Mutable(named->back()).min_available = minimum;
  }
  return named;
}

RoleId GroupParts::RoleFor(JobId job, JobRecord& record, const std::string& role,
                           model::Snapshot* now) {
  auto [it, fresh] = record.roles.try_emplace(role);
  if (!fresh) return it->second;
  const RoleId id = role_slots_.Take();
  it->second = id;
  now->roles.EnsureContains(id);
  now->usage.roles.EnsureContains(id);
  now->roles.Mutable(id) = {.job = job, .name = std::make_shared<const std::string>(role)};
  now->usage.roles.Mutable(id) = model::RoleCounts();
  role_tasks_.EnsureContains(id);
  role_tasks_[id] = 0;
  return id;
}

bool GroupParts::IsIdle(const std::string& name, RoleId role, const JobRecord& record) const {
  if (role_tasks_[role] > 0) return false;
  if (!record.group) return true;
  const auto& minimums = record.group->role_minimums;
  const auto at = std::lower_bound(
      minimums.begin(), minimums.end(), name,
      [](const auto& minimum, const std::string& wanted) { return minimum.first < wanted; });
  return at == minimums.end() || at->first != name;
}

void GroupParts::DropRole(RoleId role, JobRecord& record, model::Snapshot* now) {
  record.roles.erase(*now->roles[role].name);
  FreeRole(role, now);
}

void GroupParts::FreeRole(RoleId role, model::Snapshot* now) {
  now->roles.Mutable(role) = model::RoleRow();
  now->usage.roles.Mutable(role) = model::RoleCounts();
  role_slots_.Free(role);
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
  for (const auto& [name, id] : record.roles) FreeRole(id, now);
  record.default_sub_job = SubJobId();
  record.sub_jobs.clear();
  record.roles.clear();
}

void GroupParts::Recycle() {
  sub_job_slots_.Recycle();
  role_slots_.Recycle();
}

}  // namespace bth::cache
