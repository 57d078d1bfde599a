// Series of one queue and of one job: handles that a caller keeps beside its row, so that an update
// hashes no string. Made by SchedulerMetrics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "metrics/instruments.h"

namespace bth::metrics {

// The six kinds of amounts published for a queue.
enum class QueueAmount { kAllocated, kRequest, kDeserved, kCapacity, kRealCapacity, kInqueue };
inline constexpr size_t kQueueAmounts = 6;

// A named resource other than CPU and memory: thousandths, except "pods", which is a plain count.
struct ScalarAmount {
  std::string_view name;
  double value = 0;
};

// What is published for one kind.
struct Amounts {
  double milli_cpu = 0;
  double memory_bytes = 0;
  absl::Span<const ScalarAmount> scalars;
};

struct QueueFamilies;
struct JobFamilies;

// The series of one queue. After SchedulerMetrics::RemoveQueue a handle that is still held does
// nothing. Thread: any; calls on one queue take its own lock. Must not outlive SchedulerMetrics.
class QueueSeries {
 public:
  // More scalar names than this on one queue are left out and counted as a limit reached.
  static constexpr size_t kScalarNamesMax = 64;

  QueueSeries(const QueueFamilies& families, std::string name);

  // Sets CPU, memory and the named scalars of this kind. Scalar names known to this queue from any
  // kind that are missing here are set to 0, or go when others need their room.
  void Set(QueueAmount kind, const Amounts& amounts);
  void SetShare(double share);
  void SetWeight(double weight);
  void SetOverused(bool overused);
  const std::string& name() const { return name_; }

  // Removes every series; later calls do nothing. Called by SchedulerMetrics.
  void Retire();

 private:
  void MakeRoomFor(const Amounts& amounts);
  size_t ScalarIndex(std::string_view name);  // kScalarNamesMax when there is no room.

  const QueueFamilies& families_;
  const std::string name_;
  std::mutex mutex_;
  bool retired_ = false;
  std::array<Gauge, kQueueAmounts> milli_cpu_{};
  std::array<Gauge, kQueueAmounts> memory_bytes_{};
  std::array<bool, kQueueAmounts> present_{};
  std::vector<std::string> scalar_names_;
  std::array<std::vector<Gauge>, kQueueAmounts> scalars_;  // By position in scalar_names_.
  Gauge share_, weight_, overused_;
  bool share_present_ = false, weight_present_ = false, overused_present_ = false;
};

struct JobKey {
  std::string_view job_namespace;
  std::string_view name;
  std::string_view queue;
};

// The part of a job's series that is labelled by the bare name: jobs of that name in different
// namespaces share it, and it goes with the last of them.
class JobNameSeries {
 public:
  JobNameSeries(const JobFamilies& families, std::string name);
  ~JobNameSeries();
  void SetUnscheduledTasks(int64_t count);
  void IncrementRetries();

 private:
  const JobFamilies& families_;
  const std::string name_;
  std::mutex mutex_;
  bool unscheduled_present_ = false, retries_present_ = false;
  Gauge unscheduled_;
  Counter retries_;
};

// The series of one job (PodGroup). After SchedulerMetrics::RemoveJob a handle that is still held
// does nothing. Thread: any. Must not outlive SchedulerMetrics.
class JobSeries {
 public:
  JobSeries(const JobFamilies& families, const JobKey& key, std::shared_ptr<JobNameSeries> by_name);

  // A task of the job was allocated, pipelined or backfilled now.
  void TaskScheduled(absl::Time created, absl::Time now);
  void SetCreated(absl::Time created);
  // minAvailable minus the tasks that can be scheduled; 0 when the job is ready.
  void SetUnscheduledTasks(int64_t count);
  void IncrementRetries();
  void SetShare(double share);
  // Moves the series to another queue; those of the old queue are removed.
  void SetQueue(std::string_view queue);

  // Removes every series; later calls do nothing. Called by SchedulerMetrics.
  void Retire();

 private:
  void RemoveQueueLabelled();

  const JobFamilies& families_;
  const std::string job_namespace_;
  const std::string name_;
  std::mutex mutex_;
  std::string queue_;
  std::shared_ptr<JobNameSeries> by_name_;  // Null once retired.
  bool scheduled_present_ = false, created_present_ = false, share_present_ = false;
  Gauge duration_, last_time_, start_time_, share_;
};

}  // namespace bth::metrics
