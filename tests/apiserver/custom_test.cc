// CustomResourceDefinitions, discovery, tables and the documents about the server.
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

const char kGangs[] = "/apis/batch.example.com/v1/namespaces/default/gangs";
const char kTable[] = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const char kPartial[] = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

const Json* Named(const Json& list, std::string_view name) {
  for (const Json& item : list.items()) {
    if (item["name"].AsString() == name) return &item;
  }
  return nullptr;
}

const Json& First(const Json& list) {
  return list[size_t{0}];
}

std::string Cells(const Answer& table, size_t row) {
  return table.body["rows"][row]["cells"].Dump();
}

}  // namespace

TEST_CASE("definitions: what they define is served at once and goes with them") {
  Bed bed;
  const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  CHECK(bed.Get(kGangs).code == 404);
  const Answer made = bed.Post(crds, GangDefinition().Dump());
  REQUIRE(made.code == 201);
  CHECK(made.at({"status", "acceptedNames", "singular"}) == "gang");
  CHECK(made.at({"status", "acceptedNames", "listKind"}) == "GangList");
  const Json& conditions = made.body["status"]["conditions"];
  REQUIRE(conditions.size() == 2);
  CHECK(conditions[size_t{1}]["type"].AsString() == "Established");
  CHECK(conditions[size_t{1}]["status"].AsString() == "True");
  REQUIRE(bed.Post(kGangs, R"({"metadata":{"name":"g"},"spec":{"min":2}})").code == 201);
  CHECK(bed.Get(kGangs).at({"kind"}) == "GangList");
  auto events = bed.Watch(StrCat(kGangs, "?watch=1"));
  CHECK(bed.Delete(crds + "/gangs.batch.example.com").code == 200);
  CHECK(bed.Get(kGangs).code == 404);
  CHECK(events->Names() == std::vector<std::string>{"ADDED g", "DELETED g"});
  CHECK(events->ended);
  REQUIRE(bed.Post(crds, GangDefinition().Dump()).code == 201);
  CHECK(bed.Get(kGangs).body["items"].empty());
  Json bad = LineDefinition();
  bad["metadata"].Set("name", "wrong.name");
  CHECK(bed.Post(crds, bad.Dump()).code == 422);
}

TEST_CASE("definitions: with and without a status subresource") {
  Options options;
  options.crds = {GangDefinition(), LineDefinition()};
  Bed bed(std::move(options));
  // Without: one write for all, each change counts.
  const Answer gang =
      bed.Post(kGangs, R"({"metadata":{"name":"g"},"spec":{"min":2},"status":{"phase":"New"}})");
  CHECK(gang.at({"status", "phase"}) == "New");
  const Answer moved = bed.Merge(StrCat(kGangs, "/g"), R"({"status":{"phase":"Old"}})");
  CHECK(moved.at({"status", "phase"}) == "Old");
  CHECK(moved.at({"metadata", "generation"}) == "2");
  CHECK(bed.Merge(StrCat(kGangs, "/g/status"), "{}").code == 404);
  // With: each endpoint its own part.
  const Answer line =
      bed.Post(kLines, R"({"metadata":{"name":"l"},"spec":{"size":2},"status":{"size":1}})");
  CHECK(line.body["status"].is_null());
  const Answer status =
      bed.Merge(StrCat(kLines, "/l/status"),
                R"({"status":{"size":1},"spec":{"size":9},"metadata":{"labels":{"a":"b"}}})");
  CHECK(status.at({"status", "size"}) == "1");
  CHECK(status.at({"spec", "size"}) == "2");
  CHECK(status.body["metadata"]["labels"].is_null());
  CHECK(status.at({"metadata", "generation"}) == "1");
  CHECK(bed.Merge(StrCat(kLines, "/l"), R"({"spec":{"size":3},"status":{"size":7}})")
            .at({"status", "size"}) == "1");
  CHECK(bed.Merge(StrCat(kLines, "/l/scale"), R"({"spec":{"replicas":8}})")
            .at({"spec", "replicas"}) == "8");
  CHECK(bed.Get(StrCat(kLines, "/l")).at({"spec", "size"}) == "8");
  // A custom resource is replaced only on top of a known revision, and has no strategic patch.
  CHECK(bed.Put(StrCat(kLines, "/l"), R"({"metadata":{"name":"l"},"spec":{}})").code == 422);
  CHECK(bed.Patch(StrCat(kLines, "/l"), "strategic-merge-patch+json", "{}").code == 415);
}

