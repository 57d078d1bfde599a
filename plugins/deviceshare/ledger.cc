#include "plugins/deviceshare/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/strings.h"

namespace bth::plugins::deviceshare {

using devices::Choice;
using devices::NodeUse;
using devices::PoolUse;
using devices::Question;
using framework::TaskMove;
using model::NodeId;
using model::PodDeviceRequest;
using model::PodDeviceRequests;
using model::TaskId;
using model::TaskStatus;

namespace {

bool IsNew(TaskStatus status) {
  return status == TaskStatus::kAllocated || status == TaskStatus::kPipelined;
}

bool Holds(const model::DeviceHolders* holders, TaskId task) {
  if (holders == nullptr) return false;
  const auto at = std::lower_bound(
      holders->begin(), holders->end(), task,
      [](const model::DeviceHolder& holder, TaskId id) { return holder.task < id; });
  return at != holders->end() && at->task == task;
}

}  // namespace

const NodeUse* NodeUses::Get(const model::Snapshot& base, NodeId node) {
  const model::NodeRow& row = base.nodes[node];
  if (row.facts == nullptr || row.facts->devices == nullptr) return nullptr;
  entries_.EnsureContains(node);
  Entry& entry = entries_[node];
  if (entry.use == nullptr || entry.devices != row.facts->devices ||
      entry.holders != row.device_holders) {
    entry.devices = row.facts->devices;
    entry.holders = row.device_holders;
    entry.use = std::make_shared<const NodeUse>(*entry.devices, entry.holders.get());
  }
  return entry.use.get();
}

const PodDeviceRequests* DeviceLedger::RequestsOf(TaskId task) const {
  return session_.base().constraints_of(session_.task(task).shape).devices.get();
}

const NodeUse* DeviceLedger::UseOf(NodeId node) const {
  if (!changed_.empty()) {
    if (const auto own = changed_.find(node); own != changed_.end()) return &own->second->use;
  }
  return uses_.Get(session_.base(), node);
}

Question DeviceLedger::Ask(const PoolUse& pool, const PodDeviceRequests& asked,
                           const PodDeviceRequest& request, bool future) const {
  return {.use = pool,
          .future = future,
          .request = request,
          .rules = asked.rules,
          .policy = options_.policy,
          .settings = settings_};
}

DeviceLedger::Node* DeviceLedger::Own(NodeId node) {
  std::unique_ptr<Node>& own = changed_[node];
  if (own == nullptr) {
    const NodeUse* base = uses_.Get(session_.base(), node);
    if (base == nullptr) {
      changed_.erase(node);
      return nullptr;
    }
    own = std::make_unique<Node>(Node{.use = *base});
  }
  return own.get();
}

DeviceLedger::Step DeviceLedger::Advance(Node& node) {
  const Step step{.before = node.version, .after = ++last_version_};
  node.version = step.after;
  return step;
}

bool DeviceLedger::Undo(Node& node, const Step& step) {
  if (node.version != step.after) return false;
  node.version = step.before;
  return true;
}

std::optional<DeviceLedger::Unserved> DeviceLedger::FirstUnserved(const PodDeviceRequests& asked,
                                                                  NodeId node, bool future) const {
  const NodeUse* use = UseOf(node);
  Choice choice;
  for (const PodDeviceRequest& request : asked.requests) {
    const PoolUse* pool = use == nullptr ? nullptr : use->Find(request.kind);
    const devices::Family& family = devices::FamilyOf(request.kind.family);
    if (pool == nullptr) return Unserved{&request, family.RefusalOf(request)};
    if (family.Choose(Ask(*pool, asked, request, future), &choice)) continue;
    return Unserved{&request, choice.refusal.value_or(family.RefusalOf(request))};
  }
  return std::nullopt;
}

bool DeviceLedger::WouldLower(const PodDeviceRequest& request, NodeId node) const {
  const NodeUse* use = UseOf(node);
  const PoolUse* pool = use == nullptr ? nullptr : use->Find(request.kind);
  if (pool == nullptr) return false;
  Choice choice;
  for (const bool future : {false, true}) {
    const devices::Family& family = devices::FamilyOf(request.kind.family);
    if (family.Choose(Ask(*pool, {}, request, future), &choice)) return choice.lowered;
  }
  return false;
}

bool DeviceLedger::AnyLeaves(NodeId node) const {
  const NodeUse* use = UseOf(node);
  if (use == nullptr) return false;
  return std::any_of(use->pools().begin(), use->pools().end(),
                     [](const PoolUse& pool) { return pool.any_leaves(); });
}

// As things will be when those that leave have left, if there is no room before.
double DeviceLedger::ScoreOf(const PodDeviceRequests& asked, NodeId node) const {
  const NodeUse* use = UseOf(node);
  if (use == nullptr) return 0;
  double sum = 0;
  Choice choice;
  for (const PodDeviceRequest& request : asked.requests) {
    const PoolUse* pool = use->Find(request.kind);
    if (pool == nullptr) continue;
    for (const bool future : {false, true}) {
      const devices::Family& family = devices::FamilyOf(request.kind.family);
      if (!family.Choose(Ask(*pool, asked, request, future), &choice)) continue;
      sum += choice.score;
      break;
    }
  }
  constexpr double kHalf = 0.5;
  return std::floor(sum + kHalf) * static_cast<double>(options_.weight);
}

// A time to come counts as a short while ago, and one that cannot be read as well.
bool DeviceLedger::IsLocked(const PodDeviceRequests& asked, NodeId node) const {
  const model::NodeDevices* has = session_.node(node).devices.get();
  if (has == nullptr || has->locks.empty()) return false;
  const absl::Time since = session_.context().clock->Now() - model::kNodeLockLasts;
  for (const PodDeviceRequest& request : asked.requests) {
    const std::string_view name = devices::FamilyOf(request.kind.family).LockOf(request);
    const model::NodeLock* lock = name.empty() ? nullptr : has->FindLock(name);
    if (lock == nullptr) continue;
    if (!lock->since_us || absl::FromUnixMicros(*lock->since_us) > since) return true;
  }
  return false;
}

std::shared_ptr<const model::PodDevices> DeviceLedger::Choose(TaskId task, NodeId node,
                                                              bool future) const {
  const PodDeviceRequests& asked = *RequestsOf(task);
  const NodeUse* use = UseOf(node);
  auto out = std::make_shared<model::PodDevices>();
  Choice choice;
  for (const PodDeviceRequest& request : asked.requests) {
    const PoolUse* pool = use == nullptr ? nullptr : use->Find(request.kind);
    if (pool == nullptr) return nullptr;
    const devices::Family& family = devices::FamilyOf(request.kind.family);
    const Question question = Ask(*pool, asked, request, future);
    if (!family.Choose(question, &choice)) return nullptr;
    out->held.push_back(family.Name(question, choice));
  }
  const model::JobId job = session_.task(task).job;
  if (job.valid()) out->group = session_.job(job).facts->Key();
  out->rules = asked.rules;
  return out;
}

void DeviceLedger::Give(TaskId task, NodeId node, bool pipelined) {
  Node* own = Own(node);
  if (own == nullptr) return;
  if (const auto before = taken_back_.find(task); before != taken_back_.end()) {
    std::vector<TakenBack>& taken = before->second;
    const Given& last = taken.back().given;
    if (last.node == node && last.pipelined == pipelined && Undo(*own, taken.back().step)) {
      if (last.devices != nullptr) own->use.Add(task, *last.devices, false);
      given_[task] = last;
      taken.pop_back();
      if (taken.empty()) taken_back_.erase(before);
      return;
    }
  }
  Given given{.node = node, .pipelined = pipelined, .devices = Choose(task, node, pipelined)};
  if (given.devices != nullptr) own->use.Add(task, *given.devices, false);
  given.step = Advance(*own);
  given_[task] = std::move(given);
}

void DeviceLedger::TakeBack(TaskId task, Given given) {
  Node& own = *changed_.at(given.node);
  own.use.Remove(task);
  if (Undo(own, given.step)) return;
  const Step step = Advance(own);
  taken_back_[task].push_back({.given = std::move(given), .step = step});
}

void DeviceLedger::SetLeaving(TaskId task, NodeId node, bool leaving) {
  if (!node.valid() || !Holds(session_.base().nodes[node].device_holders.get(), task)) return;
  Node* own = Own(node);
  if (own == nullptr) return;
  own->use.SetLeaving(task, leaving);
  const auto known = leaving_.find(task);
  if (!leaving && known != leaving_.end() && Undo(*own, known->second)) {
    leaving_.erase(known);
    return;
  }
  leaving_[task] = Advance(*own);
}

void DeviceLedger::OnPlace(const TaskMove& move) {
  if (!IsNew(move.after.status)) {
    SetLeaving(move.task, move.after.node, false);
  } else if (RequestsOf(move.task) != nullptr && move.after.node.valid()) {
    Give(move.task, move.after.node, move.after.status == TaskStatus::kPipelined);
  }
}

void DeviceLedger::OnRemove(const TaskMove& move) {
  const auto known = given_.find(move.task);
  if (known == given_.end()) {
    SetLeaving(move.task, move.before.node, true);
    return;
  }
  Given given = std::move(known->second);
  given_.erase(known);
  TakeBack(move.task, std::move(given));
}

std::shared_ptr<const model::DevicePlan> DeviceLedger::PlanOf(TaskId task) const {
  if (RequestsOf(task) == nullptr) return nullptr;
  auto plan = std::make_shared<model::DevicePlan>();
  const auto given = given_.find(task);
  if (given == given_.end() || given->second.devices == nullptr) return plan;
  plan->held = given->second.devices;
  const devices::Announcement announcement{.node = session_.node(given->second.node).name,
                                           .now = session_.context().clock->Now()};
  for (const model::HeldDevices& held : plan->held->held) {
    const devices::Family& family = devices::FamilyOf(held.kind.family);
    family.Announce(held, settings_, announcement, &plan->annotations);
  }
  // Kinds of one family say the same of when and where.
  std::stable_sort(plan->annotations.begin(), plan->annotations.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  plan->annotations.erase(std::unique(plan->annotations.begin(), plan->annotations.end(), same),
                          plan->annotations.end());
  if (!options_.node_lock) return plan;
  for (const PodDeviceRequest& request : RequestsOf(task)->requests) {
    const std::string_view lock = devices::FamilyOf(request.kind.family).LockOf(request);
    const auto is_it = [lock](const std::string& known) { return known == lock; };
    const bool known = std::any_of(plan->locks.begin(), plan->locks.end(), is_it);
    if (!lock.empty() && !known) plan->locks.emplace_back(lock);
  }
  return plan;
}

}  // namespace bth::plugins::deviceshare
