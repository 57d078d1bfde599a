#include "metrics/registry.h"

#include <unistd.h>

#include <thread>

#include "metrics/process_metrics.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::metrics {
namespace {

constexpr const char* kNoProc = "/nonexistent";

TEST_CASE("registry: text is sorted by family and by labels", "[metrics]") {
  Registry registry(kNoProc);
  CounterFamily requests = registry.AddCounter("b_total", "Requests.");
  requests.With({{"code", "500"}}).Increment();
  requests.With({{"code", "200"}}).Increment(2);
  registry.AddGauge("a_depth", "Depth.").With().Set(-3);
  CHECK(registry.RenderText() ==
        "# HELP a_depth Depth.\n"
        "# TYPE a_depth gauge\n"
        "a_depth -3\n"
        "# HELP b_total Requests.\n"
        "# TYPE b_total counter\n"
        "b_total{code=\"200\"} 2\n"
        "b_total{code=\"500\"} 1\n");
}

TEST_CASE("registry: a histogram counts up to and including its bounds", "[metrics]") {
  Registry registry(kNoProc);
  Histogram latency = registry.AddHistogram("h", "H.", {1, 2}).With();
  for (double value : {0.5, 1.0, 1.5, 7.0}) latency.Observe(value);
  CHECK(registry.RenderText() ==
        "# HELP h H.\n# TYPE h histogram\n"
        "h_count 4\nh_sum 10\n"
        "h_bucket{le=\"1\"} 2\nh_bucket{le=\"2\"} 3\nh_bucket{le=\"+Inf\"} 4\n");
}

TEST_CASE("registry: one name asked for twice is one family", "[metrics]") {
  Registry registry(kNoProc);
  registry.AddCounter("c", "C.").With().Increment();
  registry.AddCounter("c", "C.").With().Increment();
  CHECK(registry.AddCounter("c", "C.").With().value() == 2);
}

TEST_CASE("registry: removed series and families without series are not shown", "[metrics]") {
  Registry registry(kNoProc);
  GaugeFamily gauges = registry.AddGauge("g", "G.");
  gauges.With({{"x", "1"}}).Set(1);
  gauges.Remove({{"x", "1"}});
  gauges.Remove({{"x", "never made"}});
  CHECK(registry.RenderText() == "");
}

TEST_CASE("registry: label values are escaped", "[metrics]") {
  Registry registry(kNoProc);
  registry.AddGauge("g", "G.").With({{"x", "a\"b\\c\nd"}}).Set(1);
  CHECK(registry.RenderText().find("g{x=\"a\\\"b\\\\c\\nd\"} 1\n") != std::string::npos);
}

TEST_CASE("instruments: a default handle ignores updates, counters ignore negative amounts",
          "[metrics]") {
  Counter counter;
  counter.Increment();
  Gauge gauge;
  gauge.Set(3);
  Histogram().Observe(1);
  CHECK(counter.value() == 0);
  CHECK(gauge.value() == 0);
  Registry registry(kNoProc);
  Counter real = registry.AddCounter("c", "C.").With();
  real.Increment(-1);
  CHECK(real.value() == 0);
}

TEST_CASE("process metrics: values come from the files of proc", "[metrics]") {
  const test::TempFolder proc;
  // Command names may hold blanks and parentheses.
  proc.Write("self/stat",
             "42 (vc (x) y) S 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20 0 9 0 1000 8192000 300 0");
  proc.Write("stat", "cpu  1 2 3\nbtime 1700000000\n");
  proc.Write("self/limits", "Limit  Soft Limit  Hard Limit\nMax open files   1024   4096  files\n");
  proc.Write("self/fd/0", "");
  proc.Write("self/fd/1", "");
  const ProcessReading reading = ReadProcess(proc.path());
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(reading.cpu_seconds.value() == 300 / ticks);
  CHECK(reading.start_time_seconds.value() == 1700000000 + 1000 / ticks);
  CHECK(reading.virtual_memory_bytes.value() == 8192000);
  CHECK(reading.resident_memory_bytes.value() == 300 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  CHECK(reading.open_fds.value() == 2);
  CHECK(reading.max_fds.value() == 1024);
}

TEST_CASE("process metrics: what cannot be read is left out", "[metrics]") {
  const test::TempFolder proc;
  for (const char* stat : {"", "42 (x", "42 (x) S 1", "42 (x) S a b c d e f g h i j k l m n o p"}) {
    CAPTURE(stat);
    proc.Write("self/stat", stat);
    const ProcessReading reading = ReadProcess(proc.path());
    CHECK(!reading.cpu_seconds.has_value());
    CHECK(!reading.start_time_seconds.has_value());
  }
  const ProcessReading nothing = ReadProcess("/nonexistent");
  CHECK(!nothing.open_fds.has_value());
  CHECK(!nothing.resident_memory_bytes.has_value());
}

TEST_CASE("process metrics: this process is seen at each scrape", "[metrics]") {
  Registry registry;
  const std::string text = registry.RenderText();
  for (const char* name : {"process_cpu_seconds_total ", "process_resident_memory_bytes ",
                           "process_open_fds ", "process_start_time_seconds "}) {
    CHECK(text.find(std::string("\n") + name) != std::string::npos);
  }
}

TEST_CASE("registry: scraping while others update loses nothing", "[metrics]") {
  Registry registry(kNoProc);
  CounterFamily family = registry.AddCounter("c", "C.");
  constexpr int kRounds = 2000;
  auto work = [&family](const std::string& label) {
    for (int i = 0; i < kRounds; ++i) family.With({{"t", label}}).Increment();
  };
  std::thread a(work, "a");
  std::thread b(work, "b");
  size_t bytes = 0;
  for (int i = 0; i < 50; ++i) bytes += registry.RenderText().size();
  a.join();
  b.join();
  CHECK(bytes < 1 << 20);
  CHECK(registry.RenderText() ==
        "# HELP c C.\n# TYPE c counter\nc{t=\"a\"} 2000\nc{t=\"b\"} 2000\n");
}

}  // namespace
}  // namespace bth::metrics
