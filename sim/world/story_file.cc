#include "sim/world/story_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

using types::Json;

// Numbers of a file are whole: times in microseconds, rates in millionths.
int64_t Micros(absl::Duration time) {
  return time == absl::InfiniteDuration() ? -1 : absl::ToInt64Microseconds(time);
}

absl::Duration FromMicros(int64_t micros) {
  return micros < 0 ? absl::InfiniteDuration() : absl::Microseconds(micros);
}

Json FrontToJson(const Front& front) {
  Json out = Json::MakeObject({{"fault", NameOf(front.fault)}, {"process", front.process}});
  out.Set("rate", int64_t{std::llround(front.rate * 1e6)});
  out.Set("most", Micros(front.most));
  out.Set("seed", std::to_string(front.seed));
  return out;
}

Json DeedToJson(const Deed& deed) {
  Json out = Json::MakeObject({{"at", Micros(deed.at)}, {"verb", NameOf(deed.verb)}});
  out.Set("meaning", deed.meaning);
  const auto set = [&out](std::string_view name, const std::string& text) {
    if (!text.empty()) out.Set(name, text);
  };
  set("method", deed.method);
  set("target", deed.target);
  set("body", deed.body);
  set("process", deed.process);
  if (deed.verb == Verb::kPick) out.Set("pick", static_cast<int64_t>(deed.pick));
  if (deed.lasts != absl::ZeroDuration()) out.Set("lasts", Micros(deed.lasts));
  if (deed.verb == Verb::kFront) out.Set("front", FrontToJson(deed.front));
  return out;
}

template <typename Enum>
absl::StatusOr<Enum> EnumOf(const Json& json, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (NameOf(static_cast<Enum>(i)) == json.AsString()) return static_cast<Enum>(i);
  }
  return absl::InvalidArgumentError(StrCat(json.Dump(), " is unknown"));
}

absl::StatusOr<uint64_t> SeedOf(const Json& json, std::string_view name) {
  uint64_t seed = 0;
  if (!SimpleAtoi(json[name].AsString(), &seed)) {
    return absl::InvalidArgumentError(StrCat(name, ": must be a number in quotes"));
  }
  return seed;
}

absl::StatusOr<Deed> DeedFromJson(const Json& json) {
  Deed deed;
  const auto text = [&json](std::string_view name) { return std::string(json[name].AsString()); };
  BTH_ASSIGN_OR_RETURN(deed.verb, EnumOf<Verb>(json["verb"], kVerbs));
  deed.at = FromMicros(json["at"].AsInt());
  deed.meaning = text("meaning");
  deed.method = text("method");
  deed.target = text("target");
  deed.body = text("body");
  deed.process = text("process");
  deed.pick = static_cast<uint64_t>(json["pick"].AsInt());
  deed.lasts = FromMicros(json["lasts"].AsInt());
  if (deed.verb != Verb::kFront) return deed;
  const Json& front = json["front"];
  BTH_ASSIGN_OR_RETURN(deed.front.fault, EnumOf<Fault>(front["fault"], kFaults));
  BTH_ASSIGN_OR_RETURN(deed.front.seed, SeedOf(front, "seed"));
  deed.front.process = front["process"].AsString();
  deed.front.rate = static_cast<double>(front["rate"].AsInt()) / 1e6;
  deed.front.most = FromMicros(front["most"].AsInt());
  return deed;
}

absl::StatusOr<Round> RoundFromJson(const Json& json) {
  Round round;
  round.lasts = FromMicros(json["lasts"].AsInt());
  const Json::Array& deeds = json["deeds"].items();
  for (size_t i = 0; i < deeds.size(); ++i) {
    absl::StatusOr<Deed> deed = DeedFromJson(deeds[i]);
    if (!deed.ok()) return Annotate(deed.status(), StrCat("deeds[", i, "]"));
    round.deeds.push_back(*std::move(deed));
  }
  return round;
}

}  // namespace

std::string StoryText(const Story& story, const std::vector<bool>& skip) {
  Json head = Json::MakeObject({{"seed", std::to_string(story.seed)},
                                {"profile", NameOf(story.profile)},
                                {"policy", story.policy},
                                {"admission", story.admission},
                                {"schedulers", story.schedulers},
                                {"controllers", story.controllers},
                                {"gateRemovals", story.gate_removals}});
  head.Set("historyMax", static_cast<int64_t>(story.history_max));
  head.Set("watchTimeout", Micros(story.watch_timeout));
  head.Set("cycleMost", Micros(story.cycle_most));
  head.Set("clockApart", Micros(story.clock_apart));
  std::string out = head.Dump();
  out.pop_back();
  StrAppend(&out, ",\n\"rounds\":[");
  size_t number = 0;
  std::string_view before_round = "\n";
  for (const Round& round : story.rounds) {
    std::string deeds;
    for (const Deed& deed : round.deeds) {
      const bool left_out = number < skip.size() && skip[number];
      ++number;
      if (left_out) continue;
      StrAppend(&deeds, deeds.empty() ? "\n  " : ",\n  ", DeedToJson(deed).Dump());
    }
    if (deeds.empty()) continue;
    StrAppend(&out, before_round, R"({"lasts":)", Micros(round.lasts), R"(,"deeds":[)", deeds,
              "]}");
    before_round = ",\n";
  }
  return out + "]}\n";
}

absl::StatusOr<Story> ParseStory(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, Json::Parse(text));
  Story story;
  BTH_ASSIGN_OR_RETURN(story.seed, SeedOf(json, "seed"));
  BTH_ASSIGN_OR_RETURN(story.profile, ParseProfile(json["profile"].AsString()));
  story.policy = json["policy"].AsString();
  story.admission = json["admission"].AsBool(true);
  const auto count = [&json](std::string_view name, int64_t low) {
    return std::clamp<int64_t>(json[name].AsInt(), low, 1'000'000);
  };
  story.schedulers = static_cast<int>(std::min<int64_t>(count("schedulers", 1), 16));
  story.controllers = static_cast<int>(std::min<int64_t>(count("controllers", 1), 16));
  story.gate_removals = static_cast<int>(count("gateRemovals", 0));
  story.history_max = static_cast<size_t>(count("historyMax", 1));
  story.watch_timeout = std::max(FromMicros(json["watchTimeout"].AsInt()), absl::Seconds(30));
  story.cycle_most = FromMicros(json["cycleMost"].AsInt());
  story.clock_apart = FromMicros(json["clockApart"].AsInt());
  const Json::Array& rounds = json["rounds"].items();
  for (size_t i = 0; i < rounds.size(); ++i) {
    absl::StatusOr<Round> round = RoundFromJson(rounds[i]);
    if (!round.ok()) return Annotate(round.status(), StrCat("rounds[", i, "]"));
    story.rounds.push_back(*std::move(round));
  }
  return story;
}

}  // namespace bth::sim
