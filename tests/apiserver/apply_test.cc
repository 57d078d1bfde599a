// Server-side apply, and what other writes do to the account of who set which field.
#include "apiserver/patch/field_managers.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

Answer Apply(Bed& bed, const std::string& path, const std::string& manager,
             const std::string& body) {
  return bed.Patch(StrCat(path, "?fieldManager=", manager), "apply-patch+yaml", body);
}

std::string ConfigMapText(std::string_view data, std::string_view metadata = "") {
  return StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a")",
                std::string(metadata), R"(},"data":)", std::string(data), "}");
}

std::string Line(std::string_view more) {
  return StrCat(R"({"apiVersion":"batch.example.com/v1","kind":"Line","metadata":{"name":"l"})",
                std::string(more), "}");
}

// "one Apply .data.x .data.y; ed Update .data.z": who owns what.
std::string Account(const Answer& answer) {
  std::string text;
  PathBudget budget;
  for (const FieldManager& manager : ManagersOf(answer.body["metadata"]["managedFields"], budget)) {
    StrAppend(&text, text.empty() ? "" : "; ", manager.name,
              manager.applies ? " Apply" : " Update");
    if (!manager.subresource.empty()) StrAppend(&text, " ", manager.subresource);
    for (const FieldPath& path : manager.fields) StrAppend(&text, " ", FieldText(path));
  }
  return text;
}

const std::string kA = StrCat(kConfigs, "/a");

}  // namespace

TEST_CASE("apply: an update takes fields over, and then defends them") {
  Bed bed;
  REQUIRE(Apply(bed, kA, "one", ConfigMapText(R"({"x":"1","y":"1"})")).code == 201);
  const Answer edited = bed.Merge(kA + "?fieldManager=ed", R"({"data":{"y":"2","z":"3"}})");
  CHECK(Account(edited) == "one Apply .data.x; ed Update .data.y .data.z");
  const Answer fight = Apply(bed, kA, "one", ConfigMapText(R"({"x":"1","y":"1"})"));
  CHECK(fight.code == 409);
  CHECK(fight.message() == "Apply failed with 1 conflict: conflict with \"ed\" using v1: .data.y");
  const Answer both = Apply(bed, kA, "two", ConfigMapText(R"({"x":"5","y":"6"})"));
  CHECK(both.message() ==
        "Apply failed with 2 conflicts: conflicts with \"ed\" using v1:\n- .data.y\nconflicts "
        "with \"one\":\n- .data.x");
  const Json& causes = both.body["details"]["causes"];
  REQUIRE(causes.size() == 2);
  CHECK(causes[size_t{0}]["reason"].AsString() == "FieldManagerConflict");
  CHECK(causes[size_t{0}]["field"].AsString() == ".data.y");
  // What it gave up is nobody's to remove.
  const Answer less = Apply(bed, kA, "one", ConfigMapText(R"({"x":"1"})"));
  CHECK(less.body["data"].size() == 3);
  const Answer forced = Apply(bed, kA, "two&force=true", ConfigMapText(R"({"y":"6"})"));
  CHECK(Account(forced) == "one Apply .data.x; two Apply .data.y; ed Update .data.z");
}

TEST_CASE("apply: an update that removes leaves nothing owned") {
  Bed bed;
  Apply(bed, kA, "one", ConfigMapText(R"({"x":"1","y":"1"})", R"(,"labels":{"l":"1"})"));
  CHECK(Account(bed.Merge(kA, R"({"metadata":{"labels":null},"data":{"x":null}})")) ==
        "one Apply .data.y");
}

