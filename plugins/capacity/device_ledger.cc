#include "plugins/capacity/device_ledger.h"

#include <algorithm>
#include <tuple>

#include "base/digest.h"
#include "base/strings.h"
#include "plugins/job_queue.h"

namespace bth::plugins::capacity {

using algo::DeviceAmounts;
using model::DeviceClaimFacts;
using model::JobId;
using model::QueueId;
using model::TaskId;

namespace {

void AddTo(const DeviceAmounts& amounts, Digest* digest) {
  for (const auto& [name, row] : amounts) {
    digest->Add(name);
    digest->Add(static_cast<uint64_t>(row.count));
    for (const auto& [dimension, milli] : row.amounts) {
      digest->Add(dimension);
      digest->Add(static_cast<uint64_t>(milli));
    }
  }
}

uint64_t KeyDigestOf(const DeviceClaimFacts& claim) {
  Digest digest;
  digest.Add(claim.key);
  return digest.value();
}

}  // namespace

DeviceLedger::DeviceLedger(const framework::Session& session, const QueueLedger& ledger, bool parts)
    : session_(session), ledger_(ledger), parts_(parts) {
  const model::Snapshot& base = session.base();
  if (base.device_claims == nullptr) return;
  for (QueueId queue : *base.queues_by_name) {
    const model::DeviceQuota* quota = base.queues[queue].device_quota.get();
    if (quota != nullptr) accounts_[queue].quota = quota;
  }
  if (accounts_.empty()) return;
  for (TaskId task : base.tasks.ids()) {
    if (base.tasks[task].names == nullptr) continue;
    if (!model::InGroup(base.usage.tasks[task].status, model::kAllocatedGroup)) continue;
    const QueueId queue = QueueOf(session, task);
    if (queue.valid()) Move(queue, task, 1);
  }
  // Volcano forgets from session to session what it has admitted.
  for (const auto& jobs : {base.active_jobs, base.backing_off_jobs}) {
    for (JobId job : *jobs) {
      if (TakesPart(session, job) && session.counts(job).phase == model::PodGroupPhase::kInqueue) {
        Enqueue(job);
      }
    }
  }
}

const DeviceLedger::Account* DeviceLedger::Find(QueueId queue) const {
  const auto known = accounts_.find(queue);
  return known == accounts_.end() ? nullptr : &known->second;
}

std::vector<const DeviceClaimFacts*> DeviceLedger::ClaimsOf(TaskId task) const {
  std::vector<const DeviceClaimFacts*> out;
  const model::Snapshot& base = session_.base();
  const model::PodDeviceClaims* claims = base.tasks[task].device_claims.get();
  if (claims == nullptr || base.device_claims == nullptr) return out;
  const std::string& ns = base.tasks[task].names->ns;
  absl::flat_hash_set<const DeviceClaimFacts*> known;
  for (const model::DeviceClaimUse& use : claims->uses) {
    if (use.claim.empty()) continue;
    const DeviceClaimFacts* claim = base.device_claims->claims.Find(StrCat(ns, "/", use.claim));
    if (claim != nullptr && known.insert(claim).second) out.push_back(claim);
  }
  return out;
}

std::optional<DeviceLedger::Shortage> DeviceLedger::ShortOf(QueueId queue, TaskId task) const {
  if (accounts_.empty()) return std::nullopt;
  const std::vector<const DeviceClaimFacts*> claims = ClaimsOf(task);
  if (claims.empty()) return std::nullopt;
  for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
    const Account* account = Find(at);
    if (account == nullptr) continue;
    DeviceAmounts more;
    for (const DeviceClaimFacts* claim : claims) {
      if (!account->users.contains(claim)) algo::Add(algo::AmountsOf(*claim, parts_), 1, &more);
    }
    if (auto name = algo::FirstBeyond(*account->quota, account->held, more)) {
      return Shortage{at, *std::move(name)};
    }
  }
  return std::nullopt;
}

