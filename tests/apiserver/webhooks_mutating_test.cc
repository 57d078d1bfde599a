// What webhooks make of objects, and writes that wait for them.
#include <string>
#include <vector>

#include "apiserver/matching/outside.h"
#include "tests/apiserver/webhooks_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

std::string SetData(std::string_view key, std::string_view value) {
  return StrCat(R"([{"op":"add","path":"/data/)", key, R"(","value":")", value, R"("}])");
}

// A definition that is served in two versions, of which v1 is stored.
constexpr char kTwoVersions[] = R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"parts.batch.example.com"},
    "spec":{"group":"batch.example.com","scope":"Namespaced",
      "names":{"plural":"parts","kind":"Part"},
      "versions":[
        {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
          "properties":{"spec":{"type":"object","properties":{
            "size":{"type":"integer","default":1},"color":{"type":"string"}}}}}}},
        {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
          "properties":{"spec":{"type":"object","properties":{
            "size":{"type":"integer","default":1},"color":{"type":"string"}}}}}}}]}})";
constexpr char kPartRule[] = R"("rules":[{"operations":["*"],"apiGroups":["batch.example.com"],
    "apiVersions":["v1"],"resources":["parts"]}])";

TEST_CASE("webhooks: patches are applied in turn, by name", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "b");
  AddHook(bed, true, "a");
  bed.On("/a", [](const Json&) { return Patching(SetData("n", "1")); });
  bed.On("/b", [](const Json& request) {
    const std::string seen(request.At({"object", "data", "n"}).AsString());
    return Patching(SetData("n", seen + "2"));
  });
  const Answer made = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(made.at({"data", "n"}) == "12");
  CHECK(bed.calls() == std::vector<std::string>{"/a CREATE c", "/b CREATE c"});
}

TEST_CASE("webhooks: one is asked again when later ones changed the object",
          "[apiserver][webhooks]") {
  struct Case {
    std::string name;
    std::string first;
    std::string second;
    bool second_changes;
    std::vector<std::string> calls;
  };
  const std::string if_needed = R"({"reinvocationPolicy":"IfNeeded"})";
  const Case c = GENERATE_COPY(values<Case>({
      {"never", "{}", "{}", true, {"/a", "/b"}},
      {"if needed", if_needed, "{}", true, {"/a", "/b", "/a"}},
      {"nothing changed", if_needed, "{}", false, {"/a", "/b"}},
      {"its own change is none", "{}", if_needed, true, {"/a", "/b"}},
      {"both, and the first changes nothing more", if_needed, if_needed, true, {"/a", "/b", "/a"}},
  }));
  CAPTURE(c.name);
  HookBed bed;
  AddHook(bed, true, "a", c.first);
  AddHook(bed, true, "b", c.second);
  bed.On("/b", [&](const Json&) {
    return c.second_changes ? Patching(SetData("n", "1")) : Json::MakeObject({{"allowed", true}});
  });
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  std::vector<std::string> paths;
  for (const std::string& call : bed.calls()) paths.push_back(call.substr(0, 2));
  CHECK(paths == c.calls);
}

TEST_CASE("webhooks: the audit tells of each call and of each patch", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"reinvocationPolicy":"IfNeeded"})");
  AddHook(bed, true, "b", R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
      "resources":["secrets"]}]})");
  AddHook(bed, true, "c");
  bed.On("/c", [](const Json&) { return Patching(SetData("n", "1")); });
  CHECK(bed.Post(kConfigs, ConfigJson("x")).code == 201);
  bed.On("/c", [](const Json&) { return Patching("[]"); });
  CHECK(bed.Post(kConfigs, ConfigJson("y")).code == 201);
  bed.On("/a", [](const Json&) { return Denying("no"); });
  CHECK(bed.Post(kConfigs, ConfigJson("z")).code == 400);
  std::vector<std::string> told;
  for (const AuditTrail::Note& note : bed.server->outside().audit.notes()) {
    told.push_back(StrCat(note.name, " ", note.key, " ", note.value));
  }
  const std::string mutation = "mutation.webhook.admission.k8s.io/round_";
  const auto said = [](const std::string& name, const std::string& more) {
    return StrCat(R"( {"configuration":")", name, R"(","webhook":")", name, R"(.example.com",)",
                  more, "}");
  };
  const std::string same = R"("mutated":false)";
  // The second of the three was not asked, and still counts.
  CHECK(told == std::vector<std::string>{
                    StrCat("x ", mutation, "0_index_0", said("a", same)),
                    StrCat("x patch.webhook.admission.k8s.io/round_0_index_2",
                           said("c", R"("patch":[{"op":"add","path":"/data/n","value":"1"}],)"
                                     R"("patchType":"JSONPatch")")),
                    StrCat("x ", mutation, "0_index_2", said("c", R"("mutated":true)")),
                    StrCat("x ", mutation, "1_index_0", said("a", same)),
                    StrCat("y ", mutation, "0_index_0", said("a", same)),
                    StrCat("y ", mutation, "0_index_2", said("c", same)),
                    StrCat("z ", mutation, "0_index_0", said("a", same))});
}

