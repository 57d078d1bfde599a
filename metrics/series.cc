#include "metrics/series.h"

#include <algorithm>
#include <utility>

#include "metrics/series_families.h"

namespace bth::metrics {
namespace {

LabelSet QueueLabels(const std::string& queue) {
  return {{"queue_name", queue}};
}

LabelSet ScalarLabels(const std::string& queue, const std::string& resource) {
  return {{"queue_name", queue}, {"resource", resource}};
}

LabelSet JobNameLabels(const std::string& name) {
  return {{"job_id", name}};
}

// Makes a gauge that comes into being with its first value; `labels` are made only then.
template <typename Labels>
void SetLazily(Gauge& gauge, bool& present, const GaugeFamily& family, Labels labels) {
  if (present) return;
  gauge = family.With(labels());
  present = true;
}

}  // namespace

QueueSeries::QueueSeries(const QueueFamilies& families, std::string name)
    : families_(families), name_(std::move(name)) {}

void QueueSeries::Set(QueueAmount kind, const Amounts& amounts) {
  const size_t k = static_cast<size_t>(kind);
  const std::lock_guard lock(mutex_);
  if (retired_) return;
  if (!present_[k]) {
    milli_cpu_[k] = families_.milli_cpu[k].With(QueueLabels(name_));
    memory_bytes_[k] = families_.memory_bytes[k].With(QueueLabels(name_));
    present_[k] = true;
  }
  milli_cpu_[k].Set(amounts.milli_cpu);
  memory_bytes_[k].Set(amounts.memory_bytes);

  MakeRoomFor(amounts);
  std::array<double, kScalarNamesMax> values{};
  for (const ScalarAmount& scalar : amounts.scalars) {
    const size_t at = ScalarIndex(scalar.name);
    if (at < kScalarNamesMax) {
      values[at] = scalar.value;
    } else {
      families_.limits.With({{"limit", "metric_queue_scalars"}}).Increment();
    }
  }
  std::vector<Gauge>& gauges = scalars_[k];
  for (size_t at = gauges.size(); at < scalar_names_.size(); ++at) {
    gauges.push_back(families_.scalars[k].With(ScalarLabels(name_, scalar_names_[at])));
  }
  for (size_t at = 0; at < gauges.size(); ++at) gauges[at].Set(values[at]);
}

void QueueSeries::MakeRoomFor(const Amounts& amounts) {
  const auto is_known = [this](const ScalarAmount& scalar) {
    return std::find(scalar_names_.begin(), scalar_names_.end(), scalar.name) !=
           scalar_names_.end();
  };
  const auto unknown = static_cast<size_t>(
      amounts.scalars.size() -
      static_cast<size_t>(std::count_if(amounts.scalars.begin(), amounts.scalars.end(), is_known)));
  if (scalar_names_.size() + unknown <= kScalarNamesMax) return;
  for (size_t at = scalar_names_.size(); at-- > 0;) {
    const auto is_this = [&name = scalar_names_[at]](const ScalarAmount& scalar) {
      return scalar.name == name;
    };
    if (std::any_of(amounts.scalars.begin(), amounts.scalars.end(), is_this)) continue;
    const auto offset = static_cast<ptrdiff_t>(at);
    for (size_t k = 0; k < kQueueAmounts; ++k) {
      if (at >= scalars_[k].size()) continue;
      families_.scalars[k].Remove(ScalarLabels(name_, scalar_names_[at]));
      scalars_[k].erase(scalars_[k].begin() + offset);
    }
    scalar_names_.erase(scalar_names_.begin() + offset);
  }
}

size_t QueueSeries::ScalarIndex(std::string_view name) {
  const auto found = std::find(scalar_names_.begin(), scalar_names_.end(), name);
  const size_t at = static_cast<size_t>(found - scalar_names_.begin());
  if (found == scalar_names_.end() && at < kScalarNamesMax) scalar_names_.emplace_back(name);
  return at;
}

void QueueSeries::SetShare(double share) {
  const std::lock_guard lock(mutex_);
  if (retired_) return;
  SetLazily(share_, share_present_, families_.share, [this] { return QueueLabels(name_); });
  share_.Set(share);
}

void QueueSeries::SetWeight(double weight) {
  const std::lock_guard lock(mutex_);
  if (retired_) return;
  SetLazily(weight_, weight_present_, families_.weight, [this] { return QueueLabels(name_); });
  weight_.Set(weight);
}

void QueueSeries::SetOverused(bool overused) {
  const std::lock_guard lock(mutex_);
  if (retired_) return;
  SetLazily(overused_, overused_present_, families_.overused,
            [this] { return QueueLabels(name_); });
  overused_.Set(overused ? 1 : 0);
}

void QueueSeries::Retire() {
  const std::lock_guard lock(mutex_);
  if (retired_) return;
  retired_ = true;
  const LabelSet labels = QueueLabels(name_);
  for (size_t k = 0; k < kQueueAmounts; ++k) {
    families_.milli_cpu[k].Remove(labels);
    families_.memory_bytes[k].Remove(labels);
    for (size_t at = 0; at < scalars_[k].size(); ++at) {
      families_.scalars[k].Remove(ScalarLabels(name_, scalar_names_[at]));
    }
  }
  families_.share.Remove(labels);
  families_.weight.Remove(labels);
  families_.overused.Remove(labels);
}

JobNameSeries::JobNameSeries(const JobFamilies& families, std::string name)
    : families_(families), name_(std::move(name)) {}

JobNameSeries::~JobNameSeries() {
  families_.unscheduled_tasks.Remove(JobNameLabels(name_));
  families_.retries.Remove(JobNameLabels(name_));
}

void JobNameSeries::SetUnscheduledTasks(int64_t count) {
  const std::lock_guard lock(mutex_);
  SetLazily(unscheduled_, unscheduled_present_, families_.unscheduled_tasks,
            [this] { return JobNameLabels(name_); });
  unscheduled_.Set(static_cast<double>(count));
}

void JobNameSeries::IncrementRetries() {
  const std::lock_guard lock(mutex_);
  if (!retries_present_) {
    retries_ = families_.retries.With(JobNameLabels(name_));
    retries_present_ = true;
  }
  retries_.Increment();
}

JobSeries::JobSeries(const JobFamilies& families, const JobKey& key,
                     std::shared_ptr<JobNameSeries> by_name)
    : families_(families),
      job_namespace_(key.job_namespace),
      name_(key.name),
      queue_(key.queue),
      by_name_(std::move(by_name)) {}

namespace {

LabelSet JobQueueLabels(const std::string& name, const std::string& queue,
                        const std::string& job_namespace) {
  return {{"job_name", name}, {"queue", queue}, {"job_namespace", job_namespace}};
}

}  // namespace

void JobSeries::TaskScheduled(absl::Time created, absl::Time now) {
  const std::lock_guard lock(mutex_);
  if (by_name_ == nullptr) return;
  if (!scheduled_present_) {
    const LabelSet labels = JobQueueLabels(name_, queue_, job_namespace_);
    duration_ = families_.duration.With(labels);
    last_time_ = families_.last_time.With(labels);
    scheduled_present_ = true;
  }
  duration_.Set(ToMilliseconds(now - created));
  last_time_.Set(static_cast<double>(absl::ToUnixSeconds(now)));
}

void JobSeries::SetCreated(absl::Time created) {
  const std::lock_guard lock(mutex_);
  if (by_name_ == nullptr) return;
  if (!created_present_) {
    start_time_ = families_.start_time.With(JobQueueLabels(name_, queue_, job_namespace_));
    created_present_ = true;
  }
  start_time_.Set(static_cast<double>(absl::ToUnixSeconds(created)));
}

void JobSeries::SetUnscheduledTasks(int64_t count) {
  const std::lock_guard lock(mutex_);
  if (by_name_ != nullptr) by_name_->SetUnscheduledTasks(count);
}

void JobSeries::IncrementRetries() {
  const std::lock_guard lock(mutex_);
  if (by_name_ != nullptr) by_name_->IncrementRetries();
}

void JobSeries::SetShare(double share) {
  const std::lock_guard lock(mutex_);
  if (by_name_ == nullptr) return;
  SetLazily(share_, share_present_, families_.share, [this] {
    return LabelSet{{"job_ns", job_namespace_}, {"job_id", name_}};
  });
  share_.Set(share);
}

void JobSeries::SetQueue(std::string_view queue) {
  const std::lock_guard lock(mutex_);
  if (by_name_ == nullptr || queue == queue_) return;
  const LabelSet labels = JobQueueLabels(name_, std::string(queue), job_namespace_);
  const double duration = duration_.value();
  const double last_time = last_time_.value();
  const double start_time = start_time_.value();
  RemoveQueueLabelled();
  queue_ = std::string(queue);
  if (scheduled_present_) {
    duration_ = families_.duration.With(labels);
    last_time_ = families_.last_time.With(labels);
    duration_.Set(duration);
    last_time_.Set(last_time);
  }
  if (created_present_) {
    start_time_ = families_.start_time.With(labels);
    start_time_.Set(start_time);
  }
}

void JobSeries::Retire() {
  const std::lock_guard lock(mutex_);
  if (by_name_ == nullptr) return;
  RemoveQueueLabelled();
  families_.share.Remove({{"job_ns", job_namespace_}, {"job_id", name_}});
  by_name_.reset();
}

void JobSeries::RemoveQueueLabelled() {
  const LabelSet labels = JobQueueLabels(name_, queue_, job_namespace_);
  families_.duration.Remove(labels);
  families_.last_time.Remove(labels);
  families_.start_time.Remove(labels);
}

}  // namespace bth::metrics
