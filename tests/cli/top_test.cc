// `vcctl top`.
#include <csignal>

#include "cli/print/clip.h"
#include "cli/top/node_load.h"
#include "cli/top/queue_table.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;

types::Quantity Amount(std::string_view text) {
  const auto quantity = types::Quantity::Parse(text);
  REQUIRE(quantity.ok());
  return *quantity;
}

types::Node LoadedNode(const std::string& name, types::ResourceList allocatable) {
  types::Node node;
  node.meta.name = name;
  node.status.allocatable = std::move(allocatable);
  types::Condition ready;
  ready.type = "Ready";
  ready.status = "True";
  node.status.conditions.push_back(ready);
  return node;
}

types::Pod LoadingPod(const std::string& name, const std::string& node, types::ResourceList asks) {
  types::Pod pod;
  pod.meta.ns = "lab";
  pod.meta.name = name;
  pod.meta.labels.Set("volcano.sh/job-name", name.substr(0, name.find('-')));
  pod.spec.node_name = node;
  pod.spec.containers.resize(1);
  pod.spec.containers[0].resources.requests = std::move(asks);
  pod.status.phase = "Running";
  return pod;
}

std::string TableText(const NodeLoads& loads, const Terminal& terminal) {
  TableStyle style;
  style.width = terminal.width;
  style.utf8 = terminal.utf8;
  std::string out;
  PrintTable(NodesTable(loads.Loads(), terminal), style, out);
  return out;
}

NodeLoads TwoNodes() {
  NodeLoads loads;
  loads.Put(LoadedNode("b", {{"cpu", Amount("8")},
                             {"memory", Amount("16Gi")},
                             {"pods", Amount("110")},
                             {"nvidia.com/gpu", Amount("4")},
                             {"ephemeral-storage", Amount("1Gi")},
                             {"hugepages-2Mi", Amount("2Mi")}}));
  types::Node cordoned =
      LoadedNode("a", {{"cpu", Amount("4")}, {"memory", Amount("8Gi")}, {"pods", Amount("2")}});
  cordoned.spec.unschedulable = true;
  cordoned.status.conditions[0].status = "Unknown";
  loads.Put(cordoned);
  loads.Put(LoadingPod(
      "calc-0", "b",
      {{"cpu", Amount("1500m")}, {"memory", Amount("3Gi")}, {"nvidia.com/gpu", Amount("2")}}));
  loads.Put(LoadingPod("calc-1", "b", {{"cpu", Amount("500m")}, {"memory", Amount("512Mi")}}));
  loads.Put(LoadingPod("web-0", "b", {{"cpu", Amount("1")}}));
  loads.Put(LoadingPod("calc-2", "a", {{"cpu", Amount("5")}}));
  loads.Put(LoadingPod("waits-0", "", {{"cpu", Amount("9")}}));
  return loads;
}

TEST_CASE("top: nodes with what pods hold of them", "[cli][top]") {
  CHECK(TableText(TwoNodes(), {}) ==
        "NODE   STATUS                        CPU   CPU%   MEMORY       MEMORY%    PODS   "
        "NVIDIA.COM/GPU   JOBS\n"
        "a      NotReady,SchedulingDisabled   5/4   125%   0/8Gi             0%     1/2   "
        "             -      1\n"
        "b      Ready                         3/8    38%   3.5Gi/16Gi       22%   3/110   "
        "           2/4      2\n");
}

TEST_CASE("top: pods that end or go hold nothing", "[cli][top]") {
  NodeLoads loads = TwoNodes();
  types::Pod over = LoadingPod("calc-0", "b", {{"cpu", Amount("1500m")}});
  over.status.phase = "Succeeded";
  loads.Put(over);
  loads.RemovePod({"lab", "web-0", ""});
  loads.RemoveNode("a");
  const std::vector<NodeLoad> left = loads.Loads();
  REQUIRE(left.size() == 1);
  CHECK(left[0].pods == 1);
  CHECK(left[0].jobs == 1);
  CHECK(*left[0].requested.Find("cpu") == Amount("500m"));
}

TEST_CASE("top: on a terminal shares are bars that fit it", "[cli][top]") {
  Terminal terminal;
  terminal.width = 80;
  const std::string text = TableText(TwoNodes(), terminal);
  CHECK(text.find("] 5/4 ") != std::string::npos);
  CHECK(text.find("[###.....] 3/8") != std::string::npos);
  CHECK(text.find('%') == std::string::npos);
  for (const absl::string_view line : SplitText(text, '\n')) CHECK(line.size() <= 80);
}

