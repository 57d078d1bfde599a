// What a run looks at beside what it is charged for. Values that share their parts may be far
// larger than the memory they take, and small texts may be large patterns: costs, which follow
// Kubernetes, do not bound what such a value or pattern takes.
#pragma once

#include <cstdint>

namespace bth::cel {

// Steps of work that are left: members that are looked at, blocks of text, instructions of
// patterns. One for all of a run, on whose thread it is found. One thread.
class Work final {
 public:
  // About a second. No expression within Kubernetes' limits of cost comes near it, unless its
  // values share their parts.
  static constexpr uint64_t kStepsMax = uint64_t{1} << 24;

  // That of the run on this thread; outside of runs `otherwise`.
  static Work& OfRun(Work& otherwise);

  // False: more than is left, of which nothing remains.
  bool Spend(uint64_t steps) {
    const bool enough = left_ >= steps;
    left_ = enough ? left_ - steps : 0;
    return enough;
  }
  bool is_spent() const { return left_ == 0; }
  uint64_t steps() const { return kStepsMax - left_; }

 private:
  uint64_t left_ = kStepsMax;
};

// Makes `work` that of the thread while it lives. Runs within runs have work of their own.
class WorkScope final {
 public:
  explicit WorkScope(Work& work);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  Work* const outer_;
};

}  // namespace bth::cel
