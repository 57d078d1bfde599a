#include "sim/world/story_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "api/types/json.h"
#include "base/cut_text.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/session/cycle.h"
#include "sim/builtin_registry.h"

namespace bth::sim {
namespace {

using types::Json;
using types::JsonLimits;

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
  if (deed.ahead != absl::ZeroDuration()) out.Set("ahead", Micros(deed.ahead));
  if (deed.lasts != absl::ZeroDuration()) out.Set("lasts", Micros(deed.lasts));
  if (deed.verb == Verb::kFront) out.Set("front", FrontToJson(deed.front));
  return out;
}

constexpr size_t kRoundsMax = 1000;
constexpr size_t kDeedsMax = 100'000;
constexpr absl::Duration kTimeMax = absl::Hours(1000);
constexpr int64_t kAheadMax = 3'600'000'000;

std::string Shown(const Json& value) {
  return std::string(CutText(value.Dump(), 60));
}

// Reads the members of one object. The first thing that is wrong counts, and so does what nobody
// asked for. Lifetime: shorter than the document.
class Members {
 public:
  Members(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json_.is_object()) Fail("", StrCat("must be an object, not ", json_.TypeName()));
  }

  std::string Text(std::string_view name) {
    const Json& value = Get(name);
    if (!value.is_null() && !value.is_string()) Fail(name, "must be a text in quotes");
    return std::string(value.AsString());
  }
  bool Flag(std::string_view name, bool fallback) {
    const Json& value = Get(name);
    if (!value.is_null() && !value.is_bool()) Fail(name, "must be true or false");
    return value.AsBool(fallback);
  }
  int64_t Whole(std::string_view name, int64_t low, int64_t high, int64_t fallback) {
    const Json& value = Get(name);
    if (value.is_null()) return fallback;
    if (!value.is_int() || value.AsInt() < low || value.AsInt() > high) {
      Fail(name, StrCat(Shown(value), " is no whole number from ", low, " to ", high));
    }
    return value.AsInt(fallback);
  }
  // In microseconds.
  absl::Duration Time(std::string_view name, absl::Duration low = absl::ZeroDuration()) {
    const int64_t least = absl::ToInt64Microseconds(low);
    return absl::Microseconds(Whole(name, least, absl::ToInt64Microseconds(kTimeMax), least));
  }
  absl::Duration TimeOrForEver(std::string_view name) {
    return FromMicros(Whole(name, -1, absl::ToInt64Microseconds(kTimeMax), 0));
  }
  // Larger than what JSON numbers hold everywhere.
  uint64_t Seed(std::string_view name) {
    uint64_t seed = 0;
    if (!SimpleAtoi(Get(name).AsString(), &seed)) Fail(name, "must be a number in quotes");
    return seed;
  }
  template <typename Enum>
  Enum OneOf(std::string_view name, size_t count) {
    const Json& value = Get(name);
    std::string all;
    for (size_t i = 0; i < count; ++i) {
      const std::string_view known = NameOf(static_cast<Enum>(i));
      if (known == value.AsString()) return static_cast<Enum>(i);
      StrAppend(&all, i == 0 ? "" : ", ", known);
    }
    Fail(name, StrCat(value.is_null() ? "is missing" : Shown(value), ": must be one of ", all));
    return Enum();
  }
  model::ShardMode OneOfShardModes(std::string_view name) {
    const Json& value = Get(name);
    if (value.is_null()) return model::ShardMode::kNone;
    const std::optional<model::ShardMode> mode = model::ParseShardMode(value.AsString());
    if (!mode.has_value()) Fail(name, "must be one of none, soft, hard");
    return mode.value_or(model::ShardMode::kNone);
  }
  const Json& Object(std::string_view name) { return Get(name); }
  const Json::Array& List(std::string_view name, size_t most) {
    const Json& value = Get(name);
    if (!value.is_null() && !value.is_array()) Fail(name, "must be a list");
    if (value.size() > most) Fail(name, StrCat("has more than ", most, " entries"));
    return value.items();
  }
  void Fail(std::string_view name, std::string_view what) {
    if (!status_.ok()) return;
    const std::string where = name.empty() ? place_ : PlaceOf(name);
    status_ =
        absl::InvalidArgumentError(where.empty() ? std::string(what) : StrCat(where, ": ", what));
  }
  std::string PlaceOf(std::string_view name) const {
    return place_.empty() ? std::string(name) : StrCat(place_, ".", name);
  }
  absl::Status Done() {
    for (const auto& [name, value] : json_.members()) {
      if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
      std::string all;
      for (const std::string_view known : asked_) StrAppend(&all, all.empty() ? "" : ", ", known);
      Fail(CutText(name, 60), StrCat("is unknown; there are ", all));
    }
    return status_;
  }

 private:
  const Json& Get(std::string_view name) {
    asked_.push_back(name);
    return json_[name];
  }

  const Json& json_;
  const std::string place_;
  std::vector<std::string_view> asked_;
  absl::Status status_;
};

absl::StatusOr<Front> FrontFromJson(const Json& json, std::string place) {
  Members members(json, std::move(place));
  Front front;
  front.fault = members.OneOf<Fault>("fault", kFaults);
  front.process = members.Text("process");
  front.rate = static_cast<double>(members.Whole("rate", 0, 1'000'000, 0)) / 1e6;
  front.most = members.TimeOrForEver("most");
  front.seed = members.Seed("seed");
  BTH_RETURN_IF_ERROR(members.Done());
  return front;
}

