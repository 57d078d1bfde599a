// `vcctl conf check` and `vcctl conf diff` as they are typed.
#include <filesystem>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cli/conf/check.h"
#include "net/virtual_executor.h"
#include "scheduler/policy_file.h"
#include "sim/run.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Console;
using test::Ran;

// All files of the corpus of conf/ and the examples.
std::vector<std::filesystem::path> ConfFiles() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"tests/conf/corpus/scheduler_conf", "examples", "examples/policies"}) {
    for (const auto& entry : std::filesystem::directory_iterator(test::SourceRoot() / folder)) {
      const bool is_other =
          std::string_view(folder) == "examples" && entry.path().extension() != ".conf";
      if (entry.is_regular_file() && !is_other) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool SchedulerAccepts(const std::string& path, const framework::Registry& registry) {
  net::VirtualExecutor executor(absl::FromUnixSeconds(0));
  scheduler::PolicyFile file(executor, registry, nullptr, {.path = path});
  return file.Load().ok();
}

TEST_CASE("conf check: it accepts what the scheduler accepts, and refuses what it refuses",
          "[cli][conf]") {
  const auto registry = sim::MakeRegistry("");
  REQUIRE(registry.ok());
  test::TempFolder folder;
  Console console;
  int accepted = 0;
  int refused = 0;
  for (const std::filesystem::path& path : ConfFiles()) {
    const std::string text = test::ReadFile(path);
    const std::string opened = folder.Write("scheduler.conf", PolicyTextIn(text));
    const bool is_good = SchedulerAccepts(opened, *registry);
    const Ran ran = console.Run({"vcctl", "conf", "check", path});
    CAPTURE(path, ran.out);
    CHECK(ran.code == (is_good ? 0 : 255));
    CHECK(absl::StartsWith(ran.out, StrCat(path.string(), ": ", is_good ? "accepted" : "refused")));
    ++(is_good ? accepted : refused);
  }
  CHECK(accepted >= 10);
  CHECK(refused >= 10);
}

TEST_CASE("conf check: arguments are judged by the plugins themselves", "[cli][conf]") {
  const auto registry = sim::MakeRegistry("");
  REQUIRE(registry.ok());
  test::TempFolder folder;
  const std::string file = folder.Write(
      "bad.conf",
      "actions: allocate\ntiers:\n- plugins:\n  - name: resource-strategy-fit\n    arguments:\n"
      "      resources: 5\n  - name: rescheduling\n    arguments:\n      strategies: all\n");
  Console console;
  const Ran ran = console.Run({"vcctl", "conf", "check", file});
  CAPTURE(ran.out);
  CHECK(ran.code == 255);
  CHECK_FALSE(SchedulerAccepts(file, *registry));
  CHECK(absl::StartsWith(ran.out, StrCat(file, ": refused, 2 errors")));
  CHECK(absl::StrContains(ran.out, "error: plugin resource-strategy-fit: "));
  CHECK(absl::StrContains(ran.out, "error: plugin rescheduling: "));
  const std::string odd =
      folder.Write("odd.conf",
                   "actions: allocate\ntiers:\n- plugins:\n  - name: binpack\n    arguments:\n"
                   "      binpack.wieght: 5\n");
  const Ran told = console.Run({"vcctl", "conf", "check", odd});
  CHECK(told.code == 0);
  CHECK(absl::StrContains(told.out, ":6: warning: tiers[0].plugins[0].arguments.binpack.wieght"));
  CHECK(absl::StrContains(told.out, "    write binpack.weight\n"));
}

TEST_CASE("conf check: standard input, and JSON", "[cli][conf]") {
  Console console;
  console.input = "actions: \"alocate\"\ntiers: []\n";
  const Ran ran = console.Run({"vcctl", "conf", "check", "-", "-o", "json"});
  CHECK(ran.code == 255);
  CHECK(ran.err.empty());
  const auto json = types::Json::Parse(ran.out);
  REQUIRE(json.ok());
  CHECK((*json)["accepted"] == types::Json(false));
  CHECK((*json)["file"].AsString() == "standard input");
  REQUIRE((*json)["findings"].size() >= 1);
  CHECK((*json)["findings"].items()[0]["kind"].AsString() == "error");
  CHECK((*json)["findings"].items()[0]["line"].AsInt() == 1);
}

TEST_CASE("conf check: a ConfigMap of the cluster", "[cli][conf]") {
  CliBed bed;
  bed.bed.Create("/api/v1/namespaces", R"({"metadata": {"name": "volcano-system"}})");
  const auto put = [&bed](const std::string& name, const std::string& data) {
    bed.bed.Create("/api/v1/namespaces/volcano-system/configmaps",
                   StrCat(R"({"metadata": {"name": ")", name, R"("}, "data": )", data, "}"));
  };
  put("good", R"({"volcano-scheduler.conf": "actions: allocate\ntiers: [{plugins: [{name: gang}]}]",
                  "other.conf": "x"})");
  put("two", R"({"a.conf": "x", "b.conf": "y"})");
  const auto check = [&bed](const std::string& name) {
    return bed.Run({"vcctl", "conf", "check", "--configmap", name});
  };
  const Ran good = check("volcano-system/good");
  CHECK(good.code == 0);
  CHECK(absl::StartsWith(good.out,
                         "configmap volcano-system/good volcano-scheduler.conf: accepted, 1 "
                         "difference\n"));
  CHECK(check("volcano-system/two").out ==
        "Failed to check conf: configmap volcano-system/two has neither volcano-scheduler.conf nor "
        "a single other entry that ends in .conf\n");
  CHECK(check("volcano-system/none").out ==
        "Failed to check conf: configmaps \"none\" not found\n");
  CHECK(check("good").out == "Failed to check conf: --configmap: \"good\" is not NAMESPACE/NAME\n");
}

TEST_CASE("conf: mistakes on the command line", "[cli][conf]") {
  Console console;
  const auto mistake = [&console](std::vector<std::string> words) {
    words.insert(words.begin(), {"vcctl", "conf"});
    const Ran ran = console.Run(words);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    return ran.err;
  };
  const std::string one = "Error: give one FILE, - for standard input, or --configmap\n";
  CHECK(mistake({"check"}) == one);
  CHECK(mistake({"check", "a", "b"}) == one);
  CHECK(mistake({"check", "a", "--configmap=b/c"}) == one);
  CHECK(mistake({"diff", "a", "--world=w"}) == "Error: give two files: OLD and NEW\n");
  const auto failed = [&console](std::vector<std::string> words) {
    words.insert(words.begin(), {"vcctl", "conf"});
    const Ran ran = console.Run(words);
    CHECK(ran.code == 255);
    return ran.out;
  };
  CHECK(failed({"check", "a", "-o", "yaml"}) ==
        "Failed to check conf: --output: there is no form \"yaml\"; use text or json\n");
  CHECK(failed({"check", "/nonexistent"}) ==
        "Failed to check conf: open /nonexistent: no such file or directory\n");
  CHECK(absl::StrContains(failed({"diff", "a", "b"}), "--world is mandatory"));
  CHECK(absl::StrContains(failed({"diff", "a", "b", "--world=w", "--cycles=0"}),
                          "--cycles: 0 is not within 1 and 1000"));
  CHECK(absl::StrContains(failed({"diff", "-", "b", "--world=-"}), "only one of the three"));
  CHECK(absl::StrContains(failed({"diff", "-", "-", "--world=w"}), "only one of the three"));
}

// One node with room for one of two gangs of one pod, in queues of their own.
constexpr const char* kWorld = R"({"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
   "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}},
  {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
   "value": 100},
  {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
   "metadata": {"name": "old", "namespace": "x", "creationTimestamp": "2026-01-01T00:00:00Z"},
   "spec": {"minMember": 1}},
  {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
   "metadata": {"name": "new", "namespace": "x", "creationTimestamp": "2026-01-01T00:00:09Z"},
   "spec": {"minMember": 1, "priorityClassName": "high"}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "old-0", "namespace": "x",
     "annotations": {"scheduling.k8s.io/group-name": "old"}},
   "spec": {"schedulerName": "volcano", "containers": [{"name": "c", "resources":
     {"requests": {"cpu": "1"}}}]}},
  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new-0", "namespace": "x",
     "annotations": {"scheduling.k8s.io/group-name": "new"}},
   "spec": {"schedulerName": "volcano", "priorityClassName": "high", "containers": [{"name": "c",
     "resources": {"requests": {"cpu": "1"}}}]}}]})";

