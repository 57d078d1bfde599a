// Creating, reading, updating and deleting, with the answers a client branches on.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {

TEST_CASE("create: the server fills in what is its own") {
  Bed bed;
  const Answer made = bed.Post(kPods, PodJson("a"));
  REQUIRE(made.code == 201);
  CHECK(made.at({"metadata", "creationTimestamp"}) == "2026-01-01T00:00:00Z");
  CHECK(made.at({"metadata", "uid"}).size() == 36);
  CHECK(made.at({"metadata", "generation"}) == "1");
  CHECK(made.at({"metadata", "namespace"}) == "default");
  CHECK(made.body.At({"metadata", "managedFields"}).is_null());
  CHECK(made.at({"spec", "restartPolicy"}) == "Always");
  CHECK(made.at({"spec", "terminationGracePeriodSeconds"}) == "30");
  CHECK(made.at({"spec", "schedulerName"}) == "default-scheduler");
  CHECK(made.at({"spec", "serviceAccountName"}) == "default");
  CHECK(made.at({"spec", "dnsPolicy"}) == "ClusterFirst");
  CHECK(made.at({"spec", "priority"}) == "0");
  CHECK(made.at({"status", "phase"}) == "Pending");
  CHECK(made.at({"status", "qosClass"}) == "BestEffort");
  CHECK(bed.Get(std::string(kPods) + "/a").text == made.text);
}

TEST_CASE("create: requests default from limits and decide the QoS class") {
  struct Case {
    const char* resources;
    const char* qos;
  };
  const Case cases[] = {
      {R"({})", "BestEffort"},
      {R"({"requests":{"cpu":"1"}})", "Burstable"},
      {R"({"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
      {R"({"limits":{"cpu":"1"}})", "Burstable"},
      {R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Mi"}})",
       "Burstable"},
  };
  Bed bed;
  int n = 0;
  for (const Case& c : cases) {
    INFO(c.resources);
    const std::string body = StrCat(
        R"({"metadata":{"name":"p)", n++,
        R"("},"spec":{"containers":[{"name":"c","image":"i","resources":)", c.resources, "}]}}");
    const Answer made = bed.Post(kPods, body);
    REQUIRE(made.code == 201);
    CHECK(made.at({"status", "qosClass"}) == c.qos);
  }
  const Answer one = bed.Get(std::string(kPods) + "/p2");
  CHECK(one.body["spec"]["containers"][size_t{0}]["resources"]["requests"]["memory"].AsString() ==
        "1Gi");
}

TEST_CASE("pods: leave silent nodes after five minutes unless they say otherwise") {
  struct Case {
    const char* given;
    const char* also;  // What is added, by the taint's last word.
  };
  const Case cases[] = {
      {"[]", "not-ready unreachable "},
      {"null", "not-ready unreachable "},
      {R"([{"operator":"Exists"}])", ""},
      {R"([{"operator":"Exists","effect":"NoExecute"}])", ""},
      {R"([{"operator":"Exists","effect":"NoSchedule"}])", "not-ready unreachable "},
      {R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
       R"("tolerationSeconds":5}])",
       "unreachable "},
      {R"([{"key":"node.kubernetes.io/unreachable","operator":"Exists"}])", "not-ready "},
  };
  Bed bed;
  for (const Case& c : cases) {
    INFO(c.given);
    const Answer made =
        bed.Post(kPods, StrCat(R"({"metadata":{"generateName":"p-"},"spec":{"tolerations":)",
                               c.given, R"(,"containers":[{"name":"c","image":"i"}]}})"));
    REQUIRE(made.code == 201);
    const Json given = *Json::Parse(c.given);
    const Json::Array& all = made.body["spec"]["tolerations"].items();
    REQUIRE(all.size() >= given.size());
    std::string also;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < given.size()) {
        CHECK(all[i] == given[i]);
        continue;
      }
      CHECK(all[i]["tolerationSeconds"].AsInt() == 300);
      CHECK(all[i]["effect"].AsString() == "NoExecute");
      CHECK(all[i]["operator"].AsString() == "Exists");
      const std::string key(all[i]["key"].AsString());
      also += key.substr(key.find('/') + 1) + " ";
    }
    CHECK(also == c.also);
  }
}