TEST_CASE("apply: the account survives writers that do not send it, and may be ended") {
  Bed bed;
  Apply(bed, kA, "one", ConfigMapText(R"({"x":"1"})"));
  const Answer put = bed.Put(kA + "?fieldManager=putter", ConfigMapText(R"({"x":"1","w":"1"})"));
  CHECK(Account(put) == "one Apply .data.x; putter Update .data.w");
  // Nothing changes: no event, no new time.
  bed.executor.Advance(absl::Seconds(5));
  const Answer same = bed.Put(kA + "?fieldManager=other", ConfigMapText(R"({"x":"1","w":"1"})"));
  CHECK(same.at({"metadata", "resourceVersion"}) == put.at({"metadata", "resourceVersion"}));
  const Answer broken = bed.Merge(kA, R"({"metadata":{"managedFields":[{"manager":"x"}]}})");
  CHECK(Account(broken) == Account(put));
  const Answer ended = bed.Merge(kA, R"({"metadata":{"managedFields":[{}]}})");
  REQUIRE(ended.code == 200);
  CHECK(ended.body["metadata"]["managedFields"].is_null());
  CHECK(bed.Merge(kA, R"({"data":{"w":"2"}})").body["metadata"]["managedFields"].is_null());
  // A migration writes the account itself.
  const Answer moved = bed.Merge(
      kA,
      R"({"metadata":{"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1",
      "time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:x":{}}}}]}})");
  CHECK(Account(moved) == "m Apply .data.x");
}

TEST_CASE("apply: what was there before the first apply has an owner") {
  Bed bed;
  bed.Post(kConfigs, ConfigJson("a"));
  const Answer fight = Apply(bed, kA, "one", ConfigMapText(R"({"k":"new"})"));
  CHECK(fight.code == 409);
  CHECK_THAT(fight.message(),
             Catch::Contains("conflict with \"before-first-apply\" using v1: .data.k"));
  const Answer same = Apply(bed, kA, "one", ConfigMapText(R"({"k":"v"})"));
  CHECK(Account(same) == "one Apply .data.k; before-first-apply Update .data.k .metadata.labels");
  // The other owner keeps it.
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}")).at({"data", "k"}) == "v");
}

TEST_CASE("apply: kubectl takes over what it applied from its own side") {
  Bed bed;
  bed.Post(
      kConfigs,
      R"({"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":
      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"k\":\"v\"}}"}},"data":{"k":"v","o":"v"}})");
  CHECK(Apply(bed, kA, "other", ConfigMapText(R"({"k":"new"})")).code == 409);
  CHECK(Apply(bed, kA, "kubectl", ConfigMapText(R"({"k":"new","o":"new"})")).code == 409);
  CHECK(Apply(bed, kA, "kubectl", ConfigMapText(R"({"k":"new"})")).at({"data", "k"}) == "new");
}

