// The patch languages as functions, then through the API.
#include "apiserver/patch/patch.h"

#include <string>
#include <utility>

#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

// [[[...]]]
Json NestedLists(int levels) {
  Json value = Json::MakeArray();
  for (int i = 1; i < levels; ++i) {
    Json::Array items;
    items.push_back(std::move(value));
    value = Json(std::move(items));
  }
  return value;
}

// "/n/0/0/0/-": the end of what lies so many levels down.
std::string EndOfLists(std::string_view name, int levels) {
  std::string path(name);
  for (int i = 1; i < levels; ++i) path += "/0";
  return path + "/-";
}

Json MoveOrCopy(const char* op, const std::string& from, const std::string& path) {
  return Json::MakeObject({{"op", op}, {"from", from}, {"path", path}});
}

}  // namespace

TEST_CASE("json patch: the examples of RFC 6902") {
  struct Case {
    const char* document;
    const char* patch;
    const char* result;  // Null: refused.
  };
  const Case cases[] = {
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"baz":"qux","foo":"bar"})"},
      {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
       R"({"foo":["bar","qux","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
      {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
       R"({"foo":["bar","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
       R"({"baz":"boo","foo":"bar"})"},
      {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
      {R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})"},
      {R"({"baz":"qux","foo":["a",2,"c"]})",
       R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
       R"({"baz":"qux","foo":["a",2,"c"]})"},
      {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])", nullptr},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
       R"({"foo":"bar","child":{"grandchild":{}}})"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])",
       R"({"foo":"bar","baz":"qux"})"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])", nullptr},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})"},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])", nullptr},
      {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
       R"({"foo":["bar",["abc","def"]]})"},
      {R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1,"b":1})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/3","value":3}])", nullptr},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/01"}])", nullptr},
      {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])", nullptr},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])", nullptr},
      {R"({"a":1})", R"([{"op":"remove","path":"a"}])", nullptr},
      {R"({"a":1})", R"([{"op":"frob","path":"/a"}])", nullptr},
      {R"({"a":1})", R"([{"op":"add","path":"/b"}])", nullptr},
      {R"({"a":1})", R"({"op":"add"})", nullptr},
      {R"({"a":null})", R"([{"op":"test","path":"/a","value":null}])", R"({"a":null})"},
  };
  for (const Case& c : cases) {
    INFO(c.document << " " << c.patch);
    const absl::StatusOr<Json> result = ApplyJsonPatch(Parse(c.document), Parse(c.patch));
    CHECK(result.ok() == (c.result != nullptr));
    if (result.ok() && c.result != nullptr) CHECK(*result == Parse(c.result));
  }
}

TEST_CASE("json patch: copies that double are stopped") {
  Json::Array patch;
  for (int i = 0; i < 64; ++i) {
    patch.push_back(Parse(R"({"op":"copy","from":"/a","path":"/a/-"})"));
  }
  CHECK_FALSE(ApplyJsonPatch(Parse(R"({"a":[1,2,3]})"), Json(patch)).ok());
}

