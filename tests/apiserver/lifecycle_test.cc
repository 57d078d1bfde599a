// How objects go: grace, finalizers, preconditions, namespaces; binding and eviction of pods.
#include <functional>

#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

std::string PodPath(std::string_view pod, std::string_view sub = "") {
  return StrCat(kPods, "/", std::string(pod), std::string(sub));
}

void MakeBound(Bed& bed, std::string_view name) {
  REQUIRE(bed.Post(kPods, PodJson(name, R"(,"nodeName":"n1")")).code == 201);
}

std::string Binding(std::string_view node, std::string_view metadata = "{}") {
  return StrCat(R"({"apiVersion":"v1","kind":"Binding","metadata":)", std::string(metadata),
                R"(,"target":{"kind":"Node","name":")", std::string(node), "\"}}");
}

}  // namespace

TEST_CASE("delete: a pod without a node goes at once") {
  Bed bed;
  bed.Post(kPods, PodJson("a"));
  const Answer gone = bed.Delete(PodPath("a"));
  CHECK(gone.code == 200);
  CHECK(gone.at({"kind"}) == "Pod");
  CHECK(bed.Get(PodPath("a")).code == 404);
}

TEST_CASE("delete: other objects answer Success with their uid") {
  Bed bed;
  const Answer made = bed.Post(kConfigs, ConfigJson("a"));
  const Answer gone = bed.Delete(StrCat(kConfigs, "/a"));
  CHECK(gone.at({"kind"}) == "Status");
  CHECK(gone.at({"status"}) == "Success");
  CHECK(gone.at({"details", "kind"}) == "configmaps");
  CHECK(gone.at({"details", "uid"}) == made.at({"metadata", "uid"}));
  CHECK(bed.Delete(StrCat(kConfigs, "/a")).code == 404);
}

TEST_CASE("delete: a bound pod waits for its kubelet") {
  Bed bed;
  MakeBound(bed, "a");
  auto events = bed.Watch(StrCat(kPods, "?watch=1"));
  const Answer marked = bed.Delete(PodPath("a"));
  CHECK(marked.code == 200);
  CHECK(marked.at({"metadata", "deletionTimestamp"}) == "2026-01-01T00:00:30Z");
  CHECK(marked.at({"metadata", "deletionGracePeriodSeconds"}) == "30");
  CHECK(marked.at({"metadata", "generation"}) == "2");
  // A longer grace changes nothing, a shorter one does.
  CHECK(bed.Delete(PodPath("a"), R"({"gracePeriodSeconds":60})")
            .at({"metadata", "deletionGracePeriodSeconds"}) == "30");
  CHECK(bed.Delete(PodPath("a"), R"({"gracePeriodSeconds":5})")
            .at({"metadata", "deletionGracePeriodSeconds"}) == "5");
  CHECK(bed.Delete(PodPath("a"), R"({"gracePeriodSeconds":0})").code == 200);
  CHECK(bed.Get(PodPath("a")).code == 404);
  CHECK(events->Names() ==
        std::vector<std::string>{"ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"});
}

TEST_CASE("delete: however long or negative the grace, the time of the deletion can be read") {
  Bed bed;
  struct Case {
    const char* spec;
    const char* query;
    const char* seconds;
    const char* time;
  };
  // 9223372036 s are what a Go client can hold.
  const Case cases[] = {
      {"300000000000", "", "9223372036", "2318-04-12T23:47:16Z"},
      {"9223372036854775807", "", "9223372036", "2318-04-12T23:47:16Z"},
      {"30", "?gracePeriodSeconds=9223372036854775807", "9223372036", "2318-04-12T23:47:16Z"},
      {"-5", "", "1", "2026-01-01T00:00:01Z"},
      {"30", "?gracePeriodSeconds=-9223372036854775808", "1", "2026-01-01T00:00:01Z"},
  };
  for (const Case& c : cases) {
    INFO(c.spec << c.query);
    const std::string spec = StrCat(R"(,"nodeName":"n1","terminationGracePeriodSeconds":)", c.spec);
    REQUIRE(bed.Post(kPods, PodJson("a", spec)).code == 201);
    const Answer marked = bed.Delete(PodPath("a", c.query));
    CHECK(marked.at({"metadata", "deletionGracePeriodSeconds"}) == c.seconds);
    CHECK(marked.at({"metadata", "deletionTimestamp"}) == c.time);
    bed.Delete(PodPath("a"), R"({"gracePeriodSeconds":0})");
    CHECK(bed.Get(PodPath("a")).code == 404);
  }
}

