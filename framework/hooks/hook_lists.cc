#include "framework/hooks/hook_lists.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace bth::framework {
namespace {

// Keeps those that `others` has as well, in their order.
void KeepCommon(const std::vector<TaskId>& others, std::vector<TaskId>& victims) {
  constexpr size_t kFew = 32;  // A set does not pay for these.
  if (others.size() <= kFew) {
    std::erase_if(victims, [&others](TaskId victim) {
      return std::find(others.begin(), others.end(), victim) == others.end();
    });
    return;
  }
  const absl::flat_hash_set<TaskId> known(others.begin(), others.end());
  std::erase_if(victims, [&known](TaskId victim) { return !known.contains(victim); });
}

}  // namespace

bool StarvingHooks::operator()(JobId job) const {
  if (empty()) return false;
  const int tier = begin()->origin.tier;
  for (const auto& entry : *this) {
    if (entry.origin.tier != tier) break;
    if (!entry.fn(job)) return false;
  }
  return true;
}

JobValidity ValidityHooks::operator()(JobId job) const {
  for (const auto& entry : *this) {
    JobValidity validity = entry.fn(job);
    if (!validity.valid) return validity;
  }
  return {};
}

std::optional<model::ResourceVec> DeservedHooks::operator()(QueueId queue) const {
  for (const auto& entry : *this) {
    if (auto deserved = entry.fn(queue)) return deserved;
  }
  return std::nullopt;
}

template <typename Evictor>
VictimChoice EvictableHooks<Evictor>::operator()(const Evictor& evictor,
                                                 absl::Span<const TaskId> candidates,
                                                 bool strict) const {
  VictimChoice choice;
  auto entry = this->begin();
  while (entry != this->end()) {
    const int tier = entry->origin.tier;
    bool answered = false;
    std::vector<TaskId> victims;
    HookOrigin refuser;
    for (; entry != this->end() && entry->origin.tier == tier; ++entry) {
      if (answered && victims.empty()) continue;
      Verdict verdict = entry->fn(evictor, candidates);
      if (verdict.vote == Vote::kAbstain) continue;
      if (!answered) {
        victims = std::move(verdict.victims);
      } else {
        KeepCommon(verdict.victims, victims);
      }
      answered = true;
      if (victims.empty()) refuser = entry->origin;
    }
    if (!victims.empty()) {
      choice.victims = std::move(victims);
      choice.tier = tier;
      return choice;
    }
    if (answered) {
      choice.overruled.push_back(refuser);
      if (strict) return choice;
    }
  }
  return choice;
}
template class EvictableHooks<TaskId>;
template class EvictableHooks<EvictionContext>;

std::vector<TaskId> VictimTasksHooks::operator()(absl::Span<const TaskId> running) const {
  std::vector<TaskId> victims;
  absl::flat_hash_set<TaskId> named;
  int tier = 0;
  for (const auto& entry : *this) {
    if (!victims.empty() && entry.origin.tier != tier) break;
    tier = entry.origin.tier;
    for (TaskId victim : entry.fn(running)) {
      if (named.insert(victim).second) victims.push_back(victim);
    }
  }
  return victims;
}

std::vector<TaskId> VictimFilterHooks::operator()(std::vector<TaskId> victims) const {
  for (const auto& entry : *this) victims = entry.fn(victims);
  return victims;
}

}  // namespace bth::framework