TEST_CASE("json patch: what it nests is stopped on the way") {
  const Json tall = NestedLists(100);
  const std::string end = EndOfLists("/n", 100);
  const Json copy = MoveOrCopy("copy", "/v", "/n");
  struct Case {
    const char* about;
    Json x;
    Json patch;
    int refused;  // The operation that is; -1: none.
  };
  const Case cases[] = {
      {"a move, though the next one would take it away", tall,
       Json::MakeArray({copy, MoveOrCopy("move", "/x", end), MoveOrCopy("move", "/n", "/x"), copy,
                        MoveOrCopy("move", "/x", end), MoveOrCopy("move", "/v", "")}),
       1},
      {"a copy", tall, Json::MakeArray({copy, MoveOrCopy("copy", "/x", end)}), 1},
      {"an added value", tall,
       Json::MakeArray(
           {copy, Json::MakeObject({{"op", "add"}, {"path", end}, {"value", NestedLists(28)}})}),
       1},
      {"a replaced value", tall,
       Json::MakeArray({copy, MoveOrCopy("copy", "/s", end),
                        Json::MakeObject({{"op", "replace"},
                                          {"path", end.substr(0, end.size() - 1) + "0"},
                                          {"value", NestedLists(28)}})}),
       2},
      {"one level too many", NestedLists(28),
       Json::MakeArray({copy, MoveOrCopy("move", "/x", end)}), 1},
      {"as many as there may be", NestedLists(27),
       Json::MakeArray({copy, MoveOrCopy("move", "/x", end)}), -1},
  };
  for (const Case& c : cases) {
    INFO(c.about);
    const Json document = Json::MakeObject({{"v", tall}, {"x", c.x}, {"s", 1}});
    const absl::Status status = ApplyJsonPatch(document, c.patch).status();
    CHECK(status.ok() == (c.refused < 0));
    if (c.refused < 0) continue;
    CHECK_THAT(std::string(status.message()),
               Catch::Contains(StrCat("operation ", c.refused,
                                      ": the object is nested too deeply "
                                      "with this value at \"/n/0/0")));
  }
}

TEST_CASE("json patch: members and items may be moved so often") {
  constexpr size_t kCount = 200'000;
  Json::Array items(kCount, Json(1));
  Json members = Json::MakeObject();
  for (size_t i = 0; i < kCount; ++i) members.MutableMembers().emplace_back(StrCat("k", i), 1);
  const Json list = Json::MakeObject({{"x", Json(std::move(items))}});
  const Json map = Json::MakeObject({{"x", std::move(members)}});
  const Json front = Json::MakeObject({{"op", "add"}, {"path", "/x/0"}, {"value", 1}});
  struct Case {
    const char* about;
    Json document;
    Json once, then;  // In turns.
    bool ok;
  };
  const Case cases[] = {
      {"at the front of a long list", list, MoveOrCopy("move", "/x/0", "/x/0"),
       MoveOrCopy("move", "/x/1", "/x/0"), false},
      {"at its end", list, MoveOrCopy("move", "/x/199998", "/x/-"),
       MoveOrCopy("move", "/x/199999", "/x/199998"), true},
      {"at the front of a short list", Parse(R"({"x":[]})"), front, front, true},
      {"a large value, which is measured", list, MoveOrCopy("move", "/x", "/y"),
       MoveOrCopy("move", "/y", "/x"), false},
      {"among many members", map, MoveOrCopy("move", "/x/k1", "/x/new"),
       MoveOrCopy("move", "/x/new", "/x/k1"), false},
  };
  for (const Case& c : cases) {
    INFO(c.about);
    Json::Array patch;
    for (int i = 0; i < 5000; ++i) {
      patch.push_back(c.once);
      patch.push_back(c.then);
    }
    const absl::Status status = ApplyJsonPatch(c.document, Json(std::move(patch))).status();
    CHECK(status.ok() == c.ok);
    if (!c.ok) {
      CHECK_THAT(std::string(status.message()), Catch::Contains("the patch takes too much effort"));
    }
  }
}

TEST_CASE("json patch: copies may take as much as a body") {
  Bed bed;
  REQUIRE(bed.Post(kConfigs, ConfigJson("a")).code == 201);
  std::string patch =
      StrCat(R"([{"op":"add","path":"/data/k","value":")", std::string(1'000'000, 'x'), "\"}");
  for (int i = 0; i < 1000; ++i) {
    // Over and over to the same place: the object itself stays small enough.
    StrAppend(&patch, R"(,{"op":"copy","from":"/data/k","path":"/data/l"})");
  }
  const Answer refused = bed.Patch(StrCat(kConfigs, "/a"), "json-patch+json", patch + "]");
  CHECK(refused.code == 422);
  CHECK(refused.reason() == "Invalid");
  CHECK_THAT(refused.message(),
             Catch::Contains("operation 4: Unable to complete the copy, the accumulated size "
                             "increase of copy is 4000008, exceeding the limit 3145728"));
  const std::string add = patch.substr(0, patch.find("},{\"op\":\"copy\"") + 1);
  CHECK(bed.Patch(StrCat(kConfigs, "/a"), "json-patch+json",
                  StrCat(add, R"(,{"op":"copy","from":"/data/k","path":"/data/l"}])"))
            .code == 200);
}

