// What a body with very many members or items costs, and that it comes out as a small one would.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "apiserver/admission/builtin.h"
#include "apiserver/patch/field_set.h"
#include "apiserver/patch/lookup.h"
#include "apiserver/patch/patch.h"
#include "apiserver/protobuf/decode.h"
#include "base/rng.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/protobuf_bytes.h"
#include "tests/support/seeds.h"

namespace bth::apiserver::testing {
namespace {

// Twice as many fit into a body. Comparing each with each takes minutes.
constexpr int kMany = 150'000;

std::string Key(int i) {
  return StrCat("k", 1'000'000 + i);
}

// {"k1000000": value, ...} from `first` on.
Json ManyMembers(int first, const Json& value) {
  Json object = Json::MakeObject();
  for (int i = first; i < first + kMany; ++i) object.MutableMembers().emplace_back(Key(i), value);
  return object;
}

// [{"name": "k1000000", "x": value}, ...] from `first` on.
Json ManyItems(int first, int value) {
  Json::Array items;
  for (int i = first; i < first + kMany; ++i) {
    items.push_back(Json::MakeObject({{"name", Key(i)}, {"x", value}}));
  }
  return Json(std::move(items));
}

// CPU time, as other processes may keep the machine busy. A linear walk takes well below a second.
constexpr double kSecondsMax = 15;
class Stopwatch {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - began_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  const std::clock_t began_ = std::clock();
};

// The merge as RFC 7386 writes it down.
void SlowMerge(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Json::MakeObject();
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      target.Erase(key);
    } else {
      SlowMerge(target[key], value);
    }
  }
}

Json RandomObject(Rng& rng, bool nulls) {
  Json object = Json::MakeObject();
  const int count = static_cast<int>(rng.Below(200));
  for (int i = 0; i < count; ++i) {
    Json value(static_cast<int64_t>(rng.Below(1000)));
    if (nulls && rng.Chance(0.4)) value = Json();
    object.Set(Key(static_cast<int>(rng.Below(200))), std::move(value));
  }
  return object;
}

}  // namespace

TEST_CASE("large bodies: members come out as from a merge that scans, in the same order") {
  test::ForEachSeed(200, [](uint64_t seed) {
    Rng rng(seed);
    const Json document = RandomObject(rng, false);
    const Json patch = RandomObject(rng, true);
    Json slow = document;
    SlowMerge(slow, patch);
    CHECK(ApplyMergePatch(document, patch).Dump() == slow.Dump());
    CHECK(ApplyStrategicPatch(document, patch, "", "Frog")->Dump() == slow.Dump());
  });
}

TEST_CASE("large bodies: what was erased is not found and may be made again") {
  Json object = ManyMembers(0, 1);
  {
    Members members(object);
    for (int i = 0; i < 100; ++i) members.Erase(Key(2 * i));
    CHECK(members.Find(Key(198)) == nullptr);
    CHECK(members.Find(Key(199)) != nullptr);
    members[Key(198)] = 2;
    CHECK(members.Find(Key(198))->AsInt() == 2);
  }
  REQUIRE(object.size() == kMany - 99);
  CHECK(object.members().front().first == Key(1));
  CHECK(object.members().back().first == Key(198));
}

TEST_CASE("large bodies: items are told apart as values are compared") {
  Json::Array items;
  for (int i = 0; i < 100; ++i) items.push_back(i);
  for (const char* text : {R"({"a":1,"b":[2]})", R"([1,{"c":null}])", R"("7")", "true", "null"}) {
    items.push_back(Parse(text));
  }
  ItemIndex index({items, {}});
  for (int round = 0; round < 100; ++round) index.Find(Json("absent"));
  REQUIRE(index.hashed());
  CHECK(index.Find(Json(7.0)) == size_t{7});
  CHECK(index.Find(Json(7.5)) == std::nullopt);
  CHECK(index.Find(Parse(R"({"b":[2.0],"a":1})")) == size_t{100});
  CHECK(index.Find(Parse(R"([1,{"c":null}])")) == size_t{101});
  CHECK(index.Find(Json("7")) == size_t{102});
  CHECK(index.Find(Json(true)) == size_t{103});
  CHECK(index.Find(Json(false)) == std::nullopt);
  CHECK(index.Find(Json()) == size_t{104});
}