DeviceLedger::Minimum DeviceLedger::MinimumOf(JobId job, bool waiting) const {
  const model::JobRow& row = session_.job(job);
  std::vector<TaskId> tasks;
  for (TaskId task : *row.tasks) {
    if (session_.task(task).device_claims != nullptr) tasks.push_back(task);
  }
  std::sort(tasks.begin(), tasks.end(), [this](TaskId a, TaskId b) {
    const model::TaskNames& left = *session_.task(a).names;
    const model::TaskNames& right = *session_.task(b).names;
    return std::tie(left.name, left.uid) < std::tie(right.name, right.uid);
  });
  Minimum sum;
  absl::flat_hash_set<const DeviceClaimFacts*> known;
  const auto holds = [this, waiting](TaskId task) {
    return waiting && model::InGroup(session_.state(task).status, model::kAllocatedGroup);
  };
  const auto add = [&](TaskId task) {
    if (holds(task)) return;
    for (const DeviceClaimFacts* claim : ClaimsOf(task)) {
      if (known.insert(claim).second) sum.claims.push_back(claim);
    }
  };
  const bool has_roles = row.roles != nullptr && !row.roles->empty();
  if (!has_roles) {
    const auto count = std::min(tasks.size(), static_cast<size_t>(std::max(row.min_available, 0)));
    for (size_t i = 0; i < count; ++i) add(tasks[i]);
    return sum;
  }
  absl::flat_hash_map<model::RoleId, std::vector<TaskId>> by_role;
  for (TaskId task : tasks) by_role[session_.task(task).role].push_back(task);
  for (model::RoleId role : *row.roles) {
    const auto found = by_role.find(role);
    if (found == by_role.end()) continue;
    int64_t left = session_.base().roles[role].min_available;
    for (auto task = found->second.begin(); task != found->second.end() && left > 0; ++task) {
      add(*task);
      --left;
    }
    if (left <= 0) continue;
    // Those that are not made yet will have claims of their own, as the first has from a template.
    const TaskId first = found->second.front();
    const model::PodDeviceClaims& uses = *session_.task(first).device_claims;
    const bool own = std::any_of(uses.uses.begin(), uses.uses.end(), [](const auto& use) {
      return use.kind == model::DeviceClaimUse::Kind::kFromTemplate;
    });
    if (!own) continue;
    for (const DeviceClaimFacts* claim : ClaimsOf(first)) {
      if (claim->owner_uid.empty()) continue;
      algo::Add(algo::AmountsOf(*claim, parts_), left, &sum.unmade);
    }
  }
  return sum;
}

DeviceAmounts DeviceLedger::NewTo(const Account& account, const Minimum& minimum) const {
  DeviceAmounts out = minimum.unmade;
  for (const DeviceClaimFacts* claim : minimum.claims) {
    if (!account.Has(claim)) algo::Add(algo::AmountsOf(*claim, parts_), 1, &out);
  }
  return out;
}

bool DeviceLedger::Concerns(JobId job) const {
  if (accounts_.empty()) return false;
  const model::JobRow& row = session_.job(job);
  const bool claims = std::any_of(row.tasks->begin(), row.tasks->end(), [this](TaskId task) {
    return session_.task(task).device_claims != nullptr;
  });
  if (!claims) return false;
  for (QueueId at = row.queue; at.valid(); at = ledger_.ParentOf(at)) {
    if (accounts_.contains(at)) return true;
  }
  return false;
}

std::optional<DeviceLedger::Shortage> DeviceLedger::ShortForAdmission(JobId job) const {
  if (!Concerns(job)) return std::nullopt;
  const Minimum minimum = MinimumOf(job, /*waiting=*/false);
  for (QueueId at = session_.job(job).queue; at.valid(); at = ledger_.ParentOf(at)) {
    const Account* account = Find(at);
    if (account == nullptr) continue;
    DeviceAmounts admitted = account->held;
    algo::Add(account->inqueue, 1, &admitted);
    if (auto name = algo::FirstBeyond(*account->quota, admitted, NewTo(*account, minimum))) {
      return Shortage{at, *std::move(name)};
    }
  }
  return std::nullopt;
}

void DeviceLedger::Enqueue(JobId job) {
  if (!Concerns(job)) return;
  const Minimum minimum = MinimumOf(job, /*waiting=*/true);
  for (QueueId at = session_.job(job).queue; at.valid(); at = ledger_.ParentOf(at)) {
    const auto known = accounts_.find(at);
    if (known == accounts_.end()) continue;
    Account& account = known->second;
    algo::Add(NewTo(account, minimum), 1, &account.inqueue);
    for (const DeviceClaimFacts* claim : minimum.claims) {
      if (account.kept.insert(claim).second) account.kept_sum += KeyDigestOf(*claim);
    }
  }
}

uint64_t DeviceLedger::DigestOf(QueueId queue) const {
  if (accounts_.empty()) return 0;
  Digest digest;
  for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
    const Account* account = Find(at);
    if (account == nullptr) continue;
    AddTo(account->held, &digest);
    digest.Add("inqueue");
    AddTo(account->inqueue, &digest);
    // What is shared with them is not new to the queue.
    digest.Add(account->users_sum);
    digest.Add(account->kept_sum);
  }
  return digest.value();
}

void DeviceLedger::Move(QueueId queue, TaskId task, int sign) {
  if (accounts_.empty()) return;
  const std::vector<const DeviceClaimFacts*> claims = ClaimsOf(task);
  if (claims.empty()) return;
  for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
    const auto found = accounts_.find(at);
    if (found == accounts_.end()) continue;
    Account& account = found->second;
    for (const DeviceClaimFacts* claim : claims) {
      int32_t& users = account.users[claim];
      users += sign;
      const bool first_or_last = sign > 0 ? users == 1 : users == 0;
      if (users == 0) account.users.erase(claim);
      if (!first_or_last) continue;
      algo::Add(algo::AmountsOf(*claim, parts_), sign, &account.held);
      account.users_sum += sign > 0 ? KeyDigestOf(*claim) : -KeyDigestOf(*claim);
    }
  }
}

}  // namespace bth::plugins::capacity
