#include "sim/trace/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::trace {
namespace {

constexpr int64_t kDaySeconds = 86'400;
constexpr double kRunSecondsMax = 3.0 * kDaySeconds;
constexpr double kPi = 3.14159265358979323846;

// Jobs that arrive in an hour of the day, as parts of the busiest one; the rhythm of the model's
// daily cycle: least at five in the morning, most from ten to five.
constexpr std::array<double, 24> kHourWeights = {0.33, 0.28, 0.25, 0.22, 0.21, 0.20, 0.24, 0.35,
                                                 0.58, 0.82, 0.97, 1.00, 0.94, 0.98, 1.00, 0.99,
                                                 0.95, 0.84, 0.69, 0.60, 0.55, 0.50, 0.45, 0.38};
constexpr double kWeekendWeight = 0.5;

double Normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.Unit()));
  return radius * std::cos(2 * kPi * rng.Unit());
}

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); shape >= 1.
double Gamma(Rng& rng, double shape, double scale) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = Normal(rng);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(1 - rng.Unit()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

// Parameters of all jobs together (batch and interactive), from the paper's table.
int64_t DrawSize(Rng& rng, int64_t size_max) {
  constexpr double kSerial = 0.244;
  constexpr double kPowerOfTwo = 0.576;
  constexpr double kLow = 0.8;
  constexpr double kBelowHigh = 2.5;
  constexpr double kLowStage = 0.86;
  if (size_max < 2 || rng.Chance(kSerial)) return 1;
  const double high = std::log2(static_cast<double>(size_max));
  const double middle = std::max(kLow, high - kBelowHigh);
  const bool low_stage = rng.Chance(kLowStage);
  const double from = low_stage ? kLow : middle;
  const double to = low_stage ? middle : high;
  double log_size = from + rng.Unit() * std::max(0.0, to - from);
  if (rng.Chance(kPowerOfTwo / (1 - kSerial))) log_size = std::round(log_size);
  const int64_t size = std::llround(std::exp2(log_size));
  return std::clamp<int64_t>(size, 2, size_max);
}

// In seconds, before it is scaled.
double DrawRun(Rng& rng, int64_t size) {
  const double p = std::clamp(0.78 - 0.0054 * static_cast<double>(size), 0.05, 0.95);
  const double log_run = rng.Chance(p) ? Gamma(rng, 4.2, 0.94) : Gamma(rng, 312, 0.03);
  return std::exp(std::min(log_run, 14.0));
}

// Draws from weights, in logarithmic time.
class Wheel {
 public:
  explicit Wheel(std::vector<double> weights) : sums_(std::move(weights)) {
    for (size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
  }
  size_t Draw(Rng& rng) const {
    const double at = rng.Unit() * sums_.back();
    const auto it = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min<size_t>(static_cast<size_t>(it - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

// By hours from Monday, midnight.
Wheel Arrivals(double days) {
  const auto hours = static_cast<size_t>(std::ceil(days * 24));
  std::vector<double> weights(hours);
  for (size_t hour = 0; hour < hours; ++hour) {
    const bool weekend = hour / 24 % 7 >= 5;
    const double whole = std::min(1.0, days * 24 - static_cast<double>(hour));
    weights[hour] = kHourWeights[hour % 24] * (weekend ? kWeekendWeight : 1) * whole;
  }
  return Wheel(std::move(weights));
}

Wheel Zipf(int64_t count) {
  std::vector<double> weights;
  for (int64_t i = 1; i <= count; ++i) weights.push_back(1 / static_cast<double>(i));
  return Wheel(std::move(weights));
}

struct Drawn {
  int64_t submit_s = 0;
  int64_t size = 1;
  double run_s = 0;
  int64_t memory_bytes = 0;  // Of each processor.
  int64_t user = 0;
  bool gpu = false;
  bool urgent = false;
};

// Log-normal about 2 GiB, in steps of 256 MiB up to 8 GiB: what clusters have beside a processor.
int64_t DrawMemory(Rng& rng) {
  constexpr int64_t kStep = int64_t{256} << 20;
  const double gib = std::exp2(0.5 + 0.9 * Normal(rng));
  return std::clamp<int64_t>(std::llround(gib * 4), 1, 32) * kStep;
}

std::vector<Drawn> DrawJobs(const GenerateOptions& options) {
  Rng rng(options.seed);
  const Wheel arrivals = Arrivals(options.days);
  const Wheel users = Zipf(options.users);
  const auto end_s = static_cast<int64_t>(options.days * kDaySeconds);
  std::vector<Drawn> jobs(static_cast<size_t>(options.jobs));
  for (Drawn& job : jobs) {
    const auto hour = static_cast<int64_t>(arrivals.Draw(rng));
    job.submit_s = std::min(hour * 3600 + static_cast<int64_t>(rng.Unit() * 3600), end_s - 1);
    job.size = DrawSize(rng, options.size_max);
    job.run_s = DrawRun(rng, job.size);
    job.memory_bytes = DrawMemory(rng);
    job.user = static_cast<int64_t>(users.Draw(rng));
    job.gpu = rng.Chance(options.gpu_share);
    job.urgent = rng.Chance(options.urgent_share);
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Drawn& a, const Drawn& b) { return a.submit_s < b.submit_s; });
  return jobs;
}

// So that all jobs together ask for the share of the cluster that is wanted: what is cut off from
// the longest goes to the others.
void ScaleRuns(const GenerateOptions& options, std::vector<Drawn>* jobs) {
  const double wanted =
      options.load * static_cast<double>(options.cpus) * options.days * kDaySeconds;
  for (int round = 0; round < 8; ++round) {
    double sum = 0;
    for (const Drawn& job : *jobs) sum += job.run_s * static_cast<double>(job.size);
    const double factor = wanted / sum;
    for (Drawn& job : *jobs) job.run_s = std::clamp(job.run_s * factor, 1.0, kRunSecondsMax);
  }
}

absl::Status CheckOptions(const GenerateOptions& options) {
  const auto refuse = [](std::string_view what) {
    return absl::InvalidArgumentError(ToAbsl(what));
  };
  if (options.jobs < 1 || options.jobs > static_cast<int64_t>(kTraceJobsMax)) {
    return refuse(StrCat("--jobs: must be between 1 and ", kTraceJobsMax));
  }
  if (!(options.days >= 0.01 && options.days <= 3660)) {
    return refuse("--days: must be between 0.01 and 3660");
  }
  if (options.cpus < 1 || options.cpus > 100'000'000) {
    return refuse("--cpus: must be between 1 and 100000000");
  }
  if (!(options.load > 0 && options.load <= 10))
    return refuse("--load: must be above 0, at most 10");
  if (options.task_cpus < 1 || options.task_cpus > 100'000) {
    return refuse("--task-cpus: must be between 1 and 100000");
  }
  if (options.size_max < 1 || options.size_max > options.task_cpus * kTraceTasksMax ||
      options.size_max > options.cpus) {
    return refuse("--size-max: must be between 1 and --cpus, and no more than 100000 tasks");
  }
  for (const double share : {options.gpu_share, options.urgent_share}) {
    if (!(share >= 0 && share <= 1)) return refuse("--gpus, --urgent: must be between 0 and 1");
  }
  if (options.queues < 1 || options.queues > 1000) {
    return refuse("--queues: must be between 1 and 1000");
  }
  if (options.users < options.queues || options.users > 100'000) {
    return refuse("--users: must be between --queues and 100000");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Trace> GenerateTrace(const GenerateOptions& options) {
  BTH_RETURN_IF_ERROR(CheckOptions(options));
  std::vector<Drawn> jobs = DrawJobs(options);
  ScaleRuns(options, &jobs);
  TraceBuilder builder(StrCat("seed ", options.seed));
  for (const Drawn& job : jobs) {
    JobLine line;
    line.submit_s = job.submit_s;
    line.run_s = std::llround(job.run_s);
    line.tasks = (job.size + options.task_cpus - 1) / options.task_cpus;
    line.min_available = line.tasks;
    const int64_t per_task = (job.size + line.tasks - 1) / line.tasks;
    line.request.emplace_back("cpu", (job.size * 1000 + line.tasks - 1) / line.tasks);
    line.request.emplace_back("memory",
                              std::min(job.memory_bytes, cache::kAmountMax / per_task) * per_task);
    if (job.gpu) line.request.emplace_back("nvidia.com/gpu", 1000);
    const std::string queue = StrCat("queue-", job.user % options.queues + 1);
    const std::string user = StrCat("user-", job.user + 1);
    line.queue = queue;
    line.user = user;
    if (job.urgent) line.priority = "1000";
    BTH_RETURN_IF_ERROR(builder.Add(line));
  }
  return builder.Build();
}

}  // namespace bth::trace
