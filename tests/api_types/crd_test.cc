// The definitions in deploy/crds: written by the generator, complete, and what the tables say.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/types/command.h"
#include "api/types/crd/generate.h"
#include "api/types/crd/kind_docs.h"
#include "api/types/crd/message_schema.h"
#include "api/types/crd/schema.h"
#include "api/types/crd/yaml.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

using namespace bth::types;

namespace {

std::vector<crd::Definition> Definitions() {
  auto definitions = crd::GenerateDefinitions();
  REQUIRE(definitions.status().ToString() == "OK");
  return *std::move(definitions);
}

Json SpecOf(const std::string& name) {
  for (const crd::Definition& definition : Definitions()) {
    if (definition.object["metadata"]["name"].AsString() == name) return definition.object["spec"];
  }
  FAIL("no definition of " << name);
  return {};
}

// "a.b[].c{}" below openAPIV3Schema.
const Json& At(const Json& spec, std::string path) {
  const Json* schema = &spec["versions"][0]["schema"]["openAPIV3Schema"];
  while (!path.empty()) {
    if (path.rfind("[]", 0) == 0 || path.rfind("{}", 0) == 0) {
      schema = &(*schema)[path[0] == '[' ? "items" : "additionalProperties"];
      path.erase(0, 2);
    } else {
      const size_t end = std::min(path.find_first_of(".[{", 1), path.size());
      const std::string name = path.substr(path[0] == '.' ? 1 : 0, end - (path[0] == '.' ? 1 : 0));
      schema = &(*schema)["properties"][name];
      path.erase(0, end);
    }
  }
  return *schema;
}

// Every schema below `schema`, with the names of its parents.
template <class Visit>
void ForEachSchema(const Json& schema, const std::string& path, const Visit& visit) {
  visit(schema, path);
  for (const auto& [name, value] : schema["properties"].members()) {
    ForEachSchema(value, path + "." + name, visit);
  }
  if (schema.Find("items") != nullptr) ForEachSchema(schema["items"], path + "[]", visit);
  if (schema.Find("additionalProperties") != nullptr) {
    ForEachSchema(schema["additionalProperties"], path + "{}", visit);
  }
}

// Below the spec of a pod template, which Kubernetes describes.
bool IsInPod(const std::string& path) {
  return path.find(".template.spec.") != path.npos;
}

}  // namespace

TEST_CASE("definitions: deploy/crds holds what the generator writes", "[types][unit]") {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(bth::test::SourceRoot() / "deploy/crds")) {
    files[entry.path().filename().string()] = bth::test::ReadFile(entry.path());
  }
  std::set<std::string> expected;
  for (const crd::Definition& definition : Definitions()) {
    INFO("`make crds` writes " << definition.file << " anew");
    CHECK(files[definition.file] == definition.yaml);
    expected.insert(definition.file);
  }
  CHECK(expected.size() == 11);
  for (const auto& [name, text] : files) CHECK(expected.count(name) == 1);
}