TEST_CASE("top: queues in a pipe are a row for each resource", "[cli][top]") {
  QueueFacts facts;
  for (const char* text :
       {R"({"metadata":{"name":"b"},"spec":{"capability":{"cpu":"8"},"deserved":{"cpu":4}},
            "status":{"state":"Open","allocated":{"cpu":"2","memory":"1Gi"}}})",
        R"({"metadata":{"name":"a"}})"}) {
    const auto queue = Json::Parse(text);
    REQUIRE(queue.ok());
    facts.queues.push_back(*queue);
  }
  std::string out;
  PrintTable(QueueResourceTable(facts), TableStyle(), out);
  CHECK(out ==
        "QUEUE   STATE   RESOURCE   ALLOCATED   DESERVED   GUARANTEE   CAPABILITY\n"
        "a       -       -          -           -          -           -\n"
        "b       Open    cpu        2           4          -           8\n"
        "b       Open    memory     1Gi         -          -           -\n");
}

TEST_CASE("clip: lines fit, colours count nothing and end", "[cli][unit]") {
  CHECK(ClipLines("abcdef\nabc\n", 4, false) == "abc~\nabc\n");
  CHECK(ClipLines("abcdef", 4, true) == "abc…");
  CHECK(ClipLines("\x1b[32mabcd\x1b[0m\n", 4, false) == "\x1b[32mabcd\x1b[0m\n");
  CHECK(ClipLines("\x1b[32mabcde\x1b[0m\n", 4, false) == "\x1b[32mabc~\x1b[0m\n");
  CHECK(ClipLines("日本語\n", 5, false) == "日本~\n");
  CHECK(ClipLines("abcdef\n", 0, false) == "abcdef\n");
  CHECK(ClipLines("\x1b[", 1, false) == "\x1b[");
}

const char kNodeObject[] = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},
    "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},
      "conditions":[{"type":"Ready","status":"True"}]}})";

std::string PodOn(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"("},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i",
      "resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}})";
}

TEST_CASE("top: in a pipe one table", "[cli][top]") {
  CliBed cli;
  Ran ran = cli.Run({"vcctl", "top"});
  CHECK(ran.out == "No resources found\n");
  cli.bed.Create("/api/v1/nodes", kNodeObject);
  cli.bed.Create("/api/v1/namespaces/default/pods", PodOn("a"));
  const std::string table =
      "NODE   STATUS   CPU   CPU%   MEMORY    MEMORY%    PODS   JOBS\n"
      "n1     Ready    1/4    25%   1Gi/8Gi       13%   1/110      0\n";
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"vcctl", "top"}, {"vcctl", "top", "nodes", "--once"}}) {
    ran = cli.Run(line);
    CHECK(ran.out == table);
    CHECK(ran.err.empty());
    CHECK(ran.code == 0);
  }
  cli.bed.Create("/apis/scheduling.volcano.sh/v1beta1/queues",
                 R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",
        "metadata":{"name":"q"},"spec":{"weight":1,"capability":{"cpu":"8"}}})");
  ran = cli.Run({"vcctl", "top", "queues"});
  CHECK(ran.out.find("q       -       cpu        -           -          -           8\n") !=
        std::string::npos);
}

