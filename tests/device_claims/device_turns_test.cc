// Who searches for devices where a cycle's steps do not suffice.
#include "plugins/predicates/device_turns.h"

#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

using plugins::predicates::DeviceTurns;

struct TurnCase {
  const char* what;
  int other_namespaces;
  int jobs_of_each;
  int before_it;  // In its own namespace.
  bool newcomers;
  int sessions;
};

// In each session all steps are spent when these jobs search, and each but the good one takes
// whatever it is given.
int SessionsUntilServed(const TurnCase& c) {
  DeviceTurns turns;
  for (int session = 1; session <= 1000; ++session) {
    turns.BeginSession();
    bool any_left = true;
    const auto ask = [&](const std::string& ns, const std::string& job) {
      if (turns.IsTurnOf(ns, job) && any_left) return true;
      turns.CutOff(ns, job);
      return false;
    };
    const auto drain = [&](const std::string& ns, const std::string& job) {
      if (ask(ns, job)) any_left = false;
    };
    for (int n = 0; n < c.other_namespaces; ++n) {
      for (int j = 0; j < c.jobs_of_each; ++j) drain(StrCat("a", n), StrCat("dear-", j));
    }
    if (c.newcomers) drain("b", StrCat("new-", session));
    for (int j = 0; j < c.before_it; ++j) drain("b", StrCat("dear-", j));
    if (ask("b", "good")) return session;
  }
  return 0;
}

TEST_CASE("device turns: nobody waits for good", "[claims]") {
  const TurnCase cases[] = {
      {"nobody else", 0, 0, 0, false, 2},
      {"one namespace, with however many jobs", 1, 100, 0, false, 3},
      {"three of them", 3, 100, 0, false, 5},
      {"behind jobs of its own namespace", 0, 0, 5, false, 7},
      {"both", 2, 100, 5, false, 19},
      {"another job before it each time", 0, 0, 0, true, 2},
      {"all of that", 2, 100, 3, true, 13},
  };
  for (const TurnCase& c : cases) {
    INFO(c.what);
    CHECK(SessionsUntilServed(c) == c.sessions);
    const int own = c.before_it + (c.newcomers ? 1 : 0) + 1;
    CHECK(c.sessions <= 2 * own * (c.other_namespaces + 1));
  }
}

TEST_CASE("device turns: there is none where nobody was cut off", "[claims]") {
  DeviceTurns turns;
  turns.BeginSession();
  CHECK_FALSE(turns.IsTurnOf("ns", "a"));
  turns.CutOff("ns", "a");
  CHECK_FALSE(turns.IsTurnOf("ns", "a"));
  turns.BeginSession();
  CHECK_FALSE(turns.IsTurnOf("ns", "before-it"));
  CHECK_FALSE(turns.IsTurnOf("other", "a"));
  CHECK(turns.IsTurnOf("ns", "a"));
  CHECK(turns.IsTurnOf("ns", "after-it"));
  turns.BeginSession();
  CHECK_FALSE(turns.IsTurnOf("ns", "a"));
}

}  // namespace
}  // namespace bth::test