TEST_CASE("definitions: names, scopes and subresources of all kinds", "[types][unit]") {
  struct Case {
    std::string name, kind, singular, version, scope, short_names, subresources;
    size_t columns;
  };
  const Case c = GENERATE(values<Case>({
      {"jobs.batch.volcano.sh", "Job", "job", "v1alpha1", "Namespaced", R"(["vcjob","vj"])",
       R"({"status":{}})", 5},
      {"cronjobs.batch.volcano.sh", "CronJob", "cronjob", "v1alpha1", "Namespaced",
       R"(["cronvcjob","cronvj"])", R"({"status":{}})", 4},
      {"commands.bus.volcano.sh", "Command", "command", "v1alpha1", "Namespaced", "null", "null",
       0},
      {"podgroups.scheduling.volcano.sh", "PodGroup", "podgroup", "v1beta1", "Namespaced",
       R"(["pg","podgroup-v1beta1"])", "{}", 5},
      {"queues.scheduling.volcano.sh", "Queue", "queue", "v1beta1", "Cluster",
       R"(["q","queue-v1beta1"])", R"({"status":{}})", 10},
      {"jobflows.flow.volcano.sh", "JobFlow", "jobflow", "v1alpha1", "Namespaced", R"(["jf"])",
       R"({"status":{}})", 2},
      {"jobtemplates.flow.volcano.sh", "JobTemplate", "jobtemplate", "v1alpha1", "Namespaced",
       R"(["jt"])", R"({"status":{}})", 0},
      {"hypernodes.topology.volcano.sh", "HyperNode", "hypernode", "v1alpha1", "Cluster",
       R"(["hn"])", R"({"status":{}})", 4},
      {"numatopologies.nodeinfo.volcano.sh", "Numatopology", "numatopology", "v1alpha1", "Cluster",
       R"(["numatopo"])", "null", 0},
      {"nodeshards.shard.volcano.sh", "NodeShard", "nodeshard", "v1alpha1", "Cluster", R"(["nsh"])",
       R"({"status":{}})", 1},
      {"colocationconfigurations.config.volcano.sh", "ColocationConfiguration",
       "colocationconfiguration", "v1alpha1", "Namespaced", "null", R"({"status":{}})", 0},
  }));
  CAPTURE(c.name);
  const Json spec = SpecOf(c.name);
  CHECK(spec["names"]["kind"].AsString() == c.kind);
  CHECK(spec["names"]["listKind"].AsString() == c.kind + "List");
  CHECK(spec["names"]["singular"].AsString() == c.singular);
  CHECK(spec["names"]["shortNames"].Dump() == c.short_names);
  CHECK(spec["scope"].AsString() == c.scope);
  CHECK(spec["versions"].size() == 1);
  const Json& version = spec["versions"][0];
  CHECK(version["name"].AsString() == c.version);
  CHECK(version["served"].AsBool());
  CHECK(version["storage"].AsBool());
  CHECK(version["subresources"].Dump() == c.subresources);
  CHECK(version["additionalPrinterColumns"].size() == c.columns);
}

