#include <filesystem>
#include <sstream>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "framework/hooks/plugin_abi.h"
#include "framework/hooks/plugin_loader.h"
#include "sim/policy_engine.h"
#include "sim/run.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::framework {
namespace {

using test::TempFolder;

// A folder with links to some of the shared objects that were built for this test.
struct Plugins {
  TempFolder folder;
  void Add(const std::string& object, const std::string& as = "") const {
    const std::string from =
        object == "headroom" ? BTH_EXAMPLE : StrCat(BTH_OBJECTS, "/", object, ".so");
    std::filesystem::create_symlink(from, folder.Sub(StrCat(as.empty() ? object : as, ".so")));
  }
  absl::Status Load(Registry* registry) const { return LoadPlugins(folder.path(), registry); }
};

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran Simulate(const std::string& plugins_dir, const std::string& conf, const std::string& cluster) {
  sim::RunOptions options;
  options.plugins_dir = plugins_dir;
  options.conf = conf;
  options.output = "json";
  options.paths = {"-"};
  std::istringstream in(cluster);
  std::ostringstream out;
  std::ostringstream err;
  const int code = sim::RunManifests(options, in, out, err);
  return {code, out.str(), err.str()};
}

// A small node, a large one, and a pod that fits on both.
constexpr char kCluster[] = R"(
apiVersion: v1
kind: Node
metadata: {name: a-small}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: b-large}
status: {allocatable: {cpu: 64, memory: 8Gi, pods: 110}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {minMember: 1, queue: default}
---
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {scheduling.k8s.io/group-name: g}}
spec:
  schedulerName: volcano
  containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]
)";

TEST_CASE("shared objects: the example decides as its policy says", "[framework][shared]") {
  const Plugins plugins;
  plugins.Add("headroom");
  const Ran ran =
      Simulate(plugins.folder.path(), BTH_SOURCE "/examples/plugin/scheduler.conf", kCluster);
  INFO(ran.err);
  REQUIRE(ran.code == sim::kExitRan);
  CHECK(ran.err.empty());
  const absl::StatusOr<types::Json> json = types::Json::Parse(ran.out);
  REQUIRE(json.ok());
  // Without its score the first of the two by name would win.
  CHECK((*json)["cycles"][size_t{0}].At({"binds", "default/p"}).AsString() == "b-large");
  const std::string weightless = plugins.folder.Write(
      "conf",
      "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
      "  - name: headroom\n    arguments:\n      headroom.weight: 0\n");
  const Ran without = Simulate(plugins.folder.path(), weightless, kCluster);
  CHECK(absl::StrContains(without.out, "\"default/p\": \"a-small\""));
  const std::string negative = plugins.folder.Write(
      "negative",
      "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: headroom\n    arguments:\n"
      "      headroom.weight: -1\n");
  const Ran refused = Simulate(plugins.folder.path(), negative, kCluster);
  CHECK(refused.code == sim::kExitInput);
  CHECK(absl::StrContains(refused.err, "headroom.weight: must be >= 0"));
}

TEST_CASE("shared objects: actions too, and built-in names are replaced", "[framework][shared]") {
  const Plugins plugins;
  plugins.Add("rest_day");
  Registry registry;
  registry.plugins["nodeorder"] = [](const conf::Arguments&) {
    return absl::UnimplementedError("the built-in one");
  };
  REQUIRE(plugins.Load(&registry).ToString() == "OK");
  CHECK(registry.plugins["nodeorder"](conf::Arguments()).ok());
  const std::string conf = plugins.folder.Write(
      "conf", "actions: \"enqueue, restday\"\ntiers:\n- plugins:\n  - name: gang\n");
  const Ran ran = Simulate(plugins.folder.path(), conf, kCluster);
  INFO(ran.err);
  REQUIRE(ran.code == sim::kExitRan);
  CHECK(absl::StrContains(ran.out, "nobody works today"));
}

