// Custom resources through their schemas: versions, changes of definitions, names, merging.
#include <string>
#include <vector>

#include "apiserver/schema/list_rules.h"
#include "apiserver/schema/validate.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

const char kParts[] = "/apis/shop.example.com/v1/namespaces/default/parts";

Json Version(const char* name, bool storage, const std::string& spec_properties) {
  return Parse(StrCat(
      R"({"name":")", name, R"(","served":true,"storage":)", storage ? "true" : "false",
      R"(,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","properties":{)",
      spec_properties,
      R"(}},"status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}})"));
}

Json Definition(std::vector<Json> versions, const char* plural = "parts",
                const char* kind = "Part") {
  Json definition = Json::MakeObject(
      {{"metadata", Json::MakeObject({{"name", StrCat(plural, ".shop.example.com")}})},
       {"spec",
        Json::MakeObject({{"group", "shop.example.com"},
                          {"scope", "Namespaced"},
                          {"names", Json::MakeObject({{"plural", plural}, {"kind", kind}})}})}});
  definition["spec"].Set("versions", Json(std::move(versions)));
  return definition;
}

Bed BedWith(Json definition) {
  Options options;
  options.crds = {std::move(definition)};
  return Bed(std::move(options));
}

std::string Part(std::string_view name, std::string_view spec) {
  return StrCat(R"({"metadata":{"name":")", std::string(name), R"("},"spec":)", std::string(spec),
                "}");
}

// Replaces the spec of a definition.
Answer Redefine(Bed& bed, const Json& definition) {
  const std::string path =
      StrCat(kDefinitions, "/", std::string(definition["metadata"]["name"].AsString()));
  Json patch = Json::MakeObject({{"spec", definition["spec"]}});
  return bed.Merge(path, patch.Dump());
}

std::string PartPath(std::string_view name) {
  return StrCat(kParts, "/", std::string(name));
}

}  // namespace

TEST_CASE("schema: a stricter one lets stay what does not change") {
  struct Case {
    const char* patch;
    const char* refused;  // The field, or nothing.
  };
  const Case cases[] = {
      {R"({"metadata":{"labels":{"a":"b"}}})", ""},
      {R"({"spec":{"other":"x"}})", ""},
      {R"({"spec":{"text":"lang"}})", "spec.text"},
      {R"({"spec":{"text":"ok"}})", ""},
      {R"({"spec":{"inner":{"free":1}}})", "spec.inner.must"},
      {R"({"spec":{"keyed":[{"k":"b"},{"k":"a","n":1}]}})", ""},
      {R"({"spec":{"keyed":[{"k":"a","n":2}]}})", "spec.keyed[0].n"},
      {R"({"spec":{"plain":[{"n":1,"o":1}]}})", "spec.plain[0].n"},
      {R"({"spec":{"set":["a","a","b"]}})", ""},
  };
  const char list[] =
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
        "items":{"type":"object","required":["k"],
                 "properties":{"k":{"type":"string"},"n":{"type":"integer"%s}}}})";
  auto properties = [&](const char* length, const char* must, const char* least,
                        const char* unique) {
    std::string keyed = list;
    keyed.replace(keyed.find("%s"), 2, least);
    return StrCat(R"("text":{"type":"string")", length, R"(},"other":{"type":"string"},
          "inner":{"type":"object","properties":{"free":{"type":"integer"},
                   "must":{"type":"string"}})",
                  must, R"(},"keyed":)", keyed,
                  R"(,"plain":{"type":"array","items":{"type":"object",
          "properties":{"o":{"type":"integer"},"n":{"type":"integer")",
                  least, R"(}}}},"set":{"type":"array","items":{"type":"string"})", unique, "}");
  };
  for (const Case& c : cases) {
    INFO(c.patch);
    Bed bed = BedWith(Definition({Version("v1", true, properties("", "", "", ""))}));
    REQUIRE(bed.Post(kParts, Part("p", R"({"text":"long","inner":{},"keyed":[{"k":"a","n":1}],
                                          "plain":[{"n":1}],"set":["a","a"]})"))
                .code == 201);
    REQUIRE(
        Redefine(bed, Definition({Version(
                          "v1", true,
                          properties(R"(,"maxLength":2)", R"(,"required":["must"])",
                                     R"(,"minimum":5)", R"(,"x-kubernetes-list-type":"set")"))}))
            .code == 200);
    const Answer answer = bed.Merge(PartPath("p"), c.patch);
    INFO(answer.text);
    CHECK(answer.code == (*c.refused == '\0' ? 200 : 422));
    if (answer.code == 422) {
      const Json& causes = answer.body["details"]["causes"];
      REQUIRE(causes.size() == 1);
      CHECK(causes[size_t{0}]["field"].AsString() == c.refused);
    }
  }
}