TEST_CASE("definitions: limits and defaults of the batch kinds", "[types][unit]") {
  struct Case {
    std::string name, path, key, value;
  };
  const std::string events =
      R"(["*","PodPending","PodRunning","PodFailed","PodEvicted","Unknown","TaskCompleted",)"
      R"("TaskFailed","OutOfSync","CommandIssued","JobUpdated"])";
  const std::string job = "jobs.batch.volcano.sh", cron = "cronjobs.batch.volcano.sh";
  const std::string flow = "jobflows.flow.volcano.sh", command = "commands.bus.volcano.sh";
  const std::vector<Case> cases = {
      {job, "spec.schedulerName", "maxLength", "63"},
      {job, "spec.minAvailable", "minimum", "0"},
      {job, "spec.tasks", "minItems", "1"},
      {job, "spec.queue", "default", R"("default")"},
      {job, "spec.maxRetry", "default", "3"},
      {job, "spec.maxRetry", "minimum", "0"},
      {job, "spec.minSuccess", "minimum", "1"},
      {job, "spec.ttlSecondsAfterFinished", "minimum", "0"},
      {job, "spec.plugins{}[]", "type", R"("string")"},
      {job, "spec.networkTopology.mode", "default", R"("hard")"},
      {job, "spec.networkTopology.mode", "enum", R"(["hard","soft"])"},
      {job, "spec.volumes[].mountPath", "pattern", R"("^[^:]+$")"},
      {job, "spec.volumes[]", "required", R"(["mountPath"])"},
      {job, "spec.volumes[].volumeClaim", "x-kubernetes-preserve-unknown-fields", "true"},
      {job, "spec.tasks[].name", "pattern", R"("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")"},
      {job, "spec.tasks[].name", "maxLength", "63"},
      {job, "spec.tasks[].replicas", "minimum", "0"},
      {job, "spec.tasks[].minAvailable", "minimum", "0"},
      {job, "spec.tasks[].topologyPolicy", "enum",
       R"(["none","best-effort","restricted","single-numa-node"])"},
      {job, "spec.tasks[].template", "x-kubernetes-preserve-unknown-fields", "true"},
      {job, "spec.tasks[].template.spec", "x-kubernetes-preserve-unknown-fields", "true"},
      {job, "spec.tasks[].template.metadata.labels{}", "type", R"("string")"},
      {job, "spec.tasks[].partitionPolicy", "required", R"(["totalPartitions","partitionSize"])"},
      {job, "spec.tasks[].partitionPolicy.partitionSize", "minimum", "1"},
      {job, "spec.tasks[].partitionPolicy.minPartitions", "default", "0"},
      {job, "spec.tasks[].policies[].event", "enum", events},
      {job, "spec.policies[].events[]", "enum", events},
      {job, "spec.policies[].action", "type", R"("string")"},
      {job, "spec.policies[].action", "enum", "null"},
      {job, "spec.tasks[].policies[].action", "enum", "null"},
      {job, "spec.policies[].timeout", "type", R"("string")"},
      {job, "status.conditions[]", "required", R"(["status"])"},
      {job, "status.running", "minimum", "0"},
      {job, "status.taskStatusCount{}.phase{}", "format", R"("int32")"},
      {cron, "", "required", R"(["spec"])"},
      {cron, "spec", "required", R"(["schedule","jobTemplate"])"},
      {cron, "spec.schedule", "x-kubernetes-validations",
       R"([{"rule":"self != ''","message":"schedule is required, but got empty"}])"},
      {cron, "spec.concurrencyPolicy", "enum", R"(["Allow","Forbid","Replace"])"},
      {cron, "spec.concurrencyPolicy", "default", R"("Allow")"},
      {cron, "spec.suspend", "default", "false"},
      {cron, "spec.successfulJobsHistoryLimit", "default", "3"},
      {cron, "spec.failedJobsHistoryLimit", "default", "1"},
      {cron, "spec.startingDeadlineSeconds", "minimum", "0"},
      {cron, "spec.startingDeadlineSeconds", "format", R"("int64")"},
      {cron, "spec.jobTemplate.spec.tasks", "minItems", "1"},
      {cron, "status.active", "x-kubernetes-list-type", R"("atomic")"},
      {flow, "spec.flows[]", "required", R"(["name"])"},
      {flow, "spec.flows[].name", "minLength", "1"},
      {flow, "spec.flows[].dependsOn.probe.httpGetList[].port", "maximum", "65535"},
      {flow, "spec.flows[].dependsOn.probe.tcpSocketList[]", "required", R"(["port"])"},
      {flow, "spec.flows[].dependsOn.probe.taskStatusList[].phase", "maxLength", "63"},
      {flow, "spec.flows[].patch.jobSpec.tasks[].replicas", "minimum", "0"},
      {flow, "spec.jobRetainPolicy", "enum", R"(["retain","delete"])"},
      {"jobtemplates.flow.volcano.sh", "spec.maxRetry", "default", "3"},
      {command, "target", "required", R"(["apiVersion","kind","name","uid"])"},
      {command, "target", "x-kubernetes-map-type", R"("atomic")"},
      {command, "action", "type", R"("string")"},
      {command, "action", "enum", "null"},
      {"nodeshards.shard.volcano.sh", "", "required", R"(["spec"])"},
      {"nodeshards.shard.volcano.sh", "spec", "required", R"(["nodesDesired"])"},
      {"numatopologies.nodeinfo.volcano.sh", "spec.cpuDetail{}.core", "minimum", "0"},
      {"numatopologies.nodeinfo.volcano.sh",
       "spec.podAllocations[].containerAllocations[].allocations{}", "type", R"("string")"},
      {"colocationconfigurations.config.volcano.sh", "", "required", R"(["spec"])"},
      {"colocationconfigurations.config.volcano.sh", "spec.memoryQos.highRatio", "default", "100"},
      {"colocationconfigurations.config.volcano.sh", "status.conditions",
       "x-kubernetes-list-map-keys", R"(["type"])"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.path, c.key);
    CHECK(At(SpecOf(c.name), c.path)[c.key].Dump() == c.value);
  }
}

