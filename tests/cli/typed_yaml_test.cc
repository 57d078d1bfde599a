// Files with jobs and flows: what stands in them is read with the types that Volcano reads into it.
#include "cli/text/typed_yaml.h"

#include "api/types/batch_job.h"
#include "api/types/job_flow.h"
#include "cli/job/run.h"
#include "cli/jobflow/files.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

using types::Json;

std::string JobRead(const std::string& yaml) {
  const auto read = ObjectFromYaml(yaml, YamlSchema<types::BatchJob>(), "job");
  return read.ok() ? read->Dump() : std::string(read.status().message());
}

TEST_CASE("typed YAML: scalars of a job", "[cli][job]") {
  struct Case {
    std::string yaml, json;
  };
  const std::string head = R"({"spec":{"tasks":[{"template":{"spec":)";
  const auto pod = [&head](const std::string& spec) { return head + spec + "}}]}}"; };
  const Case cases[] = {
      {"", "{}"},
      {"{kind: 7, metadata: {name: 12}, other: 1}", R"({"metadata":{"name":"12"}})"},
      {"metadata: {labels: {a: 1, b: yes, c: 1.50, d: 1e6, e: 0.00001, f: ~, 80: x}}",
       R"({"metadata":{"labels":{"a":"1","b":"true","c":"1.5","d":"1e+06","e":"1e-05","f":"",)"
       R"("80":"x"}}})"},
      {"metadata: {annotations: {a: false}, finalizers: [1], creationTimestamp: 5}",
       R"({"metadata":{"annotations":{"a":"false"},"finalizers":["1"],"creationTimestamp":5}})"},
      // What is too large for an integer is left to be refused.
      {"metadata: {labels: {a: 9223372036854775807, b: 12345678901234567890}}",
       R"({"metadata":{"labels":{"a":"9223372036854775807","b":12345678901234567168.0}}})"},
      {"spec: {minAvailable: 1.0, queue: 3, plugins: {ssh: [1, true]}}",
       R"({"spec":{"minAvailable":1,"queue":"3","plugins":{"ssh":["1","true"]}}})"},
      {"spec: {minAvailable: 1.5, maxRetry: '2', schedulerName: ~}",
       R"({"spec":{"minAvailable":1.5,"maxRetry":"2","schedulerName":null}})"},
      {"spec: {tasks: [{template: {metadata: {labels: {a: 1}}}}]}",
       R"({"spec":{"tasks":[{"template":{"metadata":{"labels":{"a":"1"}}}}]}})"},
      {"spec: {tasks: [{template: {spec: {containers: [{command: [sleep, 100, ~],"
       " env: [{name: A, value: 5}]}]}}}]}",
       pod(R"({"containers":[{"command":["sleep","100",""],"env":[{"name":"A","value":"5"}]}]})")},
      {"spec: {tasks: [{template: {spec: {nodeSelector: {a: true}, priority: 2.0,"
       " hostNetwork: true}}}]}",
       pod(R"({"nodeSelector":{"a":"true"},"priority":2,"hostNetwork":true})")},
      // Amounts and ports keep their types; unknown fields their values.
      {"spec: {tasks: [{template: {spec: {newer: 1, containers: [{resources: {limits: {cpu: 1}},"
       " livenessProbe: {httpGet: {port: 80, path: 7}}}]}}}]}",
       pod(R"({"newer":1,"containers":[{"resources":{"limits":{"cpu":1}},)"
           R"("livenessProbe":{"httpGet":{"port":80,"path":"7"}}}]})")},
      {"- a", "a job must be a map of fields, not an array"},
      {"hello", "a job must be a map of fields, not a string"},
  };
  for (const Case& c : cases) {
    INFO(c.yaml);
    CHECK(JobRead(c.yaml) == c.json);
  }
}

TEST_CASE("typed YAML: flows and templates", "[cli][jobflow]") {
  const auto flow = FlowOf(JobFlowKind(),
                           "metadata: {name: 1, namespace: 2}\n"
                           "spec: {flows: [{name: 3, dependsOn: {targets: [4]}}]}\n");
  REQUIRE(flow.ok());
  CHECK(flow->Dump() == R"({"metadata":{"name":"1","namespace":"2"},)"
                        R"("spec":{"flows":[{"name":"3","dependsOn":{"targets":["4"]}}]}})");
  const auto made = FlowOf(JobTemplateKind(),
                           "metadata: {name: a}\n"
                           "spec: {tasks: [{name: 1, replicas: 2.0, template: {spec: {containers: "
                           "[{name: c, image: i, args: [-n, 5]}]}}}]}\n");
  REQUIRE(made.ok());
  const Json& task = (*made)["spec"]["tasks"][0];
  CHECK(task["name"].AsString() == "1");
  CHECK(task["replicas"].is_int());
  CHECK(task["template"]["spec"]["containers"][0]["args"][1].AsString() == "5");
}

TEST_CASE("typed YAML: a job that Volcano runs", "[cli][job]") {
  test::CliBed cli;
  const test::TempFolder folder;
  const std::string file = folder.Write(
      "job.yaml",
      "metadata: {name: 12, labels: {a: 1}}\n"
      "spec:\n  minAvailable: 1.0\n  tasks:\n  - replicas: 1\n    name: t\n    template:\n"
      "      spec: {containers: [{name: c, image: i, command: [sleep, 100],"
      " env: [{name: A, value: 5}]}]}\n");
  CHECK(cli.Run({"vcctl", "job", "run", "-f", file}).out == "run job 12 successfully\n");
  const Json job = cli.bed.Get("/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs/12");
  CHECK(job["metadata"]["labels"]["a"].AsString() == "1");
  const Json& container = job["spec"]["tasks"][0]["template"]["spec"]["containers"][0];
  CHECK(container["command"] == *Json::Parse(R"(["sleep","100"])"));
  CHECK(container["env"][0]["value"].AsString() == "5");
}

TEST_CASE("job run: a file that holds no map is refused", "[cli][job]") {
  test::CliBed cli;
  const test::TempFolder folder;
  for (const char* text : {"- a", "hello", "12"}) {
    INFO(text);
    const test::Ran ran = cli.Run({"vcctl", "job", "run", "-f", folder.Write("job.yaml", text)});
    CHECK(ran.code == 255);
    CHECK(ran.out.starts_with("Failed to run job: failed to unmarshal file, err:  a job must be "));
  }
  CHECK(JobFromFile(folder.Write("empty.yaml", "# nothing\n"))->Dump() == "{}");
}

}  // namespace
}  // namespace bth::cli