TEST_CASE("schema: objects are answered by the present one") {
  Bed bed =
      BedWith(Definition({Version("v1", true, R"("a":{"type":"string"},"b":{"type":"string"})")}));
  const Answer made = bed.Post(kParts, Part("p", R"({"a":"x","b":"y"})"));
  REQUIRE(Redefine(bed, Definition({Version(
                            "v1", true,
                            R"("a":{"type":"string"},"c":{"type":"string","default":"new"})")}))
              .code == 200);
  const Answer read = bed.Get(PartPath("p"));
  CHECK(read.body["spec"].Dump() == R"({"a":"x","c":"new"})");
  CHECK(read.at({"metadata", "resourceVersion"}) == made.at({"metadata", "resourceVersion"}));
  const Answer list = bed.Get(kParts);
  CHECK(list.body["items"][size_t{0}]["spec"] == read.body["spec"]);
  // Nothing was written, so nobody is told.
  auto events = bed.Watch(StrCat(kParts, "?watch=1"));
  CHECK(events->Names() == std::vector<std::string>{"ADDED p"});
  // The default alone is no change.
  const Answer same = bed.Merge(PartPath("p"), R"({"spec":{"c":null}})");
  CHECK(same.at({"metadata", "generation"}) == "1");
  CHECK(events->all.size() == 1);
}

TEST_CASE("schema: versions know different fields, and the stored one may move") {
  const Json both = Definition(
      {Version("v1", true, R"("a":{"type":"string"},"b":{"type":"string"})"),
       Version("v2", false, R"("a":{"type":"string"},"only":{"type":"string","default":"two"})")});
  Bed bed = BedWith(both);
  const std::string second = "/apis/shop.example.com/v2/namespaces/default/parts";
  REQUIRE(bed.Post(kParts, Part("p", R"({"a":"x","b":"y"})")).code == 201);
  CHECK(bed.Get(second + "/p").body["spec"].Dump() == R"({"a":"x"})");
  CHECK(bed.Get(second + "/p").at({"apiVersion"}) == "shop.example.com/v2");
  const Answer made = bed.Post(second, Part("q", R"({"a":"x"})"));
  CHECK(made.body["spec"].Dump() == R"({"a":"x"})");
  CHECK(made.at({"apiVersion"}) == "shop.example.com/v2");
  CHECK(bed.Get(PartPath("q")).at({"apiVersion"}) == "shop.example.com/v1");
  Json moved = both;
  moved["spec"]["versions"].MutableItems()[0].Set("storage", false);
  moved["spec"]["versions"].MutableItems()[1].Set("storage", true);
  const Answer definition = Redefine(bed, moved);
  REQUIRE(definition.code == 200);
  CHECK(definition.body["status"]["storedVersions"].Dump() == R"(["v1","v2"])");
  CHECK(bed.Get(second + "/p").body["spec"].Dump() == R"({"a":"x","only":"two"})");
  CHECK(bed.Get(PartPath("p")).body["spec"].Dump() == R"({"a":"x"})");
  CHECK(bed.Get(PartPath("p")).at({"apiVersion"}) == "shop.example.com/v1");
  Json alone = moved;
  alone["spec"]["versions"].MutableItems().erase(alone["spec"]["versions"].MutableItems().begin());
  const Answer refused = Redefine(bed, alone);
  CHECK(refused.code == 422);
  CHECK_THAT(refused.message(), Catch::Contains("status.storedVersions[0]"));
}

