// The scale subresource of built-in and custom resources.
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

Options WithLines() {
  Json definition = LineDefinition();
  Json& version = definition["spec"]["versions"].MutableItems()[0];
  version["subresources"]["scale"].Set("labelSelectorPath", ".status.selector");
  version["schema"].Set("openAPIV3Schema",
                        Parse(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})"));
  Options options;
  options.crds = {definition};
  return options;
}

}  // namespace

TEST_CASE("scale: reads and writes the count of the object") {
  Bed bed;
  const std::string at = "/apis/apps/v1/namespaces/default/deployments";
  const Answer made = bed.Post(
      at, R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
    "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  REQUIRE(made.code == 201);
  const Answer scale = bed.Get(at + "/d/scale");
  CHECK(scale.at({"kind"}) == "Scale");
  CHECK(scale.at({"apiVersion"}) == "autoscaling/v1");
  CHECK(scale.at({"spec", "replicas"}) == "2");
  CHECK(scale.at({"status", "selector"}) == "a=b");
  CHECK(bed.Merge(at + "/d/scale", R"({"spec":{"replicas":5}})").at({"spec", "replicas"}) == "5");
  CHECK(bed.Get(at + "/d").at({"spec", "replicas"}) == "5");
  CHECK(bed.Get(at + "/d").at({"metadata", "generation"}) == "2");
  CHECK(bed.Put(at + "/d/scale", scale.text).code == 409);
  CHECK(bed.Merge(at + "/d/scale", R"({"spec":{"replicas":-1}})").code == 422);
  CHECK(bed.Get("/api/v1/namespaces/default/pods/x/scale").code == 404);
}

TEST_CASE("scale: a selector with requirements is written as clients write it") {
  Bed bed;
  const std::string at = "/apis/apps/v1/namespaces/default/deployments";
  REQUIRE(
      bed.Post(at, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"c":"d","a":"b"},
      "matchExpressions":[{"key":"a","operator":"In","values":["z","b"]},{"key":"e","operator":"Exists"},
      {"key":"aa","operator":"DoesNotExist"},{"key":"q","operator":"NotIn","values":["y","x"]}]},
      "template":{"metadata":{"labels":{"a":"b","c":"d","e":"f"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
          .code == 201);
  CHECK(bed.Get(at + "/d/scale").at({"status", "selector"}) ==
        "a=b,a in (b,z),!aa,c=d,e,q notin (x,y)");
}

TEST_CASE("scale: a custom resource tells and takes replicas where its definition says") {
  Bed bed(WithLines());
  const std::string at = StrCat(kLines, "/l");
  REQUIRE(bed.Post(kLines, R"({"metadata":{"name":"l"},"spec":{}})").code == 201);
  const Answer none = bed.Get(at + "/scale");
  CHECK(none.code == 500);
  CHECK(none.message() ==
        R"(Internal error occurred: the spec replicas field ".spec.size" does not exist)");
  const char* four =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"l"},"spec":{"replicas":4}})";
  CHECK(bed.Put(at + "/scale", four).at({"spec", "replicas"}) == "4");
  bed.Merge(at + "/status", R"({"status":{"size":3,"selector":"x=y"}})");
  const Answer scale = bed.Get(at + "/scale");
  CHECK(scale.at({"spec"}) == R"({"replicas":4})");
  CHECK(scale.at({"status"}) == R"({"replicas":3,"selector":"x=y"})");
  CHECK(scale.at({"metadata", "uid"}) == bed.Get(at).at({"metadata", "uid"}));
  CHECK(bed.Patch(at + "/scale", "json-patch+json",
                  R"([{"op":"replace","path":"/spec/replicas","value":8}])")
            .at({"spec", "replicas"}) == "8");
  CHECK(bed.Merge(at + "/scale", R"({"spec":{"replicas":null}})").at({"spec"}) == "{}");
  CHECK(bed.Get(at).at({"spec", "size"}) == "0");
  CHECK(
      bed.Merge(at + "/scale?dryRun=All", R"({"spec":{"replicas":9}})").at({"spec", "replicas"}) ==
      "9");
  CHECK(bed.Get(at).at({"spec", "size"}) == "0");
}

TEST_CASE("scale: what is refused") {
  Bed bed(WithLines());
  const std::string at = StrCat(kLines, "/l/scale");
  REQUIRE(bed.Post(kLines, R"({"metadata":{"name":"l"},"spec":{"size":1}})").code == 201);
  struct Case {
    const char* body;
    int code;
  };
  const Case cases[] = {
      {R"({"metadata":{"name":"l"},"spec":{"replicas":-1}})", 422},
      {R"({"metadata":{"name":"m"},"spec":{"replicas":1}})", 400},
      {R"({"metadata":{},"spec":{"replicas":1}})", 400},
      {R"({"spec":{"replicas":1}})", 400},
      {R"({"metadata":{"name":"l","namespace":"x"},"spec":{"replicas":1}})", 400},
      {R"({"kind":"Foo","metadata":{"name":"l"},"spec":{"replicas":1}})", 400},
      {R"({"apiVersion":"v1","metadata":{"name":"l"},"spec":{"replicas":1}})", 400},
      {R"({"metadata":{"name":"l"},"spec":{"replicas":"1"}})", 400},
      {R"({"metadata":{"name":"l"},"spec":{"replicas":3000000000}})", 400},
      {R"({"metadata":{"name":"l","resourceVersion":"1"},"spec":{"replicas":1}})", 409},
      {R"({"metadata":{"name":"l","uid":"other"},"spec":{"replicas":1}})", 409},
  };
  for (const Case& c : cases) {
    INFO(c.body);
    CHECK(bed.Put(at, c.body).code == c.code);
  }
  CHECK(bed.Patch(at, "strategic-merge-patch+json", R"({"spec":{"replicas":7}})").code == 415);
  CHECK(bed.Merge(at, R"({"metadata":{"resourceVersion":"1"},"spec":{"replicas":7}})").code == 409);
  CHECK(bed.Post(at, cases[0].body).code == 405);
  CHECK(bed.Delete(at).code == 405);
  CHECK(bed.Get(StrCat(kLines, "/none/scale")).code == 404);
  CHECK(bed.Get(StrCat(kLines, "/l")).at({"spec", "size"}) == "1");
}

TEST_CASE("scale: of a kind that cannot be scaled the object is not found") {
  Options options;
  Json definition = LineDefinition();
  definition["spec"]["versions"].MutableItems()[0]["subresources"].Erase("scale");
  options.crds = {definition};
  Bed bed(std::move(options));
  REQUIRE(bed.Post(kLines, R"({"metadata":{"name":"l"},"spec":{"size":1}})").code == 201);
  const char* one = R"({"metadata":{"name":"l"},"spec":{"replicas":1}})";
  for (const char* name : {"l", "none"}) {
    const std::string at = StrCat(kLines, "/", name, "/scale");
    const std::string words = StrCat(R"(lines.batch.example.com ")", name, R"(" not found)");
    CHECK(bed.Get(at).message() == words);
    CHECK(bed.Put(at, one).message() == words);
    CHECK(bed.Merge(at, one).message() == words);
    CHECK(bed.Post(at, one).message() == words);
    CHECK(bed.Get(at).code == 404);
  }
}

}  // namespace bth::apiserver::testing
