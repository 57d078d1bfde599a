#include "tests/hostile/deeds.h"

#include <utility>

#include "tests/hostile/policy_text.h"

namespace bth::hostile {
namespace {

constexpr std::string_view kVerbNames[] = {"create",
                                           "replace",
                                           "patch",
                                           "status",
                                           "delete",
                                           "touch",
                                           "drop",
                                           "bind",
                                           "evict",
                                           "wait",
                                           "policy",
                                           "faults",
                                           "restart-scheduler",
                                           "restart-controllers"};

Verb DrawVerb(Dice& dice) {
  struct Share {
    Verb verb;
    size_t weight;
  };
  static constexpr Share kShares[] = {
      {Verb::kCreate, 450},
      {Verb::kReplace, 90},
      {Verb::kPatch, 60},
      {Verb::kStatus, 50},
      {Verb::kDelete, 90},
      {Verb::kTouch, 50},
      {Verb::kDrop, 40},
      {Verb::kBind, 10},
      {Verb::kEvict, 5},
      {Verb::kWait, 140},
      {Verb::kPolicy, 4},
      {Verb::kFaults, 6},
      {Verb::kRestartScheduler, 2},
      {Verb::kRestartControllers, 2},
  };
  size_t sum = 0;
  for (const Share& share : kShares) sum += share.weight;
  size_t left = dice.Below(sum);
  for (const Share& share : kShares) {
    if (left < share.weight) return share.verb;
    left -= share.weight;
  }
  return Verb::kWait;
}

absl::Duration DrawWait(Dice& dice) {
  if (dice.Chance(0.03)) return absl::Minutes(2);
  if (dice.Chance(0.3)) return absl::Seconds(dice.rng().Between(1, 8));
  return absl::Milliseconds(dice.rng().Between(0, 400));
}

std::string DrawDeletion(Dice& dice) {
  return std::string(dice.OneOf({"", "gracePeriodSeconds=0", "gracePeriodSeconds=5",
                                 "propagationPolicy=Foreground", "propagationPolicy=Orphan",
                                 "gracePeriodSeconds=0&propagationPolicy=Background"}));
}

Deed DrawDeed(Dice& dice) {
  Deed deed;
  deed.verb = DrawVerb(dice);
  deed.pick = dice.rng().Next();
  switch (deed.verb) {
    case Verb::kWait:
    case Verb::kFaults:
      deed.wait = DrawWait(dice);
      return deed;
    case Verb::kPolicy:
      deed.text = DrawPolicy(dice);
      return deed;
    case Verb::kRestartScheduler:
    case Verb::kRestartControllers:
      return deed;
    case Verb::kBind:
    case Verb::kEvict:
      deed.kind = &KindNamed("Pod");
      break;
    default:
      deed.kind = &DrawKind(dice);
  }
  if (deed.kind->namespaced) {
    deed.ns = deed.kind->home.empty() ? DrawNamespace(dice) : std::string(deed.kind->home);
  }
  deed.name = DrawName(dice, *deed.kind);
  // The queues that the scheduler makes are fair game as well.
  if (deed.kind->kind == "Queue" && dice.Chance(0.08)) {
    deed.name = std::string(dice.OneOf({"default", "root"}));
  }
  deed.text = DrawDeletion(dice);
  deed.body = deed.verb == Verb::kBind ? Json(dice.NameOf("n", 12))
                                       : DrawObject(dice, *deed.kind, deed.ns, deed.name);
  return deed;
}

}  // namespace

std::string_view VerbName(Verb verb) {
  return kVerbNames[static_cast<size_t>(verb)];
}

std::string Describe(const Deed& deed) {
  Json out = Json::MakeObject({{"verb", VerbName(deed.verb)}});
  if (deed.kind != nullptr) {
    out["kind"] = deed.kind->kind;
    if (!deed.ns.empty()) out["namespace"] = deed.ns;
    out["name"] = deed.name;
    out["body"] = deed.body;
  }
  if (!deed.text.empty()) out["text"] = deed.text;
  if (deed.wait > absl::ZeroDuration()) out["wait"] = absl::FormatDuration(deed.wait);
  return out.Dump();
}

Story DrawStory(uint64_t seed, const StoryOptions& options) {
  Rng rng(seed);
  static constexpr double kHostility[] = {0.01, 0.04, 0.1, 0.25};
  const double hostility = kHostility[rng.Below(std::size(kHostility))];
  Dice dice(rng.Next(), hostility);
  Story story;
  story.seed = seed;
  story.lax = rng.Chance(0.4);
  story.gate_removals = rng.Chance(0.3) ? 5 : 0;
  story.shards = rng.Chance(0.3);
  for (int round = 0; round < options.rounds; ++round) {
    story.policies.push_back(DrawPolicy(dice));
    std::vector<Deed> deeds;
    Deed ns;  // Of those who tell of chips.
    ns.verb = Verb::kCreate;
    ns.kind = &KindNamed("Namespace");
    ns.name = "mindx-dl";
    ns.body = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "Namespace"}});
    ns.body["metadata"]["name"] = ns.name;
    deeds.push_back(std::move(ns));
    // Something to begin with, so that objects meet.
    for (const char* kind : {"Namespace", "Namespace", "Queue", "Queue", "Queue", "Node", "Node",
                             "Node", "Node", "PriorityClass", "PodGroup", "PodGroup", "PodGroup"}) {
      Deed deed;
      deed.verb = Verb::kCreate;
      deed.kind = &KindNamed(kind);
      deed.ns = deed.kind->namespaced ? "default" : "";
      deed.name = DrawName(dice, *deed.kind);
      deed.body = DrawObject(dice, *deed.kind, deed.ns, deed.name);
      deeds.push_back(std::move(deed));
    }
    while (static_cast<int>(deeds.size()) < options.deeds) deeds.push_back(DrawDeed(dice));
    story.rounds.push_back(std::move(deeds));
  }
  return story;
}

}  // namespace bth::hostile