TEST_CASE("pods: a toleration stays, its seconds may change") {
  Bed bed;
  REQUIRE(bed.Post(kPods, R"({"metadata":{"name":"p"},"spec":{"tolerations":[{"key":"a",)"
                          R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":5}],)"
                          R"("containers":[{"name":"c","image":"i"}]}})")
              .code == 201);
  const Json before = bed.Get(StrCat(kPods, "/p")).body;
  struct Case {
    const char* text;
    const char* key;
    Json value;
    int code;
  };
  const Case cases[] = {{"longer", "tolerationSeconds", Json(int64_t{500}), 200},
                        {"for ever", "tolerationSeconds", Json(), 200},
                        {"of another taint", "key", Json("b"), 422},
                        {"of every effect", "effect", Json(), 422}};
  for (const Case& c : cases) {
    INFO(c.text);
    Json pod = before;
    pod["metadata"].Erase("resourceVersion");
    Json& toleration = pod["spec"]["tolerations"].MutableItems()[0];
    toleration.Erase(c.key);
    if (!c.value.is_null()) toleration.Set(c.key, c.value);
    const Answer answer = bed.Put(StrCat(kPods, "/p"), pod.Dump());
    INFO(answer.text);
    CHECK(answer.code == c.code);
    if (c.code == 422) CHECK(absl::StrContains(answer.text, "spec.tolerations"));
  }
}

TEST_CASE("create: generateName makes names that differ") {
  Bed bed;
  const std::string body = R"({"metadata":{"generateName":"job-"},"data":{}})";
  const Answer a = bed.Post(kConfigs, body);
  const Answer b = bed.Post(kConfigs, body);
  REQUIRE(a.code == 201);
  REQUIRE(b.code == 201);
  CHECK(a.at({"metadata", "name"}).size() == 9);
  CHECK(a.at({"metadata", "name"}) != b.at({"metadata", "name"}));
}

