// batch.volcano.sh/v1alpha1 CronJob: creates batch jobs by the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/meta.h"

namespace bth::types {

enum class ConcurrencyPolicy : uint8_t { kNone, kAllow, kForbid, kReplace, kOther };

template <>
struct WordTable<ConcurrencyPolicy> {
  static constexpr std::string_view kTexts[] = {"", "Allow", "Forbid", "Replace"};
};

// Of the metadata only labels and annotations are used.
struct CronJobTemplate {
  ObjectMeta meta;
  RawView<BatchJobSpec> spec;
  bool operator==(const CronJobTemplate&) const = default;
};

struct CronJobSpec {
  std::string schedule;
  std::optional<std::string> time_zone;  // absent: the zone of the controller
  std::optional<int64_t> starting_deadline_seconds;
  Word<ConcurrencyPolicy> concurrency_policy;  // kNone is Allow
  std::optional<bool> suspend;                 // absent: false
  CronJobTemplate job_template;
  std::optional<int32_t> successful_jobs_history_limit;  // The schema's default is 3.
  std::optional<int32_t> failed_jobs_history_limit;      // The schema's default is 1.
  bool operator==(const CronJobSpec&) const = default;
};

struct CronJobStatus {
  std::vector<ObjectReference> active;
  std::optional<absl::Time> last_schedule_time;
  std::optional<absl::Time> last_successful_time;
  bool operator==(const CronJobStatus&) const = default;
};

struct CronJob {
  ObjectMeta meta;
  CronJobSpec spec;
  CronJobStatus status;
  bool operator==(const CronJob&) const = default;
};

}  // namespace bth::types
