#include "sim/world/storm_command.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "sim/run.h"
#include "sim/world/shrink.h"
#include "sim/world/story_file.h"
#include "sim/world/told.h"

namespace bth::sim {
namespace {

constexpr int kStorySecondsMax = 900;
constexpr int kShrinkTriesMax = 250;

struct Seeds {
  uint64_t first = 1;
  uint64_t last = 1;
};

absl::StatusOr<Seeds> ParseSeeds(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, "..");
  Seeds seeds;
  if (parts.size() > 2 || !absl::SimpleAtoi(parts.front(), &seeds.first) ||
      !absl::SimpleAtoi(parts.back(), &seeds.last) || seeds.last < seeds.first) {
    return absl::InvalidArgumentError(StrCat("--seeds: \"", text, "\" is no A..B"));
  }
  return seeds;
}

size_t DeedsOf(const Story& story) {
  size_t count = 0;
  for (const Round& round : story.rounds) count += round.deeds.size();
  return count;
}

// All but the ones that are named.
absl::StatusOr<std::vector<bool>> ParseOnly(const std::string& text, const Story& story) {
  if (text.empty()) return std::vector<bool>();
  std::vector<bool> skip(DeedsOf(story), true);
  const std::vector<std::string> words = absl::StrSplit(text, ',');
  for (const std::string& word : words) {
    size_t deed = 0;
    if (!absl::SimpleAtoi(word, &deed) || deed >= skip.size()) {
      return absl::InvalidArgumentError(
          StrCat("--only: \"", word, "\" is no number of a deed; there are ", skip.size()));
    }
    skip[deed] = false;
  }
  return skip;
}

class Storm {
 public:
  using Clock = std::chrono::steady_clock;

  Storm(const StormFlags& flags, Profile profile, StormOptions options, std::ostream& out)
      : flags_(flags), profile_(profile), options_(std::move(options)), out_(out) {}

  int Run(const Seeds& seeds);

 private:
  struct Place {
    uint64_t seed = 0;
    std::unique_ptr<Telling> telling;
  };

  Story Draw(uint64_t seed) const { return DrawStory(seed, profile_, flags_.hours); }
  void Save(uint64_t seed, const std::string& promise, const std::string& text);
  bool MayBegin(const Seeds& seeds) const;
  void Begin();
  void AwaitOne();
  void Take(uint64_t seed, const Told& told);
  void TellFailure(uint64_t seed, const Told& told);
  std::string Command(uint64_t seed) const;
  double SecondsRun() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  void TellProgress();
  void TellSummary();