TEST_CASE("discovery: groups, resources, verbs, short names") {
  Options options;
  options.crds = {GangDefinition(), LineDefinition()};
  Bed bed(std::move(options));
  const Answer core = bed.Get("/api/v1");
  const Json* pods = Named(core.body["resources"], "pods");
  REQUIRE(pods != nullptr);
  CHECK((*pods)["shortNames"].Dump() == R"(["po"])");
  CHECK((*pods)["singularName"].AsString() == "pod");
  CHECK((*pods)["categories"].Dump() == R"(["all"])");
  CHECK((*pods)["verbs"].size() == 8);
  CHECK(Named(core.body["resources"], "pods/binding") != nullptr);
  CHECK((*Named(core.body["resources"], "pods/eviction"))["group"].AsString() == "policy");
  const Answer custom = bed.Get("/apis/batch.example.com/v1");
  CHECK((*Named(custom.body["resources"], "gangs"))["shortNames"].Dump() == R"(["gg"])");
  CHECK(Named(custom.body["resources"], "gangs/status") == nullptr);
  CHECK(Named(custom.body["resources"], "lines/status") != nullptr);
  CHECK(Named(custom.body["resources"], "lines/scale") != nullptr);
  CHECK(bed.Get("/api").at({"kind"}) == "APIVersions");
  const Answer groups = bed.Get("/apis");
  CHECK(groups.at({"kind"}) == "APIGroupList");
  for (const char* group :
       {"apps", "batch", "policy", "scheduling.k8s.io", "storage.k8s.io", "coordination.k8s.io",
        "networking.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io", "events.k8s.io",
        "discovery.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io",
        "authentication.k8s.io", "authorization.k8s.io", "batch.example.com"}) {
    INFO(group);
    CHECK(Named(groups.body["groups"], group) != nullptr);
    CHECK(bed.Get(StrCat("/apis/", group)).at({"preferredVersion", "version"}) == "v1");
  }
  CHECK(bed.Get("/apis/none").code == 404);
  CHECK(bed.Get("/version").at({"minor"}) == "36");
}

TEST_CASE("discovery: aggregated for those who ask") {
  Options options;
  options.crds = {LineDefinition()};
  Bed bed(std::move(options));
  const char accept[] =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
  const Answer all = bed.Get("/apis", {{"Accept", accept}});
  CHECK(all.at({"kind"}) == "APIGroupDiscoveryList");
  CHECK(all.at({"apiVersion"}) == "apidiscovery.k8s.io/v2");
  CHECK_THAT(std::string(all.headers.Get("content-type")),
             Catch::Contains("as=APIGroupDiscoveryList"));
  bool found = false;
  for (const Json& group : all.body["items"].items()) {
    if (group["metadata"]["name"].AsString() != "batch.example.com") continue;
    const Json& resource = group["versions"][size_t{0}]["resources"][size_t{0}];
    CHECK(resource["resource"].AsString() == "lines");
    CHECK(resource["scope"].AsString() == "Cluster");
    CHECK(resource["responseKind"]["kind"].AsString() == "Line");
    CHECK(resource["subresources"].size() == 2);
    found = true;
  }
  CHECK(found);
  CHECK(bed.Get("/api", {{"Accept", accept}}).body["items"].size() == 1);
}

