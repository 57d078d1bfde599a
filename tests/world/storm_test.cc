#include "sim/world/storm.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/log.h"
#include "base/strings.h"
#include "cmd/common/own_admission.h"
#include "sim/world/shrink.h"
#include "sim/world/story_file.h"
#include "sim/world/told.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::sim {
namespace {

// The second one has every process that there is: two webhook managers, an agent scheduler beside
// shards, and a server with a disk.
constexpr uint64_t kDigestSeeds[] = {4, 32};

StormOptions Options() {
  SetLogLevel(LogLevel::kError);
  StormOptions options;
  options.extend = [](apiserver::ApiServer& server) {
    cmd::AddOwnAdmission(server, admission::Settings());
  };
  return options;
}

std::string DigestOf(uint64_t seed) {
  const StormResult result = TellStory(DrawStory(seed, Profile::kHell, 0.3), Options());
  return absl::StrFormat("%016x %d", result.digest, result.events);
}

// Not part of the suite: what the next one runs in another process.
TEST_CASE("storm: prints a digest", "[.digest]") {
  for (const uint64_t seed : kDigestSeeds) std::printf("digest %s\n", DigestOf(seed).c_str());
}

TEST_CASE("storm: the same seed is the same story, in whatever process", "[world]") {
  const Story full = DrawStory(kDigestSeeds[1], Profile::kHell, 0.3);
  CHECK(full.webhooks == 2);
  CHECK(full.agents > 0);
  CHECK(full.disk);
  CHECK(full.sharding != model::ShardMode::kNone);
  std::vector<std::string> here;
  for (const uint64_t seed : kDigestSeeds) here.push_back(DigestOf(seed));
  CHECK(here[0] != here[1]);
  FILE* const other = ::popen("/proc/$PPID/exe '[.digest]'", "r");
  REQUIRE(other != nullptr);
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), other) != nullptr) text += buffer;
  ::pclose(other);
  INFO(text);
  for (const std::string& digest : here) CHECK(absl::StrContains(text, "digest " + digest + "\n"));
}

TEST_CASE("storm: promises are kept by some fixed seeds", "[world]") {
  std::map<std::string, uint64_t> faults;
  std::map<std::string, uint64_t> checks;
  for (const Profile profile : {Profile::kCalm, Profile::kRough, Profile::kHell}) {
    for (const uint64_t seed : {1, 2, 9, 32}) {
      const Told told = TellApart(DrawStory(seed, profile, 0.3), Options(), 300);
      for (const Breach& breach : told.result.breaches) {
        FAIL_CHECK(NameOf(profile)
                   << " " << seed << ": " << breach.promise << ": " << breach.what << "\n"
                   << told.log);
      }
      for (const auto& [name, count] : told.result.faults) faults[name] += count;
      for (const auto& [name, count] : told.result.checks) checks[name] += count;
    }
  }
  // They were such that it mattered.
  for (const char* fault : {"kill", "pause", "weather/lost", "weather/late-answer", "job", "single",
                            "weather/stale-list", "kill-server"}) {
    INFO(fault);
    CHECK(faults[fault] > 0);
  }
  for (const auto& [name, count] : checks) {
    INFO(name);
    CHECK((count > 0 || name == "whole-gangs"));
  }
}

Story ReadStory(const std::filesystem::path& path) {
  INFO(path);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  absl::StatusOr<Story> story = ParseStory(text);
  REQUIRE(story.status().ToString() == "OK");
  CHECK(StoryText(*story) == text);
  return *std::move(story);
}

std::filesystem::path Stories() {
  return std::filesystem::path(__FILE__).parent_path() / "stories";
}

// A story in which successors start beside those who leave for them, with a queue that nobody
// guards: what is no excess there is not all that there is.
TEST_CASE("storm: a queue above its capability is noticed", "[world]") {
  Story story = ReadStory(Stories() / "successors_beside_leaving_pods.json");
  const std::string guard = "- name: capacity\n";
  const size_t at = story.policy.find(guard);
  REQUIRE(at != std::string::npos);
  story.policy.insert(at + guard.size(), "    enabledAllocatable: false\n");
  const Told told = TellApart(story, Options(), 300);
  REQUIRE(told.result.breaches.size() == 1);
  CHECK(told.result.breaches[0].promise == "queue-capability");
  INFO(told.result.breaches[0].what);
  CHECK(absl::StrContains(told.result.breaches[0].what, "its capability is 9000m, held by"));
}

// Likewise a gang of three, of which no rack has room for more than two, where nothing bounds it.
TEST_CASE("storm: a gang beyond its bound is noticed", "[world]") {
  Story story = ReadStory(Stories() / "gang_within_its_bound.json");
  const std::string keeper = "- name: network-topology-aware\n";
  const size_t at = story.policy.find(keeper);
  REQUIRE(at != std::string::npos);
  story.policy.insert(at + keeper.size(),
                      "    enabledHyperNodeGradient: false\n    enablePredicate: false\n");
  const Told told = TellApart(story, Options(), 300);
  REQUIRE(told.result.breaches.size() == 1);
  CHECK(told.result.breaches[0].promise == "near-gangs");
  INFO(told.result.breaches[0].what);
  CHECK(absl::StrContains(told.result.breaches[0].what, "must stay within tier 1"));
}

// What storms have found, and was mended.
TEST_CASE("storm: former failures stay mended", "[world]") {
  for (const auto& entry : std::filesystem::directory_iterator(Stories())) {
    INFO(entry.path());
    const Told told = TellApart(ReadStory(entry.path()), Options(), 300);
    for (const Breach& breach : told.result.breaches) {
      FAIL_CHECK(breach.promise << ": " << breach.what << "\n" << told.log);
    }
  }
}

TEST_CASE("storm: a story is the same behind a file", "[world]") {
  test::ForEachSeed(19, [](uint64_t seed) {
    const Story story = DrawStory(seed, Profile::kHell, 2);
    const std::string text = StoryText(story);
    const absl::StatusOr<Story> read = ParseStory(text);
    REQUIRE(read.status().ToString() == "OK");
    CHECK(StoryText(*read) == text);
    CHECK(read->rounds.size() == story.rounds.size());
  });
  for (const char* bad : {"", "{}", R"({"seed":"1","profile":"mild"})",
                          R"({"seed":"1","profile":"calm","rounds":[{"deeds":[{"verb":"?"}]}]})"}) {
    INFO(bad);
    CHECK_FALSE(ParseStory(bad).ok());
  }
}

TEST_CASE("storm: a story is shrunk to what it takes", "[world]") {
  const std::set<size_t> needed = {3, 40, 41, 99};
  int tries = 0;
  const auto breaks = [&](const std::vector<bool>& skip) {
    ++tries;
    for (const size_t deed : needed) {
      if (skip[deed]) return false;
    }
    return true;
  };
  const std::vector<bool> skip = Shrink(100, {}, 1000, breaks);
  for (size_t i = 0; i < skip.size(); ++i) CHECK(skip[i] == !needed.contains(i));
  CHECK(tries < 100);
}

}  // namespace
}  // namespace bth::sim
