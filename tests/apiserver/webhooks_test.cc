// Which writes webhooks are asked about, and what comes of their answers.
#include <string>
#include <vector>

#include "apiserver/matching/outside.h"
#include "tests/apiserver/webhooks_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

TEST_CASE("webhooks: rules choose the writes they name", "[apiserver][webhooks]") {
  struct Case {
    std::string name;
    std::string rule;  // Members of the rule.
    std::vector<std::string> calls;
  };
  const Case c = GENERATE(values<Case>({
      {"resource without subresources",
       R"("operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"])",
       {"CREATE p", "UPDATE p", "DELETE p"}},
      {"one operation",
       R"("operations":["DELETE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"])",
       {"DELETE p"}},
      {"one subresource",
       R"("operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods/status"])",
       {"UPDATE p"}},
      {"a binding is a creation",
       R"("operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods/binding"])",
       {"CREATE p"}},
      {"an eviction is a creation",
       R"("operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods/eviction"])",
       {"CREATE p"}},
      {"every resource, no subresource",
       R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"])",
       {"CREATE p", "UPDATE p", "DELETE p"}},
      {"everything",
       R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"])",
       {"CREATE p", "UPDATE p", "UPDATE p", "CREATE p", "CREATE p", "DELETE p"}},
      {"all of pods",
       R"("operations":["UPDATE"],"apiGroups":["*"],"apiVersions":["*"],"resources":["pods/*"])",
       {"UPDATE p", "UPDATE p"}},
      {"another group",
       R"("operations":["*"],"apiGroups":["apps"],"apiVersions":["*"],"resources":["*"])",
       {}},
      {"another version",
       R"("operations":["*"],"apiGroups":["*"],"apiVersions":["v2"],"resources":["*"])",
       {}},
      {"cluster scope",
       R"("scope":"Cluster","operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
          "resources":["*"])",
       {}},
      {"namespaced scope",
       R"("scope":"Namespaced","operations":["CREATE"],"apiGroups":["*"],"apiVersions":["*"],
          "resources":["*"])",
       {"CREATE p"}},
  }));
  CAPTURE(c.name);
  HookBed bed;
  REQUIRE(AddHook(bed, false, "a", StrCat(R"({"rules":[{)", c.rule, "}]}")).code == 201);
  REQUIRE(bed.Post(kPods, PodJson("p")).code == 201);
  const std::string pod = StrCat(kPods, "/p");
  REQUIRE(bed.Merge(pod, R"({"metadata":{"labels":{"a":"b"}}})").code == 200);
  REQUIRE(bed.Merge(pod + "/status", R"({"status":{"phase":"Pending"}})").code == 200);
  REQUIRE(bed.Post(pod + "/binding",
                   R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},
                       "target":{"kind":"Node","name":"n"}})")
              .code == 201);
  REQUIRE(bed.Post(pod + "/eviction",
                   R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},
                       "deleteOptions":{"dryRun":["All"]}})")
              .code == 201);
  REQUIRE(bed.Delete(pod, R"({"gracePeriodSeconds":0})").code < 300);
  std::vector<std::string> expected;
  for (const std::string& call : c.calls) expected.push_back("/a " + call);
  CHECK(bed.calls() == expected);
}

TEST_CASE("webhooks: selectors look at the namespace and at both objects",
          "[apiserver][webhooks]") {
  struct Case {
    std::string name;
    std::string selectors;
    std::vector<std::string> calls;
  };
  const Case c = GENERATE(values<Case>({
      {"none", "{}", {"CREATE c", "UPDATE c", "UPDATE c", "DELETE c"}},
      {"a namespace by its name",
       R"({"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}}})",
       {"CREATE c", "UPDATE c", "UPDATE c", "DELETE c"}},
      {"another namespace",
       R"({"namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name",
           "operator":"NotIn","values":["default"]}]}})",
       {}},
      {"what was or is labelled",
       R"({"objectSelector":{"matchLabels":{"on":"yes"}}})",
       {"UPDATE c", "UPDATE c"}},
      {"what has no label",
       R"({"objectSelector":{"matchExpressions":[
           {"key":"on","operator":"DoesNotExist"}]}})",
       {"CREATE c", "UPDATE c", "UPDATE c", "DELETE c"}},
  }));
  CAPTURE(c.name);
  HookBed bed;
  REQUIRE(AddHook(bed, false, "a", c.selectors).code == 201);
  bed.Post(kConfigs, ConfigJson("c"));
  const std::string path = StrCat(kConfigs, "/c");
  bed.Merge(path, R"({"metadata":{"labels":{"on":"yes"}}})");
  bed.Merge(path, R"({"metadata":{"labels":{"on":null}}})");
  bed.Delete(path);
  std::vector<std::string> expected;
  for (const std::string& call : c.calls) expected.push_back("/a " + call);
  CHECK(bed.calls() == expected);
}

TEST_CASE("webhooks: cluster-scoped objects are left out by no namespace selector",
          "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a", R"({"namespaceSelector":{"matchLabels":{"team":"x"}},
      "rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
                "resources":["nodes","namespaces"]}]})");
  bed.Post("/api/v1/nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"plain"}})");
  bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"mine","labels":{"team":"x"}}})");
  CHECK(bed.calls() == std::vector<std::string>{"/a CREATE n", "/a CREATE mine"});
  CHECK(bed.last()["namespace"].AsString() == "mine");
}

TEST_CASE("webhooks: a refusal is told with its code, reason and text", "[apiserver][webhooks]") {
  struct Case {
    std::string status;
    int code;
    std::string reason;
    std::string message;
  };
  const std::string denied = "admission webhook \"a.example.com\" denied the request";
  const Case c = GENERATE_COPY(values<Case>({
      {R"({"message":"no"})", 400, "", denied + ": no"},
      {R"({"message":"no","code":403,"reason":"Forbidden"})", 403, "Forbidden", denied + ": no"},
      {R"({"reason":"Gone"})", 400, "Gone", denied + ": Gone"},
      {R"({"code":200,"message":"x","status":"Success"})", 400, "", denied + ": x"},
      {"null", 400, "", denied + " without explanation"},
  }));
  CAPTURE(c.status);
  const bool mutating = GENERATE(false, true);
  HookBed bed;
  AddHook(bed, mutating, "a", R"({"failurePolicy":"Ignore"})");
  bed.On("/a", [&](const Json&) {
    return Json::MakeObject({{"allowed", false}, {"status", Parse(c.status)}});
  });
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == c.code);
  CHECK(answer.body["code"].AsInt() == c.code);
  CHECK(answer.reason() == c.reason);
  CHECK(answer.message() == c.message);
  CHECK(answer.at({"status"}) == "Failure");
  CHECK(bed.Get(StrCat(kConfigs, "/c")).code == 404);
}

TEST_CASE("webhooks: an answer that cannot be used is a failed call", "[apiserver][webhooks]") {
  struct Case {
    int code;
    std::string body;
    std::string message;
  };
  const Case c = GENERATE(values<Case>({
      {500, "boom",
       "failed to call webhook: an error on the server (\"unknown\") has prevented the request "
       "from "
       "succeeding"},
      {404, "", "failed to call webhook: the server could not find the requested resource"},
      {200, "{}", "received invalid webhook response: webhook response was absent"},
      {200, "nothing", "failed to call webhook: couldn't get version/kind; json parse error: "},
      {200, R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})",
       "received invalid webhook response: webhook response was absent"},
      {200,
       R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
           "response":{"uid":"x","allowed":true}})",
       "received invalid webhook response: expected response.uid="},
  }));
  CAPTURE(c.body);
  HookBed bed;
  AddHook(bed, false, "a");
  bed.OnRaw("/a", c.code, c.body);
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.code == 500);
  CHECK(answer.reason() == "InternalError");
  CHECK_THAT(answer.message(), Catch::StartsWith("Internal error occurred: failed calling webhook "
                                                 "\"a.example.com\": " +
                                                 c.message));
}

TEST_CASE("webhooks: one that ignores its failures lets writes pass", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a", R"({"failurePolicy":"Ignore"})");
  AddHook(bed, true, "b", R"({"failurePolicy":"Ignore"})");
  bed.OnRaw("/a", 500, "");
  bed.OnRaw("/b", 500, "");
  CHECK(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  const std::string metrics = bed.Get("/metrics").text;
  CHECK_THAT(metrics, Catch::Contains("apiserver_admission_webhook_fail_open_count{"
                                      "name=\"a.example.com\",type=\"validating\"} 1"));
  CHECK_THAT(metrics, Catch::Contains("apiserver_admission_webhook_fail_open_count{"
                                      "name=\"b.example.com\",type=\"admit\"} 1"));
}

TEST_CASE("webhooks: a slow one is given up after its time", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a", R"({"timeoutSeconds":3})");
  bed.Delay("/a", absl::Seconds(20));
  const auto answer = bed.Send("POST", kConfigs, ConfigJson("c"));
  bed.executor.Advance(absl::Seconds(2.9));
  CHECK(answer->code == 0);
  bed.executor.Advance(absl::Seconds(0.2));
  CHECK(answer->code == 500);
  CHECK(answer->message() ==
        "Internal error occurred: failed calling webhook \"a.example.com\": failed to call "
        "webhook: Post \"https://hooks.test/a?timeout=3s\": context deadline exceeded");
  bed.executor.Advance(absl::Seconds(30));
}

TEST_CASE("webhooks: the time of the whole request is bounded", "[apiserver][webhooks]") {
  HookBed bed;
  for (const char* name : {"a", "b", "c"}) {
    AddHook(bed, true, name, R"({"timeoutSeconds":30,"failurePolicy":"Ignore"})");
    bed.Delay(StrCat("/", name), absl::Seconds(25));
  }
  const auto answer = bed.Send("POST", kConfigs, ConfigJson("x"));
  bed.executor.Advance(absl::Seconds(59));
  CHECK(answer->code == 0);
  bed.executor.Advance(absl::Seconds(2));
  CHECK(answer->code == 504);
  CHECK(answer->reason() == "Timeout");
  CHECK(answer->message() == "Timeout: request did not complete within requested timeout");
  CHECK(bed.calls().size() == 3);
  bed.executor.Advance(absl::Seconds(60));
  CHECK(bed.Get(StrCat(kConfigs, "/x")).code == 404);
}

TEST_CASE("webhooks: validating ones are asked side by side, and the first by name decides",
          "[apiserver][webhooks]") {
  HookBed bed;
  for (const char* name : {"c", "a", "b"}) AddHook(bed, false, name);
  bed.Delay("/a", absl::Seconds(5));
  bed.Delay("/b", absl::Seconds(1));
  bed.On("/a", [](const Json&) { return Denying("from a"); });
  bed.On("/b", [](const Json&) { return Denying("from b"); });
  const auto answer = bed.Send("POST", kConfigs, ConfigJson("x"));
  CHECK(bed.calls() == std::vector<std::string>{"/a CREATE x", "/b CREATE x", "/c CREATE x"});
  bed.executor.Advance(absl::Seconds(6));
  CHECK(answer->message() == "admission webhook \"a.example.com\" denied the request: from a");
}

TEST_CASE("webhooks: a client that goes away ends the calls for it", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  bed.Delay("/a", absl::Seconds(5));
  net::Request request;
  request.method = "POST";
  request.target = kConfigs;
  request.body = ConfigJson("x");
  request.headers.Set("content-type", "application/json");
  net::CancelToken cancel;
  request.cancel = cancel;
  auto send = [](net::Transport& transport, net::Request sent) -> net::Awaitable<void> {
    (co_await transport.Fetch(std::move(sent))).status().IgnoreError();
  };
  net::Spawn(bed.executor, send(*bed.transport, std::move(request)));
  bed.executor.RunUntilIdle();
  REQUIRE(bed.calls().size() == 1);
  cancel.Cancel();
  bed.executor.Advance(absl::Seconds(60));
  CHECK(bed.Get(StrCat(kConfigs, "/x")).code == 404);
}

TEST_CASE("webhooks: the server may go while webhooks are asked", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  AddHook(bed, true, "b");
  bed.Delay("/a", absl::Seconds(5));
  const auto waiting = bed.Send("POST", kConfigs, ConfigJson("x"));
  REQUIRE(bed.calls().size() == 2);
  bed.transport.reset();
  bed.server.reset();
  bed.executor.Advance(absl::Seconds(60));
  CHECK(waiting->code == -1);
}

TEST_CASE("webhooks: a dry run says so", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a", R"({"sideEffects":"NoneOnDryRun"})");
  CHECK(bed.Post(StrCat(kConfigs, "?dryRun=All"), ConfigJson("c")).code == 201);
  CHECK(bed.last()["dryRun"].AsBool());
  CHECK(bed.last().At({"options", "dryRun"}).Dump() == R"(["All"])");
}

TEST_CASE("webhooks: warnings reach the client, annotations the trail", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  bed.On("/a", [](const Json&) {
    return Parse(R"({"allowed":true,"warnings":["mind the\ngap"],
                     "auditAnnotations":{"seen":"yes"}})");
  });
  const Answer answer = bed.Post(kConfigs, ConfigJson("c"));
  CHECK(answer.headers.Get("warning") == "299 - \"mind the gap\"");
  const auto& notes = bed.server->outside().audit.notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].key == "a.example.com/seen");
  CHECK(notes[0].value == "yes");
  CHECK(bed.Delete(StrCat(kConfigs, "/c")).headers.Has("warning"));
}

TEST_CASE("webhooks: nobody is asked about configurations and policies", "[apiserver][webhooks]") {
  HookBed bed;
  for (const bool mutating : {false, true}) {
    AddHook(bed, mutating, "a", R"({"rules":[{"operations":["*"],"apiGroups":["*"],
        "apiVersions":["*"],"resources":["*/*"]}]})");
  }
  CHECK(bed.Merge(ConfigurationsPath(true) + "/a", R"({"metadata":{"labels":{"x":"y"}}})").code ==
        200);
  CHECK(bed.Delete(ConfigurationsPath(false) + "/a").code == 200);
  CHECK(bed.calls().empty());
}

TEST_CASE("webhooks: the review has what a webhook of Kubernetes expects",
          "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  bed.Post(StrCat(kConfigs, "?fieldManager=me"), ConfigJson("c"));
  const Json& request = bed.last();
  CHECK(bed.reviews().back()["kind"].AsString() == "AdmissionReview");
  CHECK(bed.reviews().back()["apiVersion"].AsString() == "admission.k8s.io/v1");
  CHECK(request["kind"].Dump() == R"({"group":"","version":"v1","kind":"ConfigMap"})");
  CHECK(request["resource"].Dump() == R"({"group":"","version":"v1","resource":"configmaps"})");
  CHECK(request["requestKind"] == request["kind"]);
  CHECK(request["requestResource"] == request["resource"]);
  CHECK(request["namespace"].AsString() == "default");
  CHECK(request["operation"].AsString() == "CREATE");
  CHECK(request["oldObject"].is_null());
  CHECK(request["object"]["data"].Dump() == R"({"k":"v"})");
  CHECK(!request.At({"object", "metadata", "uid"}).AsString().empty());
  CHECK(request["dryRun"].is_bool());
  CHECK(request["options"].Dump() ==
        R"({"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"me"})");
  CHECK(request["userInfo"]["groups"].is_array());
  bed.Delete(StrCat(kConfigs, "/c"), R"({"propagationPolicy":"Background"})");
  CHECK(bed.last()["object"].is_null());
  CHECK(bed.last()["oldObject"]["data"].Dump() == R"({"k":"v"})");
  CHECK(bed.last().At({"options", "propagationPolicy"}).AsString() == "Background");
}

TEST_CASE("webhooks: one that prefers v1beta1 is asked in it", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"admissionReviewVersions":["v1beta1","v1"]})");
  // Neither uid nor patchType are asked for there.
  bed.OnRaw("/a", 200,
            StrCat(R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview",
                "response":{"allowed":true,"patch":")",
                   net::Base64Encode(R"([{"op":"add","path":"/data/n","value":"1"}])"), "\"}}"));
  CHECK(bed.Post(kConfigs, ConfigJson("c")).at({"data", "n"}) == "1");
  CHECK(bed.reviews().back()["apiVersion"].AsString() == "admission.k8s.io/v1beta1");
}

