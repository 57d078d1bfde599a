// Bindings of pods with shared devices: what is sent, and whose turn it is on the node.
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using testing::Answer;
using testing::MakeNode;
using testing::Refusal;
using testing::WriterBed;
using types::Json;

// The bed with a device on node "n", whose object the server serves, lock and all.
struct DeviceBed : WriterBed {
  std::string lock;          // As the node shows it; empty: none.
  std::vector<int> patches;  // Answers to patches of the node in turn; then 200.
  size_t patched = 0;

  DeviceBed() {
    PutNode();
    server.script = [this](const net::Request& request) {
      return absl::EndsWith(request.target, "/nodes/n") ? ServeNode(request) : Serve(request);
    };
  }
  std::string NodeJson() const {
    return StrCat(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":"5",)",
        R"("annotations":{)", lock.empty() ? "" : StrCat(R"("hamivgpu":")", lock, "\""),
        R"(}},"status":{}})");
  }
  net::Response ServeNode(const net::Request& request) {
    if (request.method == "GET") return Answer(200, NodeJson());
    const Json body = *Json::Parse(request.body);
    CHECK(body["metadata"]["resourceVersion"].AsString() == "5");
    if (patched < patches.size() && patches[patched] != 200) {
      const int code = patches[patched++];
      return Refusal(code, code == 409 ? "Conflict" : "Forbidden");
    }
    ++patched;
    lock = std::string(body["metadata"]["annotations"]["hamivgpu"].AsString());
    return Answer(200, NodeJson());
  }
  // As the watch shows it.
  void PutNode() {
    CompiledNode node = MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols());
    auto devices = std::make_shared<model::NodeDevices>();
    devices->pools.push_back(
        {.devices = {{.id = "G0", .type = "T", .slots = 2, .memory = 1000, .cores = 100}}});
    if (!lock.empty()) devices->locks.push_back({.name = "hamivgpu"});
    node.facts->devices = devices;
    mirror.PutNode(std::move(node));
  }
  void BindWithDevices(const std::string& pod, bool locks = true) {
    const auto snapshot = mirror.Publish();
    auto plan = std::make_shared<model::DevicePlan>();
    plan->held = std::make_shared<const model::PodDevices>(
        model::PodDevices{.held = {{.devices = {{.id = "G0", .memory = 400}}}}});
    plan->annotations = {{"a", "1"}, {"b", "2"}};
    if (locks) plan->locks = {"hamivgpu"};
    framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
    batch.binds.push_back(
        {.task = Find(*snapshot, pod), .node = snapshot->nodes_by_name->front(), .devices = plan});
    CHECK(effects.Submit(std::move(batch)).ok());
    executor.RunUntilIdle();
  }
};

constexpr char kElsewhere[] = "2026-01-01T00:00:00Z";

TEST_CASE("device bindings: annotations go with the node, in one request", "[cache]") {
  DeviceBed bed;
  bed.BindWithDevices("p", /*locks=*/false);
  const Json body = bed.LastBody("/pods/p/binding");
  CHECK(body["metadata"]["annotations"]["a"].AsString() == "1");
  CHECK(body["metadata"]["annotations"]["b"].AsString() == "2");
  CHECK(body["metadata"]["uid"].AsString() == "u-p");
  CHECK(body["target"]["name"].AsString() == "n");
  CHECK(bed.Sent("PATCH", "/nodes/").empty());
  CHECK(bed.Sent("GET", "/nodes/").empty());
}

TEST_CASE("device bindings: the lock of the node is taken first", "[cache]") {
  DeviceBed bed;
  bed.BindWithDevices("p");
  CHECK(bed.Sent("PATCH", "/nodes/n").size() == 1);
  CHECK(bed.Sent("POST", "/pods/p/binding").size() == 1);
  absl::Time since;
  REQUIRE(absl::ParseTime(absl::RFC3339_full, bed.lock, &since, nullptr));
  CHECK(bed.executor.Now() - since < absl::Seconds(1));
}

