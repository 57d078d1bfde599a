// What becomes of dependents when their owner goes.
#include <filesystem>

#include "apiserver/rest/core.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::apiserver::testing {
namespace {

std::string ConfigPath(std::string_view name) {
  return StrCat(kConfigs, "/", std::string(name));
}

// A reference to what `answer` holds.
std::string Ref(const Answer& answer, std::string_view more = "") {
  return StrCat(R"({"apiVersion":")", answer.at({"apiVersion"}), R"(","kind":")",
                answer.at({"kind"}), R"(","name":")", answer.at({"metadata", "name"}),
                R"(","uid":")", answer.at({"metadata", "uid"}), "\"", std::string(more), "}");
}

constexpr char kBlocks[] = R"(,"blockOwnerDeletion":true)";

// The metadata of a dependent.
std::string Meta(std::string_view name, std::string_view owners, std::string_view more = "") {
  return StrCat(R"({"metadata":{"name":")", std::string(name), R"(","ownerReferences":[)",
                std::string(owners), "]", std::string(more), "}}");
}

Answer MakeOwner(Bed& bed, std::string_view name) {
  Answer made = bed.Post(kConfigs, ConfigJson(name));
  REQUIRE(made.code == 201);
  return made;
}

Answer MakeDependent(Bed& bed, std::string_view name, std::string_view owners,
                     std::string_view more = "") {
  Answer made = bed.Post(kConfigs, Meta(name, owners, more));
  INFO(made.text);
  REQUIRE(made.code == 201);
  return made;
}

bool IsGone(Bed& bed, std::string_view name) {
  return bed.Get(ConfigPath(name)).code == 404;
}

constexpr char kForeground[] = R"({"propagationPolicy":"Foreground"})";
constexpr char kHold[] = R"(,"finalizers":["example.com/hold"])";

void Release(Bed& bed, std::string_view name) {
  REQUIRE(bed.Merge(ConfigPath(name), R"({"metadata":{"finalizers":null}})").code == 200);
}

}  // namespace

TEST_CASE("collector: dependents follow their owner, and theirs follow them") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  const Answer child = MakeDependent(bed, "child", Ref(owner));
  MakeDependent(bed, "grandchild", Ref(child));
  MakeOwner(bed, "stranger");
  bed.Delete(ConfigPath("owner"));
  CHECK(IsGone(bed, "child"));
  CHECK(IsGone(bed, "grandchild"));
  CHECK_FALSE(IsGone(bed, "stranger"));
  CHECK(bed.server->core().counters.objects_collected == 2);
}

TEST_CASE("collector: a bound pod of a gone owner gets its grace period") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  REQUIRE(bed.Post(kPods, StrCat(R"({"metadata":{"name":"p","ownerReferences":[)", Ref(owner),
                                 R"(]},"spec":{"nodeName":"n","containers":[{"name":"c",)",
                                 R"("image":"i"}]}})"))
              .code == 201);
  bed.Delete(ConfigPath("owner"));
  const Answer pod = bed.Get(StrCat(kPods, "/p"));
  CHECK(pod.at({"metadata", "deletionGracePeriodSeconds"}) == "30");
}

TEST_CASE("collector: what never had an owner of that uid is collected") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  struct Case {
    const char* about;
    std::string reference;
    bool goes;
  };
  const Case cases[] = {
      {"no such name", R"({"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"1"})", true},
      {"another uid", R"({"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"1"})", true},
      {"another name",
       StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":")",
              owner.at({"metadata", "uid"}), "\"}"),
       true},
      {"a kind nobody serves", R"({"apiVersion":"x.io/v1","kind":"Foo","name":"f","uid":"1"})",
       false},
      {"the owner", Ref(owner), false},
  };
  for (const Case& c : cases) {
    INFO(c.about);
    MakeDependent(bed, "child", c.reference);
    CHECK(IsGone(bed, "child") == c.goes);
    bed.Delete(ConfigPath("child"));
  }
}

TEST_CASE("collector: a kind that is served later brings the answer") {
  Bed bed;
  const char* reference =
      R"({"apiVersion":"batch.example.com/v1","kind":"Gang","name":"g","uid":"1"})";
  MakeDependent(bed, "child", reference);
  REQUIRE_FALSE(IsGone(bed, "child"));
  REQUIRE(
      bed.Post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", GangDefinition().Dump())
          .code == 201);
  CHECK(IsGone(bed, "child"));
}