// What a deed of its kind cannot do without.
void CheckDeed(const Deed& deed, Members* members) {
  switch (deed.verb) {
    case Verb::kSend:
    case Verb::kPick: {
      constexpr std::string_view kMethods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
      if (std::find(std::begin(kMethods), std::end(kMethods), deed.method) == std::end(kMethods)) {
        members->Fail("method", "must be GET, POST, PUT, PATCH or DELETE");
      }
      if (!deed.target.starts_with("/"))
        members->Fail("target", "must be a path, such as /api/v1/pods");
      break;
    }
    case Verb::kKill:
    case Verb::kPause:
    case Verb::kCut:
    case Verb::kClock:
      if (deed.process.empty()) members->Fail("process", "must name one, such as scheduler-0");
      break;
    case Verb::kFront:
    case Verb::kPolicy:
      break;
  }
}

absl::StatusOr<Deed> DeedFromJson(const Json& json, std::string place) {
  Members members(json, std::move(place));
  Deed deed;
  deed.verb = members.OneOf<Verb>("verb", kVerbs);
  deed.at = members.Time("at");
  deed.meaning = members.Text("meaning");
  deed.method = members.Text("method");
  deed.target = members.Text("target");
  deed.body = members.Text("body");
  deed.process = members.Text("process");
  deed.pick =
      static_cast<uint64_t>(members.Whole("pick", 0, std::numeric_limits<int64_t>::max(), 0));
  deed.lasts = members.Time("lasts");
  deed.ahead = absl::Microseconds(members.Whole("ahead", -kAheadMax, kAheadMax, 0));
  const Json& front = members.Object("front");
  CheckDeed(deed, &members);
  BTH_RETURN_IF_ERROR(members.Done());
  if (deed.verb != Verb::kFront) return deed;
  BTH_ASSIGN_OR_RETURN(deed.front, FrontFromJson(front, members.PlaceOf("front")));
  return deed;
}

absl::StatusOr<Round> RoundFromJson(const Json& json, std::string place) {
  Members members(json, std::move(place));
  Round round;
  round.lasts = members.Time("lasts");
  const Json::Array& deeds = members.List("deeds", kDeedsMax);
  BTH_RETURN_IF_ERROR(members.Done());
  for (size_t i = 0; i < deeds.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(Deed deed,
                         DeedFromJson(deeds[i], StrCat(members.PlaceOf("deeds"), "[", i, "]")));
    round.deeds.push_back(std::move(deed));
  }
  return round;
}

// Schedulers end at a policy that they cannot read.
absl::Status CheckPolicy(const std::string& text) {
  if (text.empty()) return absl::OkStatus();
  BTH_ASSIGN_OR_RETURN(conf::LoadedPolicy loaded,
                       conf::ParsePolicy(text, BuiltinRegistry().Names()));
  const auto policy = std::make_shared<const conf::Policy>(std::move(loaded.policy));
  return framework::PolicyInstance::Create(policy, BuiltinRegistry(), &loaded.findings).status();
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
  // Absent where there is none of it.
  if (story.agents > 0) head.Set("agents", story.agents);
  if (story.webhooks > 0) head.Set("webhooks", story.webhooks);
  if (story.disk) head.Set("journalBytes", static_cast<int64_t>(story.journal_bytes));
  if (story.disk_lies) head.Set("diskLies", true);
  if (story.bookmarks > absl::ZeroDuration()) head.Set("bookmarks", Micros(story.bookmarks));
  if (story.lease > absl::ZeroDuration()) head.Set("lease", Micros(story.lease));
  if (story.sharding != model::ShardMode::kNone) {
    head.Set("sharding", model::ShardModeName(story.sharding));
  }
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
  constexpr JsonLimits kLimits{.bytes_max = size_t{64} << 20, .depth_max = 16};
  BTH_ASSIGN_OR_RETURN(const Json json, Json::Parse(text, kLimits));
  Members members(json, "");
  Story story;
  story.seed = members.Seed("seed");
  story.profile = members.OneOf<Profile>("profile", kProfiles);
  story.policy = members.Text("policy");
  story.admission = members.Flag("admission", true);
  const auto few = [&members](std::string_view name, int64_t low) {
    return static_cast<int>(members.Whole(name, low, 16, low));
  };
  story.schedulers = few("schedulers", 1);
  story.controllers = few("controllers", 1);
  story.agents = few("agents", 0);
  story.webhooks = few("webhooks", 0);
  story.gate_removals = static_cast<int>(members.Whole("gateRemovals", 0, 1000, 0));
  story.sharding = members.OneOfShardModes("sharding");
  story.journal_bytes = static_cast<size_t>(members.Whole("journalBytes", 0, int64_t{1} << 30, 0));
  story.disk = json.Find("journalBytes") != nullptr;
  story.disk_lies = members.Flag("diskLies", false);
  story.bookmarks = members.Time("bookmarks");
  story.lease = members.Time("lease");
  if (story.lease > absl::ZeroDuration() && story.lease < absl::Seconds(1)) {
    members.Fail("lease", "must be 1000000 at least: a second");
  }
  story.history_max = static_cast<size_t>(members.Whole("historyMax", 1, 1'000'000, 1000));
  story.watch_timeout = members.Time("watchTimeout", absl::Seconds(30));
  story.cycle_most = members.Time("cycleMost");
  story.clock_apart = members.Time("clockApart");
  const Json::Array& rounds = members.List("rounds", kRoundsMax);
  BTH_RETURN_IF_ERROR(members.Done());
  BTH_RETURN_IF_ERROR(Annotate(CheckPolicy(story.policy), "policy"));
  for (size_t i = 0; i < rounds.size(); ++i) {
    BTH_ASSIGN_OR_RETURN(Round round, RoundFromJson(rounds[i], StrCat("rounds[", i, "]")));
    story.rounds.push_back(std::move(round));
  }
  return story;
}

}  // namespace bth::sim