TEST_CASE("device bindings: an old lock is taken over, one of a time to come is not", "[cache]") {
  for (const auto& [offset, taken] :
       {std::pair(-20, true), std::pair(20, false), std::pair(-4, false)}) {
    CAPTURE(offset);
    DeviceBed bed;
    bed.lock = absl::FormatTime(absl::RFC3339_full, bed.executor.Now() + absl::Minutes(offset),
                                absl::UTCTimeZone());
    bed.BindWithDevices("p");
    CHECK(bed.Sent("POST", "/pods/p/binding").size() == (taken ? 1 : 0));
  }
}

TEST_CASE("device bindings: who finds the lock taken waits until the watch shows it free",
          "[cache]") {
  DeviceBed bed;
  bed.lock = absl::FormatTime(absl::RFC3339_full, bed.executor.Now(), absl::UTCTimeZone());
  bed.PutNode();
  bed.BindWithDevices("p");
  CHECK(bed.Sent("POST", "/pods/p/binding").empty());
  CHECK(bed.Status("p") == model::TaskStatus::kBinding);
  bed.writer.Review();
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("GET", "/nodes/n").size() == 1);  // Nothing new: not asked again.
  bed.lock.clear();
  bed.PutNode();
  bed.writer.Review();
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("POST", "/pods/p/binding").size() == 1);
  CHECK(bed.writer.idle());
}

TEST_CASE("device bindings: after five minutes of waiting the pod is given up", "[cache]") {
  DeviceBed bed;
  bed.lock = "not a time";
  bed.PutNode();
  bed.BindWithDevices("p");
  CHECK(bed.Status("p") == model::TaskStatus::kBinding);
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.Sent("POST", "/pods/p/binding").empty());
  CHECK(bed.Status("p") == model::TaskStatus::kPending);
  CHECK(bed.lock == "not a time");
}

TEST_CASE("device bindings: a lock is given back when the binding is refused", "[cache]") {
  DeviceBed bed;
  bed.bind_answers = {403};
  bed.BindWithDevices("p");
  CHECK(bed.Sent("PATCH", "/nodes/n").size() == 2);
  CHECK(bed.lock.empty());
  CHECK(bed.Status("p") == model::TaskStatus::kPending);
  // And its devices are free again.
  const auto snapshot = bed.mirror.Publish();
  CHECK(snapshot->nodes[snapshot->nodes_by_name->front()].device_holders == nullptr);
}

TEST_CASE("device bindings: somebody else's lock is not given back", "[cache]") {
  DeviceBed bed;
  bed.bind_answers = {403};
  bed.server.script = [&bed](const net::Request& request) {
    if (absl::EndsWith(request.target, "/nodes/n")) return bed.ServeNode(request);
    if (absl::EndsWith(request.target, "/binding")) bed.lock = kElsewhere;  // Taken over meanwhile.
    return bed.Serve(request);
  };
  bed.BindWithDevices("p");
  CHECK(bed.lock == kElsewhere);
  CHECK(bed.Sent("PATCH", "/nodes/n").size() == 1);
}

TEST_CASE("device bindings: a race for the lock is run again, five times at most", "[cache]") {
  DeviceBed again;
  again.patches = {409, 409, 409, 409, 200};
  again.BindWithDevices("p");
  again.executor.Advance(absl::Seconds(2));
  CHECK(again.Sent("POST", "/pods/p/binding").size() == 1);
  DeviceBed lost;
  lost.patches = {409, 409, 409, 409, 409};
  lost.BindWithDevices("p");
  lost.executor.Advance(absl::Seconds(2));
  CHECK(lost.Sent("POST", "/pods/p/binding").empty());
  CHECK(lost.Sent("PATCH", "/nodes/n").size() == 5);
  CHECK(lost.Status("p") == model::TaskStatus::kPending);
}

TEST_CASE("device bindings: two pods of one node take turns", "[cache]") {
  DeviceBed bed;
  bed.BindWithDevices("p");
  bed.PutNode();
  bed.BindWithDevices("q");
  CHECK(bed.Sent("POST", "/pods/p/binding").size() == 1);
  CHECK(bed.Sent("POST", "/pods/q/binding").empty());
  bed.lock.clear();  // The device plugin has handed them out.
  bed.PutNode();
  bed.writer.Review();
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("POST", "/pods/q/binding").size() == 1);
}

}  // namespace
}  // namespace bth::cache