TEST_CASE("collector: dependents go with the definition of their owner") {
  Options options;
  options.crds = {GangDefinition()};
  Bed bed(std::move(options));
  const Answer gang = bed.Post("/apis/batch.example.com/v1/namespaces/default/gangs",
                               R"({"metadata":{"name":"g"}})");
  REQUIRE(gang.code == 201);
  MakeDependent(bed, "child", Ref(gang));
  bed.Delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gangs.batch.example.com");
  CHECK(IsGone(bed, "child"));
}

TEST_CASE("collector: one living owner keeps the object, the dead reference goes") {
  Bed bed;
  const Answer one = MakeOwner(bed, "one");
  const Answer two = MakeOwner(bed, "two");
  MakeDependent(bed, "child", StrCat(Ref(one), ",", Ref(two)));
  bed.Delete(ConfigPath("one"));
  const Answer child = bed.Get(ConfigPath("child"));
  REQUIRE(child.code == 200);
  REQUIRE(child.body["metadata"]["ownerReferences"].size() == 1);
  CHECK(child.body["metadata"]["ownerReferences"][size_t{0}]["name"].AsString() == "two");
  bed.Delete(ConfigPath("two"));
  CHECK(IsGone(bed, "child"));
}

TEST_CASE("collector: owners without namespace own in all, others only in their own") {
  Bed bed;
  REQUIRE(bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})").code == 201);
  const Answer node = bed.Post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  MakeDependent(bed, "of-node", Ref(node));
  CHECK_FALSE(IsGone(bed, "of-node"));
  bed.Delete("/api/v1/nodes/n");
  CHECK(IsGone(bed, "of-node"));

  const Answer owner = MakeOwner(bed, "owner");
  REQUIRE(bed.Post("/api/v1/namespaces/other/configmaps", Meta("far", Ref(owner))).code == 201);
  CHECK(bed.Get("/api/v1/namespaces/other/configmaps/far").code == 404);
  const Json events = bed.Get("/api/v1/namespaces/other/events").body["items"];
  REQUIRE(events.size() == 1);
  const Json& far = events[size_t{0}];
  CHECK(far["reason"].AsString() == "OwnerRefInvalidNamespace");
  CHECK(far["type"].AsString() == "Warning");
  CHECK(far["involvedObject"]["name"].AsString() == "far");
  CHECK_THAT(std::string(far["message"].AsString()),
             Catch::Contains("ownerRef [v1/ConfigMap, namespace: other, name: owner, uid: ") &&
                 Catch::EndsWith("] does not exist in namespace \"other\""));

  // An object without namespace cannot be judged by an owner that has one: it stays.
  REQUIRE(bed.Post("/api/v1/nodes", Meta("m", Ref(owner))).code == 201);
  bed.Delete(ConfigPath("owner"));
  CHECK(bed.Get("/api/v1/nodes/m").code == 200);
  const Json more = bed.Get("/api/v1/namespaces/default/events").body["items"];
  REQUIRE(more.size() == 1);
  CHECK(more[size_t{0}]["involvedObject"]["kind"].AsString() == "Node");
}

TEST_CASE("collector: in the foreground the owner waits for those that block") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  MakeDependent(bed, "blocks", Ref(owner, kBlocks), kHold);
  MakeDependent(bed, "not", Ref(owner), kHold);
  const Answer marked = bed.Delete(ConfigPath("owner"), kForeground);
  CHECK(marked.at({"metadata", "finalizers"}) == R"(["foregroundDeletion"])");
  CHECK(bed.Get(ConfigPath("owner")).code == 200);
  CHECK(bed.Get(ConfigPath("blocks")).body["metadata"]["deletionTimestamp"].is_string());
  CHECK(bed.Get(ConfigPath("not")).body["metadata"]["deletionTimestamp"].is_string());
  Release(bed, "blocks");
  CHECK(IsGone(bed, "blocks"));
  CHECK(IsGone(bed, "owner"));
  CHECK_FALSE(IsGone(bed, "not"));
}

TEST_CASE("collector: the foreground goes all the way down") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  const Answer child = MakeDependent(bed, "child", Ref(owner, kBlocks));
  MakeDependent(bed, "grandchild", Ref(child, kBlocks), kHold);
  bed.Delete(ConfigPath("owner"), kForeground);
  CHECK(bed.Get(ConfigPath("child")).at({"metadata", "finalizers"}) == R"(["foregroundDeletion"])");
  CHECK(bed.Get(ConfigPath("owner")).code == 200);
  Release(bed, "grandchild");
  CHECK(IsGone(bed, "child"));
  CHECK(IsGone(bed, "owner"));
}