TEST_CASE("errors: code, reason and details as Kubernetes gives them") {
  Bed bed;
  REQUIRE(bed.Post(kPods, PodJson("a")).code == 201);
  const std::string big =
      R"({"metadata":{"name":"x"},"data":{"k":")" + std::string(3 << 20, 'x') + "\"}}";
  struct Case {
    const char* method;
    std::string target;
    std::string body;
    int code;
    const char* reason;
    const char* message;
  };
  const Case cases[] = {
      {"GET", "/api/v1/namespaces/default/pods/no", "", 404, "NotFound", "pods \"no\" not found"},
      {"GET", "/apis/apps/v1/namespaces/default/deployments/no", "", 404, "NotFound",
       "deployments.apps \"no\" not found"},
      {"GET", "/api/v1/namespaces/default/frogs", "", 404, "NotFound", "could not find"},
      {"GET", "/apis/no.such/v1/frogs", "", 404, "NotFound", "could not find"},
      {"GET", "/nowhere", "", 404, "NotFound", "could not find"},
      {"POST", kPods, PodJson("a"), 409, "AlreadyExists", "pods \"a\" already exists"},
      {"POST", "/api/v1/namespaces/none/pods", PodJson("a"), 404, "NotFound",
       "namespaces \"none\" not found"},
      {"POST", "/api/v1/pods", PodJson("a"), 405, "MethodNotAllowed", "this method"},
      {"POST", kPods, "{", 400, "BadRequest", "JSON"},
      {"POST", kPods, "[]", 400, "BadRequest", "object"},
      {"POST", kPods, R"({"kind":"Node","metadata":{"name":"b"}})", 400, "BadRequest", "kind"},
      {"POST", kPods, R"({"apiVersion":"v2","metadata":{"name":"b"}})", 400, "BadRequest",
       "version"},
      {"POST", kPods, R"({"metadata":{"name":"b","namespace":"other"}})", 400, "BadRequest",
       "namespace"},
      {"POST", kPods, R"({"metadata":{"name":"b","resourceVersion":"5"},"spec":{}})", 400,
       "BadRequest", "resourceVersion"},
      {"POST", kPods, R"({"metadata":{},"spec":{}})", 422, "Invalid",
       "name or generateName is required"},
      {"POST", kPods, R"({"metadata":{"name":"b"},"spec":{}})", 422, "Invalid",
       "spec.containers: Required value"},
      {"POST", kPods,
       R"({"metadata":{"name":"B_"},"spec":{"containers":[{"name":"c","image":"i"}]}})", 422,
       "Invalid", "metadata.name"},
      {"POST", kPods, R"({"metadata":{"name":"b"},"spec":{"containers":[{"name":"c"}]}})", 422,
       "Invalid", "spec.containers[0].image: Required value"},
      {"POST", kPods,
       R"({"metadata":{"name":"b"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"much"}}}]}})",
       422, "Invalid", "limits[cpu]"},
      {"POST", kPods,
       R"({"metadata":{"name":"b","labels":{"a":"-"}},"spec":{"containers":[{"name":"c","image":"i"}]}})",
       422, "Invalid", "metadata.labels"},
      {"POST", kPods,
       R"({"metadata":{"name":"b"},"spec":{"priorityClassName":"no","containers":[{"name":"c","image":"i"}]}})",
       403, "Forbidden", "no PriorityClass with name no was found"},
      {"POST", kConfigs, big, 413, "RequestEntityTooLarge", "too large"},
      {"PUT", "/api/v1/namespaces/default/pods/no", PodJson("no"), 404, "NotFound", "not found"},
      {"PUT", "/api/v1/namespaces/default/pods/a", PodJson("b"), 400, "BadRequest",
       "does not match"},
      {"PUT", kPods, PodJson("a"), 405, "MethodNotAllowed", "this method"},
      {"GET", "/api/v1/namespaces/default/pods/a/log", "", 501, "NotImplemented", "simulated"},
      {"GET", "/api/v1/namespaces/default/pods/a/frog", "", 404, "NotFound", "could not find"},
      {"POST", "/api/v1/namespaces/default/pods/a/exec", "{}", 501, "NotImplemented",
       "no container runs, so there is none to run a command in"},
      {"GET", "/api/v1/namespaces/default/pods/a/portforward", "", 501, "NotImplemented",
       "no port to forward to"},
      {"POST", "/api/v1/namespaces/default/pods/nobody/attach", "{}", 404, "NotFound", "nobody"},
      {"POST", "/api/v1/namespaces/default/pods/a/status", "{}", 405, "MethodNotAllowed",
       "this method"},
      {"GET", "/api/v1/pods?fieldSelector=a%3Db", "", 400, "BadRequest",
       "field label not supported: a"},
      {"GET", "/api/v1/pods?labelSelector=a%20b", "", 400, "BadRequest", "label selector"},
      {"GET", "/api/v1/pods?limit=x", "", 400, "BadRequest", "whole number"},
      {"GET", "/api/v1/pods?resourceVersion=x", "", 400, "BadRequest", "resourceVersion"},
      {"GET", "/api/v1/pods?resourceVersionMatch=Exact", "", 422, "Invalid",
       "resourceVersionMatch"},
      {"GET", "/api/v1/pods?continue=garbage", "", 400, "BadRequest", "continue key"},
      {"GET", "/api/v1/pods?resourceVersion=999999", "", 504, "Timeout",
       "Too large resource version"},
      {"POST", "/api/v1/namespaces/default/configmaps?dryRun=Some", ConfigJson("x"), 422, "Invalid",
       "dryRun"},
      {"DELETE", "/api/v1/namespaces/default", "", 403, "Forbidden", "may not be deleted"},
  };
  for (const Case& c : cases) {
    INFO(c.method << " " << c.target << " " << c.body.substr(0, 200));
    const Answer answer = bed.Call(c.method, c.target, c.body);
    CHECK(answer.code == c.code);
    CHECK(answer.at({"kind"}) == "Status");
    CHECK(answer.at({"status"}) == "Failure");
    CHECK(answer.reason() == c.reason);
    CHECK(answer.body["code"].AsInt() == c.code);
    CHECK_THAT(answer.message(), Catch::Contains(c.message));
  }
  const Answer invalid = bed.Post(kPods, R"({"metadata":{"name":"b"},"spec":{}})");
  CHECK(invalid.at({"details", "kind"}) == "Pod");
  CHECK(invalid.body["details"]["causes"][size_t{0}]["reason"].AsString() == "FieldValueRequired");
  CHECK(invalid.body["details"]["causes"][size_t{0}]["field"].AsString() == "spec.containers");
}

