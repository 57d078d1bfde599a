// What happens to a simulated cluster, drawn in advance from a seed: one seed, one story.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/model/shard_mode.h"
#include "sim/world/weather.h"

namespace bth::sim {

enum class Profile : uint8_t { kCalm, kRough, kHell };
inline constexpr size_t kProfiles = 3;
absl::StatusOr<Profile> ParseProfile(std::string_view text);
std::string_view NameOf(Profile profile);

enum class Verb : uint8_t {
  kSend,    // A request of a user.
  kPick,    // The same to an object of a collection that is there at that moment.
  kKill,    // A process, which is started again after `lasts`.
  kPause,   // A process, for `lasts`.
  kCut,     // The streams of a process.
  kFront,   // Of bad weather.
  kClock,   // Of a process: it is set anew.
  kPolicy,  // Of the schedulers: `body` is the text from now on.
};
inline constexpr size_t kVerbs = 8;
std::string_view NameOf(Verb verb);

struct Deed {
  absl::Duration at;  // From the beginning of its round.
  Verb verb = Verb::kSend;
  std::string method;
  std::string target;  // kPick: the collection.
  // Empty: none. A PATCH is a merge patch. "$DUE(1,3)" in it stands for the schedule of a CronJob
  // that is due one and three minutes from then, within one hour, and not for a year again.
  std::string body;
  uint64_t pick = 0;     // kPick: of the objects there are.
  std::string process;   // kKill, kPause, kCut, kClock.
  absl::Duration ahead;  // kClock: by how much it is ahead of the others from now on.
  absl::Duration lasts;  // Of those, and of fronts.
  Front front;           // kFront; `until` follows from `lasts`.
  std::string meaning;   // In a word, for summaries.
};
std::string Describe(const Deed& deed);

struct Round {
  absl::Duration lasts;  // Until the weather clears up.
  std::vector<Deed> deeds;
};

struct Story {
  uint64_t seed = 0;
  Profile profile = Profile::kCalm;
  std::string policy;     // A scheduler.conf; empty: the built-in one.
  bool admission = true;  // The product's webhooks look at what is written, inside the server.
  int schedulers = 2;
  int controllers = 2;
  int agents = 0;            // Schedulers of urgent single pods.
  int webhooks = 0;          // Webhook managers; 0: `admission` says what looks at writes.
  bool disk = false;         // The server keeps its objects on a disk, and may be killed.
  bool disk_lies = false;    // It says that it has synced, and has not.
  size_t journal_bytes = 0;  // Its journal is rewritten when it has grown by so much.
  absl::Duration bookmarks;  // How often idle watches hear of one; zero: as a server has it.
  absl::Duration lease;      // For how long a candidate leads unrenewed; zero: by default.
  model::ShardMode sharding = model::ShardMode::kNone;  // Of all schedulers.
  int gate_removals = 0;
  size_t history_max = 0;        // Events that the server keeps of a resource.
  absl::Duration watch_timeout;  // Of its watches.
  absl::Duration cycle_most;     // What a scheduling cycle takes at most.
  absl::Duration clock_apart;    // Wall clocks differ by at most this.
  std::vector<Round> rounds;     // Each begins with an empty cluster.
};

// Whether some bad weather of that kind is told of.
bool HasFront(const Story& story, Fault fault);

// `hours`: how long the rounds last together, with the time to rest that each is given.
Story DrawStory(uint64_t seed, Profile profile, double hours);

}  // namespace bth::sim
