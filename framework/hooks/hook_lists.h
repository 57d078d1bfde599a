// Hooks of one kind, and the rules by which the answers of several plugins become one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/hooks/hook_types.h"

namespace bth::framework {

// Where a hook comes from: tier number, plugin name for reports, and position among all hooks of
// the session in order of registration.
struct HookOrigin {
  int tier = 0;
  std::string_view plugin;
  int position = 0;
};

template <typename Fn>
struct HookEntry {
  HookOrigin origin;
  Fn fn;
};

// In order of tier and plugin. Filled while the session opens, then frozen.
template <typename Function>
class HookList {
 public:
  using Fn = Function;

  void Add(HookOrigin origin, Fn fn) { entries_.push_back({origin, std::move(fn)}); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const HookEntry<Fn>& operator[](size_t i) const { return entries_[i]; }

 private:
  std::vector<HookEntry<Fn>> entries_;
};

// The rules (framework specification §14), one list type each; kTogether says it to people. Each is
// tested once, in tests/framework/hooks_test.cc.

template <typename... Args>
class OrderHooks final : public HookList<std::function<int(Args...)>> {
 public:
  static constexpr std::string_view kTogether = "the first that tells two apart";
  int operator()(const Args&... args) const {
    for (const auto& entry : *this) {
      if (const int order = entry.fn(args...); order != 0) return order;
    }
    return 0;
  }
};

// Nobody: true.
template <typename... Args>
class AllHooks final : public HookList<std::function<bool(Args...)>> {
 public:
  static constexpr std::string_view kTogether = "all must agree";
  bool operator()(const Args&... args) const {
    for (const auto& entry : *this) {
      if (!entry.fn(args...)) return false;
    }
    return true;
  }
};

template <typename... Args>
class AnyHooks final : public HookList<std::function<bool(Args...)>> {
 public:
  static constexpr std::string_view kTogether = "one is enough";
  bool operator()(const Args&... args) const {
    for (const auto& entry : *this) {
      if (entry.fn(args...)) return true;
    }
    return false;
  }
};

// A reject decides at once; else the first tier with a permit; nobody: yes.
template <typename Arg>
class VoteHooks final : public HookList<std::function<Vote(Arg)>> {
 public:
  static constexpr std::string_view kTogether = "vote";
  bool operator()(const Arg& arg) const {
    bool permitted = false;
    int tier = -1;
    for (const auto& entry : *this) {
      if (permitted && entry.origin.tier != tier) return true;
      tier = entry.origin.tier;
      const Vote vote = entry.fn(arg);
      if (vote == Vote::kReject) return false;
      permitted = permitted || vote == Vote::kPermit;
    }
    return true;
  }
};

template <typename... Args>
class NoticeHooks final : public HookList<std::function<void(Args...)>> {
 public:
  static constexpr std::string_view kTogether = "all are told";
  void operator()(const Args&... args) const {
    for (const auto& entry : *this) entry.fn(args...);
  }
};

// Nobody: no.
class StarvingHooks final : public HookList<std::function<bool(JobId)>> {
 public:
  static constexpr std::string_view kTogether = "all in the first tier that has an opinion";
  bool operator()(JobId job) const;
};

// The first refusal; nobody: valid.
class ValidityHooks final : public HookList<std::function<JobValidity(JobId)>> {
 public:
  static constexpr std::string_view kTogether = "the first refusal";
  JobValidity operator()(JobId job) const;
};

// Null: none does.
template <typename Plan>
class PlanHooks final : public HookList<std::function<std::shared_ptr<const Plan>(TaskId)>> {
 public:
  static constexpr std::string_view kTogether = "the first that has one";
  std::shared_ptr<const Plan> operator()(TaskId task) const {
    for (const auto& entry : *this) {
      if (auto plan = entry.fn(task); plan != nullptr) return plan;
    }
    return nullptr;
  }
};

// Nothing: nobody counts, or the queue has no claim.
class DeservedHooks final : public HookList<QueueDeservedFn> {
 public:
  static constexpr std::string_view kTogether = "the first that has an answer";
  std::optional<model::ResourceVec> operator()(QueueId queue) const;
};

struct VictimChoice {
  std::vector<TaskId> victims;
  int tier = -1;                      // Of the tier that named them.
  std::vector<HookOrigin> overruled;  // Plugins of earlier tiers that named nobody.
};

// Intersection inside a tier, in the order of its first plugin; an empty intersection stays
// empty. The first tier that names a victim decides; with `strict`, an empty answer of a tier is
// final.
template <typename Evictor>
class EvictableHooks final : public HookList<EvictableHook<Evictor>> {
 public:
  static constexpr std::string_view kTogether = "intersection in a tier; first tier with an answer";
  VictimChoice operator()(const Evictor& evictor, absl::Span<const TaskId> candidates,
                          bool strict) const;
};

// Union inside a tier, in the order in which they are named; the first tier that names somebody.
class VictimTasksHooks final : public HookList<VictimTasksFn> {
 public:
  static constexpr std::string_view kTogether = "union in a tier; first tier with an answer";
  std::vector<TaskId> operator()(absl::Span<const TaskId> running) const;
};

class VictimFilterHooks final : public HookList<VictimTasksFn> {
 public:
  static constexpr std::string_view kTogether = "each keeps some of what is left";
  std::vector<TaskId> operator()(std::vector<TaskId> victims) const;
};

// What combines the answers of these looks at many nodes at once: framework/nodes.
template <typename Fn>
class FilterHooks final : public HookList<Fn> {
 public:
  static constexpr std::string_view kTogether = "all must agree";
};
template <typename Fn>
class ScoreHooks final : public HookList<Fn> {
 public:
  static constexpr std::string_view kTogether = "sum";
};
template <typename Fn>
class FirstHooks final : public HookList<Fn> {
 public:
  static constexpr std::string_view kTogether = "the first that chooses";
};
// Every answer counts for itself.
template <typename Fn>
class SingleHooks final : public HookList<Fn> {
 public:
  static constexpr std::string_view kTogether = "each for itself";
};

}  // namespace bth::framework
