// vcctl jobflow and vcctl jobtemplate.
#include "cli/jobflow/files.h"
#include "cli/jobflow/show.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;
using Line = std::vector<std::string>;

const absl::Time kFlowNow = absl::FromUnixSeconds(1'767'225'600);  // 2026-01-01T00:00:00Z

Json Flow(const std::string& text) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return *json;
}

void CheckPrints(CliBed& cli, const Line& line, const std::string& out, int code = 0) {
  const Ran ran = cli.Run(line);
  CHECK(ran.out == out);
  CHECK(ran.err.empty());
  CHECK(ran.code == code);
}

TEST_CASE("flow table: the worked case", "[cli][jobflow]") {
  const Json flow = Flow(R"({"metadata":{"name":"test-jobflow","namespace":"default",
      "creationTimestamp":"2025-12-29T00:00:00Z"},"status":{"state":{"phase":"Succeed"}}})");
  CHECK(FlowTable(JobFlowKind(), {flow}, {kFlowNow}) ==
        "Name            Namespace    Phase      Age    \n"
        "test-jobflow    default      Succeed    3d     \n");
  CHECK(FlowTable(JobTemplateKind(), {flow}, {kFlowNow}) ==
        "Name            Namespace    \n"
        "test-jobflow    default      \n");
  CHECK(FlowTable(JobFlowKind(), {Flow(R"({"metadata":{"name":"a","namespace":"b"}})")},
                  {kFlowNow}) ==
        "Name    Namespace    Phase    Age          \n"
        "a       b                     <unknown>    \n");
}

TEST_CASE("flow text: the worked cases", "[cli][jobflow]") {
  const Json flow = Flow(R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow",
      "metadata":{"namespace":"default","name":"test-jobflow","managedFields":[{"a":1}]}})");
  CHECK(FlowText(JobFlowKind(), flow, "yaml") ==
        "apiVersion: flow.volcano.sh/v1alpha1\n"
        "kind: JobFlow\n"
        "metadata:\n"
        "  name: test-jobflow\n"
        "  namespace: default\n"
        "spec: {}\n"
        "status:\n"
        "  state: {}\n");
  CHECK(FlowText(JobFlowKind(), flow, "json") ==
        "{\n"
        "  \"kind\": \"JobFlow\",\n"
        "  \"apiVersion\": \"flow.volcano.sh/v1alpha1\",\n"
        "  \"metadata\": {\n"
        "    \"name\": \"test-jobflow\",\n"
        "    \"namespace\": \"default\"\n"
        "  },\n"
        "  \"spec\": {},\n"
        "  \"status\": {\n"
        "    \"state\": {}\n"
        "  }\n"
        "}\n");
  const Json job_template = Flow(R"({"metadata":{"name":"t"}})");
  CHECK(FlowText(JobTemplateKind(), job_template, "yaml") ==
        "metadata:\n  name: t\nspec: {}\nstatus: {}\n");
  CHECK(FlowText(JobTemplateKind(), job_template, "xml") == "Unsupported format: xml");
}

TEST_CASE("flow files: three dashes divide wherever they stand", "[cli][jobflow]") {
  CHECK(PiecesOf("").empty());
  CHECK(PiecesOf("--- \n a: 1 \n---\n\n------").size() == 1);
  CHECK(PiecesOf("a: x---y\n") == std::vector<std::string_view>{"a: x", "y"});
}

TEST_CASE("flow files: what is read of a piece", "[cli][jobflow]") {
  const auto flow = FlowOf(JobFlowKind(), "kind: Other\nmetadata: {name: a}\nunknown: 1\n");
  REQUIRE(flow.ok());
  CHECK(*flow == Flow(R"({"metadata":{"name":"a","namespace":"default"}})"));
  CHECK_FALSE(FlowOf(JobFlowKind(), "spec: {flows: 3}").ok());
  CHECK_FALSE(FlowOf(JobFlowKind(), "- a").ok());
  CHECK_FALSE(FlowOf(JobTemplateKind(), "a: [").ok());
}

// A file with two job flows or job templates in it.
std::string TwoOf(const std::string& kind) {
  std::string text;
  for (const char* name : {"test-a", "test-b"}) {
    text += "apiVersion: flow.volcano.sh/v1alpha1\nkind: " + kind + "\nmetadata:\n  name: " + name +
            "\nspec: {}\n---\n";
  }
  return text;
}

