// Stories as files.
#define LLVMFuzzerTestOneInput FuzzStory
#include "tests/world/story_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/support/catch.h"
#include "tests/support/fuzz_corpus.h"

namespace bth::sim {
namespace {

TEST_CASE("story corpus: each file and damages of it are safe", "[world][fuzz]") {
  CHECK(test::RunCorpus(__FILE__, "story", &FuzzStory) >= 3);
}

constexpr char kSmallStory[] = R"({"seed":"7","profile":"hell","policy":"","schedulers":1,
"rounds":[{"lasts":60000000,"deeds":[
  {"at":1000000,"verb":"send","meaning":"node","method":"POST","target":"/api/v1/nodes","body":"{}"},
  {"at":2000000,"verb":"front","meaning":"front","lasts":1,"front":{"fault":"lost","seed":"3"}}]}]})";

TEST_CASE("story: what is not told is off", "[world]") {
  const absl::StatusOr<Story> story = ParseStory(kSmallStory);
  REQUIRE(story.status().ToString() == "OK");
  CHECK(story->agents == 0);
  CHECK(story->webhooks == 0);
  CHECK_FALSE(story->disk);
  CHECK_FALSE(story->disk_lies);
  CHECK(story->sharding == model::ShardMode::kNone);
  CHECK(story->bookmarks == absl::ZeroDuration());
  CHECK(story->lease == absl::ZeroDuration());
  CHECK(story->admission);
}

TEST_CASE("story: errors name the place and what to write there", "[world]") {
  struct Case {
    std::string from;
    std::string to;
    std::string message;
  };
  const std::vector<Case> cases = {
      {R"("seed":"7")", R"("seed":7)", "seed: must be a number in quotes"},
      {R"("hell")", R"("mild")", R"(profile: "mild": must be one of calm, rough, hell)"},
      {R"("schedulers":1)", R"("schedulers":99)", "schedulers: 99 is no whole number from 1 to 16"},
      {R"("schedulers":1)", R"("agents":-1)", "agents: -1 is no whole number from 0 to 16"},
      {R"("schedulers":1)", R"("lease":5)", "lease: must be 1000000 at least: a second"},
      {R"("schedulers":1)", R"("sharding":"all")", "sharding: must be one of none, soft, hard"},
      {R"("schedulers":1)", R"("scheduler":1)", "scheduler: is unknown; there are seed, profile"},
      {R"("policy":"")", R"("policy":"actions: fly")", "policy: "},
      {R"("verb":"send")", R"("verb":"sent")",
       R"(rounds[0].deeds[0].verb: "sent": must be one of send, pick, kill)"},
      {R"("verb":"send",)", "", "rounds[0].deeds[0].verb: is missing: must be one of send"},
      {R"("POST")", R"("post")",
       "rounds[0].deeds[0].method: must be GET, POST, PUT, PATCH or DELETE"},
      {R"("/api/v1/nodes")", R"("nodes")",
       "rounds[0].deeds[0].target: must be a path, such as /api/v1/pods"},
      {R"("body":"{}")", R"("body":{})", "rounds[0].deeds[0].body: must be a text in quotes"},
      {R"("at":2000000)", R"("at":-2)", "rounds[0].deeds[1].at: -2 is no whole number from 0 to"},
      {R"("lost")", R"("found")",
       R"(rounds[0].deeds[1].front.fault: "found": must be one of refused)"},
      {R"("front":{"fault":"lost","seed":"3"})", R"("front":3)",
       "rounds[0].deeds[1].front: must be an object, not integer"},
      {R"("verb":"front")", R"("verb":"kill")",
       "rounds[0].deeds[1].process: must name one, such as scheduler-0"},
      {R"("rounds":[{)", R"("rounds":[[]],"rest":[{)", "rest: is unknown"},
      {R"("rounds":[{)", R"("rounds":[[],{)", "rounds[0]: must be an object, not array"},
  };
  for (const Case& c : cases) {
    INFO(c.to);
    const std::string text = absl::StrReplaceAll(kSmallStory, {{c.from, c.to}});
    REQUIRE(text != kSmallStory);
    const absl::StatusOr<Story> story = ParseStory(text);
    REQUIRE_FALSE(story.ok());
    CHECK_THAT(std::string(story.status().message()), Catch::StartsWith(c.message));
  }
}

}  // namespace
}  // namespace bth::sim