TEST_CASE("definitions: every field has a type and a description", "[types][unit]") {
  for (const crd::Definition& definition : Definitions()) {
    const Json& root = definition.object["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    size_t schemas = 0;
    ForEachSchema(root, "", [&](const Json& schema, const std::string& path) {
      CAPTURE(definition.file, path);
      ++schemas;
      const bool both = schema["x-kubernetes-int-or-string"].AsBool();
      // Quantities in pods, which may be numbers with a fraction.
      const bool open = IsInPod(path) && !schema["pattern"].AsString().empty();
      CHECK((both || open || !schema["type"].AsString().empty()));
      const bool element = !path.empty() && (path.back() == ']' || path.back() == '}');
      const bool described = !element && path != ".metadata" && !IsInPod(path);
      if (described) CHECK_FALSE(schema["description"].AsString().empty());
      if (schema["required"].size() > 0) {
        for (const Json& name : schema["required"].items()) {
          CHECK(schema["properties"].Find(name.AsString()) != nullptr);
        }
      }
    });
    CHECK(schemas > 5);
  }
}

TEST_CASE("definitions: pods of templates have types and no other rules", "[types][unit]") {
  const std::string job = "jobs.batch.volcano.sh", pod = "spec.tasks[].template.spec";
  const std::string both = R"([{"type":"integer"},{"type":"string"}])";
  struct Case {
    std::string path, key, value;
  };
  const std::vector<Case> cases = {
      {"", "type", R"("object")"},
      {".containers[].image", "type", R"("string")"},
      {".containers[].command", "type", R"("array")"},
      {".containers[].command[]", "type", R"("string")"},
      {".containers[].stdin", "type", R"("boolean")"},
      {".initContainers[].ports[].containerPort", "type", R"("integer")"},
      {".containers[].resources.limits{}", "type", "null"},
      {".containers[].resources.limits{}", "x-kubernetes-preserve-unknown-fields", "true"},
      {".containers[].livenessProbe.httpGet.port", "anyOf", both},
      {".containers[].env[].valueFrom.secretKeyRef.name", "type", R"("string")"},
      {".volumes[].emptyDir.sizeLimit", "x-kubernetes-preserve-unknown-fields", "true"},
      {".volumes[].ephemeral.volumeClaimTemplate.spec.resources.requests{}", "type", "null"},
      {".nodeSelector{}", "type", R"("string")"},
      {".tolerations[].tolerationSeconds", "type", R"("integer")"},
      {".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
       ".nodeSelectorTerms[].matchExpressions[].values[]",
       "type", R"("string")"},
      {".ephemeralContainers", "type", "null"},
  };
  const Json spec = SpecOf(job);
  for (const Case& c : cases) {
    CAPTURE(c.path, c.key);
    CHECK(At(spec, pod + c.path)[c.key].Dump() == c.value);
  }
  size_t schemas = 0;
  ForEachSchema(At(spec, pod), "", [&](const Json& schema, const std::string& path) {
    CAPTURE(path);
    ++schemas;
    for (const char* rule : {"required", "enum", "default", "minimum", "minItems", "format"}) {
      CHECK(schema.Find(rule) == nullptr);
    }
    const bool object = schema["type"].AsString() == "object";
    const bool map = schema.Find("additionalProperties") != nullptr;
    const bool open = schema["x-kubernetes-preserve-unknown-fields"].AsBool();
    const bool quantity = schema.Find("pattern") != nullptr;
    CHECK(open == ((object && !map) || quantity));
    if (!path.empty() && path.back() != ']' && path.back() != '}') {
      CHECK(schema["nullable"].AsBool());
    }
  });
  CHECK(schemas > 500);
}

TEST_CASE("definitions: the docs of pods are about fields that pods have", "[types][unit]") {
  std::set<std::string> shown;
  const Json spec = SpecOf("jobs.batch.volcano.sh");
  ForEachSchema(At(spec, ""), "", [&](const Json& schema, const std::string& path) {
    if (!IsInPod(path)) return;
    const std::string name = path.substr(path.rfind('.') + 1);
    shown.insert(name + ": " + std::string(schema["description"].AsString()));
  });
  for (const crd::MessageDoc& doc : crd::PodDocs()) {
    const std::string name(doc.field.substr(doc.field.find('.') + 1));
    CAPTURE(doc.field);
    CHECK(shown.count(name + ": " + std::string(doc.text)) == 1);
  }
}

TEST_CASE("definitions: kubectl apply can note down each of them", "[types][unit]") {
  constexpr size_t kAnnotationsMax = 256 * 1024;
  for (const crd::Definition& definition : Definitions()) {
    CAPTURE(definition.file);
    const std::string noted = definition.object.Dump();
    CHECK(noted.size() < kAnnotationsMax / 2);
  }
}

TEST_CASE("docs: a field that is forgotten, or one too many, is an error", "[types][unit]") {
  const auto write = [](std::vector<crd::FieldDoc> fields) {
    const crd::FieldDocs docs = {fields};
    crd::KindDoc kind = {};
    kind.resource = &codec_internal::ResourceOf<Command>;
    kind.fields = &docs;
    return crd::SchemaWriter().Write(kind);
  };
  std::vector<crd::FieldDoc> fields = {
      {"action", "a"},
      {"target", "t"},
      {"target.kind", "k"},
      {"target.apiVersion", "v"},
      {"target.name", "n"},
      {"target.uid", "u"},
      {"target.controller", "c"},
      {"target.blockOwnerDeletion", "b"},
      {"reason", "r"},
      {"message", "m"},
  };
  CHECK(write(fields).ok());
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].path == "target") continue;  // Without it the fields below are not looked for.
    std::vector<crd::FieldDoc> fewer = fields;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const auto schema = write(fewer);
    REQUIRE_FALSE(schema.ok());
    CHECK_THAT(std::string(schema.status().message()),
               Catch::Contains(std::string(fields[i].path)));
  }
  for (const char* path : {"actoin", "action", "target.", "target.kind.x"}) {
    std::vector<crd::FieldDoc> more = fields;
    more.push_back({path, "x"});
    const auto schema = write(more);
    REQUIRE_FALSE(schema.ok());
    CHECK_THAT(std::string(schema.status().message()), Catch::Contains(path));
  }
  fields[0].limits.fallback = "[";
  CHECK_FALSE(write(fields).ok());
}

