// ResourceQuotas: what they count, what they refuse, what their status says.
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::apiserver::testing {
namespace {

const char kQuotas[] = "/api/v1/namespaces/default/resourcequotas";

std::string QuotaJson(std::string_view name, std::string_view hard, std::string_view more = "") {
  return StrCat(R"({"metadata":{"name":")", std::string(name), R"("},"spec":{"hard":{)",
                std::string(hard), "}", std::string(more), "}}");
}

// A pod of one container with these resources.
std::string Sized(std::string_view name, std::string_view resources, std::string_view more = "") {
  return StrCat(R"({"metadata":{"name":")", std::string(name),
                R"("},"spec":{"containers":[{"name":"c","image":"i","resources":{)",
                std::string(resources), "}}]", std::string(more), "}}");
}

struct QuotaBed : Bed {
  using Bed::Bed;
  void Make(std::string_view name, std::string_view hard, std::string_view more = "") {
    const Answer made = Post(kQuotas, QuotaJson(name, hard, more));
    INFO(made.text);
    REQUIRE(made.code == 201);
  }
  // status.used, a moment later.
  std::string Used(std::string_view name) {
    executor.Advance(absl::Milliseconds(200));
    return Get(StrCat(kQuotas, "/", std::string(name))).at({"status", "used"});
  }
  void Admitted(const std::string& pod) {
    const Answer made = Post(kPods, pod);
    INFO(made.text);
    CHECK(made.code == 201);
  }
  void Refused(const std::string& pod, const std::string& words) {
    const Answer answer = Post(kPods, pod);
    CHECK(answer.code == 403);
    CHECK(answer.message() == words);
  }
};

}  // namespace

TEST_CASE("quota: pods beyond the limit are refused until one is gone") {
  QuotaBed bed;
  bed.Admitted(PodJson("before"));
  bed.Make("q", R"("pods":"2","count/pods":5)");
  CHECK(bed.Used("q") == R"({"count/pods":"1","pods":"1"})");
  CHECK(bed.Get(StrCat(kQuotas, "/q")).at({"status", "hard"}) ==
        R"({"count/pods":"5","pods":"2"})");
  bed.Admitted(PodJson("a"));
  // True at once, whatever the status says yet.
  const std::string full =
      R"(pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2)";
  bed.Refused(PodJson("x"), full);
  CHECK(bed.Post(StrCat(kPods, "?dryRun=All"), PodJson("x")).code == 403);
  CHECK(bed.Used("q") == R"({"count/pods":"2","pods":"2"})");
  SECTION("one that has ended takes no room") {
    bed.Merge(StrCat(kPods, "/a/status"), R"({"status":{"phase":"Succeeded"}})");
    CHECK(bed.Used("q") == R"({"count/pods":"2","pods":"1"})");
    bed.Admitted(PodJson("x"));
  }
  SECTION("nor one that is gone") {
    bed.Delete(StrCat(kPods, "/before"));
    bed.Admitted(PodJson("x"));
    CHECK(bed.Used("q") == R"({"count/pods":"2","pods":"2"})");
  }
  SECTION("a changed quota holds at once") {
    bed.Merge(StrCat(kQuotas, "/q"), R"({"spec":{"hard":{"pods":"3"}}})");
    bed.Admitted(PodJson("x"));
    bed.Refused(PodJson("y"), R"(pods "y" is forbidden: exceeded quota: q, requested: pods=1, )"
                              R"(used: pods=3, limited: pods=3)");
  }
  SECTION("without the quota anything goes") {
    bed.Delete(StrCat(kQuotas, "/q"));
    bed.Admitted(PodJson("x"));
  }
  SECTION("other namespaces are not concerned") {
    bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
    CHECK(bed.Post("/api/v1/namespaces/other/pods", PodJson("x")).code == 201);
  }
}

TEST_CASE("quota: requests and limits are added up as for the scheduler") {
  QuotaBed bed;
  bed.Make("q", R"("requests.cpu":"2","cpu":"3","limits.memory":"1Gi","requests.x.io/gpu":"1")");
  bed.Admitted(Sized("a", R"("requests":{"cpu":"1500m","x.io/gpu":"1"},)"
                          R"("limits":{"memory":"512Mi","x.io/gpu":"1"})"));
  CHECK(bed.Used("q") == R"({"cpu":"1500m","limits.memory":"512Mi","requests.cpu":"1500m",)"
                         R"("requests.x.io/gpu":"1"})");
  bed.Refused(Sized("b", R"("requests":{"cpu":"600m"},"limits":{"memory":"1Gi"})"),
              R"(pods "b" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,)"
              R"(requests.cpu=600m, used: limits.memory=512Mi,requests.cpu=1500m, )"
              R"(limited: limits.memory=1Gi,requests.cpu=2)");
  bed.Refused(Sized("c", R"("requests":{"cpu":"1m","x.io/gpu":"1"},)"
                         R"("limits":{"memory":"1Mi","x.io/gpu":"1"})"),
              R"(pods "c" is forbidden: exceeded quota: q, requested: requests.x.io/gpu=1, )"
              R"(used: requests.x.io/gpu=1, limited: requests.x.io/gpu=1)");
  bed.Refused(PodJson("d"), R"(pods "d" is forbidden: failed quota: q: must specify cpu for: c; )"
                            R"(limits.memory for: c; requests.cpu for: c)");
  bed.Admitted(Sized("e", R"("requests":{"cpu":"500m"},"limits":{"memory":"512Mi"})"));
}

TEST_CASE("quota: counts of other objects") {
  QuotaBed bed;
  bed.Make("q", R"("configmaps":"1","count/secrets":"0","requests.storage":"5Gi",)"
                R"("fast.storageclass.storage.k8s.io/persistentvolumeclaims":"1")");
  CHECK(bed.Post(kConfigs, ConfigJson("a")).code == 201);
  CHECK(bed.Post(kConfigs, ConfigJson("b")).message() ==
        R"(configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, )"
        R"(used: configmaps=1, limited: configmaps=1)");
  CHECK(bed.Post("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})").message() ==
        R"(secrets "s" is forbidden: exceeded quota: q, requested: count/secrets=1, )"
        R"(used: count/secrets=0, limited: count/secrets=0)");
  const auto claim = [&](const std::string& name, const std::string& of_class) {
    return bed.Post(
        "/api/v1/namespaces/default/persistentvolumeclaims",
        StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"accessModes":["ReadWriteOnce"],)",
               R"("storageClassName":")", of_class,
               R"(","resources":{"requests":{"storage":"2Gi"}}}})"));
  };
  CHECK(claim("c", "fast").code == 201);
  CHECK(claim("d", "fast").message() ==
        R"(persistentvolumeclaims "d" is forbidden: exceeded quota: q, requested: )"
        R"(fast.storageclass.storage.k8s.io/persistentvolumeclaims=1, used: )"
        R"(fast.storageclass.storage.k8s.io/persistentvolumeclaims=1, limited: )"
        R"(fast.storageclass.storage.k8s.io/persistentvolumeclaims=1)");
  CHECK(claim("e", "slow").code == 201);
  CHECK(claim("f", "slow").code == 403);
  // Pods are none of its business.
  bed.Admitted(PodJson("p"));
}