TEST_CASE("collector: a dependent that another owner keeps blocks no more") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  const Answer other = MakeOwner(bed, "other");
  MakeDependent(bed, "child", StrCat(Ref(owner, kBlocks), ",", Ref(other)));
  bed.Delete(ConfigPath("owner"), kForeground);
  CHECK(IsGone(bed, "owner"));
  CHECK(bed.Get(ConfigPath("child")).body["metadata"]["ownerReferences"].size() == 1);
}

TEST_CASE("collector: a dependent made while its owner waits goes too") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  MakeDependent(bed, "first", Ref(owner, kBlocks), kHold);
  bed.Delete(ConfigPath("owner"), kForeground);
  MakeDependent(bed, "late", Ref(owner, kBlocks));
  CHECK(IsGone(bed, "late"));
  Release(bed, "first");
  CHECK(IsGone(bed, "owner"));
}

TEST_CASE("collector: a second deletion may change the policy") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  MakeDependent(bed, "child", Ref(owner, kBlocks), kHold);
  bed.Delete(ConfigPath("owner"), kForeground);
  CHECK_FALSE(IsGone(bed, "owner"));
  bed.Delete(ConfigPath("owner"), R"({"propagationPolicy":"Background"})");
  CHECK(IsGone(bed, "owner"));
  CHECK(bed.Get(ConfigPath("child")).code == 200);

  // From waiting for a kubelet to waiting for dependents.
  REQUIRE(bed.Post(kPods, PodJson("p", R"(,"nodeName":"n1")")).code == 201);
  bed.Delete(StrCat(kPods, "/p"));
  const Answer again = bed.Delete(StrCat(kPods, "/p"), kForeground);
  CHECK(again.at({"metadata", "finalizers"}) == R"(["foregroundDeletion"])");
}

TEST_CASE("collector: orphans keep all but their reference") {
  Bed bed;
  const Answer owner = MakeOwner(bed, "owner");
  const Answer other = MakeOwner(bed, "other");
  MakeDependent(bed, "child", Ref(owner));
  MakeDependent(bed, "shared", StrCat(Ref(owner), ",", Ref(other)));
  for (const char* options :
       {R"({"propagationPolicy":"Orphan"})", R"({"orphanDependents":true})"}) {
    INFO(options);
    const Answer marked = bed.Delete(ConfigPath("owner"), options);
    if (marked.code == 404) continue;
    CHECK(marked.at({"metadata", "finalizers"}) == R"(["orphan"])");
  }
  CHECK(IsGone(bed, "owner"));
  const Answer child = bed.Get(ConfigPath("child"));
  CHECK(child.body["metadata"]["ownerReferences"].is_null());
  CHECK(child.at({"data"}) == "null");
  CHECK(bed.Get(ConfigPath("shared")).body["metadata"]["ownerReferences"].size() == 1);
}

TEST_CASE("collector: the older option, in body and query, and never both") {
  Bed bed;
  auto make = [&] {
    const Answer owner = MakeOwner(bed, "owner");
    MakeDependent(bed, "child", Ref(owner));
  };
  make();
  bed.Delete(ConfigPath("owner"), R"({"orphanDependents":true})");
  CHECK_FALSE(IsGone(bed, "child"));
  bed.Delete(ConfigPath("child"));
  make();
  bed.Delete(StrCat(ConfigPath("owner"), "?orphanDependents=true"));
  CHECK_FALSE(IsGone(bed, "child"));
  bed.Delete(ConfigPath("child"));
  make();
  CHECK(bed.Delete(ConfigPath("owner"), R"({"orphanDependents":true,"propagationPolicy":"Orphan"})")
            .code == 422);
  bed.Delete(ConfigPath("owner"), R"({"orphanDependents":false})");
  CHECK(IsGone(bed, "child"));
}

TEST_CASE("collector: the default is the type's, and the object's own finalizer comes first") {
  Bed bed;
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  const char* job =
      R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i"}]}}}})";
  MakeDependent(bed, "child", Ref(bed.Post(jobs, job)));
  bed.Delete(jobs + "/j");
  CHECK(bed.Get(jobs + "/j").code == 404);
  CHECK_FALSE(IsGone(bed, "child"));
  bed.Delete(ConfigPath("child"));
  MakeDependent(bed, "child", Ref(bed.Post(jobs, job)));
  bed.Delete(jobs + "/j?propagationPolicy=Background");
  CHECK(IsGone(bed, "child"));

  REQUIRE(bed.Post(kConfigs, R"({"metadata":{"name":"own","finalizers":["orphan"]}})").code == 201);
  MakeDependent(bed, "child", Ref(bed.Get(ConfigPath("own"))));
  bed.Delete(ConfigPath("own"));
  CHECK(IsGone(bed, "own"));
  CHECK_FALSE(IsGone(bed, "child"));
  CHECK(bed.Post(kConfigs,
                 R"({"metadata":{"name":"x","finalizers":["orphan","foregroundDeletion"]}})")
            .code == 422);
}

