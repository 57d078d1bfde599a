// Feeds valid but hostile objects to a whole system, story after story, each in a process of its
// own: a death ends its story alone, and is told with what replays it.
//
//   hostile --seconds 20            as many stories as fit
//   hostile --objects 1000000       until so many objects were sent
//   hostile --seed 7 --stories 1    one story again; BTH_SEED=7 does the same
//   hostile --seed 7 --stories 1 --shrink   and the fewest deeds that still end it so
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "tests/hostile/telling.h"

namespace bth::hostile {
namespace {

struct Flags {
  int64_t seconds = 0;   // 0: no limit.
  uint64_t objects = 0;  // Likewise.
  uint64_t stories = 0;  // Likewise.
  uint64_t seed = 1;
  StoryOptions story;
  unsigned story_seconds = 300;  // A story that takes longer is stuck.
  uint64_t memory_mib = 3000;    // Address space of one story; 0: no limit.
  uint64_t failures = 1;         // So many, and it ends.
  bool shrink = false;
  bool memory = false;
  bool trace = false;
};

Progress* MakeProgress() {
  void* place =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  BTH_CHECK(place != MAP_FAILED);
  return new (place) Progress();
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

[[noreturn]] void TellInChild(const Story& story, const std::vector<bool>& skip, const Flags& flags,
                              Progress* progress, int out) {
  ::alarm(flags.story_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (flags.memory_mib > 0) {
    const rlimit limit{flags.memory_mib << 20, flags.memory_mib << 20};
    ::setrlimit(RLIMIT_AS, &limit);
  }
#endif
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const std::string wrong = Tell(story, skip, {flags.memory, flags.trace}, progress);
  const ssize_t written = ::write(out, wrong.data(), wrong.size());
  ::_exit(wrong.empty() && written == 0 ? 0 : 1);
}

struct Outcome {
  bool ok = false;
  std::string what;  // Its first word is the same for what has the same reason.
  std::string log;
};

Outcome TellOnce(const Story& story, const std::vector<bool>& skip, const Flags& flags,
                 Progress* progress) {
  int ends[2];
  BTH_CHECK(::pipe(ends) == 0);
  const int log = ::memfd_create("log", 0);
  std::fflush(stdout);
  const pid_t child = ::fork();
  BTH_CHECK(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    ::dup2(log, STDERR_FILENO);
    TellInChild(story, skip, flags, progress, ends[1]);
  }
  ::close(ends[1]);
  Outcome outcome;
  outcome.what = ReadAll(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::lseek(log, 0, SEEK_SET);
  outcome.log = ReadAll(log);
  ::close(log);
  outcome.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  // What a barrier keeps from ending the process is a bug all the same.
  for (const char* event : {"cycle.failed", "defect.", "exception."}) {
    const size_t at = outcome.log.find(event);
    if (!outcome.ok || at == std::string::npos) continue;
    outcome.ok = false;
    outcome.what = outcome.log.substr(at, outcome.log.find('\n', at) - at);
  }
  constexpr size_t kTailMax = 2000;
  if (outcome.log.size() > kTailMax) outcome.log.erase(0, outcome.log.size() - kTailMax);
  if (WIFSIGNALED(status)) outcome.what = StrCat("signal ", WTERMSIG(status));
  if (!outcome.ok && outcome.what.empty()) outcome.what = StrCat("exit code ", status);
  return outcome;
}

// The same end for the same reason, as far as one can tell.
bool SameEnd(const Outcome& a, const Outcome& b) {
  const auto words = [](const std::string& text) { return text.substr(0, 14); };
  if (a.ok != b.ok || words(a.what) != words(b.what)) return false;
  const auto claim = [](const Outcome& outcome) {
    const size_t at = outcome.log.rfind("broken invariant");
    return at == std::string::npos ? std::string() : outcome.log.substr(at, 80);
  };
  return claim(a) == claim(b);
}

// Leaves out ever smaller pieces as long as the story ends the same way.
void Shrink(const Story& story, const Outcome& first, const Flags& flags, Progress* progress) {
  std::vector<const Deed*> deeds;
  for (const auto& round : story.rounds) {
    for (const Deed& deed : round) deeds.push_back(&deed);
  }
  std::vector<bool> skip(deeds.size(), false);
  for (size_t piece = deeds.size() / 2; piece > 0; piece /= 2) {
    for (size_t at = 0; at < deeds.size(); at += piece) {
      std::vector<bool> less = skip;
      bool any = false;
      for (size_t i = at; i < std::min(at + piece, deeds.size()); ++i) {
        any = any || !less[i];
        less[i] = true;
      }
      if (!any) continue;
      progress->step = 0;
      if (SameEnd(first, TellOnce(story, less, flags, progress))) skip = std::move(less);
    }
  }
  for (size_t i = 0; i < deeds.size(); ++i) {
    if (!skip[i]) std::printf("  step %zu: %s\n", i, Describe(*deeds[i]).c_str());
  }
}

// `seed`: the next one.
void PrintTotals(const Flags& flags, const Progress& progress, uint64_t seed, uint64_t failures) {
  const auto number = [](const std::atomic<uint64_t>& value) {
    return static_cast<unsigned long long>(value.load());
  };
  std::printf(
      "objects=%llu accepted=%llu cycles=%llu rounds=%llu neighbours=%llu seed=%llu..%llu "
      "failures=%llu\n",
      number(progress.objects), number(progress.accepted), number(progress.cycles),
      number(progress.rounds), number(progress.neighbours),
      static_cast<unsigned long long>(flags.seed), static_cast<unsigned long long>(seed),
      static_cast<unsigned long long>(failures));
  std::fflush(stdout);
}

int Run(const Flags& flags) {
  constexpr uint64_t kStoriesPerLine = 100;
  SetLogLevel(LogLevel::kError);
  Progress* progress = MakeProgress();
  const std::time_t end = std::time(nullptr) + flags.seconds;
  uint64_t failures = 0;
  uint64_t seed = flags.seed;
  for (uint64_t told = 0; failures < flags.failures; ++told, ++seed) {
    if (flags.stories > 0 && told >= flags.stories) break;
    if (flags.objects > 0 && progress->objects >= flags.objects) break;
    if (flags.seconds > 0 && std::time(nullptr) >= end) break;
    if (told % kStoriesPerLine == 0 && told > 0) PrintTotals(flags, *progress, seed, failures);
    const Story story = DrawStory(seed, flags.story);
    progress->step = 0;
    const Outcome outcome = TellOnce(story, {}, flags, progress);
    if (outcome.ok) continue;
    ++failures;
    const auto number = static_cast<unsigned long long>(seed);
    std::printf("FAILED seed=%llu step=%llu: %s\n%s\n", number,
                static_cast<unsigned long long>(progress->step.load()), outcome.what.c_str(),
                outcome.log.c_str());
    std::printf("Once more: make hostile HOSTILE_ARGS=\"--seed %llu --stories 1 --shrink\"\n",
                number);
    if (flags.shrink) Shrink(story, outcome, flags, progress);
    std::fflush(stdout);
  }
  PrintTotals(flags, *progress, seed, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bth::hostile

int main(int argc, char** argv) {
  bth::hostile::Flags flags;
  CLI::App app("Valid but hostile objects for a whole system.");
  app.add_option("--seconds", flags.seconds, "End after so many seconds");
  app.add_option("--objects", flags.objects, "End after so many objects");
  app.add_option("--stories", flags.stories, "End after so many stories");
  app.add_option("--seed", flags.seed, "Of the first story; the others follow");
  app.add_option("--rounds", flags.story.rounds, "Of a story; each ends with an empty cluster");
  app.add_option("--deeds", flags.story.deeds, "Of a round");
  app.add_option("--story-seconds", flags.story_seconds, "A story that takes longer is stuck");
  app.add_option("--memory-mib", flags.memory_mib, "Address space of a story");
  app.add_option("--failures", flags.failures, "End after so many");
  app.add_flag("--shrink", flags.shrink, "Look for the fewest deeds with the same end");
  app.add_flag("--print-memory", flags.memory, "After each round");
  app.add_flag("--trace-memory", flags.trace, "Which allocations the last round leaves behind");
  CLI11_PARSE(app, argc, argv);
  if (const char* seed = std::getenv("BTH_SEED")) {
    flags.seed = std::strtoull(seed, nullptr, 10);
    flags.stories = 1;
  }
  if (flags.seconds + static_cast<int64_t>(flags.objects + flags.stories) == 0) flags.seconds = 20;
  return bth::hostile::Run(flags);
}