TEST_CASE("schema: names belong to the first definition that has them") {
  Bed bed;
  const std::string firsts = StrCat(kDefinitions, "/firsts.shop.example.com");
  const std::string seconds = StrCat(kDefinitions, "/seconds.shop.example.com");
  REQUIRE(
      bed.Post(kDefinitions, Definition({Version("v1", true, "")}, "firsts", "One").Dump()).code ==
      201);
  const Answer waits =
      bed.Post(kDefinitions, Definition({Version("v1", true, "")}, "seconds", "One").Dump());
  REQUIRE(waits.code == 201);
  const Json& names = waits.body["status"]["conditions"][size_t{0}];
  CHECK(names["status"].AsString() == "False");
  CHECK(names["reason"].AsString() == "ListKindConflict");
  CHECK(names["message"].AsString() == "\"OneList\" is already in use");
  CHECK(bed.Get("/apis/shop.example.com/v1/seconds").code == 404);
  REQUIRE(bed.Delete(firsts).code == 200);
  CHECK(bed.Get("/apis/shop.example.com/v1/seconds").code == 200);
  const Answer served = bed.Get(seconds);
  CHECK(served.body["status"]["conditions"][size_t{1}]["status"].AsString() == "True");
}

TEST_CASE("schema: unknown fields are refused, told or ignored as asked") {
  Bed bed = BedWith(Definition({Version("v1", true, R"("a":{"type":"string"})")}));
  const std::string body = R"({"metadata":{"name":"p","stray":1},"spec":{"a":"x","b":{"c":1}}})";
  const Answer refused = bed.Post(StrCat(kParts, "?fieldValidation=Strict"), body);
  CHECK(refused.code == 400);
  CHECK(refused.message() ==
        "Part in version \"v1\" cannot be handled as a Part: strict decoding error: unknown field "
        "\"metadata.stray\", unknown field \"spec.b\"");
  CHECK(bed.Post(StrCat(kParts, "?fieldValidation=Sometimes"), body).code == 422);
  const Answer twice = bed.Post(
      StrCat(kParts, "?fieldValidation=Strict"),
      R"({"metadata":{"name":"t"},"spec":{"a":"x,]}\"","a":"y"},"metadata":{"name":"t"}})");
  CHECK(twice.code == 400);
  CHECK_THAT(twice.message(),
             Catch::EndsWith("duplicate field \"spec.a\", duplicate field \"metadata\""));
  const Answer quiet = bed.Post(StrCat(kParts, "?fieldValidation=Ignore&dryRun=All"), body);
  CHECK(quiet.code == 201);
  CHECK_FALSE(quiet.headers.Has("warning"));
  const Answer told = bed.Post(kParts, body);
  CHECK(told.headers.Get("warning") == "299 - \"unknown field \\\"metadata.stray\\\"\"");
  CHECK(told.body["spec"].Dump() == R"({"a":"x"})");
  CHECK(told.body["metadata"]["stray"].is_null());
  const Answer patch =
      bed.Merge(StrCat(PartPath("p"), "?fieldValidation=Strict"), R"({"spec":{"d":1}})");
  CHECK(patch.code == 422);
  CHECK_THAT(patch.message(), Catch::Contains("unknown field \"spec.d\""));
  const Answer apply =
      bed.Patch(StrCat(PartPath("p"), "?fieldManager=m"), "apply-patch+yaml",
                R"({"apiVersion":"shop.example.com/v1","kind":"Part","metadata":{"name":"p"},
                    "spec":{"e":1}})");
  CHECK(apply.code == 500);
  CHECK_THAT(apply.message(), Catch::Contains(".spec.e: field not declared in schema"));
}

