#include "tests/hostile/dice.h"

#include <limits>
#include <utility>

#include "absl/time/time.h"
#include "base/strings.h"

namespace bth::hostile {
namespace {

constexpr int64_t kOddNumbers[] = {
    0,
    -1,
    1,
    2,
    -5,
    999,
    65'535,
    65'536,
    1'000'000'000,
    std::numeric_limits<int32_t>::max() - 1,
    std::numeric_limits<int32_t>::max(),
    int64_t{std::numeric_limits<int32_t>::max()} + 1,
    std::numeric_limits<int32_t>::min(),
    int64_t{1} << 53,
    int64_t{1} << 62,
    std::numeric_limits<int64_t>::max(),
    std::numeric_limits<int64_t>::min(),
};

const std::string_view kOddAmounts[] = {
    "0",
    "-1",
    "-5",
    "1n",
    "0.0000001n",
    "1e30",
    "1e-30",
    "1E3",
    "0.5",
    "1.5Gi",
    "9223372036854775807",
    "9223372036854775806m",
    "-9223372036854775808",
    "4611686018427387904",
    "9000000000000000",
    "9223372036854775",
    "999999999999999999999999999999",
    "16Ei",
    "7Ei",
    "8Pi",
    "",
    "NaN",
    "Inf",
    "0x10",
    " 1",
    "1 Gi",
    "+1",
    "00001",
    "1e",
    "e3",
    ".",
    "-0",
};

const std::string_view kOddTimes[] = {
    "0001-01-01T00:00:00Z",      "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z",      "2025-12-31T23:59:59Z", "2026-01-01T00:00:01Z",
    "2262-04-11T23:47:16Z",      "2263-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
    "2026-01-01T00:00:00+23:59", "2026-01-01",           "",
};

std::string OddText(Rng& rng) {
  switch (rng.Below(12)) {
    case 0:
      return "";
    case 1:
      return std::string(1 + rng.Below(300), 'x');
    case 2:
      return std::string(1 + rng.Below(20'000), 'y');
    case 3:
      return std::string("nul\0nul", 7);
    case 4:
      return "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    case 5:
      return "a/b/c";
    case 6:
      return "{\"\": 3}";
    case 7:
      return "%s%n${x}$(x){{.}}";
    case 8:
      return " ";
    case 9:
      return "\n\r\t\"\\'";
    case 10:
      return "..";
    default:
      return StrCat(kOddNumbers[rng.Below(std::size(kOddNumbers))]);
  }
}

}  // namespace

std::string_view Dice::OneOf(std::initializer_list<std::string_view> words) {
  return words.begin()[rng_.Below(words.size())];
}

std::string Dice::NameOf(std::string_view stem, size_t count) {
  return StrCat(std::string(stem), rng_.Below(count));
}

Json Dice::Count(int64_t low, int64_t high) {
  if (!Evil()) return rng_.Between(low, high);
  return kOddNumbers[rng_.Below(std::size(kOddNumbers))];
}

Json Dice::Word(std::initializer_list<std::string_view> words) {
  if (!Evil()) return OneOf(words);
  return Text();
}

Json Dice::Text() {
  if (Evil()) return OddText(rng_);
  return OneOf({"", "a", "b", "true", "false", "1", "2", "30m", "zone-a", "x.y/z"});
}

Json Dice::Amount(std::initializer_list<std::string_view> sane) {
  if (!Evil()) return OneOf(sane);
  if (Chance(0.2)) return kOddNumbers[rng_.Below(std::size(kOddNumbers))];
  return kOddAmounts[rng_.Below(std::size(kOddAmounts))];
}

Json Dice::Resources() {
  Json out = Json::MakeObject();
  if (Chance(0.9)) out["cpu"] = Amount({"100m", "500m", "1", "2", "250m", "4"});
  if (Chance(0.7)) out["memory"] = Amount({"64Mi", "1Gi", "2Gi", "128M", "4Gi"});
  if (Chance(0.2)) out["nvidia.com/gpu"] = Amount({"1", "2", "0"});
  if (Chance(0.1)) out["ephemeral-storage"] = Amount({"1Gi", "10Mi"});
  if (Chance(0.05)) out["pods"] = Amount({"1", "10", "110"});
  if (Chance(0.05)) out["hugepages-2Mi"] = Amount({"2Mi", "4Mi"});
  if (Chance(0.08)) out[NameOf("example.com/r", 30)] = Amount({"1", "3"});
  if (Evil()) out[OddText(rng_)] = Amount({"1"});
  return out;
}

Json Dice::Time() {
  if (Evil()) return kOddTimes[rng_.Below(std::size(kOddTimes))];
  const absl::Time time = absl::FromUnixSeconds(1'767'225'600 + rng_.Between(-4000, 4000));
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string Dice::LabelKey() {
  if (Evil()) return OddText(rng_);
  return std::string(
      OneOf({"app", "team", "tier", "kubernetes.io/hostname", "topology.kubernetes.io/zone",
             "volcano.sh/task-spec", "volcano.sh/nodegroup-name", "volcano.sh/job-name", "role"}));
}

Json Dice::LabelValue() {
  if (Evil()) return Text();
  return OneOf({"a", "b", "c", "zone-a", "zone-b", "n0", "n1", "t0", "t1", "j0", "", "rz"});
}

Json Dice::Labels() {
  Json out = Json::MakeObject();
  for (size_t i = Below(4); i > 0; --i) out[LabelKey()] = LabelValue();
  return out;
}

Json Dice::LabelSelector() {
  Json out = Json::MakeObject();
  if (Chance(0.6)) out["matchLabels"] = Labels();
  if (Chance(0.4)) {
    Json expression = Json::MakeObject();
    expression["key"] = LabelKey();
    expression["operator"] = Word({"In", "NotIn", "Exists", "DoesNotExist"});
    Json::Array values;
    for (size_t i = Below(3); i > 0; --i) values.push_back(LabelValue());
    if (!values.empty()) expression["values"] = std::move(values);
    out["matchExpressions"] = Json::MakeArray({expression});
  }
  return out;
}

Json Dice::Anything(int depth) {
  switch (rng_.Below(depth > 0 ? 11 : 8)) {
    case 0:
      return {};
    case 1:
      return Chance(0.5);
    case 2:
    case 3:
      return kOddNumbers[rng_.Below(std::size(kOddNumbers))];
    case 4:
      return Chance(0.5) ? 1e300 : -0.5;
    case 5:
      return kOddAmounts[rng_.Below(std::size(kOddAmounts))];
    case 6:
      return kOddTimes[rng_.Below(std::size(kOddTimes))];
    case 7:
      return OddText(rng_);
    case 8:
      return Json::MakeArray();
    case 9: {
      Json out = Json::MakeObject();
      out[Chance(0.3) ? std::string() : LabelKey()] = Anything(depth - 1);
      return out;
    }
    default:
      return Json::MakeArray({Anything(depth - 1), Anything(depth - 1)});
  }
}

void Dice::SpoilOne(Json* value, int depth) {
  const bool inner = value->size() > 0;
  if (inner && !Chance(depth == 0 ? 0.0 : 0.15)) {
    const size_t at = Below(value->size());
    if (value->is_object()) {
      // Who an object is stays: another name would be another object.
      const std::string& key = value->members()[at].first;
      if (depth == 0 && (key == "apiVersion" || key == "kind")) return;
      if (depth == 1 && (key == "name" || key == "namespace")) return;
      if (depth > 1 && Chance(0.08)) {
        value->MutableMembers().erase(value->MutableMembers().begin() + static_cast<int64_t>(at));
      } else {
        SpoilOne(&value->MutableMembers()[at].second, depth + 1);
      }
      return;
    }
    if (Chance(0.15)) {
      Json twin = value->items()[at];
      value->MutableItems().push_back(std::move(twin));
    } else {
      SpoilOne(&value->MutableItems()[at], depth + 1);
    }
    return;
  }
  if (depth == 0) return;
  if (value->is_object() && Chance(0.5)) {
    (*value)[Chance(0.3) ? std::string() : LabelKey()] = Anything(1);
  } else if (value->is_number() && Chance(0.7)) {
    *value = kOddNumbers[rng_.Below(std::size(kOddNumbers))];
  } else if (value->is_string() && Chance(0.7)) {
    *value = Chance(0.5) ? Json(OddText(rng_)) : Json(kOddAmounts[Below(std::size(kOddAmounts))]);
  } else {
    *value = Anything(2);
  }
}

void Dice::Spoil(Json* object) {
  for (size_t i = 1 + Below(3); i > 0; --i) SpoilOne(object, 0);
}

}  // namespace bth::hostile