TEST_CASE("collector: owners of themselves and of each other come to an end") {
  struct Case {
    const char* about;
    std::vector<std::pair<const char*, const char*>> owned_by;  // Dependent, owner.
    std::vector<const char*> deleted;
  };
  const Case cases[] = {
      {"itself", {{"a", "a"}}, {"a"}},
      {"each other", {{"a", "b"}, {"b", "a"}}, {"a"}},
      {"both deleted", {{"a", "b"}, {"b", "a"}}, {"a", "b"}},
      {"three", {{"a", "b"}, {"b", "c"}, {"c", "a"}}, {"b"}},
      {"a tail", {{"a", "b"}, {"b", "a"}, {"c", "a"}}, {"a"}},
  };
  for (const bool foreground : {true, false}) {
    for (const Case& c : cases) {
      INFO(c.about << " foreground " << foreground);
      Bed bed;
      std::map<std::string, Answer> made;
      for (const auto& [dependent, owner] : c.owned_by) {
        for (const char* name : {dependent, owner}) {
          if (!made.contains(name)) made[name] = MakeOwner(bed, name);
        }
      }
      for (const auto& [dependent, owner] : c.owned_by) {
        REQUIRE(bed.Merge(ConfigPath(dependent), StrCat(R"({"metadata":{"ownerReferences":[)",
                                                        Ref(made[owner], kBlocks), "]}}"))
                    .code == 200);
      }
      for (const auto& [name, answer] : made) CHECK_FALSE(IsGone(bed, name));
      for (const char* name : c.deleted)
        bed.Delete(ConfigPath(name), foreground ? kForeground : "");
      for (const auto& [name, answer] : made) CHECK(IsGone(bed, name));
    }
  }
}

TEST_CASE("collector: in a circle what is held by others still ends last") {
  Bed bed;
  const Answer a = MakeOwner(bed, "a");
  const Answer b = MakeDependent(bed, "b", Ref(a, kBlocks), kHold);
  REQUIRE(bed.Merge(ConfigPath("a"),
                    StrCat(R"({"metadata":{"ownerReferences":[)", Ref(b, kBlocks), "]}}"))
              .code == 200);
  bed.Delete(ConfigPath("a"), kForeground);
  CHECK_FALSE(IsGone(bed, "b"));
  Release(bed, "b");
  CHECK(IsGone(bed, "b"));
  CHECK(IsGone(bed, "a"));
}

TEST_CASE("collector: references are checked when they are written") {
  Bed bed;
  const char* whole = R"({"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"1"})";
  std::string many = whole;
  for (int i = 0; i < 1000; ++i) StrAppend(&many, ",", whole);
  for (const std::string& bad :
       {std::string(R"({"kind":"ConfigMap","name":"a","uid":"1"})"),
        std::string(R"({"apiVersion":"v1","kind":"ConfigMap","name":"a"})"),
        std::string(R"({"apiVersion":"v1","kind":"Event","name":"a","uid":"1"})"), many}) {
    CHECK(bed.Post(kConfigs, Meta("x", bad)).code == 422);
  }
  CHECK(bed.Post(kConfigs, Meta("x", "7")).code == 400);
  // The same owner many times is one owner.
  const Answer owner = MakeOwner(bed, "owner");
  std::string thrice = Ref(owner);
  for (int i = 0; i < 2; ++i) StrAppend(&thrice, ",", Ref(owner, kBlocks));
  MakeDependent(bed, "child", thrice, kHold);
  bed.Delete(ConfigPath("owner"), kForeground);
  CHECK_FALSE(IsGone(bed, "owner"));
  Release(bed, "child");
  CHECK(IsGone(bed, "owner"));
}

TEST_CASE("collector: what may not be deleted is not collected either") {
  Bed bed;
  const char* lost = R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node",
      "name":"none","uid":"1"}]}})";
  REQUIRE(bed.Merge("/api/v1/namespaces/default", lost).code == 200);
  CHECK(bed.Get("/api/v1/namespaces/default").at({"status", "phase"}) == "Active");
}

