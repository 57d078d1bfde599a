#include "plugins/capacity/device_ledger.h"

#include <algorithm>

#include "base/strings.h"
#include "plugins/job_queue.h"

namespace bth::plugins::capacity {

using model::ClassAmounts;
using model::DeviceClaimFacts;
using model::QueueId;
using model::TaskId;

namespace {

int64_t SumWithin64(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

int64_t ProductWithin64(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

int64_t& AmountOf(ClassAmounts& row, const std::string& dimension) {
  for (auto& [name, milli] : row.amounts) {
    if (name == dimension) return milli;
  }
  return row.amounts.emplace_back(dimension, 0).second;
}

const int64_t* FindAmount(const ClassAmounts& row, const std::string& dimension) {
  for (const auto& [name, milli] : row.amounts) {
    if (name == dimension) return &milli;
  }
  return nullptr;
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
}

std::vector<const DeviceClaimFacts*> DeviceLedger::ClaimsOf(TaskId task) const {
  std::vector<const DeviceClaimFacts*> out;
  const model::Snapshot& base = session_.base();
  const model::PodDeviceClaims* claims =
      base.constraints_of(base.tasks[task].shape).device_claims.get();
  if (claims == nullptr || base.device_claims == nullptr) return out;
  for (const model::DeviceClaimUse& use : claims->uses) {
    if (use.claim.empty()) continue;
    const DeviceClaimFacts* claim =
        base.device_claims->claims.Find(StrCat(claims->ns, "/", use.claim));
    const bool fresh = claim != nullptr && std::find(out.begin(), out.end(), claim) == out.end();
    if (fresh) out.push_back(claim);
  }
  return out;
}

DeviceLedger::Amounts DeviceLedger::AskedBy(const DeviceClaimFacts& claim) const {
  Amounts out;
  for (const model::DeviceRequestFacts& request : claim.requests) {
    if (request.prioritized) continue;
    for (const model::DeviceDemandFacts& demand : request.demands) {
      if (demand.all || demand.device_class.empty()) continue;
      ClassAmounts& row = out[demand.device_class];
      row.device_class = demand.device_class;
      row.count = SumWithin64(row.count, demand.count);
      if (!parts_) continue;
      for (const model::CapacityAmount& asked : demand.capacities) {
        int64_t& sum = AmountOf(row, asked.name);
        sum = SumWithin64(sum, ProductWithin64(asked.milli, demand.count));
      }
    }
  }
  return out;
}

std::optional<std::string> DeviceLedger::ShortIn(const Account& account,
                                                 const Amounts& more) const {
  for (const auto& [name, asked] : more) {
    const auto quota =
        std::find_if(account.quota->classes.begin(), account.quota->classes.end(),
                     [&name](const ClassAmounts& row) { return row.device_class == name; });
    if (quota == account.quota->classes.end()) continue;
    const auto known = account.held.find(name);
    static const ClassAmounts& kNothing = *new ClassAmounts();
    const ClassAmounts& held = known == account.held.end() ? kNothing : known->second;
    const std::string label = StrCat("deviceclass/", name);
    if (quota->count > 0 && SumWithin64(held.count, asked.count) > quota->count) return label;
    for (const auto& [dimension, milli] : asked.amounts) {
      const int64_t* most = FindAmount(*quota, dimension);
      const int64_t* has = FindAmount(held, dimension);
      if (most == nullptr || SumWithin64(has == nullptr ? 0 : *has, milli) > *most) {
        return StrCat(dimension, ".", label);
      }
    }
  }
  return std::nullopt;
}

std::optional<DeviceLedger::Shortage> DeviceLedger::ShortOf(QueueId queue, TaskId task) const {
  if (accounts_.empty()) return std::nullopt;
  const std::vector<const DeviceClaimFacts*> claims = ClaimsOf(task);
  if (claims.empty()) return std::nullopt;
  for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
    const auto account = accounts_.find(at);
    if (account == accounts_.end()) continue;
    Amounts more;
    for (const DeviceClaimFacts* claim : claims) {
      if (account->second.users.contains(claim)) continue;
      for (const auto& [name, asked] : AskedBy(*claim)) {
        ClassAmounts& row = more[name];
        row.count = SumWithin64(row.count, asked.count);
        for (const auto& [dimension, milli] : asked.amounts) {
          int64_t& sum = AmountOf(row, dimension);
          sum = SumWithin64(sum, milli);
        }
      }
    }
    if (auto name = ShortIn(account->second, more)) return Shortage{at, *std::move(name)};
  }
  return std::nullopt;
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
      for (const auto& [name, asked] : AskedBy(*claim)) {
        ClassAmounts& row = account.held[name];
        row.count += sign * asked.count;
        for (const auto& [dimension, milli] : asked.amounts) {
          AmountOf(row, dimension) += sign * milli;
        }
      }
    }
  }
}

}  // namespace bth::plugins::capacity