TEST_CASE("openapi: what kubectl looks up") {
  Options options;
  options.crds = {LineDefinition()};
  Bed bed(std::move(options));
  const Answer index = bed.Get("/openapi/v3");
  const std::string url = index.at({"paths", "apis/batch.example.com/v1", "serverRelativeURL"});
  REQUIRE_FALSE(url.empty());
  const Answer document = bed.Get(url);
  REQUIRE(document.code == 200);
  const Json& patch = document.body["paths"]["/apis/batch.example.com/v1/lines/{name}"]["patch"];
  CHECK(patch["x-kubernetes-group-version-kind"]["kind"].AsString() == "Line");
  CHECK(Named(patch["parameters"], "dryRun") != nullptr);
  CHECK(Named(patch["parameters"], "fieldValidation") != nullptr);
  CHECK(document.body["components"]["schemas"]["com.example.batch.v1.Line"].is_object());
  CHECK(bed.Get("/openapi/v3/api/v1")
            .body["components"]["schemas"]["io.k8s.api.core.v1.Pod"]
            .is_object());
  CHECK(bed.Get("/openapi/v3/apis/no/v1").code == 404);
  CHECK(bed.Get("/openapi/v2").at({"swagger"}) == "2.0");
  CHECK(bed.Get("/openapi/v2",
                {{"Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}})
            .code == 406);
}

TEST_CASE("health and metrics: open and plain") {
  Options options;
  options.extra_metrics = [] { return std::string("mine 1\n"); };
  Bed bed(std::move(options));
  for (const char* path : {"/healthz", "/readyz", "/livez", "/readyz/ping"}) {
    CHECK(bed.Get(path).text == "ok");
  }
  bed.Get(kConfigs);
  const Answer metrics = bed.Get("/metrics");
  CHECK_THAT(metrics.text,
             Catch::Contains(
                 "apiserver_request_total{verb=\"list\",resource=\"configmaps\",code=\"200\"} 1"));
  CHECK_THAT(metrics.text, Catch::Contains("mine 1\n"));
}

TEST_CASE("tables: pods as kubectl shows them") {
  struct Case {
    const char* status;
    const char* cells;  // Ready, status, restarts.
  };
  const Case cases[] = {
      {R"({"phase":"Pending"})", R"(["0/1","Pending","0")"},
      {R"({"phase":"Running","containerStatuses":[{"name":"c","ready":true,"restartCount":2,"state":{"running":{}}}]})",
       R"(["1/1","Running","2")"},
      {R"({"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ImagePullBackOff"}}}]})",
       R"(["0/1","ImagePullBackOff","0")"},
      {R"({"phase":"Succeeded","containerStatuses":[{"name":"c","state":{"terminated":{"reason":"Completed","exitCode":0}}}]})",
       R"(["0/1","Completed","0")"},
      {R"({"phase":"Failed","containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":3}}}]})",
       R"(["0/1","ExitCode:3","0")"},
      {R"({"phase":"Failed","reason":"Evicted"})", R"(["0/1","Evicted","0")"},
  };
  Bed bed;
  int n = 0;
  for (const Case& c : cases) {
    INFO(c.status);
    const std::string name = StrCat("p", n++);
    bed.Post(kPods, PodJson(name));
    bed.Merge(StrCat(kPods, "/", name, "/status"), StrCat("{\"status\":", c.status, "}"));
    const Answer table = bed.Get(StrCat(kPods, "/", name), {{"Accept", kTable}});
    REQUIRE(table.at({"kind"}) == "Table");
    const Json& cells = table.body["rows"][size_t{0}]["cells"];
    CHECK(Json(Json::Array{cells[1], cells[2], cells[3]}).Dump() == StrCat(c.cells, "]"));
  }
  bed.executor.Advance(absl::Minutes(5));
  const Answer table = bed.Get(kPods, {{"Accept", kTable}});
  REQUIRE(table.body["rows"].size() == std::size(cases));
  std::string names;
  for (const Json& column : table.body["columnDefinitions"].items()) {
    StrAppend(&names, std::string(column["name"].AsString()), ";");
  }
  CHECK(names == "Name;Ready;Status;Restarts;Age;IP;Node;Nominated Node;Readiness Gates;");
  CHECK(Cells(table, 0) ==
        R"(["p0","0/1","Pending","0","5m","<none>","<none>","<none>","<none>"])");
  CHECK(table.body["rows"][size_t{0}]["object"]["kind"].AsString() == "PartialObjectMetadata");
  CHECK(First(bed.Get(StrCat(kPods, "?includeObject=Object"), {{"Accept", kTable}})
                  .body["rows"])["object"]["kind"]
            .AsString() == "Pod");
  CHECK(First(bed.Get(StrCat(kPods, "?includeObject=None"), {{"Accept", kTable}})
                  .body["rows"])["object"]
            .is_null());
  CHECK(bed.Get(StrCat(kPods, "?includeObject=Some"), {{"Accept", kTable}}).code == 400);
}

TEST_CASE("tables: custom columns, nodes, plain kinds, and watches") {
  Options options;
  options.crds = {GangDefinition(), LineDefinition()};
  Bed bed(std::move(options));
  bed.Post(kGangs, R"({"metadata":{"name":"g"},"spec":{"min":3},"status":{"phase":"Inqueue"}})");
  bed.Post(kLines, R"({"metadata":{"name":"l"}})");
  bed.Post(
      "/api/v1/nodes",
      R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":""}},"spec":{"unschedulable":true},
    "status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1"}}})");
  bed.executor.Advance(absl::Hours(3));
  CHECK(Cells(bed.Get(kGangs, {{"Accept", kTable}}), 0) == R"(["g","Inqueue",3,"3h"])");
  CHECK(Cells(bed.Get(kLines, {{"Accept", kTable}}), 0) == R"(["l","3h"])");
  const Answer node = bed.Get("/api/v1/nodes/n", {{"Accept", kTable}});
  CHECK(
      Cells(node, 0) ==
      R"(["n","Ready,SchedulingDisabled","worker","3h","v1","<none>","<none>","<unknown>","<unknown>","<unknown>"])");
  auto events = bed.Watch(StrCat(kGangs, "?watch=1"), {{"Accept", kTable}});
  bed.Merge(StrCat(kGangs, "/g"), R"({"status":{"phase":"Running"}})");
  REQUIRE(events->all.size() == 2);
  CHECK(events->all[0]["object"]["columnDefinitions"].size() == 4);
  CHECK(events->all[1]["object"]["columnDefinitions"].empty());
  CHECK(events->all[1].At({"object", "rows"})[size_t{0}]["cells"].Dump() ==
        R"(["g","Running",3,"3h"])");
}