  const StormFlags& flags_;
  const Profile profile_;
  const StormOptions options_;
  std::ostream& out_;
  const Clock::time_point begun_ = Clock::now();
  double told_at_ = 0;
  uint64_t next_ = 1;
  uint64_t told_ = 0;
  int64_t failed_ = 0;
  double cpu_s_ = 0;
  double simulated_h_ = 0;
  uint64_t events_ = 0;
  std::vector<Place> places_;
  std::map<std::string, uint64_t> faults_;
  std::map<std::string, uint64_t> checks_;
  std::map<std::string, uint64_t> broken_;
  std::map<uint64_t, uint64_t> digests_;  // By seed.
  std::vector<std::pair<uint64_t, Told>> failures_;
};

bool Storm::MayBegin(const Seeds& seeds) const {
  if (failed_ >= flags_.failures) return false;
  if (flags_.seconds > 0) return SecondsRun() < static_cast<double>(flags_.seconds);
  return next_ <= seeds.last;
}

void Storm::Begin() {
  const uint64_t seed = next_++;
  places_.push_back({seed, std::make_unique<Telling>(Draw(seed), options_, kStorySecondsMax)});
}

void Storm::AwaitOne() {
  std::vector<pollfd> waits;
  for (const Place& place : places_) waits.push_back({place.telling->descriptor(), POLLIN, 0});
  ::poll(waits.data(), waits.size(), 1000);
  for (size_t i = waits.size(); i-- > 0;) {
    if (waits[i].revents == 0 || !places_[i].telling->Read()) continue;
    const Told told = places_[i].telling->Take();
    const uint64_t seed = places_[i].seed;
    places_.erase(places_.begin() + static_cast<ptrdiff_t>(i));
    Take(seed, told);
  }
}

void Storm::Take(uint64_t seed, const Told& told) {
  ++told_;
  cpu_s_ += told.cpu_s;
  simulated_h_ += absl::ToDoubleHours(told.result.simulated);
  events_ += told.result.events;
  digests_[seed] = told.result.digest;
  for (const auto& [name, count] : told.result.faults) faults_[name] += count;
  for (const auto& [name, count] : told.result.checks) checks_[name] += count;
  for (const Breach& breach : told.result.breaches) ++broken_[breach.promise];
  if (told.result.breaches.empty()) return;
  ++failed_;
  const Breach& first = told.result.breaches.front();
  out_ << "BROKEN by seed " << seed << ": " << first.promise << ", after "
       << absl::FormatDuration(first.at) << ": " << first.what << "\n  again: " << Command(seed)
       << std::endl;
  failures_.emplace_back(seed, told);
}

std::string Storm::Command(uint64_t seed) const {
  return StrCat("vc-sim storm --seeds ", seed, " --hours ", absl::StrFormat("%g", flags_.hours),
                " --profile ", NameOf(profile_));
}

// With as few deeds as it takes.
void Storm::TellFailure(uint64_t seed, const Told& told) {
  const std::string promise = told.result.breaches.front().promise;
  if (!told.log.empty()) out_ << "  its log ended with:\n" << told.log << "\n";
  const Story story = Draw(seed);
  int tries = 0;
  const auto breaks = [&](const std::vector<bool>& skip) {
    ++tries;
    StormOptions options = options_;
    options.skip = skip;
    const Told again = TellApart(story, options, kStorySecondsMax);
    return !again.result.breaches.empty() && again.result.breaches.front().promise == promise;
  };
  const std::vector<bool> skip = Shrink(DeedsOf(story), options_.skip, kShrinkTriesMax, breaks);
  std::vector<std::string> left;
  size_t number = 0;
  out_ << "  shrunk in " << tries << " tries:\n";
  for (const Round& round : story.rounds) {
    for (const Deed& deed : round.deeds) {
      if (!skip[number]) {
        left.push_back(StrCat(number));
        out_ << "    " << number << " " << Describe(deed) << "\n";
      }
      ++number;
    }
  }
  StormOptions options = options_;
  options.skip = skip;
  const Told again = TellApart(story, options, kStorySecondsMax);
  if (!again.result.breaches.empty()) out_ << "  " << again.result.breaches.front().what << "\n";
  out_ << "  again: " << Command(seed) << " --only " << absl::StrJoin(left, ",") << std::endl;
  Save(seed, promise, StoryText(story, skip));
}

void Storm::Save(uint64_t seed, const std::string& promise, const std::string& text) {
  if (flags_.save.empty()) return;
  const std::string path =
      StrCat(flags_.save, "/", promise, "-", NameOf(profile_), "-", seed, ".json");
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  out_ << (file.good() ? "  saved: " : "  cannot write: ") << path << std::endl;
}

void Storm::TellProgress() {
  const double run = SecondsRun();
  if (run - told_at_ < 10) return;
  told_at_ = run;
  out_ << absl::StrFormat(
              "%d seeds, %.1f per minute, %.0f simulated hours, %.0f per CPU-hour, %d broken",
              told_, static_cast<double>(told_) * 60 / run, simulated_h_,
              cpu_s_ > 0 ? simulated_h_ * 3600 / cpu_s_ : 0, failed_)
       << std::endl;
}

void Storm::TellSummary() {
  Digest digest;
  for (const auto& [seed, value] : digests_) digest.Add(value);
  out_ << "faults:";
  for (const auto& [name, count] : faults_) {
    if (count > 0) out_ << " " << name << "=" << count;
  }
  out_ << "\npromises, looked at / broken by seeds:";
  for (const auto& [name, count] : checks_) {
    out_ << " " << name << "=" << count << "/" << broken_[name];
  }
  for (const auto& [name, count] : broken_) {
    if (!checks_.contains(name)) out_ << " " << name << "=-/" << count;
  }
  out_ << absl::StrFormat(
              "\n%d seeds, %.1f simulated hours, %d events, %.1f CPU seconds: %.0f simulated hours "
              "per CPU-hour; %d broken; digest %016x",
              told_, simulated_h_, events_, cpu_s_, cpu_s_ > 0 ? simulated_h_ * 3600 / cpu_s_ : 0,
              failed_, digest.value())
       << std::endl;
}

int Storm::Run(const Seeds& seeds) {
  const size_t places = flags_.jobs > 0 ? static_cast<size_t>(flags_.jobs)
                                        : std::max(1u, std::thread::hardware_concurrency());
  next_ = seeds.first;
  while (MayBegin(seeds) || !places_.empty()) {
    while (places_.size() < places && MayBegin(seeds)) Begin();
    if (!places_.empty()) AwaitOne();
    TellProgress();
  }
  if (flags_.shrink) {
    for (const auto& [seed, told] : failures_) TellFailure(seed, told);
  }
  TellSummary();
  return failed_ == 0 ? kExitRan : kExitEngine;
}

// One story in this process.
int TellHere(const Story& story, const StormOptions& options, std::ostream& out) {
  const StormResult result = TellStory(story, options);
  for (const Breach& breach : result.breaches) {
    out << "BROKEN: " << breach.promise << " after " << absl::FormatDuration(breach.at) << ": "
        << breach.what << "\n";
  }
  out << absl::StrFormat("digest %016x, %d events", result.digest, result.events) << std::endl;
  return result.breaches.empty() ? kExitRan : kExitEngine;
}

absl::StatusOr<int> Run(const StormFlags& flags, StormOptions options, std::ostream& out) {
  BTH_ASSIGN_OR_RETURN(const Profile profile, ParseProfile(flags.profile));
  BTH_ASSIGN_OR_RETURN(const Seeds seeds, ParseSeeds(flags.seeds));
  if (!(flags.hours > 0)) return absl::InvalidArgumentError("--hours: must be more than 0");
  Story story = DrawStory(seeds.first, profile, flags.hours);
  if (!flags.story.empty()) {
    BTH_ASSIGN_OR_RETURN(const std::string text, ReadText(flags.story));
    absl::StatusOr<Story> read = ParseStory(text);
    if (!read.ok()) return Annotate(read.status(), flags.story);
    story = *std::move(read);
  }
  BTH_ASSIGN_OR_RETURN(options.skip, ParseOnly(flags.only, story));
  if (flags.tell) options.tell = [&out](const std::string& line) { out << line << "\n"; };
  if (flags.log) SetLogLevel(LogLevel::kInfo);
  if (flags.tell || flags.log || !flags.story.empty()) return TellHere(story, options, out);
  return Storm(flags, profile, std::move(options), out).Run(seeds);
}

}  // namespace

int RunStorm(const StormFlags& flags, std::function<void(apiserver::ApiServer&)> extend,
             std::ostream& out, std::ostream& err) {
  StormOptions options;
  options.extend = std::move(extend);
  const absl::StatusOr<int> code = Run(flags, std::move(options), out);
  if (code.ok()) return *code;
  err << "vc-sim storm: " << code.status().message() << "\n";
  return kExitInput;
}

}  // namespace bth::sim
