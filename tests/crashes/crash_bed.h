// A story told again and again: each time the controllers die at another of their writes.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "controllers/manager/builtin.h"
#include "controllers/manager/options.h"
#include "controllers/manager/selection.h"
#include "tests/controllers/controller_bed.h"
#include "tests/controllers/death.h"
#include "tests/crashes/end_state.h"
#include "tests/crashes/stand_in.h"

namespace bth::test {

// All controllers of a manager with its default flags, beside what schedules and runs pods. A story
// may choose others.
class CrashBed : public ControllerBed {
 public:
  CrashBed() {
    for (const char* queue : {"root", "default"}) {
      Create(kQueues, StrCat(R"({"metadata":{"name":")", queue, R"("},"spec":{"weight":1}})"));
    }
    tools.job_plugins.make_ssh_keys = []() -> absl::StatusOr<controllers::SshKeys> {
      return controllers::SshKeys{"private", "public"};
    };
  }

  void StartAll() {
    std::vector<Make> makers;
    for (const controllers::BuiltinController& builtin : controllers::BuiltinControllers()) {
      if (!controllers::IsSelected(builtin.name, options.controllers)) continue;
      makers.push_back([make = builtin.make, this](const controllers::ControllerContext& context) {
        return make(context, tools);
      });
    }
    Start(makers);
  }
  Json Job(const std::string& name) { return Get(StrCat(kJobs, "/", name)); }
  bool JobIs(const std::string& name, const std::string& phase) {
    return Job(name).At({"status", "state", "phase"}).AsString() == phase;
  }
  // So many pods are in that phase, and none is on its way out.
  bool PodsAre(size_t number, const std::string& phase) {
    const std::vector<Json> pods = stand_in.Objects("pods");
    return pods.size() == number &&
           std::all_of(pods.begin(), pods.end(), [&phase](const Json& pod) {
             return pod.At({"status", "phase"}).AsString() == phase &&
                    pod.At({"metadata", "deletionTimestamp"}).is_null();
           });
  }

  std::vector<std::string> Commands() { return Names(kCommands); }
  // For the object of that kind in a collection.
  void CommandTo(const std::string& collection, const std::string& kind, const std::string& name,
                 const std::string& action) {
    const Json target = Get(StrCat(collection, "/", name));
    Json command = Json::MakeObject({{"action", action}});
    command.MutableAt({"metadata", "name"}) =
        StrCat(name, "-", absl::AsciiStrToLower(action), "-", commands_made_++);
    Json reference = Json::MakeObject({{"kind", kind}, {"name", name}});
    reference.Set("apiVersion", target["apiVersion"]);
    reference.Set("uid", target.At({"metadata", "uid"}));
    command.Set("target", std::move(reference));
    Create(kCommands, command.Dump());
  }

  static constexpr const char* kJobs = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
  static constexpr const char* kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  static constexpr const char* kCommands =
      "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands";

  StandIn stand_in{*this};
  controllers::ControllerTools tools;

 private:
  int commands_made_ = 0;
};

// Done once `when` holds.
struct StoryStep {
  std::string name;
  std::function<bool(CrashBed&)> when;
  std::function<void(CrashBed&)> then;
};

struct Story {
  std::vector<StoryStep> steps;
  // "Kind name Reason" of events that only a death brings about.
  std::set<std::string> told_of_deaths = {};
  absl::Duration rest = absl::Seconds(20);  // From the last step or death to the end.
  // Which controllers there are, as for --controllers.
  std::vector<std::string> selection = controllers::ManagerOptions().controllers;
};

inline StoryStep AtOnce(std::function<void(CrashBed&)> then) {
  return {"the start", [](CrashBed& /*bed*/) { return true; }, std::move(then)};
}
inline void Nothing(CrashBed& /*bed*/) {}

struct Ending {
  EndState state;
  bool died = false;
};

// Tells the story to its end; the controllers die at their `at`-th write (0: never), `after` the
// server took it or before.
inline Ending Tell(const Story& story, int at, bool after) {
  const absl::Duration slice = absl::Milliseconds(250);
  const absl::Duration patience = absl::Minutes(10);
  // Others go on while no controller is there.
  const absl::Duration away = absl::Seconds(1);
  CrashBed bed;
  bed.options.controllers = story.selection;
  absl::Time quiet_since = bed.executor.Now();
  const auto pass = [&](absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= slice) {
      bed.stand_in.Act();
      bed.executor.Advance(slice);
      REQUIRE(bed.executor.RunUntilIdle());
    }
  };
  Death death(*bed.line, at, after, [&] {
    bed.Kill();
    pass(away);
    bed.StartAll();
    quiet_since = bed.executor.Now();
  });
  bed.StartAll();
  const auto turn = [&] {
    pass(slice);
    death.Bury();
  };
  for (const StoryStep& step : story.steps) {
    const absl::Time latest = bed.executor.Now() + patience;
    while (!step.when(bed) && bed.executor.Now() < latest) turn();
    INFO("waiting for: " << step.name);
    if (bed.executor.Now() >= latest) {
      FAIL_CHECK("the time never comes");
      break;
    }
    step.then(bed);
    quiet_since = bed.executor.Now();
  }
  while (bed.executor.Now() - quiet_since < story.rest) turn();
  return {EndStateReader::Read(bed.server->store()), death.happened()};
}

// The story ends as if nobody had died, at whichever write.
inline void CheckAllDeaths(const Story& story) {
  constexpr int kWritesMax = 500;
  const Ending expected = Tell(story, 0, false);
  for (const bool after : {false, true}) {
    int at = 1;
    for (; at < kWritesMax; ++at) {
      INFO("killed " << (after ? "after" : "before") << " write " << at);
      const Ending ending = Tell(story, at, after);
      if (!ending.died) break;
      CHECK(ending.state.objects == expected.state.objects);
      // Whoever died did not come to tell what it had done; but nothing else is told.
      for (const std::string& event : ending.state.events) {
        INFO("event: " << event);
        CHECK((expected.state.events.contains(event) || story.told_of_deaths.contains(event)));
      }
    }
    CHECK(at > 5);
    CHECK(at < kWritesMax);
  }
}

}  // namespace bth::test