TEST_CASE("webhooks: a scale is asked about as a Scale", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, true, "a", R"({"rules":[{"operations":["*"],"apiGroups":["apps"],
      "apiVersions":["v1"],"resources":["deployments/scale"]}]})");
  const std::string all = "/apis/apps/v1/namespaces/default/deployments";
  REQUIRE(bed.Post(all, R"({"metadata":{"name":"d"},"spec":{"replicas":1,
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
              .code == 201);
  CHECK(bed.calls().empty());
  bed.On("/a", [](const Json&) {
    return Patching(R"([{"op":"replace","path":"/spec/replicas","value":7}])");
  });
  const Answer scaled = bed.Merge(all + "/d/scale", R"({"spec":{"replicas":3}})");
  CHECK(bed.last()["kind"].Dump() == R"({"group":"autoscaling","version":"v1","kind":"Scale"})");
  CHECK(bed.last()["subResource"].AsString() == "scale");
  CHECK(bed.last().At({"object", "spec", "replicas"}).AsInt() == 3);
  CHECK(bed.last().At({"oldObject", "spec", "replicas"}).AsInt() == 1);
  CHECK(scaled.at({"spec", "replicas"}) == "7");
  CHECK(bed.Get(all + "/d").at({"spec", "replicas"}) == "7");
}