TEST_CASE("delete: a finished pod goes at once, and the query may say how") {
  Bed bed;
  MakeBound(bed, "a");
  bed.Merge(PodPath("a", "/status"), R"({"status":{"phase":"Succeeded"}})");
  bed.Delete(PodPath("a"));
  CHECK(bed.Get(PodPath("a")).code == 404);
  MakeBound(bed, "b");
  bed.Delete(PodPath("b") + "?gracePeriodSeconds=0");
  CHECK(bed.Get(PodPath("b")).code == 404);
}

TEST_CASE("delete: preconditions hold") {
  Bed bed;
  const Answer made = bed.Post(kPods, PodJson("a"));
  const Answer wrong = bed.Delete(PodPath("a"), R"({"preconditions":{"uid":"other"}})");
  CHECK(wrong.code == 409);
  CHECK(wrong.reason() == "Conflict");
  CHECK(bed.Delete(PodPath("a"), R"({"preconditions":{"resourceVersion":"1"}})").code == 409);
  CHECK(bed.Delete(PodPath("a"), R"({"propagationPolicy":"Sideways"})").code == 422);
  const std::string right = StrCat(
      R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","preconditions":{"uid":")",
      made.at({"metadata", "uid"}), "\"}}");
  CHECK(bed.Delete(PodPath("a"), right).code == 200);
  CHECK(bed.Get(PodPath("a")).code == 404);
}

TEST_CASE("delete: a large collection goes turn by turn") {
  Bed bed;
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) {
    REQUIRE(bed.Post(kConfigs, ConfigJson(StrCat("c", i))).code == 201);
  }
  Collection& configs = *bed.server->store().Find("configmaps");
  // Somebody else's turns: what is left at each.
  auto seen = std::make_shared<std::vector<size_t>>();
  std::function<void()> tick = [&] {
    seen->push_back(configs.size());
    // The name of the last object is taken by another one, which was not meant.
    if (configs.size() < kCount && seen->size() > 1 && (*seen)[seen->size() - 2] == kCount) {
      const ObjectPtr last = configs.Get({"default", "c99"});
      Json other = ParseStored(*last);
      bed.server->store().Remove(configs, other);
      other["metadata"].Set("uid", "another");
      bed.server->store().Put(configs, other);
    }
    if (configs.size() > 1) bed.executor.Post(tick);
  };
  bed.executor.Post(tick);
  CHECK(bed.Delete(kConfigs).code == 200);
  CHECK(configs.size() == 1);
  CHECK(bed.Get(StrCat(kConfigs, "/c99")).at({"metadata", "uid"}) == "another");
  for (size_t i = 1; i < seen->size(); ++i) CHECK((*seen)[i - 1] - (*seen)[i] <= 64);
}

TEST_CASE("finalizers: keep the object until the last is taken away") {
  Bed bed;
  const std::string at = StrCat(kConfigs, "/a");
  bed.Post(kConfigs, R"({"metadata":{"name":"a","finalizers":["x.io/one","x.io/two"]}})");
  const Answer marked = bed.Delete(at);
  CHECK(marked.code == 200);
  CHECK(marked.at({"metadata", "deletionTimestamp"}) == "2026-01-01T00:00:00Z");
  CHECK(bed.Merge(at, R"({"metadata":{"finalizers":["x.io/one","x.io/three"]}})").code == 422);
  CHECK(bed.Merge(at, R"({"metadata":{"finalizers":["x.io/one"]}})").code == 200);
  CHECK(bed.Get(at).code == 200);
  auto events = bed.Watch(StrCat(kConfigs, "?watch=1"));
  CHECK(bed.Merge(at, R"({"metadata":{"finalizers":null}})").code == 200);
  CHECK(bed.Get(at).code == 404);
  CHECK(events->Names() == std::vector<std::string>{"ADDED a", "DELETED a"});
}

