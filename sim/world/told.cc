#include "sim/world/told.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

constexpr size_t kLogMax = 3000;

double CpuSeconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

Json CountsToJson(const std::map<std::string, uint64_t>& counts) {
  Json out = Json::MakeObject();
  for (const auto& [name, count] : counts) out.Set(name, static_cast<int64_t>(count));
  return out;
}

std::map<std::string, uint64_t> CountsFromJson(const Json& json) {
  std::map<std::string, uint64_t> out;
  for (const auto& [name, count] : json.members()) {
    out[name] = static_cast<uint64_t>(count.AsInt());
  }
  return out;
}

Json ToJson(const StormResult& result, double cpu_s) {
  Json out = Json::MakeObject();
  Json breaches = Json::MakeArray();
  for (const Breach& breach : result.breaches) {
    Json one = Json::MakeObject({{"promise", breach.promise}, {"what", breach.what}});
    one.Set("at", absl::ToDoubleSeconds(breach.at));
    breaches.MutableItems().push_back(std::move(one));
  }
  out.Set("breaches", std::move(breaches));
  out.Set("digest", absl::StrFormat("%016x", result.digest));
  out.Set("simulated", absl::ToDoubleSeconds(result.simulated));
  out.Set("events", static_cast<int64_t>(result.events));
  out.Set("faults", CountsToJson(result.faults));
  out.Set("checks", CountsToJson(result.checks));
  out.Set("cpu", cpu_s);
  return out;
}

Told FromJson(const Json& json) {
  Told told;
  for (const Json& one : json["breaches"].items()) {
    told.result.breaches.push_back({std::string(one["promise"].AsString()),
                                    std::string(one["what"].AsString()),
                                    absl::Seconds(one["at"].AsDouble())});
  }
  told.result.digest = std::stoull(std::string(json["digest"].AsString()), nullptr, 16);
  told.result.simulated = absl::Seconds(json["simulated"].AsDouble());
  told.result.events = static_cast<uint64_t>(json["events"].AsInt());
  told.result.faults = CountsFromJson(json["faults"]);
  told.result.checks = CountsFromJson(json["checks"]);
  told.cpu_s = json["cpu"].AsDouble();
  return told;
}

#ifdef BTH_COVERAGE
extern "C" void __gcov_dump();
// A process that ends by _exit writes down what it counted only when told to.
void WriteCounts() {
  __gcov_dump();
}
#else
void WriteCounts() {}
#endif

[[noreturn]] void TellInChild(const Story& story, const StormOptions& options, int out,
                              int seconds_max) {
  ::alarm(static_cast<unsigned>(seconds_max));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const StormResult result = TellStory(story, options);
  const std::string text = ToJson(result, CpuSeconds()).Dump();
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(out, text.data() + at, text.size() - at);
    if (written <= 0) break;
    at += static_cast<size_t>(written);
  }
  std::fflush(stdout);
  WriteCounts();
  ::_exit(0);
}

}  // namespace

Telling::Telling(const Story& story, const StormOptions& options, int seconds_max) {
  int ends[2];
  BTH_CHECK(::pipe(ends) == 0);
  log_ = ::memfd_create("log", 0);
  std::fflush(stdout);
  child_ = ::fork();
  BTH_CHECK(child_ >= 0);
  if (child_ == 0) {
    ::close(ends[0]);
    if (!options.tell) ::dup2(log_, STDERR_FILENO);
    TellInChild(story, options, ends[1], seconds_max);
  }
  ::close(ends[1]);
  result_ = ends[0];
}

Telling::~Telling() {
  ::close(result_);
  ::close(log_);
}

bool Telling::Read() {
  char buffer[4096];
  const ssize_t got = ::read(result_, buffer, sizeof(buffer));
  if (got > 0) text_.append(buffer, static_cast<size_t>(got));
  return got <= 0;
}

Told Telling::Take() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  Told told;
  const absl::StatusOr<Json> json = Json::Parse(text_);
  if (json.ok()) told = FromJson(*json);
  if (!json.ok() || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    told.result.breaches.push_back(
        {late ? "rest" : "no-crash",
         late ? "it takes for ever"
              : StrCat("it ended with ", WIFSIGNALED(status) ? "signal " : "code ",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)),
         absl::ZeroDuration()});
  }
  const off_t size = ::lseek(log_, 0, SEEK_END);
  told.log.resize(std::min(kLogMax, static_cast<size_t>(size)));
  const ssize_t got =
      ::pread(log_, told.log.data(), told.log.size(), size - static_cast<off_t>(told.log.size()));
  told.log.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return told;
}

Told TellApart(const Story& story, const StormOptions& options, int seconds_max) {
  Telling telling(story, options, seconds_max);
  while (!telling.Read()) {
  }
  return telling.Take();
}

}  // namespace bth::sim