TEST_CASE("put: optimistic concurrency, immutable identity, status apart") {
  Bed bed;
  const std::string at = std::string(kPods) + "/a";
  Json pod = bed.Post(kPods, PodJson("a")).body;
  Json changed = pod;
  changed["metadata"]["labels"].Set("x", "1");
  changed["status"].Set("phase", "Running");
  changed["metadata"].Set("creationTimestamp", "2020-01-01T00:00:00Z");
  const Answer put = bed.Put(at, changed.Dump());
  REQUIRE(put.code == 200);
  CHECK(put.at({"status", "phase"}) == "Pending");
  CHECK(put.at({"metadata", "labels", "x"}) == "1");
  CHECK(put.at({"metadata", "creationTimestamp"}) == "2026-01-01T00:00:00Z");
  CHECK(put.at({"metadata", "generation"}) == "1");

  const Answer stale = bed.Put(at, changed.Dump());
  CHECK(stale.code == 409);
  CHECK(stale.reason() == "Conflict");
  CHECK_THAT(
      stale.message(),
      Catch::Contains("Operation cannot be fulfilled on pods \"a\": the object has been modified"));

  Json other = put.body;
  other["metadata"].Set("uid", "00000000-0000-4000-8000-000000000000");
  CHECK(bed.Put(at, other.Dump()).code == 409);

  Json moved = put.body;
  moved["spec"].Set("nodeName", "n1");
  const Answer invalid = bed.Put(at, moved.Dump());
  CHECK(invalid.code == 422);
  CHECK_THAT(invalid.message(), Catch::Contains("pod updates may not change fields"));

  Json image = put.body;
  image["spec"]["containers"].MutableItems()[0].Set("image", "new");
  const Answer bumped = bed.Put(at, image.Dump());
  CHECK(bumped.code == 200);
  CHECK(bumped.at({"metadata", "generation"}) == "2");
}

TEST_CASE("put: what changes nothing is no event") {
  Bed bed;
  const Answer made = bed.Post(kConfigs, ConfigJson("a"));
  const Answer same = bed.Put(std::string(kConfigs) + "/a", made.text);
  CHECK(same.code == 200);
  CHECK(same.at({"metadata", "resourceVersion"}) == made.at({"metadata", "resourceVersion"}));
}

TEST_CASE("status: the subresource writes status and nothing else") {
  Bed bed;
  const std::string at = std::string(kPods) + "/a";
  Json pod = bed.Post(kPods, PodJson("a")).body;
  pod["status"].Set("phase", "Running");
  pod["spec"].Set("nodeName", "n1");
  const Answer put = bed.Put(at + "/status", pod.Dump());
  REQUIRE(put.code == 200);
  CHECK(put.at({"status", "phase"}) == "Running");
  CHECK(put.body["spec"]["nodeName"].is_null());
  CHECK(put.at({"metadata", "generation"}) == "1");
  const Answer patched =
      bed.Merge(at + "/status", R"({"status":{"podIP":"10.0.0.1"},"spec":{"nodeName":"n"}})");
  CHECK(patched.at({"status", "podIP"}) == "10.0.0.1");
  CHECK(patched.body["spec"]["nodeName"].is_null());
}