TEST_CASE("large bodies: merge patches take time by their size alone") {
  const Stopwatch watch;
  const Json document = ManyMembers(0, 1);
  CHECK(ApplyMergePatch(document, ManyMembers(kMany, 2)).size() == 2 * kMany);
  CHECK(ApplyMergePatch(document, ManyMembers(0, Json())).empty());
  CHECK(ApplyStrategicPatch(document, ManyMembers(kMany / 2, 2), "", "Pod")->size() ==
        kMany + kMany / 2);
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: strategic patches of lists take time by their size alone") {
  const Stopwatch watch;
  const auto pod = [](Json containers) {
    return Json::MakeObject({{"spec", Json::MakeObject({{"containers", std::move(containers)}})}});
  };
  const Json document = pod(ManyItems(0, 1));
  Json patch = pod(ManyItems(kMany / 2, 2));
  Json order = ManyItems(0, 0);
  std::reverse(order.MutableItems().begin(), order.MutableItems().end());
  patch["spec"].Set("$setElementOrder/containers", std::move(order));
  const auto merged = ApplyStrategicPatch(document, patch, "", "Pod");
  REQUIRE(merged.ok());
  const Json& containers = (*merged)["spec"]["containers"];
  REQUIRE(containers.size() == kMany + kMany / 2);
  // What is new and has no place in the order comes first.
  const Json& last = containers[size_t{kMany / 2}];
  CHECK(last["name"].AsString() == Key(kMany - 1));
  CHECK(last["x"].AsInt() == 2);
  Json deletions = ManyItems(1, 0);
  for (Json& item : deletions.MutableItems()) item.Set("$patch", "delete");
  const auto left = ApplyStrategicPatch(document, pod(std::move(deletions)), "", "Pod");
  REQUIRE(left.ok());
  CHECK((*left)["spec"]["containers"].size() == 1);
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: an apply and the account of it take time by their size alone") {
  Options options;
  options.crds = {LineDefinition()};
  Bed bed(std::move(options));
  const Stopwatch watch;
  constexpr int kFields = 50'000;  // The account of them fits into an object, too.
  const auto apply = [&](const std::string& manager, int first) {
    Json spec = Json::MakeObject();
    for (int i = first; i < first + kFields; ++i) spec.MutableMembers().emplace_back(Key(i), 1);
    const Json line = Json::MakeObject({{"apiVersion", "batch.example.com/v1"},
                                        {"kind", "Line"},
                                        {"metadata", Json::MakeObject({{"name", "l"}})},
                                        {"spec", std::move(spec)}});
    return bed.Patch(StrCat(kLines, "/l?fieldManager=", manager), "apply-patch+yaml", line.Dump());
  };
  REQUIRE(apply("one", 0).code == 201);
  // It gives up half of what it had, and shares some of the rest.
  CHECK(apply("one", kFields / 2).body["spec"].size() == kFields);
  CHECK(apply("two", kFields).body["spec"].size() == kFields + kFields / 2);
  CHECK(watch.seconds() < 2 * kSecondsMax);
}

