// What a workload trace says, whatever its format: jobs by the time at which they were submitted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "api/model/resource_vec.h"
#include "cache/intake/compiled.h"

namespace bth::trace {

// Texts as dense numbers, in the order in which they came. Thread: one owner.
class NameTable {
 public:
  uint32_t Add(std::string_view name);
  std::optional<uint32_t> Find(std::string_view name) const;
  size_t size() const { return names_.size(); }
  const std::string& operator[](uint32_t number) const { return names_[number]; }
  const std::vector<std::string>& all() const { return names_; }

 private:
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
};

struct TraceJob {
  int64_t submit_s = 0;  // From the beginning of the trace.
  int64_t run_s = 0;     // Of each task.
  int32_t tasks = 1;
  int32_t min_available = 1;
  uint32_t shape = 0;  // What one task asks for: of Trace::shapes.
  uint32_t queue = 0;
  uint32_t user = 0;
  uint32_t priority = 0;
  std::string name;  // As the trace has it; may be empty.
  bool operator==(const TraceJob&) const = default;
};

struct Trace {
  std::string file;
  int64_t start_unix_s = 0;  // When the trace begins.
  model::DimensionTable dims;
  std::vector<int> asked_dims;  // Those of them that some task asks for; not places for pods.
  std::vector<model::ResourceVec> shapes;
  NameTable queues;
  NameTable users;
  NameTable priorities;
  std::vector<TraceJob> jobs;            // By submit time, then as they came.
  std::map<std::string, int64_t> notes;  // What was left out or is taken otherwise: how often.
};

// Monday, 2026-01-05: the beginning of traces that do not say when they begin.
inline constexpr int64_t kTraceStart = 1'767'571'200;

// Limits of one trace; beyond them it is refused.
inline constexpr size_t kTraceJobsMax = 5'000'000;
inline constexpr size_t kTraceNamesMax = 10'000;  // Queues, priorities.
inline constexpr size_t kTraceUsersMax = 1'000'000;
inline constexpr size_t kTraceShapesMax = 1'000'000;
inline constexpr int64_t kTraceTasksMax = 100'000;          // Of one job.
inline constexpr int64_t kTraceSecondsMax = 3'155'760'000;  // A hundred years.

// One job as a line of a file says it.
struct JobLine {
  int64_t submit_s = 0;
  int64_t run_s = 0;
  int64_t tasks = 1;
  int64_t min_available = 1;
  cache::NamedAmounts request;  // Of one task.
  std::string_view queue = "default";
  std::string_view user;
  std::string_view priority;  // Empty: none.
  std::string_view name;
};

// Checks lines and makes a trace of them. Thread: one owner.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::string file);

  // Errors (kInvalidArgument) name what is wrong and what would be right, not the line.
  absl::Status Add(const JobLine& line);
  // One job is not replayed, or not as it stands.
  void Note(const std::string& what) { ++trace_.notes[what]; }
  void SetStart(int64_t unix_s) { trace_.start_unix_s = unix_s; }
  absl::StatusOr<Trace> Build();

 private:
  absl::StatusOr<uint32_t> ShapeOf(const cache::NamedAmounts& request);

  Trace trace_;
  absl::flat_hash_map<std::string, uint32_t> shapes_;  // By their bytes.
};

// Of all jobs.
int64_t TasksOf(const Trace& trace);

}  // namespace bth::trace