TEST_CASE("dry run: answers as if, and stores nothing") {
  Bed bed;
  const Answer made = bed.Post(std::string(kConfigs) + "?dryRun=All", ConfigJson("a"));
  CHECK(made.code == 201);
  CHECK(bed.Get(std::string(kConfigs) + "/a").code == 404);
  REQUIRE(bed.Post(kConfigs, ConfigJson("a")).code == 201);
  CHECK(bed.Call("PATCH", std::string(kConfigs) + "/a?dryRun=All", R"({"data":{"k":"w"}})",
                 {{"content-type", "application/merge-patch+json"}})
            .at({"data", "k"}) == "w");
  CHECK(bed.Get(std::string(kConfigs) + "/a").at({"data", "k"}) == "v");
  CHECK(bed.Delete(std::string(kConfigs) + "/a?dryRun=All").code == 200);
  CHECK(bed.Get(std::string(kConfigs) + "/a").code == 200);
}

TEST_CASE("priority: class, global default, and values that do not fit") {
  Bed bed;
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  REQUIRE(
      bed.Post(classes, R"({"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"})")
          .code == 201);
  REQUIRE(
      bed.Post(classes, R"({"metadata":{"name":"usual"},"value":7,"globalDefault":true})").code ==
      201);
  CHECK(bed.Post(classes, R"({"metadata":{"name":"two"},"value":8,"globalDefault":true})").code ==
        403);
  CHECK(bed.Post(classes, R"({"metadata":{"name":"huge"},"value":1000000001})").code == 422);
  CHECK(bed.Merge(classes + "/high", R"({"value":5})").code == 422);
  CHECK(bed.Delete(classes + "/system-node-critical").code == 403);
  const Answer high = bed.Post(kPods, PodJson("a", R"(,"priorityClassName":"high")"));
  CHECK(high.at({"spec", "priority"}) == "1000");
  CHECK(high.at({"spec", "preemptionPolicy"}) == "Never");
  const Answer usual = bed.Post(kPods, PodJson("b"));
  CHECK(usual.at({"spec", "priority"}) == "7");
  CHECK(usual.at({"spec", "priorityClassName"}) == "usual");
  const Answer system =
      bed.Post(kPods, PodJson("c", R"(,"priorityClassName":"system-node-critical")"));
  CHECK(system.at({"spec", "priority"}) == "2000001000");
  CHECK(bed.Post(kPods, PodJson("d", R"(,"priorityClassName":"high","priority":3)")).code == 403);
}

TEST_CASE("tokens: only those who have one come in") {
  Options options;
  options.tokens["secret"] = {"ann", "1", {"team"}};
  Bed bed(std::move(options));
  const Answer none = bed.Get("/api/v1/pods");
  CHECK(none.code == 401);
  CHECK(none.reason() == "Unauthorized");
  CHECK(bed.Get("/api/v1/pods", {{"Authorization", "Bearer wrong"}}).code == 401);
  CHECK(bed.Get("/api/v1/pods", {{"Authorization", "Bearer secret"}}).code == 200);
  CHECK(bed.Get("/healthz").code == 200);
  const Answer who = bed.Call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}",
                              {{"Authorization", "Bearer secret"}});
  CHECK(who.code == 201);
  CHECK(who.at({"status", "userInfo", "username"}) == "ann");
  const Answer review =
      bed.Call("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
               R"({"spec":{"token":"secret"}})", {{"Authorization", "Bearer secret"}});
  CHECK(review.at({"status", "authenticated"}) == "true");
}

TEST_CASE("reviews: a token is its owner's, with all groups, or nobody's") {
  Options options;
  options.tokens["secret"] = {"ann", "1", {"team"}};
  Bed bed(std::move(options));
  const net::Headers ann = {{"Authorization", "Bearer secret"}};
  const std::string reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  const Answer known = bed.Call("POST", reviews, R"({"spec":{"token":"secret"}})", ann);
  CHECK(known.code == 201);
  CHECK(known.body["status"] == Parse(R"({"authenticated":true,"user":{"username":"ann","uid":"1",
                  "groups":["team","system:authenticated"]}})"));
  const Answer unknown = bed.Call("POST", reviews, R"({"spec":{"token":"guess"}})", ann);
  CHECK(unknown.code == 201);
  CHECK(unknown.at({"status", "authenticated"}) == "false");
  CHECK(unknown.body["status"]["user"].empty());
  CHECK(bed.Call("POST", reviews, R"({"spec":{}})", ann).code == 400);
}