TEST_CASE("large bodies: fields are erased in one walk") {
  const Stopwatch watch;
  Json object = Json::MakeObject({{"list", ManyItems(0, 1)}, {"map", ManyMembers(0, 1)}});
  FieldSet gone;
  for (int i = 1; i < kMany; ++i) {
    gone.insert({"f:list", StrCat(R"(k:{"name":")", Key(i), R"("})"), "."});
    gone.insert({"f:map", StrCat("f:", Key(i - 1))});
  }
  std::vector<const FieldPath*> paths;
  for (const FieldPath& path : gone) paths.push_back(&path);
  EraseFields(object, paths);
  CHECK(object.Dump() ==
        StrCat(R"({"list":[{"name":"k1000000","x":1}],"map":{")", Key(kMany - 1), R"(":1}})"));
  CHECK(ToFieldsV1(gone)["f:map"].size() == kMany - 1);
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: fields are erased in one walk, too, when their keys differ in turns") {
  const Stopwatch watch;
  Json object = Json::MakeObject({{"list", ManyItems(0, 1)}});
  FieldSet gone;
  for (int i = 1; i < kMany; ++i) {
    // In the order of the set they alternate.
    gone.insert({"f:list", StrCat(R"(k:{"name":")", Key(i), R"("})"), "f:x"});
    gone.insert({"f:list", StrCat(R"(k:{"name":")", Key(i), R"(","x":1})"), "f:name"});
  }
  std::vector<const FieldPath*> paths;
  for (const FieldPath& path : gone) paths.push_back(&path);
  EraseFields(object, paths);
  REQUIRE(object["list"].size() == kMany);
  CHECK(object["list"].items().front().size() == 2);
  CHECK(object["list"].items().back().empty());
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: an item that is named in many ways is walked through once") {
  const Stopwatch watch;
  constexpr int kNames = 15'000;
  Json::Array items;
  items.push_back(Json::MakeObject({{"name", "a"}, {"sub", ManyItems(0, 1)}}));
  Json object = Json::MakeObject({{"list", Json(std::move(items))}});
  FieldSet gone;
  for (int i = 0; i < kNames; ++i) {
    std::string blanks;
    for (int bit = 0; bit < 14; ++bit) blanks += (i >> bit & 1) != 0 ? ' ' : '\t';
    gone.insert({"f:list", StrCat(R"(k:{"name":"a")", blanks, "}"), "f:sub",
                 StrCat(R"(k:{"name":")", Key(i), R"("})"), "."});
  }
  std::vector<const FieldPath*> paths;
  for (const FieldPath& path : gone) paths.push_back(&path);
  EraseFields(object, paths);
  const Json& left = object["list"].items().front()["sub"];
  REQUIRE(left.size() == kMany - kNames);
  CHECK(left.items().front()["name"].AsString() == Key(kNames));
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: keys of a list's items may differ so much") {
  Json::Array items;
  FieldSet gone;
  for (int i = 0; i < 9; ++i) {
    items.push_back(Json::MakeObject({{Key(i), i}}));
    gone.insert({"f:list", StrCat(R"(k:{")", Key(i), R"(":)", i, "}"), "."});
  }
  Json many = Json::MakeObject();
  for (int i = 0; i < 17; ++i) many.Set(Key(100 + i), i);
  const FieldPath too_long = {"f:list", "k:" + many.Dump(), "."};
  items.push_back(many);
  Json object = Json::MakeObject({{"list", Json(items)}});
  std::vector<const FieldPath*> paths;
  for (const FieldPath& path : gone) paths.push_back(&path);
  EraseFields(object, paths);
  // The ninth set of names is not looked for, and none of seventeen.
  CHECK(object["list"].Dump() == StrCat(R"([{"k1000008":8},)", many.Dump(), "]"));
  EraseFields(object, std::vector<const FieldPath*>{&too_long});
  CHECK(object["list"].size() == 2);
}

TEST_CASE("large bodies: maps in protobuf take time by their size alone") {
  const Stopwatch watch;
  std::string data;
  for (int i = 0; i < kMany; ++i) {
    data += test::Bytes(2, test::Bytes(1, Key(i)) + test::Bytes(2, "v"));
  }
  // Of a key given twice the last holds.
  data += test::Bytes(2, test::Bytes(1, Key(0)) + test::Bytes(2, "w"));
  const auto read = DecodeProtobuf(test::Envelope("v1", "ConfigMap", data));
  REQUIRE(read.ok());
  CHECK((*read)["data"].size() == kMany);
  CHECK(read->At({"data", Key(0)}).AsString() == "w");
  CHECK(watch.seconds() < kSecondsMax);
}

TEST_CASE("large bodies: tolerations and gates of a pod take time by their number alone") {
  const Stopwatch watch;
  const auto pod = [](Json tolerations, Json gates) {
    return Json::MakeObject({{"spec", Json::MakeObject({{"tolerations", std::move(tolerations)},
                                                        {"schedulingGates", std::move(gates)}})}});
  };
  Json changed = ManyItems(0, 1);
  for (Json& item : changed.MutableItems()) item.Set("tolerationSeconds", 5);
  Json reversed = ManyItems(0, 1);
  std::reverse(reversed.MutableItems().begin(), reversed.MutableItems().end());
  const Json old = pod(ManyItems(0, 1), ManyItems(0, 1));
  CHECK(CheckPodUpdate(old, pod(changed, reversed)).empty());
  // One toleration is another one now, and one gate is new.
  changed.MutableItems().back().Set("x", 2);
  reversed.MutableItems().front().Set("x", 2);
  const std::vector<Cause> causes = CheckPodUpdate(old, pod(changed, reversed));
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].field == "spec.tolerations");
  CHECK(causes[1].field == "spec.schedulingGates");
  CHECK(watch.seconds() < kSecondsMax);
}

}  // namespace bth::apiserver::testing