TEST_CASE("shared objects: vcctl judges a policy that names one as the scheduler does",
          "[framework][shared]") {
  Plugins plugins;
  plugins.Add("headroom");
  const auto judge = [](const std::string& folder, const std::string& argument) {
    const auto engine = sim::MakePolicyEngine(folder);
    REQUIRE(engine.ok());
    const std::string conf =
        StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: headroom\n    arguments:\n      ",
               argument, "\n");
    const conf::PolicyReview review = conf::ReviewPolicy(conf, (*engine)->names());
    std::vector<std::string> refusals = review.refusals;
    if (refusals.empty()) refusals = (*engine)->ReviewArguments(review.policy).refusals;
    return refusals;
  };
  CHECK(judge(plugins.folder.path(), "headroom.weight: 2").empty());
  CHECK(judge(plugins.folder.path(), "headroom.weight: -2").size() == 1);
  CHECK(judge("", "headroom.weight: 2").size() == 1);
}

TEST_CASE("shared objects: what cannot be loaded is named, with the remedy",
          "[framework][shared]") {
  struct Case {
    const char* object;
    const char* says;
  };
  const Case c = GENERATE(values<Case>({
      {"fewer_dims", "was built for another program: "},
      {"fewer_dims", "dims is 8 and must be 16"},
      {"fewer_dims", "build it with this program's headers, compiler and BTH_DIMS"},
      {"odd_1", "registers neither plugin nor action"},
      {"odd_2", "its entry failed: no licence"},
      {"odd_3", "NowhereToBeFound"},
      {"odd_3", "build it with this program's headers"},
      {"missing", "cannot be opened: No such file or directory"},
  }));
  INFO(c.object);
  const Plugins plugins;
  plugins.Add(c.object);
  Registry registry;
  const absl::Status status = plugins.Load(&registry);
  INFO(status.ToString());
  CHECK(absl::IsInvalidArgument(status));
  CHECK(absl::StrContains(status.message(), c.says));
  CHECK(absl::StartsWith(status.message(), plugins.folder.Sub(c.object)));
}

TEST_CASE("shared objects: two files with one name, files that are none, and no folder",
          "[framework][shared]") {
  const Plugins plugins;
  plugins.Add("headroom", "a");
  plugins.Add("odd_4", "b");
  Registry registry;
  const absl::Status twice = plugins.Load(&registry);
  CHECK(absl::StrContains(twice.message(), "/b.so: plugin headroom: "));
  CHECK(absl::StrContains(twice.message(), "/a.so has one of that name"));

  const TempFolder text;
  text.Write("README.md", "not looked at");
  {
    test::CapturedLog lines(LogLevel::kInfo);
    CHECK(LoadPlugins(text.path(), &registry).ok());
    CHECK(LoadPlugins("", &registry).ok());
    CHECK(LoadPlugins(text.path() + "/none", &registry).ok());
    const std::vector<std::string> said = lines.Take();
    REQUIRE(said.size() == 2);
    CHECK(
        absl::StartsWith(said[0], StrCat("plugins.none folder=", text.path(), " why=\"it holds")));
    CHECK(absl::StrContains(said[1], "/none why=\"there is no such folder\""));
  }
  CHECK(absl::StrContains(LoadPlugins(text.Sub("README.md"), &registry).message(),
                          "README.md: is no folder"));
  text.Write("x.so", "no shared object at all");
  CHECK(absl::StrContains(LoadPlugins(text.path(), &registry).message(),
                          "has no BTH_PLUGIN_ENTRY, so it is no plugin"));
  text.Write("x.so", "");
  CHECK_FALSE(LoadPlugins(text.path(), &registry).ok());
  // The mark alone says of which program it is not.
  text.Write("x.so", StrCat(std::string(kPluginAbiMark), " interface=0"));
  CHECK(absl::StrContains(LoadPlugins(text.path(), &registry).message(),
                          StrCat("interface is 0 and must be ", kPluginInterface)));
}

TEST_CASE("shared objects: the line of the interface compares pair by pair",
          "[framework][shared]") {
  CHECK(CheckPluginAbi(kPluginAbi.view()).ok());
  CHECK(absl::StrContains(
      CheckPluginAbi(StrCat(std::string(kPluginAbi.view()), " Extra=1")).message(),
      "Extra is 1 and must be nothing; "));
  CHECK_FALSE(CheckPluginAbi("").ok());
}

}  // namespace
}  // namespace bth::framework