TEST_CASE("webhooks: defaults are filled in behind a patch, and rules hold",
          "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"rules":[{"operations":["CREATE"],"apiGroups":[""],
      "apiVersions":["v1"],"resources":["pods"]}]})");
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"add","path":"/spec/containers/-",
                         "value":{"name":"side","image":"i"}}])");
  });
  const Answer made = bed.Post(kPods, PodJson("p"));
  REQUIRE(made.code == 201);
  const Json& side = made.body.At({"spec", "containers"})[size_t{1}];
  CHECK(side["terminationMessagePath"].AsString() == "/dev/termination-log");
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"replace","path":"/spec/containers/0/name","value":"Not Valid"}])");
  });
  CHECK(bed.Post(kPods, PodJson("q")).code == 422);
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"replace","path":"/spec/containers","value":5}])");
  });
  const Answer broken = bed.Post(kPods, PodJson("r"));
  CHECK(broken.code == 500);
  CHECK(broken.reason() == "InternalError");
}

TEST_CASE("webhooks: a patch that cannot be applied refuses the write", "[apiserver][webhooks]") {
  struct Case {
    std::string patch;
    int code;
  };
  const Case c = GENERATE(values<Case>({
      {R"([{"op":"remove","path":"/data/none"}])", 500},
      {R"([{"op":"test","path":"/data/k","value":"other"}])", 500},
      {R"([{"op":"replace","path":"/kind","value":"Secret"}])", 500},
      {R"([{"op":"replace","path":"/metadata/namespace","value":"kube-system"}])", 400},
      {R"([{"op":"replace","path":"/metadata/name","value":"other"}])", 400},
      {R"({"op":"add"})", 500},
      {"[", 500},
  }));
  CAPTURE(c.patch);
  HookBed bed;
  AddHook(bed, true, "a");
  bed.On("/a", [&](const Json&) { return Patching(c.patch); });
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == c.code);
  CHECK(bed.Get(StrCat(kConfigs, "/c")).code == 404);
}

TEST_CASE("webhooks: what the server sets cannot be patched", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a");
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"add","path":"/metadata/uid","value":"mine"},
                        {"op":"add","path":"/metadata/creationTimestamp",
                         "value":"2001-01-01T00:00:00Z"}])");
  });
  const Answer made = bed.Post(kConfigs, ConfigJson("c"));
  REQUIRE(made.code == 201);
  CHECK(made.at({"metadata", "uid"}) != "mine");
  CHECK(made.at({"metadata", "creationTimestamp"}) == "2026-01-01T00:00:00Z");
  // A uid that changes shows a writer that mistakes the object for another.
  CHECK(bed.Merge(StrCat(kConfigs, "/c"), R"({"data":{"x":"y"}})").code == 422);
}

TEST_CASE("webhooks: a name that is still to be made up can be given", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a");
  AddHook(bed, false, "v");
  const std::string body = R"({"metadata":{"generateName":"made-"},"data":{}})";
  const Answer made = bed.Post(kConfigs, body);
  REQUIRE(made.code == 201);
  CHECK(bed.calls()[0] == "/a CREATE ");
  CHECK(bed.reviews()[0].At({"request", "object", "metadata", "name"}).is_null());
  CHECK(bed.reviews()[0].At({"request", "object", "metadata", "uid"}).is_null());
  CHECK(bed.reviews()[1].At({"request", "name"}).AsString() == made.at({"metadata", "name"}));
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"add","path":"/metadata/name","value":"chosen"}])");
  });
  CHECK(bed.Post(kConfigs, body).at({"metadata", "name"}) == "chosen");
  CHECK(bed.Get(StrCat(kConfigs, "/chosen")).code == 200);
}

TEST_CASE("webhooks: a deletion cannot be changed", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"rules":[{"operations":["DELETE"],"apiGroups":["*"],
      "apiVersions":["*"],"resources":["configmaps"]}]})");
  bed.On("/a", [](const Json&) { return Patching(SetData("n", "1")); });
  bed.Post(kConfigs, ConfigJson("c"));
  const Answer gone = bed.Delete(StrCat(kConfigs, "/c"));
  CHECK(gone.code == 500);
  CHECK(gone.message() ==
        "Internal error occurred: admission webhook \"a.example.com\" attempted to modify the "
        "object, which is not supported for this operation");
}

TEST_CASE("webhooks: an equivalent version is shown as the rule names it",
          "[apiserver][webhooks]") {
  HookBed bed;
  REQUIRE(bed.Post(kDefinitions, kTwoVersions).code == 201);
  const std::string v2 = "/apis/batch.example.com/v2/namespaces/default/parts";
  const bool exact = GENERATE(false, true);
  CAPTURE(exact);
  AddHook(bed, true, "a",
          StrCat("{", kPartRule, R"(,"matchPolicy":")", exact ? "Exact" : "Equivalent", "\"}"));
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"add","path":"/spec","value":{"color":"red","dropped":1}}])");
  });
  const Answer made = bed.Post(v2, R"({"metadata":{"name":"p"}})");
  REQUIRE(made.code == 201);
  if (exact) {
    CHECK(bed.calls().empty());
    return;
  }
  CHECK(bed.last()["kind"].Dump() ==
        R"({"group":"batch.example.com","version":"v1","kind":"Part"})");
  CHECK(bed.last().At({"requestKind", "version"}).AsString() == "v2");
  CHECK(bed.last().At({"object", "apiVersion"}).AsString() == "batch.example.com/v1");
  CHECK(made.at({"apiVersion"}) == "batch.example.com/v2");
  // Pruned, and completed with defaults.
  CHECK(made.body["spec"].Dump() == R"({"color":"red","size":1})");
}

