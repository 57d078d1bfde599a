// What becomes of the jobs of a trace, as the API server's store shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "apiserver/store/store.h"
#include "sim/trace/job_trace.h"
#include "sim/trace/use_over_time.h"

namespace bth::trace {

// Times in milliseconds from the beginning of the trace; negative: it did not happen.
struct JobCourse {
  enum class End : uint8_t { kOpen, kDone, kFailed, kRefused };

  int64_t submitted_ms = -1;
  int64_t started_ms = -1;  // As many tasks ran at once as the job needs, for the first time.
  int64_t ended_ms = -1;
  int64_t lost_ms = 0;  // Tasks times milliseconds that they ran and did not end well.
  int32_t evictions = 0;
  int32_t running = 0;
  int32_t succeeded = 0;
  End end = End::kOpen;
};

// "job-17" is number 17 of the trace, "job-17-task-0" its first task.
std::string JobNameOf(size_t number);
// Negative: a name that is none of ours.
int64_t JobNumberOf(std::string_view name);

// Thread: one.
class JobFollower {
 public:
  // `trace` and `use` outlive it. `queue_of`: by TraceJob::queue, its number in `use`.
  JobFollower(const Trace& trace, UseOverTime& use, std::function<int64_t()> now_ms);

  void Submitted(size_t job);
  // Right after Submitted.
  void Refused(size_t job);
  void Evicted(std::string_view pod);
  void Note(const apiserver::Collection& collection, const apiserver::StoreEvent& event);

  const std::vector<JobCourse>& courses() const { return courses_; }
  size_t open() const { return open_; }  // Submitted, and not ended.
  // Grows whenever a task is bound or ends.
  uint64_t changes() const { return changes_; }
  // Why jobs failed that did: by the words of their state, how many.
  const std::map<std::string, int64_t>& failures() const { return failures_; }

 private:
  enum class Stage : uint8_t { kBound, kRunning, kSucceeded, kGone };
  struct Task {
    uint32_t job = 0;
    Stage stage = Stage::kBound;
    int64_t running_ms = -1;
    int64_t ended_ms = -1;
  };
  // By the name of the job or of one of its tasks.
  std::optional<size_t> JobOf(std::string_view name) const;
  void NotePod(const apiserver::StoreEvent& event);
  void NoteJob(const apiserver::StoreEvent& event);
  void Run(Task& task);
  void Succeed(Task& task);
  void Drop(const Task& task);
  void EndJob(size_t job, JobCourse::End end);

  const model::ResourceVec& ShapeOf(size_t job) const {
    return trace_.shapes[trace_.jobs[job].shape];
  }
  size_t QueueOf(size_t job) const { return trace_.jobs[job].queue; }

  const Trace& trace_;
  UseOverTime& use_;
  const std::function<int64_t()> now_ms_;
  std::vector<JobCourse> courses_;
  absl::flat_hash_map<std::string, Task> tasks_;  // Bound ones, by uid, until they are gone.
  size_t node_field_ = 0;                         // Of pods.
  size_t phase_field_ = 0;
  bool fields_known_ = false;
  size_t open_ = 0;
  uint64_t changes_ = 0;
  std::map<std::string, int64_t> failures_;
};

}  // namespace bth::trace