TEST_CASE("namespaces: go with all that is in them, once that is gone") {
  Bed bed;
  REQUIRE(
      bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"foo"}})").at({"status", "phase"}) ==
      "Active");
  const std::string in = "/api/v1/namespaces/foo";
  REQUIRE(bed.Post(in + "/configmaps", ConfigJson("a")).code == 201);
  REQUIRE(bed.Post(in + "/pods", PodJson("p", R"(,"nodeName":"n1")")).code == 201);
  const Answer marked = bed.Delete(in);
  CHECK(marked.at({"status", "phase"}) == "Terminating");
  CHECK(bed.Get(in + "/configmaps/a").code == 404);
  CHECK(bed.Get(in).code == 200);  // The bound pod still ends.
  const Answer late = bed.Post(in + "/configmaps", ConfigJson("b"));
  CHECK(late.code == 403);
  CHECK_THAT(late.message(), Catch::Contains("because it is being terminated"));
  bed.Delete(in + "/pods/p?gracePeriodSeconds=0");
  CHECK(bed.Get(in).code == 404);
  CHECK(bed.Get(in + "/pods").body["items"].empty());
}

TEST_CASE("namespaces: one that somebody's finalizer keeps is written no more") {
  Bed bed;
  bed.Post("/api/v1/namespaces",
           R"({"metadata":{"name":"foo","finalizers":["example.com/mine"]}})");
  const std::string path = "/api/v1/namespaces/foo";
  CHECK(bed.Delete(path).code == 200);
  const std::string version = bed.Get(path).at({"metadata", "resourceVersion"});
  bed.Post(kPods, PodJson("other"));
  CHECK(bed.Get(path).at({"metadata", "resourceVersion"}) == version);
}

TEST_CASE("binding: gives the node, once") {
  Bed bed;
  const Answer made = bed.Post(kPods, PodJson("a"));
  const std::string uid = made.at({"metadata", "uid"});
  CHECK(bed.Post(PodPath("a", "/binding"), Binding("", R"({"name":"a"})")).code == 422);
  CHECK(bed.Post(PodPath("no", "/binding"), Binding("n1", R"({"name":"no"})")).code == 404);
  CHECK(bed.Post(PodPath("a", "/binding"), Binding("n1", R"({"name":"b"})")).code == 400);
  CHECK(bed.Post(PodPath("a", "/binding"), Binding("n1")).code == 400);
  CHECK(bed.Post(PodPath("a", "/binding"), Binding("n1", R"({"name":"a","uid":"other"})")).code ==
        409);
  bed.Merge(
      PodPath("a", "/status"),
      R"({"status":{"nominatedNodeName":"n2","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})");
  const Answer bound = bed.Post(
      PodPath("a", "/binding"),
      Binding("n1", StrCat(R"({"name":"a","uid":")", uid, R"(","annotations":{"k":"v"}})")));
  CHECK(bound.code == 201);
  CHECK(bound.at({"status"}) == "Success");
  const Answer pod = bed.Get(PodPath("a"));
  CHECK(pod.at({"spec", "nodeName"}) == "n1");
  CHECK(pod.at({"metadata", "annotations", "k"}) == "v");
  REQUIRE(pod.body["status"]["conditions"].size() == 1);
  CHECK(pod.body["status"]["conditions"][size_t{0}]["status"].AsString() == "True");
  CHECK(pod.body["status"]["conditions"][size_t{0}]["reason"].is_null());
  CHECK(pod.body["status"]["nominatedNodeName"].is_null());
  const Answer again = bed.Post(PodPath("a", "/binding"), Binding("n2", R"({"name":"a"})"));
  CHECK(again.code == 409);
  CHECK_THAT(again.message(), Catch::Contains("pod a is already assigned to node \"n1\""));
  bed.Delete(PodPath("a"));
  CHECK_THAT(bed.Post(PodPath("a", "/binding"), Binding("n2", R"({"name":"a"})")).message(),
             Catch::Contains("is being deleted"));
  // The older form names the pod in the body.
  bed.Post(kPods, PodJson("b"));
  CHECK(bed.Post("/api/v1/namespaces/default/bindings", Binding("n1", R"({"name":"b"})")).code ==
        201);
  CHECK(bed.Get(PodPath("b")).at({"spec", "nodeName"}) == "n1");
  bed.Post(kPods, PodJson("g", R"(,"schedulingGates":[{"name":"wait"}])"));
  CHECK(bed.Post(PodPath("g", "/binding"), Binding("n1", R"({"name":"g"})")).code == 409);
}