TEST_CASE("apply: paths that take much more than the body are refused") {
  Options options;
  options.crds = {LineDefinition()};
  Bed bed(std::move(options));
  const std::string path = StrCat(kLines, "/l");
  // Each of the 2,000 paths repeats the long name: 200 MB for a body of 120 kB.
  const std::string name(100'000, 'n');
  std::string members;
  std::string fields;
  for (int i = 0; i < 2000; ++i) {
    StrAppend(&members, i == 0 ? "" : ",", "\"k", i, "\":1");
    StrAppend(&fields, i == 0 ? "" : ",", "\"f:k", i, "\":{}");
  }
  const std::string spec = StrCat(R"(,"spec":{")", name, R"(":{)", members, "}}");
  const Answer refused = Apply(bed, path, "one", Line(spec));
  CHECK(refused.code == 413);
  CHECK(refused.reason() == "RequestEntityTooLarge");
  CHECK_THAT(refused.message(), Catch::Contains("are longer than 134217728 bytes together"));
  CHECK(bed.Get(path).code == 404);
  // So are an account that a client writes, once it is looked at, and an object that was there.
  REQUIRE(Apply(bed, path, "one", Line(R"(,"spec":{"a":1})")).code == 201);
  const std::string account = StrCat(
      R"({"metadata":{"managedFields":[{"manager":"m","operation":"Apply","fieldsType":"FieldsV1",)",
      R"("apiVersion":"batch.example.com/v1","fieldsV1":{"f:spec":{"f:)", name, R"(":{)", fields,
      R"(}}}}]},"spec":{"a":2}})");
  CHECK(bed.Merge(path, account).code == 413);
  REQUIRE(bed.Merge(path, R"({"metadata":{"managedFields":[{}]}})").code == 200);
  REQUIRE(bed.Merge(path, StrCat("{", spec.substr(1), "}")).code == 200);
  CHECK(Apply(bed, path, "one", Line(R"(,"spec":{"a":1})")).code == 413);
}

TEST_CASE("apply: many updaters become one") {
  Bed bed;
  Apply(bed, kA, "one", ConfigMapText(R"({"x":"1"})"));
  for (int i = 0; i < 15; ++i) {
    bed.executor.Advance(absl::Seconds(1));
    bed.Merge(StrCat(kA, "?fieldManager=m", i), StrCat(R"({"data":{"k)", i, R"(":"v"}})"));
  }
  const Answer last = bed.Get(kA);
  PathBudget budget;
  const std::vector<FieldManager> managers =
      ManagersOf(last.body["metadata"]["managedFields"], budget);
  CHECK(managers.size() == 1 + kUpdatersMax);
  CHECK(managers[1].name == "ancient-changes");
  CHECK(managers[1].fields.size() == 6);
  CHECK(managers.back().name == "m14");
}

TEST_CASE("apply: status is applied apart, and each endpoint keeps to its part") {
  Options options;
  options.crds = {LineDefinition()};
  Bed bed(std::move(options));
  const std::string at = StrCat(kLines, "/l");
  CHECK(Apply(bed, at + "/status", "one", Line(R"(,"status":{"size":1})")).code == 404);
  const Answer made = Apply(bed, at, "one", Line(R"(,"spec":{"size":1},"status":{"size":7})"));
  REQUIRE(made.code == 201);
  CHECK(made.body["status"].is_null());
  const Answer status =
      Apply(bed, at + "/status", "one", Line(R"(,"spec":{"size":5},"status":{"size":2})"));
  REQUIRE(status.code == 200);
  CHECK(status.at({"spec", "size"}) == "1");
  CHECK(status.at({"status", "size"}) == "2");
  CHECK(Account(status) == "one Apply .spec.size; one Apply status .status.size");
  const Answer fight = Apply(bed, at + "/status", "two", Line(R"(,"status":{"size":3})"));
  CHECK(fight.code == 409);
  CHECK_THAT(fight.message(),
             Catch::Contains("conflict with \"one\" with subresource \"status\": .status.size"));
  // Updates of the status are told apart as well.
  const Answer updated = bed.Merge(at + "/status?fieldManager=ctl", R"({"status":{"size":4}})");
  CHECK(Account(updated) == "one Apply .spec.size; ctl Update status .status.size");
  CHECK(Apply(bed, at, "one", Line("")).body["spec"].is_null());
}

TEST_CASE("apply: conditions of a status belong to those who set them") {
  Bed bed;
  bed.Post(kPods, PodJson("p"));
  const std::string at = StrCat(kPods, "/p/status");
  auto body = [](const char* type, const char* value) {
    return StrCat(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"conditions":[{"type":")",
        type, R"(","status":")", value, R"("}]}})");
  };
  REQUIRE(Apply(bed, at, "one", body("Ready", "True")).code == 200);
  REQUIRE(Apply(bed, at, "two", body("Other", "True")).code == 200);
  const Answer fight = Apply(bed, at, "two", body("Ready", "False"));
  CHECK_THAT(fight.message(), Catch::Contains(".status.conditions[type=\"Ready\"].status"));
  CHECK(bed.Get(StrCat(kPods, "/p")).body["status"]["conditions"].size() == 2);
}