TEST_CASE("conf diff: pods that fare differently, by job", "[cli][conf]") {
  test::TempFolder folder;
  const std::string before =
      folder.Write("a.conf",
                   "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n"
                   "- plugins:\n  - name: predicates\n");
  const std::string after =
      folder.Write("b.conf",
                   "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: priority\n"
                   "  - name: gang\n- plugins:\n  - name: predicates\n");
  Console console;
  console.input = kWorld;
  const std::vector<std::string> line = {"vcctl", "conf", "diff", before, after, "--world=-"};
  const Ran ran = console.Run(line);
  CHECK(ran.code == 0);
  CAPTURE(ran.out);
  CHECK(absl::StartsWith(ran.out, StrCat(before, " and ", after,
                                         " on -, 3 cycles: 2 of 2 pods fare differently\n\n"
                                         "PODS     BEFORE   AFTER\n"
                                         "placed        1       1\n"
                                         "waits         1       1\n"
                                         "\n"
                                         "PodGroup x/new, queue default: 1 of 1 pod\n")));
  CHECK(absl::StrContains(ran.out, "placed on n1"));
  CHECK(console.Run(line).out == ran.out);

  const Ran same = console.Run(
      {"vcctl", "conf", "diff", before, before, "--world=-", "--cycles=1", "-o", "json"});
  const auto json = types::Json::Parse(same.out);
  REQUIRE(json.ok());
  CHECK((*json)["differ"].AsInt(-1) == 0);
  CHECK((*json)["jobs"].size() == 0);
  CHECK((*json)["pods"].AsInt() == 2);
}

TEST_CASE("conf diff: what cannot be read is told with its name", "[cli][conf]") {
  test::TempFolder folder;
  const std::string good =
      folder.Write("good.conf", "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n");
  const std::string bad = folder.Write("bad.conf", "actions: allocat\n");
  Console console;
  const Ran ran = console.Run({"vcctl", "conf", "diff", good, bad, "--world=/nonexistent"});
  CHECK(ran.code == 255);
  CHECK(absl::StartsWith(ran.out, StrCat("Failed to diff conf: ", bad, ": ")));
  const Ran world = console.Run({"vcctl", "conf", "diff", good, good, "--world=/nonexistent"});
  CHECK(world.out == "Failed to diff conf: /nonexistent: no such file or folder\n");
}

}  // namespace
}  // namespace bth::cli