TEST_CASE("webhooks: an eviction is asked about once, with the budget untouched when refused",
          "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a", R"({"rules":[{"operations":["*"],"apiGroups":["*"],
      "apiVersions":["*"],"resources":["pods","pods/eviction"]}]})");
  bed.Post(kPods, PodJson("p"));
  bed.Forget();
  bed.On("/a", [](const Json&) { return Denying("stay"); });
  const std::string eviction =
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})";
  CHECK(bed.Post(StrCat(kPods, "/p/eviction"), eviction).message() ==
        "admission webhook \"a.example.com\" denied the request: stay");
  CHECK(bed.last()["kind"].Dump() == R"({"group":"policy","version":"v1","kind":"Eviction"})");
  bed.On("/a", [](const Json&) { return Json::MakeObject({{"allowed", true}}); });
  CHECK(bed.Post(StrCat(kPods, "/p/eviction"), eviction).code == 201);
  CHECK(bed.calls() == std::vector<std::string>{"/a CREATE p", "/a CREATE p"});
  CHECK(bed.Get(StrCat(kPods, "/p")).code == 404);
}

TEST_CASE("webhooks: without any, no write waits", "[apiserver][webhooks]") {
  HookBed bed;
  WriteContext write;
  const ApiRequest request;
  write.request = &request;
  write.type = bed.server->core().registry.Find("", "v1", "configmaps");
  CHECK_FALSE(bed.server->core().stages.MayWait(write));
  AddHook(bed, false, "a", R"({"matchPolicy":"Exact"})");
  CHECK(bed.server->core().stages.MayWait(write));
  write.type = bed.server->core().registry.Find("", "v1", "secrets");
  CHECK_FALSE(bed.server->core().stages.MayWait(write));
  bed.Delete(ConfigurationsPath(false) + "/a");
  write.type = bed.server->core().registry.Find("", "v1", "configmaps");
  CHECK_FALSE(bed.server->core().stages.MayWait(write));
}

TEST_CASE("webhooks: counts have the names of Kubernetes", "[apiserver][webhooks]") {
  HookBed bed;
  AddHook(bed, false, "a");
  bed.On("/a", [](const Json&) { return Denying("no"); });
  bed.Post(kConfigs, ConfigJson("c"));
  const std::string text = bed.Get("/metrics").text;
  for (const char* line :
       {"apiserver_admission_webhook_rejection_count{name=\"a.example.com\",type=\"validating\","
        "operation=\"CREATE\",error_type=\"no_error\",rejection_code=\"400\"} 1",
        "apiserver_admission_webhook_request_total{name=\"a.example.com\",type=\"validating\","
        "operation=\"CREATE\",code=\"400\",rejected=\"true\"} 1",
        "apiserver_admission_webhook_admission_duration_seconds_count{name=\"a.example.com\","
        "type=\"validating\",operation=\"CREATE\",rejected=\"true\"} 1"}) {
    CHECK_THAT(text, Catch::Contains(line));
  }
}

}  // namespace
}  // namespace bth::apiserver::testing