TEST_CASE("partial metadata: for objects, lists and watches") {
  Bed bed;
  bed.Post(kConfigs, ConfigJson("a", R"({"x":"1"})"));
  const Answer one = bed.Get(StrCat(kConfigs, "/a"), {{"Accept", kPartial}});
  CHECK(one.at({"kind"}) == "PartialObjectMetadata");
  CHECK(one.at({"apiVersion"}) == "meta.k8s.io/v1");
  CHECK(one.at({"metadata", "labels", "x"}) == "1");
  CHECK(one.body["data"].is_null());
  const Answer list = bed.Get(
      kConfigs, {{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}});
  CHECK(list.at({"kind"}) == "PartialObjectMetadataList");
  CHECK(list.body["items"][size_t{0}]["data"].is_null());
  auto events = bed.Watch(StrCat(kConfigs, "?watch=1"), {{"Accept", kPartial}});
  REQUIRE(events->all.size() == 1);
  CHECK(events->all[0].At({"object", "kind"}).AsString() == "PartialObjectMetadata");
  CHECK(bed.Get(kConfigs, {{"Accept", "application/xml"}}).code == 406);
  CHECK(bed.Get(kConfigs, {{"Accept", "application/vnd.kubernetes.protobuf"}}).code == 200);
}

}  // namespace bth::apiserver::testing