TEST_CASE("merge patch: the examples of RFC 7386") {
  struct Case {
    const char* document;
    const char* patch;
    const char* result;
  };
  const Case cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const Case& c : cases) {
    INFO(c.document << " " << c.patch);
    CHECK(ApplyMergePatch(Parse(c.document), Parse(c.patch)) == Parse(c.result));
  }
}

TEST_CASE("strategic patch: lists with keys merge, others are replaced") {
  struct Case {
    const char* about;
    const char* document;
    const char* patch;
    const char* result;  // Null: refused.
  };
  const Case cases[] = {
      {"containers by name",
       R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})",
       R"({"spec":{"containers":[{"name":"b","image":"3"},{"name":"c","image":"4"}]}})",
       R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},{"name":"c","image":"4"}]}})"},
      {"env inside containers",
       R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y","value":"2"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"3"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y","value":"3"}]}]}})"},
      {"an item deleted", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
       R"({"spec":{"containers":[{"$patch":"delete","name":"a"}]}})",
       R"({"spec":{"containers":[{"name":"b"}]}})"},
      {"the list replaced", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
       R"({"spec":{"containers":[{"$patch":"replace"},{"name":"z"}]}})",
       R"({"spec":{"containers":[{"name":"z"}]}})"},
      {"an object replaced", R"({"spec":{"securityContext":{"a":1,"b":2}}})",
       R"({"spec":{"securityContext":{"$patch":"replace","c":3}}})",
       R"({"spec":{"securityContext":{"c":3}}})"},
      {"an object deleted", R"({"spec":{"affinity":{"a":1},"x":1}})",
       R"({"spec":{"affinity":{"$patch":"delete"}}})", R"({"spec":{"x":1}})"},
      {"tolerations are atomic", R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})",
       R"({"spec":{"tolerations":[{"key":"c"}]}})", R"({"spec":{"tolerations":[{"key":"c"}]}})"},
      {"conditions by type",
       R"({"status":{"conditions":[{"type":"Ready","status":"False","reason":"x"}]}})",
       R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":null},{"type":"New","status":"True"}]}})",
       R"({"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"New","status":"True"}]}})"},
      {"finalizers are a set", R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"finalizers":["b","c"]}})", R"({"metadata":{"finalizers":["a","b","c"]}})"},
      {"a set item deleted", R"({"metadata":{"finalizers":["a","b"]}})",
       R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
       R"({"metadata":{"finalizers":["b"]}})"},
      {"owners by uid", R"({"metadata":{"ownerReferences":[{"uid":"1","name":"a"}]}})",
       R"({"metadata":{"ownerReferences":[{"uid":"2","name":"b"},{"$patch":"delete","uid":"1"}]}})",
       R"({"metadata":{"ownerReferences":[{"uid":"2","name":"b"}]}})"},
      {"pull secrets by name", R"({"spec":{"imagePullSecrets":[{"name":"a"}]}})",
       R"({"spec":{"imagePullSecrets":[{"name":"b"}]}})",
       R"({"spec":{"imagePullSecrets":[{"name":"a"},{"name":"b"}]}})"},
      {"ports by number",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"x"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"}]}]}})"},
      {"retained keys", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
       R"({"spec":{"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{"path":"/x"}}]}})",
       R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})"},
      {"the order given", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
       R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"},{"name":"d"}],"containers":[{"name":"d"}]}})",
       R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"},{"name":"d"}]}})"},
      {"what is deleted may come back as something new",
       R"({"spec":{"containers":[{"name":"a","image":"1","tty":true}]}})",
       R"({"spec":{"containers":[{"name":"a","image":"2"},{"$patch":"delete","name":"a"}]}})",
       R"({"spec":{"containers":[{"name":"a","image":"2"}]}})"},
      {"all items of a deleted key go",
       R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[{"$patch":"delete","containerPort":53}]}]}})",
       R"({"spec":{"containers":[{"name":"a","ports":[]}]}})"},
      {"a key missing", R"({"spec":{"containers":[{"name":"a"}]}})",
       R"({"spec":{"containers":[{"image":"x"}]}})", nullptr},
      {"an unknown directive", R"({"spec":{}})", R"({"spec":{"$patch":"explode"}})", nullptr},
      {"null removes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
       R"({"metadata":{"labels":{"a":null}}})", R"({"metadata":{"labels":{"b":"2"}}})"},
      {"directives do not stay in what is new", R"({})",
       R"({"spec":{"containers":[{"$patch":"delete","name":"x"},{"name":"y","env":null}],"$setElementOrder/containers":[{"name":"y"}]}})",
       R"({"spec":{"containers":[{"name":"y"}]}})"},
  };
  for (const Case& c : cases) {
    INFO(c.about);
    const absl::StatusOr<Json> result =
        ApplyStrategicPatch(Parse(c.document), Parse(c.patch), "", "Pod");
    CHECK(result.ok() == (c.result != nullptr));
    if (result.ok() && c.result != nullptr) {
      CHECK(result->Pretty() == Parse(c.result).Pretty());
    }
  }
}