TEST_CASE("collector: many dependents are dealt with turn by turn") {
  for (const char* policy : {"Background", "Foreground", "Orphan"}) {
    INFO(policy);
    Bed bed;
    const Answer owner = MakeOwner(bed, "owner");
    constexpr int kCount = 500;
    for (int i = 0; i < kCount; ++i) {
      MakeDependent(bed, StrCat("c", i), Ref(owner, kBlocks));
    }
    Store& store = bed.server->store();
    const int64_t before = store.revision();
    // The longest run of writes without a pause for others.
    auto run = std::make_shared<std::pair<int, int>>(0, 0);
    store.OnCommit([run](Collection&, const StoreEvent&) {
      run->second = std::max(run->second, ++run->first);
    });
    std::function<void()> pause = [&] {
      run->first = 0;
      if (bed.server->core().counters.collector_backlog > 0) bed.executor.Post(pause);
    };
    bed.executor.Post([&] { bed.executor.Post([&] { bed.executor.Post(pause); }); });
    bed.Delete(ConfigPath("owner"), StrCat(R"({"propagationPolicy":")", policy, "\"}"));
    CHECK(IsGone(bed, "owner"));
    const bool stay = std::string_view(policy) == "Orphan";
    CHECK(bed.Get(kConfigs).body["items"].size() == (stay ? kCount : 0));
    CHECK(store.revision() - before >= kCount);
    CHECK(run->second <= 140);
    CHECK(bed.server->core().counters.collector_backlog == 0);
  }
}

TEST_CASE("collector: what a crash interrupted goes on") {
  const test::TempFolder folder;
  Options options;
  options.store.data_dir = folder.Sub("one");
  options.seed = 7;
  Bed bed(std::move(options));
  const Answer background = MakeOwner(bed, "background");
  const Answer foreground = MakeOwner(bed, "foreground");
  const Answer orphaning = MakeOwner(bed, "orphaning");
  MakeDependent(bed, "b", Ref(background));
  MakeDependent(bed, "f", Ref(foreground, kBlocks), kHold);
  MakeDependent(bed, "o", Ref(orphaning));
  bed.Delete(ConfigPath("foreground"), kForeground);
  // Written without a turn of the collector: as if the server had died right after.
  Store& store = bed.server->store();
  Collection& configs = *store.Find("configmaps");
  store.Remove(configs, ParseStored(*configs.Get({"default", "background"})));
  Json marked = ParseStored(*configs.Get({"default", "orphaning"}));
  marked["metadata"].Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  marked["metadata"].Set("finalizers", Json::MakeArray({"orphan"}));
  store.Put(configs, marked);
  bed.executor.RunUntilIdle(1);  // The sync comes first.
  REQUIRE(configs.Get({"default", "b"}) != nullptr);
  std::filesystem::copy(folder.Sub("one"), folder.Sub("two"),
                        std::filesystem::copy_options::recursive);

  Options again;
  again.store.data_dir = folder.Sub("two");
  again.seed = 8;
  Bed after(std::move(again));
  after.executor.RunUntilIdle();
  CHECK(IsGone(after, "b"));
  CHECK(IsGone(after, "orphaning"));
  CHECK(after.Get(ConfigPath("o")).body["metadata"]["ownerReferences"].is_null());
  CHECK_FALSE(IsGone(after, "foreground"));
  Release(after, "f");
  CHECK(IsGone(after, "foreground"));
}

TEST_CASE("collector: a namespace in its end does not wait for policies") {
  Bed bed;
  REQUIRE(bed.Post("/api/v1/namespaces", R"({"metadata":{"name":"foo"}})").code == 201);
  const std::string configs = "/api/v1/namespaces/foo/configmaps";
  const Answer owner = bed.Post(configs, ConfigJson("owner"));
  REQUIRE(bed.Post(configs, Meta("child", Ref(owner, kBlocks), kHold)).code == 201);
  bed.Delete(configs + "/owner", kForeground);
  REQUIRE(bed.Get(configs + "/owner").code == 200);
  bed.Delete("/api/v1/namespaces/foo");
  CHECK(bed.Get(configs + "/owner").code == 404);
  REQUIRE(bed.Merge(configs + "/child", R"({"metadata":{"finalizers":null}})").code == 200);
  CHECK(bed.Get("/api/v1/namespaces/foo").code == 404);
}

}  // namespace bth::apiserver::testing
