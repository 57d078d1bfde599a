#include "sim/trace/generate.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/trace/write_trace.h"
#include "tests/support/catch.h"

namespace bth::trace {
namespace {

Trace Made(const GenerateOptions& options) {
  auto trace = GenerateTrace(options);
  REQUIRE(trace.ok());
  return *std::move(trace);
}

std::string TextOf(const Trace& trace) {
  std::ostringstream out;
  WriteCsv(trace, out);
  return out.str();
}

TEST_CASE("generate: the same seed makes the same bytes", "[trace]") {
  GenerateOptions options;
  options.jobs = 500;
  options.gpu_share = 0.2;
  options.urgent_share = 0.1;
  const std::string once = TextOf(Made(options));
  CHECK(TextOf(Made(options)) == once);
  options.seed = 2;
  CHECK(TextOf(Made(options)) != once);
}

TEST_CASE("generate: load, sizes and rhythm are as they were asked for", "[trace]") {
  GenerateOptions options;
  options.jobs = 20'000;
  options.days = 14;
  options.cpus = 10'000;
  options.load = 0.6;
  options.size_max = 512;
  options.task_cpus = 16;
  options.gpu_share = 0.25;
  const Trace trace = Made(options);
  REQUIRE(trace.jobs.size() == 20'000);
  double core_seconds = 0;
  double serial = 0;
  double powers = 0;
  double gpus = 0;
  double weekend = 0;
  double night = 0;
  std::map<uint32_t, int64_t> by_user;
  const int gpu = trace.dims.Find("nvidia.com/gpu").value();
  for (const TraceJob& job : trace.jobs) {
    const int64_t milli = trace.shapes[job.shape][model::kCpu];
    const int64_t size = (milli * job.tasks + 500) / 1000;
    REQUIRE(milli <= 16'000);
    REQUIRE(size <= 512);
    core_seconds += static_cast<double>(size) * static_cast<double>(job.run_s);
    serial += size == 1 ? 1 : 0;
    powers += (size & (size - 1)) == 0 ? 1 : 0;
    gpus += trace.shapes[job.shape][gpu] > 0 ? 1 : 0;
    weekend += job.submit_s / 86'400 % 7 >= 5 ? 1 : 0;
    night += job.submit_s % 86'400 < 6 * 3600 ? 1 : 0;
    ++by_user[job.user];
  }
  const double load = core_seconds / (10'000.0 * 14 * 86'400);
  CHECK(load > 0.54);
  CHECK(load < 0.66);
  CHECK(serial > 20'000 * 0.22);
  CHECK(serial < 20'000 * 0.27);
  CHECK(powers > 20'000 * 0.75);
  CHECK(gpus > 20'000 * 0.23);
  CHECK(gpus < 20'000 * 0.27);
  // Two days of seven at half the weight: a sixth.
  CHECK(weekend > 20'000 * 0.14);
  CHECK(weekend < 20'000 * 0.19);
  CHECK(night < 20'000 * 0.15);
  int64_t most = 0;
  for (const auto& [user, jobs] : by_user) most = std::max(most, jobs);
  CHECK(most > 20'000 / 6);  // Of 64 users: one in 4.74.
}

TEST_CASE("generate: what cannot be made is refused with the flag", "[trace]") {
  struct Case {
    void (*change)(GenerateOptions*);
    std::string error;
  };
  const std::vector<Case> cases = {
      {[](GenerateOptions* o) { o->jobs = 0; }, "--jobs: must be between 1 and 5000000"},
      {[](GenerateOptions* o) { o->days = 0; }, "--days: must be between 0.01 and 3660"},
      {[](GenerateOptions* o) { o->load = -1; }, "--load: must be above 0, at most 10"},
      {[](GenerateOptions* o) { o->size_max = 100'000; },
       "--size-max: must be between 1 and --cpus, and no more than 100000 tasks"},
      {[](GenerateOptions* o) { o->gpu_share = 2; }, "--gpus, --urgent: must be between 0 and 1"},
      {[](GenerateOptions* o) { o->users = 2; }, "--users: must be between --queues and 100000"},
      {[](GenerateOptions* o) { o->queues = 0; }, "--queues: must be between 1 and 1000"},
      {[](GenerateOptions* o) { o->cpus = 0; }, "--cpus: must be between 1 and 100000000"},
      {[](GenerateOptions* o) { o->task_cpus = 0; }, "--task-cpus: must be between 1 and 100000"},
  };
  for (const Case& each : cases) {
    GenerateOptions options;
    each.change(&options);
    const auto made = GenerateTrace(options);
    REQUIRE(!made.ok());
    CHECK(made.status().message() == each.error);
  }
}

}  // namespace
}  // namespace bth::trace