TEST_CASE("quota: custom resources are counted by their names") {
  Options options;
  Json definition = LineDefinition();
  definition["spec"].Set("scope", "Namespaced");
  options.crds = {definition};
  QuotaBed bed(std::move(options));
  bed.Make("q", R"("count/lines.batch.example.com":"1","count/nothing.example.com":"1")");
  const std::string lines = "/apis/batch.example.com/v1/namespaces/default/lines";
  CHECK(bed.Post(lines, R"({"metadata":{"name":"a"}})").code == 201);
  CHECK(bed.Post(lines, R"({"metadata":{"name":"b"}})").message() ==
        R"(lines.batch.example.com "b" is forbidden: exceeded quota: q, requested: )"
        R"(count/lines.batch.example.com=1, used: count/lines.batch.example.com=1, )"
        R"(limited: count/lines.batch.example.com=1)");
}

TEST_CASE("quota: scopes choose pods") {
  struct Case {
    const char* scope;   // More of the spec.
    std::string inside;  // A pod that counts.
    std::string outside;
  };
  const std::string plain = PodJson("p");
  const std::string sized = Sized("p", R"("requests":{"cpu":"1"})");
  const std::string ends = PodJson("p", R"(,"activeDeadlineSeconds":60)");
  const std::string classed = PodJson("p", R"(,"priorityClassName":"high")");
  const std::string looks = PodJson(
      "p", R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
           R"({"topologyKey":"z","namespaces":["other"],"labelSelector":{}}]}})");
  const Case c = GENERATE_COPY(values<Case>({
      {R"(,"scopes":["BestEffort"])", plain, sized},
      {R"(,"scopes":["NotBestEffort"])", sized, plain},
      {R"(,"scopes":["Terminating"])", ends, plain},
      {R"(,"scopes":["NotTerminating","BestEffort"])", plain, ends},
      {R"(,"scopes":["CrossNamespacePodAffinity"])", looks, plain},
      {R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In",)"
       R"("values":["high"]}]})",
       classed, plain},
      {R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
       R"("operator":"NotIn","values":["high"]}]})",
       plain, classed},
      {R"(,"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass",)"
       R"("operator":"Exists"}]})",
       classed, plain},
  }));
  CAPTURE(c.scope);
  QuotaBed bed;
  bed.Post("/apis/scheduling.k8s.io/v1/priorityclasses",
           R"({"metadata":{"name":"high"},"value":10})");
  bed.Make("q", R"("pods":"0")", c.scope);
  CHECK(bed.Post(kPods, c.inside).code == 403);
  CHECK(bed.Post(kPods, c.outside).code == 201);
}