TEST_CASE("apply: lists and objects by the rules of their kind") {
  Bed bed;
  const std::string at = "/apis/apps/v1/namespaces/default/deployments/d";
  auto body = [](const std::string& spec) {
    return StrCat(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":)",
                  spec, "}");
  };
  auto pod_spec = [&](const std::string& spec) {
    return body(StrCat(R"({"template":{"spec":)", spec, "}}"));
  };
  REQUIRE(Apply(bed, at, "one", body(R"({"selector":{"matchLabels":{"a":"b"}},"template":{
      "metadata":{"labels":{"a":"b"}},"spec":{"nodeSelector":{"x":"1"},"containers":[{"name":"c",
      "image":"1","ports":[{"containerPort":80}],"env":[{"name":"E","value":"1"}],
      "command":["a","b"]}]}}})"))
              .code == 201);
  // A port of another protocol is another port, and the protocol has a default.
  const Answer ports = Apply(bed, at, "two", pod_spec(R"({"containers":[{"name":"c","ports":[
      {"containerPort":80,"protocol":"UDP"},{"containerPort":80,"protocol":"TCP","name":"http"}]}]})"));
  REQUIRE(ports.code == 200);
  const Json& container = ports.body["spec"]["template"]["spec"]["containers"][size_t{0}];
  CHECK(container["ports"].size() == 2);
  CHECK(container["ports"][size_t{0}]["name"].AsString() == "http");
  // Lists without keys, and selectors, have one owner.
  CHECK(Apply(bed, at, "two", pod_spec(R"({"containers":[{"name":"c","command":["a"]}]})"))
            .message() ==
        "Apply failed with 1 conflict: conflict with \"one\": "
        ".spec.template.spec.containers[name=\"c\"].command");
  CHECK_THAT(Apply(bed, at, "two", pod_spec(R"({"nodeSelector":{"y":"1"}})")).message(),
             Catch::Contains("conflict with \"one\": .spec.template.spec.nodeSelector"));
  CHECK(Apply(bed, at, "two", pod_spec(R"({"containers":[{"name":"c"},{"name":"c"}]})")).code ==
        400);
  // The port of `two` goes, its share of the other stays with `one`.
  const Answer less = Apply(bed, at, "two", pod_spec(R"({"containers":[{"name":"c"}]})"));
  const Json& left = less.body["spec"]["template"]["spec"]["containers"][size_t{0}]["ports"];
  REQUIRE(left.size() == 1);
  CHECK(left[size_t{0}]["name"].is_null());
}

TEST_CASE("apply: lists of custom resources by their schema") {
  Json definition = LineDefinition();
  Json& version = definition["spec"]["versions"].MutableItems()[0];
  version["schema"].Set("openAPIV3Schema", Parse(R"({"type":"object","properties":{"spec":{"type":
      "object","properties":{"parts":{"type":"array","x-kubernetes-list-type":"map",
      "x-kubernetes-list-map-keys":["kind"],"items":{"type":"object","required":["kind"],
      "properties":{"kind":{"type":"string"},"count":{"type":"integer"}}}},
      "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
      "plain":{"type":"array","items":{"type":"string"}},
      "whole":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}}
      }}}})"));
  Options options;
  options.crds = {definition};
  Bed bed(std::move(options));
  const std::string at = StrCat(kLines, "/l");
  const Answer made = Apply(bed, at, "one", Line(R"(,"spec":{"parts":[{"kind":"a","count":1}],
      "tags":["x"],"plain":["p"],"whole":{"k":"v"}})"));
  INFO(made.text);
  REQUIRE(made.code == 201);
  const Answer two =
      Apply(bed, at, "two", Line(R"(,"spec":{"parts":[{"kind":"b","count":2}],"tags":["y","x"]})"));
  REQUIRE(two.code == 200);
  CHECK(two.at({"spec", "parts"}) == R"([{"kind":"a","count":1},{"kind":"b","count":2}])");
  CHECK(two.at({"spec", "tags"}) == R"(["x","y"])");
  CHECK(Apply(bed, at, "two", Line(R"(,"spec":{"plain":["q"]})")).code == 409);
  CHECK(Apply(bed, at, "two", Line(R"(,"spec":{"whole":{"other":"v"}})")).code == 409);
  CHECK_THAT(Apply(bed, at, "two", Line(R"(,"spec":{"parts":[{"kind":"a","count":5}]})")).message(),
             Catch::Contains(".spec.parts[kind=\"a\"].count"));
  const Answer one = Apply(bed, at, "one", Line(R"(,"spec":{"tags":[]})"));
  CHECK(one.at({"spec", "parts"}) == R"([{"kind":"b","count":2}])");
  CHECK(one.at({"spec", "tags"}) == R"(["x","y"])");
}

TEST_CASE("apply: nulls are left out, wherever they stand") {
  Bed bed;
  const std::string at = StrCat(kPods, "/p");
  const std::string body =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":null},"spec":{"containers":
      [{"name":"c","image":"i","env":null}],"nodeName":null}})";
  const Answer made = Apply(bed, at, "one", body);
  INFO(made.text);
  REQUIRE(made.code == 201);
  CHECK(made.text.find("null") == std::string::npos);
  CHECK(Apply(bed, at, "one", body).at({"metadata", "resourceVersion"}) ==
        made.at({"metadata", "resourceVersion"}));
}