TEST_CASE("webhooks: an update that waits is judged again when the object changed",
          "[apiserver][webhooks]") {
  HookBed bed;
  bed.Post(kConfigs, ConfigJson("c"));
  AddHook(bed, false, "a", R"({"objectSelector":{"matchLabels":{"on":"yes"}}})");
  const std::string path = StrCat(kConfigs, "/c");
  bed.Delay("/a", absl::Seconds(1));
  bed.Meanwhile([&] {
    // From inside a call: it is posted, and runs before the answer.
    bed.executor.Post([&] {
      bed.server->store().Put(*bed.server->store().Find("configmaps"), [&] {
        Json object = ParseStored(*bed.server->store().Find("configmaps")->Get({"default", "c"}));
        object["data"].Set("between", "yes");
        return object;
      }());
    });
  });
  const auto answer = bed.Send("PATCH", path, R"({"metadata":{"labels":{"on":"yes"}}})");
  CHECK(answer->code == 415);
  const auto put =
      bed.Send("PUT", path, R"({"metadata":{"name":"c","labels":{"on":"yes"}},"data":{"k":"w"}})");
  bed.executor.Advance(absl::Seconds(3));
  CHECK(put->code == 200);
  REQUIRE(bed.reviews().size() == 2);
  CHECK(bed.reviews()[0].At({"request", "oldObject", "data", "between"}).is_null());
  CHECK(bed.reviews()[1].At({"request", "oldObject", "data", "between"}).AsString() == "yes");
}

TEST_CASE("webhooks: a deletion that waits is judged again when the object changed",
          "[apiserver][webhooks]") {
  HookBed bed;
  bed.Post(kConfigs, ConfigJson("c"));
  AddHook(bed, false, "a");
  bed.On("/a", [](const Json& request) {
    return request.At({"oldObject", "data", "locked"}).is_null()
               ? Json::MakeObject({{"allowed", true}})
               : Denying("locked");
  });
  bed.Delay("/a", absl::Seconds(1));
  Collection& maps = *bed.server->store().Find("configmaps");
  bed.Meanwhile([&] {
    bed.executor.Post([&] {
      Json object = ParseStored(*maps.Get({"default", "c"}));
      object["data"].Set("locked", "yes");
      bed.server->store().Put(maps, std::move(object));
    });
  });
  const auto answer = bed.Send("DELETE", StrCat(kConfigs, "/c"), "");
  bed.executor.Advance(absl::Seconds(3));
  CHECK(answer->code == 400);
  CHECK(maps.Get({"default", "c"}) != nullptr);
}

TEST_CASE("webhooks: a creation that waits finds its name taken, or its namespace ending",
          "[apiserver][webhooks]") {
  HookBed bed;
  bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"team"}})");
  AddHook(bed, false, "a");
  bed.Delay("/a", absl::Seconds(1));
  const std::string maps = "/api/v1/namespaces/team/configmaps";
  const auto first = bed.Send("POST", maps, ConfigJson("c"));
  const auto second = bed.Send("POST", maps, ConfigJson("c"));
  bed.executor.Advance(absl::Seconds(2));
  CHECK(first->code == 201);
  CHECK(second->code == 409);
  const auto third = bed.Send("POST", maps, ConfigJson("d"));
  const auto gone = bed.Send("DELETE", "/api/v1/namespaces/team", "");
  CHECK(gone->code == 200);
  bed.executor.Advance(absl::Seconds(2));
  CHECK((third->code == 403 || third->code == 404));
}

TEST_CASE("webhooks: the server's own mutations run again behind a change",
          "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"rules":[{"operations":["CREATE"],"apiGroups":[""],
      "apiVersions":["v1"],"resources":["pods"]}]})");
  bed.On("/a", [](const Json& request) {
    const Json& spec = request.At({"object", "spec"});
    Json::Array kept;
    for (const Json& toleration : spec["tolerations"].items()) {
      if (toleration["key"].AsString() != "node.kubernetes.io/not-ready")
        kept.push_back(toleration);
    }
    return Patching(StrCat(R"([{"op":"replace","path":"/spec/tolerations","value":)",
                           Json(std::move(kept)).Dump(), "}]"));
  });
  const Answer made = bed.Post(kPods, PodJson("p"));
  REQUIRE(made.code == 201);
  CHECK(made.body.At({"spec", "tolerations"}).size() == 2);
}

}  // namespace
}  // namespace bth::apiserver::testing