TEST_CASE("eviction: asks the disruption budget") {
  Bed bed;
  const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  auto ready_pod = [&](const std::string& name) {
    REQUIRE(
        bed.Post(
               kPods,
               StrCat(
                   R"({"metadata":{"name":")", name,
                   R"(","labels":{"app":"x"}},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})"))
            .code == 201);
    bed.Merge(PodPath(name, "/status"),
              R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  };
  ready_pod("a");
  ready_pod("b");
  const std::string body =
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}})";
  REQUIRE(
      bed.Post(
             budgets,
             R"({"metadata":{"name":"x"},"spec":{"minAvailable":2,"selector":{"matchLabels":{"app":"x"}}}})")
          .code == 201);
  const Answer refused = bed.Post(PodPath("a", "/eviction"), body);
  CHECK(refused.code == 429);
  CHECK(refused.reason() == "TooManyRequests");
  CHECK_THAT(refused.message(), Catch::Contains("disruption budget"));
  CHECK_THAT(refused.body["details"]["causes"][size_t{0}]["message"].Dump(),
             Catch::Contains("needs 2 healthy pods and has 2"));
  REQUIRE(bed.Merge(budgets + "/x", R"({"spec":{"minAvailable":"50%"}})").code == 200);
  const Answer evicted =
      bed.Post(PodPath("a", "/eviction"),
               R"({"metadata":{"name":"a"},"deleteOptions":{"gracePeriodSeconds":3}})");
  CHECK(evicted.code == 201);
  CHECK(evicted.at({"status"}) == "Success");
  CHECK(bed.Get(PodPath("a")).at({"metadata", "deletionGracePeriodSeconds"}) == "3");
  CHECK(bed.Post(PodPath("b", "/eviction"), R"({"metadata":{"name":"b"}})").code == 429);
  CHECK(bed.Post(PodPath("b", "/eviction"),
                 R"({"metadata":{"name":"b"},"deleteOptions":{"preconditions":{"uid":"u"}}})")
            .code == 409);
  // A pod that does not run yet counts in no budget.
  bed.Post(
      kPods,
      R"({"metadata":{"name":"p","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  CHECK(bed.Post(PodPath("p", "/eviction"), R"({"metadata":{"name":"p"}})").code == 201);
}

TEST_CASE("eviction: a budget whose status is kept is the account") {
  Bed bed;
  const std::string budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  bed.Post(
      kPods,
      R"({"metadata":{"name":"a","labels":{"app":"x"}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
  bed.Merge(PodPath("a", "/status"),
            R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  bed.Post(
      budget,
      R"({"metadata":{"name":"x"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"x"}}}})");
  bed.Merge(budget + "/x/status", R"({"status":{"observedGeneration":0,"disruptionsAllowed":1}})");
  const Answer behind = bed.Post(PodPath("a", "/eviction"), R"({"metadata":{"name":"a"}})");
  CHECK(behind.code == 429);
  CHECK(behind.headers.Get("Retry-After") == "10");
  bed.Merge(budget + "/x/status", R"({"status":{"observedGeneration":1,"disruptionsAllowed":1}})");
  CHECK(bed.Post(PodPath("a", "/eviction"), R"({"metadata":{"name":"a"}})").code == 201);
  const Answer spent = bed.Get(budget + "/x");
  CHECK(spent.at({"status", "disruptionsAllowed"}) == "0");
  CHECK(spent.at({"status", "disruptedPods", "a"}) == "2026-01-01T00:00:00Z");
}

}  // namespace bth::apiserver::testing
