// What the server refused is tried again though nothing happens outside.
#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;

bool IsStatusOrEvent(const net::Request& request) {
  return absl::EndsWith(request.target, "/events") ||
         (request.method == "PATCH" && absl::EndsWith(request.target, "/status"));
}

Fault Refused() {
  return Fault{.code = 403, .reason = "Forbidden"};
}

TEST_CASE("retry: a binding that was refused once is tried again without any event",
          "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  std::vector<absl::Time> tries;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!tries.empty() && IsStatusOrEvent(request)) return Refused();
    if (!absl::EndsWith(request.target, "/binding")) return std::nullopt;
    tries.push_back(bed.executor.Now());
    return tries.size() == 1 ? std::optional<Fault>(Refused()) : std::nullopt;
  };
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.executor.Advance(absl::Seconds(6));
  REQUIRE(tries.size() == 2);
  CHECK(tries[1] - tries[0] >= absl::Seconds(5));
  CHECK(bed.NodeOf("p") == "n1");
}

TEST_CASE("retry: an eviction that was refused once is tried again without any event",
          "[scheduler]") {
  Bed bed;
  test::TempFolder folder;
  for (const auto& [name, value] : {std::pair("low", 10), std::pair("high", 1000)}) {
    bed.Create("/apis/scheduling.k8s.io/v1/priorityclasses",
               StrCat(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",)",
                      R"("metadata":{"name":")", name, R"("},"value":)", value, "}"));
  }
  const auto submit = [&bed](const std::string& name) {
    bed.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
               StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                      R"("metadata":{"name":")", name, R"("},"spec":{"minMember":1,)",
                      R"("queue":"default","priorityClassName":")", name, R"("}})"));
    bed.Pod(name, name, 4);
  };
  bed.Node("n1", 4);
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf", R"(
actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins: [{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}]
- plugins: [{name: predicates}, {name: nodeorder}]
)");
  bed.Start(options);
  submit("low");
  bed.Settle();
  REQUIRE(bed.NodeOf("low") == "n1");
  std::vector<absl::Time> tries;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!tries.empty() && IsStatusOrEvent(request)) return Refused();
    if (!absl::EndsWith(request.target, "/eviction")) return std::nullopt;
    tries.push_back(bed.executor.Now());
    return tries.size() == 1 ? std::optional<Fault>(Refused()) : std::nullopt;
  };
  submit("high");
  bed.executor.Advance(absl::Seconds(12));
  REQUIRE(tries.size() == 2);
  CHECK(tries[1] - tries[0] >= absl::Seconds(10));
}

}  // namespace
}  // namespace bth::scheduler