TEST_CASE("flow commands: a file of two, from its creation to its end", "[cli][jobflow]") {
  for (const auto& [group, kind] : {std::pair<std::string, std::string>("jobflow", "JobFlow"),
                                    {"jobtemplate", "JobTemplate"}}) {
    INFO(group);
    CliBed cli;
    const test::TempFolder folder;
    const std::string file = folder.Write("two.yaml", TwoOf(kind));
    CheckPrints(cli, {"vcctl", group, "list"}, "No resources found\n");
    CheckPrints(cli, {"vcctl", group, "describe"}, "");
    CheckPrints(cli, {"vcctl", group, "create", "-f", file},
                "Created " + kind + ": default/test-a\nCreated " + kind + ": default/test-b\n");
    const std::string exists = group + "s.flow.volcano.sh \"test-";
    CheckPrints(cli, {"vcctl", group, "create", "-f", file},
                "Failed to create " + kind + ": " + exists +
                    "a\" already exists\nFailed to create " + kind + ": " + exists +
                    "b\" already exists\n");
    CHECK(cli.Run({"vcctl", group, "list"}).out.find("\ntest-b    default") != std::string::npos);
    CHECK(cli.Run({"vcctl", group, "get", "-N", "test-a"}).out.find("\ntest-a    default") !=
          std::string::npos);
    const Ran one = cli.Run({"vcctl", group, "describe", "-N", "test-a"});
    CHECK(one.out.starts_with("apiVersion: flow.volcano.sh/v1alpha1\nkind: " + kind +
                              "\nmetadata:\n"));
    CHECK(one.out.find("managedFields") == std::string::npos);
    const Ran all = cli.Run({"vcctl", group, "describe", "-o", "json"});
    CHECK(all.out.starts_with("{\n  \"metadata\": {\n    \"name\": \"test-a\",\n"));
    CHECK(all.out.find("}\n\n\n{\n  \"metadata\"") != std::string::npos);
    CheckPrints(cli, {"vcctl", group, "describe", "-N", "test-a", "-o", "xml"},
                "Unsupported format: xml");
    CheckPrints(cli, {"vcctl", group, "delete", "-N", "test-a"},
                "Deleted " + kind + ": default/test-a\n");
    CheckPrints(cli, {"vcctl", group, "delete", "-N", "ignored", "-f", file},
                "Failed to delete " + kind + ": " + exists + "a\" not found\nDeleted " + kind +
                    ": default/test-b\n");
  }
}

TEST_CASE("flow commands: what ends them", "[cli][jobflow]") {
  CliBed cli;
  const auto fails = [&cli](Line line, const std::string& out) {
    line.insert(line.begin(), "vcctl");
    CheckPrints(cli, line, out + "\n", 255);
  };
  fails({"jobflow", "create"}, "Failed to create jobflow: open : no such file or directory");
  fails({"jobflow", "delete", "-f", "/no/such"},
        "Failed to delete jobflow: open /no/such: no such file or directory");
  fails({"jobflow", "delete"}, "Failed to delete jobflow: jobflow name must be specified");
  fails({"jobtemplate", "delete"},
        "Failed to delete jobtemplate: job template name must be specified");
  fails({"jobflow", "get"},
        "Failed to get jobflow: name is mandatory to get the particular jobflow details");
  fails({"jobtemplate", "get"},
        "Failed to get jobtemplate: name is mandatory to get the particular job template details");
  fails({"jobflow", "get", "-N", "x"},
        "Failed to get jobflow: jobflows.flow.volcano.sh \"x\" not found");
  fails({"jobtemplate", "describe", "-N", "x"},
        "Failed to describe jobtemplate: jobtemplates.flow.volcano.sh \"x\" not found");
}

TEST_CASE("flow commands: what stood before a bad piece was sent", "[cli][jobflow]") {
  CliBed cli;
  const test::TempFolder folder;
  const std::string file =
      folder.Write("half.yaml", "metadata: {name: good}\n---\nspec: {flows: 3}\n");
  const Ran ran = cli.Run({"vcctl", "jobflow", "create", "-f", file});
  CHECK(ran.code == 255);
  CHECK(ran.out.starts_with("Created JobFlow: default/good\nFailed to create jobflow: "));
}

TEST_CASE("flow commands: a piece without a name deletes nothing", "[cli][jobflow]") {
  CliBed cli;
  const test::TempFolder folder;
  const std::string two = folder.Write("two.yaml", TwoOf("JobFlow"));
  REQUIRE(cli.Run({"vcctl", "jobflow", "create", "-f", two}).code == 0);
  const std::string nameless = folder.Write("nameless.yaml", "spec: {}\n");
  CheckPrints(cli, {"vcctl", "jobflow", "delete", "-f", nameless},
              "Failed to delete JobFlow: resource name may not be empty\n");
  const Json left = cli.bed.Get("/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobflows");
  CHECK(left["items"].size() == 2);
}

}  // namespace
}  // namespace bth::cli