TEST_CASE("quota: a status is written once for many changes, and not for none") {
  QuotaBed bed;
  bed.Make("q", R"("pods":"100")");
  CHECK(bed.Used("q") == R"({"pods":"0"})");
  const std::string path = StrCat(kQuotas, "/q");
  const std::string before = bed.Get(path).at({"metadata", "resourceVersion"});
  for (int i = 0; i < 50; ++i) bed.Admitted(PodJson(StrCat("p", i)));
  CHECK(bed.Get(path).at({"metadata", "resourceVersion"}) == before);
  CHECK(bed.Used("q") == R"({"pods":"50"})");
  const std::string after = bed.Get(path).at({"metadata", "resourceVersion"});
  bed.Merge(StrCat(kPods, "/p1"), R"({"metadata":{"labels":{"a":"b"}}})");
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.Get(path).at({"metadata", "resourceVersion"}) == after);
}

TEST_CASE("quota: what it holds is found again after a start") {
  const test::TempFolder folder;
  Options options;
  options.store.data_dir = folder.Sub("data");
  {
    QuotaBed bed(options);
    bed.Make("q", R"("pods":"1")");
    bed.Admitted(PodJson("a"));
  }
  QuotaBed bed(options);
  bed.Refused(PodJson("x"), R"(pods "x" is forbidden: exceeded quota: q, requested: pods=1, )"
                            R"(used: pods=1, limited: pods=1)");
}

TEST_CASE("quota: amounts that nobody can read are refused") {
  QuotaBed bed;
  CHECK(bed.Post(kQuotas, QuotaJson("q", R"("pods":"many")")).code == 422);
  CHECK(bed.Post(kQuotas, QuotaJson("q", R"("pods":"-1")")).code == 422);
}

TEST_CASE("limit ranges: a warning says that they are not applied") {
  Bed bed;
  const Answer made = bed.Post("/api/v1/namespaces/default/limitranges",
                               R"({"metadata":{"name":"l"},"spec":{"limits":[]}})");
  CHECK(made.code == 201);
  CHECK_THAT(std::string(made.headers.Get("warning")), Catch::Contains("applies none"));
}

}  // namespace bth::apiserver::testing