TEST_CASE("apply: what is refused") {
  Bed bed;
  for (const char* items : {R"([{"uid":null}])", "[[]]", R"([{"name":"a"}])", R"([{"uid":{}}])"}) {
    INFO(items);
    const Answer answer =
        Apply(bed, kA, "one", ConfigMapText("{}", StrCat(R"(,"ownerReferences":)", items)));
    CHECK(answer.code == 400);
    CHECK_THAT(answer.message(), Catch::Contains("an entry has no key .metadata.ownerReferences"));
  }
  CHECK(bed.Patch(kA, "apply-patch+yaml", ConfigMapText("{}")).code == 422);
  CHECK(Apply(bed, kA, std::string(129, 'm'), ConfigMapText("{}")).code == 422);
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"managedFields":[{"manager":"x"}])")).code ==
        400);
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"uid":"1")")).code == 409);
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"namespace":"other")")).code == 400);
  CHECK(Apply(bed, kA, "one", "[]").code == 400);
  REQUIRE(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"resourceVersion":"1")")).code == 201);
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"resourceVersion":"1")")).code == 409);
  CHECK(Apply(bed, kA, "one", ConfigMapText("{}", R"(,"uid":"1")")).code == 422);
  CHECK(bed.Merge(kA + "?force=true", "{}").code == 422);
  CHECK(bed.Merge(StrCat(kA, "?fieldManager=", std::string(129, 'm')), "{}").code == 422);
}

TEST_CASE("server-side apply: creates, owns, gives up and fights over fields") {
  Bed bed;
  const std::string at = StrCat(kConfigs, "/a?fieldManager=");
  auto apply = [&](const std::string& manager, const std::string& body) {
    return bed.Patch(at + manager, "apply-patch+yaml", body);
  };
  const Answer made = apply(
      "one",
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","y":"1"}})");
  REQUIRE(made.code == 201);
  CHECK(made.body["metadata"]["managedFields"].size() == 1);
  const Answer same = apply(
      "one",
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","y":"1"}})");
  CHECK(same.code == 200);
  CHECK(same.at({"metadata", "resourceVersion"}) == made.at({"metadata", "resourceVersion"}));
  const Answer fight = apply(
      "two", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"2"}})");
  CHECK(fight.code == 409);
  CHECK_THAT(fight.message(),
             Catch::Contains("Apply failed with 1 conflict: conflict with \"one\": .data.x"));
  CHECK(apply("two&force=true",
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"2"}})")
            .at({"data", "x"}) == "2");
  const Answer less =
      apply("one", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{}})");
  CHECK(less.code == 200);
  CHECK(less.body["data"]["y"].is_null());
  CHECK(less.at({"data", "x"}) == "2");
  CHECK(bed.Patch(StrCat(kConfigs, "/a"), "apply-patch+yaml", "{}").code == 422);
  CHECK(apply("one", "data: {}").code == 400);
  CHECK(apply("one", R"({"apiVersion":"v1","kind":"ConfigMap","data":{}})").code == 400);
}

TEST_CASE("server-side apply: list items are owned one by one") {
  Bed bed;
  const std::string at = "/apis/apps/v1/namespaces/default/deployments/d?fieldManager=";
  auto body = [](const char* containers) {
    return StrCat(
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)",
        containers, "}}}}");
  };
  REQUIRE(bed.Patch(at + "one", "apply-patch+yaml",
                    body(R"([{"name":"c","image":"1"},{"name":"s","image":"1"}])"))
              .code == 201);
  const Answer two = bed.Patch(
      at + "two", "apply-patch+yaml",
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[{"name":"t","image":"1"}]}}}})");
  REQUIRE(two.code == 200);
  CHECK(two.body["spec"]["template"]["spec"]["containers"].size() == 3);
  const Answer one =
      bed.Patch(at + "one", "apply-patch+yaml", body(R"([{"name":"c","image":"2"}])"));
  REQUIRE(one.code == 200);
  const Json& containers = one.body["spec"]["template"]["spec"]["containers"];
  REQUIRE(containers.size() == 2);
  CHECK(containers[size_t{0}]["image"].AsString() == "2");
  CHECK(containers[size_t{1}]["name"].AsString() == "t");
}

}  // namespace bth::apiserver::testing
