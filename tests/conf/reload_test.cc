#include "conf/reload.h"

#include "tests/support/catch.h"

namespace bth::conf {
namespace {

constexpr const char* kGoodText = "actions: allocate\ntiers: []\n";
constexpr const char* kBadText = "actions: alocate\ntiers: []\n";

Policy Running() {
  return ParsePolicy("actions: backfill\ntiers: []\n", BuiltinNames())->policy;
}

enum class Text { kNoPath, kUnreadable, kBad, kGood, kSame };
enum class Expect { kFatal, kLoaded, kUnchanged, kDefault, kKept };

absl::StatusOr<ReloadDecision> Decide(Text text, const Policy* previous, bool disable_default) {
  ReloadRequest request;
  request.previous = previous;
  request.path = text == Text::kNoPath ? "" : "/etc/s.conf";
  request.disable_default_scheduler_config = disable_default;
  if (text == Text::kUnreadable) request.text = absl::NotFoundError("no such file");
  if (text == Text::kBad) request.text = std::string(kBadText);
  if (text == Text::kGood) request.text = std::string(kGoodText);
  if (text == Text::kSame) request.text = std::string("# new\nactions: 'backfill'\ntiers: []\n");
  return DecideReload(request, BuiltinNames());
}

TEST_CASE("reload: what is installed", "[conf]") {
  struct Case {
    Text text;
    bool running, disable_default;
    Expect expect;
  };
  const Case c = GENERATE(values<Case>({
      {Text::kNoPath, false, false, Expect::kDefault},
      {Text::kUnreadable, false, false, Expect::kDefault},
      {Text::kBad, false, false, Expect::kDefault},
      {Text::kGood, false, false, Expect::kLoaded},
      {Text::kNoPath, false, true, Expect::kFatal},
      {Text::kUnreadable, false, true, Expect::kFatal},
      {Text::kBad, false, true, Expect::kFatal},
      {Text::kGood, false, true, Expect::kLoaded},
      {Text::kUnreadable, true, false, Expect::kKept},
      {Text::kBad, true, false, Expect::kKept},
      {Text::kGood, true, false, Expect::kLoaded},
      {Text::kSame, true, false, Expect::kUnchanged},
      {Text::kUnreadable, true, true, Expect::kKept},
      {Text::kBad, true, true, Expect::kKept},
      {Text::kGood, true, true, Expect::kLoaded},
  }));
  CAPTURE(static_cast<int>(c.text), c.running, c.disable_default);
  const Policy running = Running();
  const auto decision = Decide(c.text, c.running ? &running : nullptr, c.disable_default);
  REQUIRE(decision.ok() == (c.expect != Expect::kFatal));
  if (!decision.ok()) return;
  CHECK(!decision->message.empty());
  CHECK(decision->accepted() == (c.text != Text::kBad && c.text != Text::kUnreadable));
  switch (c.expect) {
    case Expect::kLoaded:
      CHECK(decision->outcome == ReloadOutcome::kLoaded);
      REQUIRE(decision->policy.has_value());
      CHECK(decision->policy->actions == std::vector<std::string>{"allocate"});
      break;
    case Expect::kDefault:
      CHECK(decision->outcome == ReloadOutcome::kDefaultUsed);
      REQUIRE(decision->policy.has_value());
      CHECK(*decision->policy == DefaultPolicy());
      break;
    case Expect::kKept:
      CHECK(decision->outcome == ReloadOutcome::kKept);
      CHECK(!decision->policy.has_value());
      break;
    case Expect::kUnchanged:
      CHECK(decision->outcome == ReloadOutcome::kUnchanged);
      CHECK(!decision->policy.has_value());
      break;
    case Expect::kFatal:
      break;
  }
}

TEST_CASE("reload: messages keep Volcano's words and add place and remedy", "[conf]") {
  const Policy running = Running();
  CHECK(Decide(Text::kBad, &running, false)
            ->message.find(
                "Scheduler config '/etc/s.conf' is invalid: failed to find Action alocate: line 1: "
                "actions[0]: unknown action (did you mean \"allocate\"?)") == 0);
  CHECK(Decide(Text::kUnreadable, &running, false)->message ==
        "Failed to read the Scheduler config in '/etc/s.conf', using previous configuration: no "
        "such file; the previous policy stays");
  // At start there is no previous one.
  CHECK(
      Decide(Text::kUnreadable, nullptr, false)->message ==
      "Failed to read the Scheduler config in '/etc/s.conf': no such file; the built-in policy is "
      "used");
  CHECK(Decide(Text::kNoPath, nullptr, true).status().message() ==
        "No --scheduler-conf path provided and default configuration fallback is disabled");
  CHECK(Decide(Text::kUnreadable, nullptr, true).status().message() ==
        "Failed to read scheduler config and default configuration fallback is disabled: "
        "'/etc/s.conf': no such file");
  CHECK(std::string(Decide(Text::kBad, nullptr, true).status().message())
            .find("Invalid scheduler configuration and default configuration fallback is disabled: "
                  "'/etc/s.conf': failed to find Action alocate") == 0);
}

TEST_CASE("reload: findings of an accepted file are handed on", "[conf]") {
  ReloadRequest request;
  request.path = "f";
  request.text = std::string("actions: allocate\ntiers: [{plugins: [{name: gang}]}]\nx: 1\n");
  const auto decision = DecideReload(request, BuiltinNames());
  REQUIRE(decision.ok());
  REQUIRE(decision->findings.size() == 1);
  CHECK(decision->findings[0].path == "x");
}

TEST_CASE("reload: without a path the built-in policy is installed once", "[conf]") {
  const Policy builtin = DefaultPolicy();
  CHECK(Decide(Text::kNoPath, &builtin, false)->outcome == ReloadOutcome::kUnchanged);
}

}  // namespace
}  // namespace bth::conf