TEST_CASE("strategic patch: templates follow the kind that holds them") {
  const Json document = Parse(R"({"spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}})");
  const Json patch = Parse(R"({"spec":{"template":{"spec":{"containers":[{"name":"b"}]}}}})");
  CHECK((*ApplyStrategicPatch(document, patch, "apps",
                              "Deployment"))["spec"]["template"]["spec"]["containers"]
            .size() == 2);
  // A custom resource of the same shape has no keys.
  CHECK((*ApplyStrategicPatch(document, patch, "batch.volcano.sh",
                              "Job"))["spec"]["template"]["spec"]["containers"]
            .size() == 1);
}

TEST_CASE("patch requests: each language, and what is refused") {
  Bed bed;
  const std::string at = StrCat(kPods, "/a");
  const Answer made = bed.Post(kPods, PodJson("a"));
  CHECK(bed.Patch(at, "strategic-merge-patch+json",
                  R"({"spec":{"containers":[{"name":"c","image":"new"}]}})")
            .at({"metadata", "generation"}) == "2");
  CHECK(bed.Patch(at, "json-patch+json",
                  R"([{"op":"add","path":"/metadata/labels","value":{"x":"1"}}])")
            .at({"metadata", "labels", "x"}) == "1");
  const Answer failed = bed.Patch(at, "json-patch+json",
                                  R"([{"op":"test","path":"/metadata/labels/x","value":"2"}])");
  CHECK(failed.code == 422);
  CHECK(failed.reason() == "Invalid");
  CHECK(bed.Patch(at, "json-patch+json", R"({"op":"test"})").code == 400);
  CHECK(bed.Patch(at, "merge-patch+json", R"([])").code == 400);
  CHECK(bed.Patch(at, "frog", "{}").code == 415);
  const Answer stale = bed.Merge(at, R"({"metadata":{"resourceVersion":"1","labels":{"x":"9"}}})");
  CHECK(stale.code == 409);
  CHECK(stale.reason() == "Conflict");
  CHECK(bed.Merge(at, R"({"metadata":{"uid":"other"}})").code == 422);
  const std::string right =
      StrCat(R"({"metadata":{"uid":")", made.at({"metadata", "uid"}), R"(","labels":{"x":"3"}}})");
  CHECK(bed.Merge(at, right).at({"metadata", "labels", "x"}) == "3");
  CHECK(bed.Merge(StrCat(kPods, "/no"), "{}").code == 404);
}

}  // namespace bth::apiserver::testing