TEST_CASE("schema: fields of built-in kinds are checked for those who ask") {
  Bed bed;
  const std::string pod = PodJson("a", R"(,"nodeSelektor":{"a":"b"})");
  const Answer refused = bed.Post(StrCat(kPods, "?fieldValidation=Strict"), pod);
  CHECK(refused.code == 400);
  CHECK_THAT(refused.message(), Catch::Contains("unknown field \"spec.nodeSelektor\""));
  CHECK(bed.Post(StrCat(kPods, "?fieldValidation=Strict"),
                 PodJson(
                     "b",
                     R"(,"volumes":[{"name":"v","emptyDir":{}},{"name":"w","projected":{"sources":[
                   {"serviceAccountToken":{"path":"p"}}]}}],"nodeName":"n")"))
            .code == 201);
  const Answer deep = bed.Post(StrCat(kPods, "?fieldValidation=Strict"),
                               PodJson("c", R"(,"volumes":[{"name":"v","emptyDir":{"x":1}}])"));
  CHECK_THAT(deep.message(), Catch::Contains("\"spec.volumes[0].emptyDir.x\""));
  CHECK(bed.Post(StrCat(kPods, "?fieldValidation=Warn"), pod).headers.Has("warning"));
}

TEST_CASE("openapi: fields of built-in and custom kinds are published") {
  Bed bed = BedWith(Definition(
      {Version("v1", true, R"("a":{"type":"string","nullable":true,"description":"A letter."})")}));
  const Json schemas = bed.Get("/openapi/v3/api/v1").body["components"]["schemas"];
  CHECK(schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["nodeName"]["type"].AsString() ==
        "string");
  CHECK(schemas["io.k8s.api.core.v1.Pod"]["properties"]["spec"]["allOf"][size_t{0}]["$ref"]
            .AsString() == "#/components/schemas/io.k8s.api.core.v1.PodSpec");
  const Json custom = bed.Get("/openapi/v3/apis/shop.example.com/v1").body["components"]["schemas"];
  const Json& part = custom["com.example.shop.v1.Part"]["properties"];
  CHECK(part["spec"]["properties"]["a"]["description"].AsString() == "A letter.");
  CHECK(custom["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].is_object());
  const Json definitions = bed.Get("/openapi/v2").body["definitions"];
  const Json& letter =
      definitions["com.example.shop.v1.Part"]["properties"]["spec"]["properties"]["a"];
  CHECK(letter["description"].AsString() == "A letter.");
  CHECK(letter["nullable"].is_null());
  CHECK(definitions["io.k8s.api.core.v1.Pod"]["properties"]["spec"]["$ref"].AsString() ==
        "#/definitions/io.k8s.api.core.v1.PodSpec");
}

TEST_CASE("schema: how lists are merged") {
  const auto schema = StructuralSchema::Compile(Parse(R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{
      "ports":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["port","protocol"],
        "items":{"type":"object","properties":{"port":{"type":"integer"},
          "names":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}},
      "plain":{"type":"array","items":{"type":"string"}},
      "fixed":{"type":"object","x-kubernetes-map-type":"atomic"}}}}})"));
  REQUIRE(schema.ok());
  const MergeRule ports = RuleOfSchema(**schema, {"spec", "ports"});
  CHECK(ports.list == MergeRule::List::kMap);
  CHECK(ports.apply_keys == std::vector<std::string_view>{"port", "protocol"});
  CHECK(RuleOfSchema(**schema, {"spec", "ports", "names"}).list == MergeRule::List::kSet);
  CHECK(RuleOfSchema(**schema, {"spec", "plain"}).list == MergeRule::List::kAtomic);
  CHECK(RuleOfSchema(**schema, {"spec", "none", "at", "all"}).list == MergeRule::List::kAtomic);
  CHECK(IsAtomicObject(**schema, {"spec", "fixed"}));
  CHECK_FALSE(IsAtomicObject(**schema, {"spec"}));
}

TEST_CASE("schema: numbers read in messages as they were meant") {
  CHECK(NumberText(5) == "5");
  CHECK(NumberText(-2.5) == "-2.5");
  CHECK(NumberText(1e20) == "100000000000000000000");
  CHECK(NumberText(1e21) == "1e+21");
  CHECK(NumberText(0.00001) == "1e-05");
}

}  // namespace bth::apiserver::testing