TEST_CASE("reviews: access is what the server itself would give") {
  Options options;
  options.tokens["secret"] = {"ann", "1", {"team"}};
  Bed bed(std::move(options));
  const net::Headers ann = {{"Authorization", "Bearer secret"}};
  struct Case {
    const char* resource;
    const char* spec;
    const char* allowed;  // "": the review is invalid.
  };
  const Case cases[] = {
      {"subjectaccessreviews",
       R"("user":"bob","nonResourceAttributes":{"path":"/debug/x","verb":"get"})", "true"},
      {"subjectaccessreviews",
       R"("groups":["team"],"resourceAttributes":{"resource":"pods","verb":"list"})", "true"},
      {"subjectaccessreviews",
       R"("user":"system:anonymous","nonResourceAttributes":{"path":"/debug/x","verb":"get"})",
       "false"},
      {"subjectaccessreviews",
       R"("user":"x","groups":["system:unauthenticated"],"resourceAttributes":{"verb":"get"})",
       "false"},
      {"subjectaccessreviews",
       R"("user":"system:anonymous","nonResourceAttributes":{"path":"/readyz","verb":"get"})",
       "true"},
      {"selfsubjectaccessreviews", R"("resourceAttributes":{"resource":"pods","verb":"get"})",
       "true"},
      {"subjectaccessreviews", R"("user":"bob")", ""},
      {"subjectaccessreviews", R"("user":"bob","resourceAttributes":{},"nonResourceAttributes":{})",
       ""},
      {"subjectaccessreviews", R"("resourceAttributes":{"resource":"pods"})", ""},
      {"selfsubjectaccessreviews", "", ""},
  };
  for (const Case& c : cases) {
    INFO(c.resource << " " << c.spec);
    const Answer answer = bed.Call("POST", StrCat("/apis/authorization.k8s.io/v1/", c.resource),
                                   StrCat("{\"spec\":{", c.spec, "}}"), ann);
    const bool valid = *c.allowed != '\0';
    CHECK(answer.code == (valid ? 201 : 422));
    if (valid) CHECK(answer.at({"status", "allowed"}) == c.allowed);
  }
}

TEST_CASE("events: one storage behind both APIs") {
  Bed bed;
  const std::string core = "/api/v1/namespaces/default/events";
  const std::string modern = "/apis/events.k8s.io/v1/namespaces/default/events";
  REQUIRE(
      bed.Post(
             core,
             R"({"metadata":{"name":"a"},"involvedObject":{"kind":"Pod","name":"p"},"reason":"R","message":"M","count":2})")
          .code == 201);
  REQUIRE(
      bed.Post(
             modern,
             R"({"metadata":{"name":"b"},"regarding":{"kind":"Pod","name":"p"},"reason":"R","note":"N","reportingController":"me"})")
          .code == 201);
  const Answer b = bed.Get(core + "/b");
  CHECK(b.at({"apiVersion"}) == "v1");
  CHECK(b.at({"message"}) == "N");
  CHECK(b.at({"involvedObject", "name"}) == "p");
  CHECK(b.at({"reportingComponent"}) == "me");
  const Answer list = bed.Get(modern);
  REQUIRE(list.body["items"].size() == 2);
  CHECK(list.body["items"][size_t{0}]["note"].AsString() == "M");
  CHECK(list.body["items"][size_t{0}]["deprecatedCount"].AsInt() == 2);
  CHECK(list.body["items"][size_t{0}]["apiVersion"].AsString() == "events.k8s.io/v1");
  CHECK(bed.Get(core + "?fieldSelector=involvedObject.name%3Dp,reason%3DR").body["items"].size() ==
        2);
}

}  // namespace bth::apiserver::testing