TEST_CASE("top: on a terminal it follows what happens, and leaves no trace", "[cli][top]") {
  CliBed cli;
  cli.bed.Create("/api/v1/nodes", kNodeObject);
  cli.console.terminal.width = cli.console.terminal.height = 80;
  cli.console.terminal.can_redraw = true;
  cli.console.terminal_now = [] {
    Terminal smaller;
    smaller.width = 60;
    smaller.height = 10;
    smaller.can_redraw = true;
    return smaller;
  };
  net::Executor& executor = cli.bed.executor;
  auto transport = net::MakeInProcessTransport(executor, cli.bed.server->handler());
  executor.RunAfter(absl::Seconds(5), [&] {
    net::Request request;
    request.method = "POST";
    request.target = "/api/v1/namespaces/default/pods";
    request.headers.Set("content-type", "application/json");
    request.body = PodOn("a");
    auto work = [](net::Transport& to, net::Request what) -> net::Awaitable<void> {
      const absl::StatusOr<net::Response> answer = co_await to.Fetch(std::move(what));
      BTH_CHECK(answer.ok() && answer->status == 201);
    };
    net::Spawn(executor, work(*transport, std::move(request)));
  });
  executor.RunAfter(absl::Seconds(11), [&] { cli.on_signal(SIGWINCH); });
  executor.RunAfter(absl::Seconds(15), [&] { cli.on_signal(SIGINT); });
  const Ran ran = cli.Run({"vcctl", "top", "nodes", "--interval=1s"});
  CHECK(ran.code == 0);
  const std::string enter = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J";
  const std::string leave = "\x1b[?25h\x1b[?1049l";
  CHECK(ran.out.starts_with(enter));
  CHECK(ran.out.ends_with(leave));
  // Three pictures: the first, with the pod, and in the smaller window.
  const auto count = [&ran](const std::string& text) {
    int found = 0;
    for (size_t at = 0; (at = ran.out.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  CHECK(count("NODE") == 3);
  CHECK(count("0/110") == 1);
  CHECK(count("1/110") == 2);
  CHECK(count("\x1b[H\x1b[2J") == 2);
  // With --once the terminal is written to as a pipe is, but for the bars.
  const Ran once = cli.Run({"vcctl", "top", "--once"});
  CHECK(once.out.find("\x1b[?1049h") == std::string::npos);
  CHECK(once.out.find("[##......] 1/4") != std::string::npos);
}

TEST_CASE("top: with --watch a pipe gets one table after the other", "[cli][top]") {
  CliBed cli;
  cli.bed.Create("/api/v1/nodes", kNodeObject);
  cli.bed.executor.RunAfter(absl::Milliseconds(4'500), [&] { cli.on_signal(SIGTERM); });
  const Ran ran = cli.Run({"vcctl", "top", "-w"});
  const std::string table =
      "NODE   STATUS   CPU   CPU%   MEMORY   MEMORY%    PODS   JOBS\n"
      "n1     Ready    0/4     0%   0/8Gi         0%   0/110      0\n";
  CHECK(ran.out == table + "\n" + table + "\n" + table);
  CHECK(ran.code == 0);
}

TEST_CASE("top: what may be old is shown with the reason", "[cli][top]") {
  CliBed cli;
  cli.bed.Create("/api/v1/nodes", kNodeObject);
  cli.bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.target.find("watch=true") == std::string::npos) return std::nullopt;
    test::Fault fault;
    fault.code = 503;
    fault.reason = "ServiceUnavailable";
    fault.message = "no watch today";
    return fault;
  };
  cli.bed.executor.RunAfter(absl::Milliseconds(2'500), [&] { cli.on_signal(SIGTERM); });
  const Ran ran = cli.Run({"vcctl", "top", "-w"});
  CHECK(ran.code == 0);
  const size_t second = ran.out.find("\n\nNODE ");
  REQUIRE(second != std::string::npos);
  CHECK(ran.out.find("n1     Ready    0/4", second) != std::string::npos);
  CHECK(ran.out.find("\n\nnot up to date: ", second) != std::string::npos);
  CHECK(ran.out.find("no watch today\n", second) != std::string::npos);
}

TEST_CASE("top: what is refused is told in one line", "[cli][top]") {
  CliBed cli;
  const auto fails = [&cli](const std::vector<std::string>& line, const std::string& why) {
    const Ran ran = cli.Run(line);
    CHECK(ran.out == "Failed to " + why + "\n");
    CHECK(ran.code == 255);
  };
  fails({"vcctl", "top", "-w", "--once"}, "top: --watch and --once: only one of them can be");
  fails({"vcctl", "top", "nodes", "--interval=1ms"},
        "nodes top: --interval: must be 100ms at least");
  cli.bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (!request.target.starts_with("/api/v1/pods")) return std::nullopt;
    test::Fault fault;
    fault.code = 403;
    fault.reason = "Forbidden";
    fault.message = "pods are not yours to see";
    return fault;
  };
  fails({"vcctl", "top"}, "top: pods are not yours to see");
  cli.bed.line->script = [](const net::Request&) -> std::optional<test::Fault> {
    test::Fault fault;
    fault.unsent = true;
    return fault;
  };
  fails({"vcctl", "top", "nodes"},
        "nodes top: Get \"http://test/api/v1/nodes?fieldSelector=metadata.name%3D-\": not sent: "
        "connection refused");
  cli.bed.line->script = nullptr;
  const Ran lost = cli.Run({"vcctl", "top", "quees"});
  CHECK(lost.code == 0);
  CHECK(lost.out.find("  vcctl top [flags]\n  vcctl top [command]\n") != std::string::npos);
  CHECK(lost.err ==
        "unknown command \"quees\" for \"vcctl top\"\n\nDid you mean this?\n\tqueues\n");
  const Ran colour = cli.Run({"vcctl", "top", "--color=allways"});
  CHECK(colour.code == 1);
  CHECK(colour.err ==
        "Error: invalid argument \"allways\" for \"--color\" flag: there is no such word (did you "
        "mean \"always\"?); it is one of auto, always, never\n");
}

}  // namespace
}  // namespace bth::cli