TEST_CASE("yaml: texts are quoted where another reading is possible", "[types][unit]") {
  const auto [json, yaml] = GENERATE(table<std::string, std::string>({
      {R"({"a":"text","b":"two words, one (sentence).","c":".spec.x"})",
       "a: text\nb: two words, one (sentence).\nc: .spec.x\n"},
      {R"(["true","no","Y","null","1","1.5","-x","*","","a: b","a #b","a ","x:","v1"])",
       "- \"true\"\n- \"no\"\n- \"Y\"\n- \"null\"\n- \"1\"\n- \"1.5\"\n- \"-x\"\n- \"*\"\n- "
       "\"\"\n- \"a: b\"\n- \"a #b\"\n- \"a \"\n- \"x:\"\n- v1\n"},
      {R"({"a":1,"b":true,"c":null,"d":[],"e":{},"f":2.5})",
       "a: 1\nb: true\nc: null\nd: []\ne: {}\nf: 2.5\n"},
      {R"({"a":{"b":[{"c":1,"d":{"e":2}},[3,[4]],{}]}})",
       "a:\n  b:\n  - c: 1\n    d:\n      e: 2\n  -\n    - 3\n    -\n      - 4\n  - {}\n"},
      {R"("\"")", "\"\\\"\"\n"},
      {"{}", "{}\n"},
  }));
  CHECK(crd::ToYaml(*Json::Parse(json)) == yaml);
}
