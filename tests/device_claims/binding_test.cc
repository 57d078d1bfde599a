// Pods with device claims, from the API and back.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

TEST_CASE("claims: a claim has its devices, and its user, before the pod is bound", "[claims]") {
  ClaimBed bed;
  bed.Slice("n2", R"({"name":"d0"},{"name":"d1"})");
  bed.Claim("c", 2);
  bed.Begin();
  bed.Group("g", 1);
  bool was_told = false;
  bool was_ready = false;
  bed.line->on_request = [&](const net::Request& request) {
    was_told |= request.method == "PATCH" && absl::StrContains(request.target, "/c/status");
    if (absl::EndsWith(request.target, "/binding")) was_ready = was_told;
  };
  bed.PodOf("p", "g", "c");
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n2");
  CHECK(was_ready);
  CHECK(bed.UsersOf("c") == "p");
  CHECK(bed.DevicesOf("c") == "n2/d0 n2/d1");
  CHECK(bed.IsProtected("c"));
  const Json allocation = bed.ClaimNamed("c").At({"status", "allocation"});
  CHECK(allocation["devices"]["config"] ==
        *Json::Parse(
            R"([{"source":"FromClass","requests":["r"],"opaque":{"driver":"x.io","parameters":)"
            R"({"a":1}}},{"source":"FromClaim","requests":["r"],"opaque":{"driver":"x.io",)"
            R"("parameters":{"b":2}}}])"));
  CHECK(allocation["nodeSelector"] ==
        *Json::Parse(R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",)"
                     R"("operator":"In","values":["n2"]}]}]})"));
}

TEST_CASE("claims: claims from templates, and nobody gets what another has", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"},{"name":"d1"})");
  bed.Template("t");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodFrom("p-0", "g", "t");
  bed.Settle();
  CHECK(bed.PodCondition("p-0") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 plugin DynamicResources pre-predicates "
        "failed Pod default/p-0: ResourceClaim not created yet.");
  bed.Serve();
  bed.Settle();
  CHECK(bed.NodeOf("p-0") == "n1");
  CHECK(bed.ClaimNamed(bed.ClaimOf("p-0")).At({"metadata", "labels", "a"}).AsString() == "b");
  bed.PodFrom("p-1", "g", "t");
  bed.PodFrom("p-2", "g", "t");
  bed.Settle();
  const std::set<std::string> given = {bed.DevicesOf(bed.ClaimOf("p-0")),
                                       bed.DevicesOf(bed.ClaimOf("p-1"))};
  CHECK(given == std::set<std::string>{"n1/d0", "n1/d1"});
  CHECK(bed.NodeOf("p-2").empty());
  CHECK(bed.PodCondition("p-2") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 cannot allocate all claims.");
  // One goes, and its device with it.
  bed.DeletePod("p-0");
  bed.Settle();
  CHECK(bed.NodeOf("p-2") == "n1");
  CHECK(bed.controller->counters().made == 3);
}

TEST_CASE("claims: pods of a gang share one", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 3);
  for (const char* pod : {"p-0", "p-1", "p-2"}) bed.PodOf(pod, "g", "c");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p-0").empty());
  CHECK(bed.NodeOf("p-1") == bed.NodeOf("p-0"));
  CHECK(bed.NodeOf("p-2") == bed.NodeOf("p-0"));
  CHECK(bed.ClaimNamed("c").At({"status", "reservedFor"}).size() == 3);
  bed.DeletePod("p-0");
  bed.DeletePod("p-1");
  CHECK(bed.UsersOf("c") == "p-2");
  CHECK_FALSE(bed.DevicesOf("c").empty());
  bed.DeletePod("p-2");
  CHECK(bed.DevicesOf("c").empty());
  CHECK_FALSE(bed.IsProtected("c"));
}

TEST_CASE("claims: a gang that does not get all its devices gets none", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("a");
  bed.Claim("b");
  bed.Begin();
  bed.Group("g", 2);
  bed.PodOf("p-0", "g", "a");
  bed.PodOf("p-1", "g", "b");
  bed.Settle();
  CHECK(bed.NodeOf("p-0").empty());
  CHECK(bed.DevicesOf("a").empty());
  CHECK(bed.DevicesOf("b").empty());
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p-0").empty());
  CHECK_FALSE(bed.NodeOf("p-1").empty());
  CHECK(bed.DevicesOf("a") != bed.DevicesOf("b"));
}

TEST_CASE("claims: what was written for a pod that could not be bound is taken back", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Claim("other");
  bed.Begin();
  bool refuse = true;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!refuse || !absl::EndsWith(request.target, "/p/binding")) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.OneCycle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.DevicesOf("c").empty());
  CHECK(bed.UsersOf("c").empty());
  CHECK_FALSE(bed.IsProtected("c"));
  // The device is free for another pod meanwhile.
  bed.Group("h", 1);
  bed.PodOf("q", "h", "other");
  bed.OneCycle();
  CHECK(bed.NodeOf("q") == "n1");
  CHECK(bed.DevicesOf("other") == "n1/d0");
  refuse = false;
  bed.Slice("n2", R"({"name":"d0"})");
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n2");
}

TEST_CASE("claims: what a pod runs with is not taken back, whoever bound it", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  int refused = 0;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/p/binding")) return std::nullopt;
    // Another was faster, and this one does not hear of it.
    bed.Bind("p", "n1");
    ++refused;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.executor.Advance(absl::Minutes(2));
  REQUIRE(refused == 1);
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.DevicesOf("c") == "n1/d0");
  CHECK(bed.UsersOf("c") == "p");
  CHECK(bed.IsProtected("c"));
}

TEST_CASE("claims: a pod that another one has bound meanwhile keeps its devices", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  bool is_bound = false;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (absl::StrContains(request.target, "watch=")) return Fault{.piece_delay = absl::Minutes(1)};
    if (is_bound || !absl::EndsWith(request.target, "/c")) return std::nullopt;
    is_bound = true;
    bed.Lend("c", "p", "n2");
    bed.Bind("p", "n2");
    return std::nullopt;
  };
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.executor.Advance(absl::Minutes(5));
  REQUIRE(is_bound);
  CHECK(bed.NodeOf("p") == "n2");
  CHECK(bed.DevicesOf("c") == "n2/d0");
  CHECK(bed.UsersOf("c") == "p");
  CHECK(bed.PodCondition("p").starts_with("True"));
}

// A pod whose first binding is refused, so that its devices are taken back, and its claim whenever
// it is about to be bound.
struct RefusedOnceBed : ClaimBed {
  RefusedOnceBed() {
    Slice("n1", R"({"name":"d0"})");
    Claim("c");
    Begin();
    line->script = [this](const net::Request& request) -> std::optional<Fault> {
      if (absl::EndsWith(request.target, "/p/binding")) {
        devices_at_bindings.push_back(DevicesOf("c"));
        if (devices_at_bindings.size() > 1) return std::nullopt;
        return Fault{.code = 403, .reason = "Forbidden"};
      }
      return more ? more(request) : std::nullopt;
    };
  }
  void Run() {
    Group("g", 1);
    PodOf("p", "g", "c");
    executor.Advance(absl::Minutes(2));
    REQUIRE(devices_at_bindings.size() > 1);
    for (const std::string& devices : devices_at_bindings) CHECK(devices == "n1/d0");
    CHECK(NodeOf("p") == "n1");
    CHECK(DevicesOf("c") == "n1/d0");
    CHECK(UsersOf("c") == "p");
    CHECK(IsProtected("c"));
  }
  std::function<std::optional<Fault>(const net::Request&)> more;
  std::vector<std::string> devices_at_bindings;
};

TEST_CASE("claims: an old view of a claim that was taken back binds no pod", "[claims]") {
  RefusedOnceBed bed;
  bed.scheduler.reset();
  bed.more = [](const net::Request& request) -> std::optional<Fault> {
    const bool watches = absl::StrContains(request.target, "resourceclaims") &&
                         absl::StrContains(request.target, "watch=");
    if (!watches) return std::nullopt;
    return Fault{.piece_delay = absl::Seconds(3)};
  };
  bed.Begin();
  bed.Run();
}

TEST_CASE("claims: a pod is not bound while its devices are being taken back", "[claims]") {
  RefusedOnceBed bed;
  bed.more = [](const net::Request& request) -> std::optional<Fault> {
    const bool takes_back = request.method == "PATCH" &&
                            absl::EndsWith(request.target, "/c/status") &&
                            absl::StrContains(request.body, "\"allocation\":null");
    if (!takes_back) return std::nullopt;
    return Fault{.delay = absl::Seconds(20)};
  };
  bed.Run();
}

TEST_CASE("claims: a write that comes too late is looked into before anything is given up",
          "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Begin();
  int conflicts = 0;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    const bool ours = request.method == "PATCH" && absl::StrContains(request.target, "claims/c");
    if (!ours || conflicts == 2) return std::nullopt;
    ++conflicts;
    return Fault{.code = 409, .reason = "Conflict"};
  };
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.Settle();
  CHECK(conflicts == 2);
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.UsersOf("c") == "p");
}

TEST_CASE("claims: devices that an unanswered write may have lent are lent to nobody else",
          "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Claim("other");
  bed.Begin();
  bed.scheduler.reset();
  const bool was_done = GENERATE(true, false);
  bool is_cut_off = false;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "resourceclaims")) return std::nullopt;
    if (absl::StrContains(request.target, "watch=")) return Fault{.piece_delay = absl::Minutes(1)};
    if (!absl::StrContains(request.target, "resourceclaims/c")) return std::nullopt;
    if (is_cut_off) return Fault{.unsent = true};
    if (!absl::StrContains(request.body, "\"allocation\":{")) return std::nullopt;
    is_cut_off = true;
    if (was_done) return Fault{.answer_lost = true};
    return Fault{.code = 500, .reason = "InternalError"};
  };
  std::string lent;
  bed.line->on_request = [&](const net::Request& request) {
    if (absl::StrContains(request.target, "/other/status")) lent += bed.DevicesOf("c");
  };
  bed.Begin();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.executor.Advance(absl::Seconds(20));
  CHECK((bed.DevicesOf("c") == "n1/d0") == was_done);
  CHECK(bed.PodCondition("p") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 plugin DynamicResources pre-predicates "
        "failed Pod default/p: what an earlier binding wrote into its claims is being taken back.");
  bed.Group("h", 1);
  bed.PodOf("q", "h", "other");
  bed.executor.Advance(absl::Seconds(20));
  CHECK(bed.NodeOf("q").empty());
  CHECK(lent.empty());
  // It is found out, and one of them runs.
  bed.line->script = nullptr;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.NodeOf("p").empty() != bed.NodeOf("q").empty());
  CHECK(bed.DevicesOf("c").empty() != bed.DevicesOf("other").empty());
  CHECK(lent.empty());
}

TEST_CASE("claims: a pod waits until its device is ready, others do not wait for it", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0","bindsToNode":true,"bindingConditions":["Attached"],)"
                  R"("bindingFailureConditions":["Broken"]})");
  bed.Claim("c");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.Settle();
  CHECK(bed.DevicesOf("c") == "n1/d0");
  CHECK_FALSE(
      bed.ClaimNamed("c").At({"status", "allocation", "allocationTimestamp"}).AsString().empty());
  CHECK(bed.NodeOf("p").empty());
  bed.Group("h", 1);
  bed.Pod("other", "h", 1);
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("other").empty());
  // A driver that takes its time is told of.
  bed.executor.Advance(absl::Seconds(3));
  CHECK(bed.PodCondition("p") ==
        "False WaitingForDevices: is to be bound to node n1: device x.io/n1/d0 of claim default/c "
        "is not ready: waits for Attached");
  int writes = 0;
  bed.line->on_request = [&](const net::Request& request) {
    writes += request.method == "GET" ? 0 : 1;
  };
  bed.executor.Advance(absl::Minutes(1));
  CHECK(writes == 0);
  CHECK(bed.Patch(StrCat(kDeviceClaims, "/c/status"),
                  R"({"status":{"devices":[{"driver":"x.io","pool":"n1","device":"d0",)"
                  R"("conditions":[{"type":"Attached","status":"True"}]}]}})") == 200);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
}

TEST_CASE("claims: a device that fails is given back", "[claims]") {
  ClaimBed bed;
  bed.Slice("n1", R"({"name":"d0","bindingConditions":["Attached"],)"
                  R"("bindingFailureConditions":["Broken"]})");
  bed.Claim("c");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.OneCycle();
  REQUIRE(bed.UsersOf("c") == "p");
  CHECK(bed.Patch(StrCat(kDeviceClaims, "/c/status"),
                  R"({"status":{"devices":[{"driver":"x.io","pool":"n1","device":"d0",)"
                  R"("conditions":[{"type":"Broken","status":"True"}]}]}})") == 200);
  bed.executor.RunUntilIdle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.DevicesOf("c").empty());
  CHECK(absl::StrContains(bed.PodCondition("p"), "cannot be used: Broken"));
}

TEST_CASE("claims: without the group, pods that claim nothing are scheduled", "[claims]") {
  ClaimBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "resource.k8s.io")) return std::nullopt;
    return Fault{.code = 404, .reason = "NotFound"};
  };
  bed.Begin();
  bed.Group("g", 1);
  bed.Pod("plain", "g", 1);
  bed.Group("h", 1);
  bed.PodOf("p", "h", "c");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("plain").empty());
  CHECK(bed.PodCondition("p") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 plugin DynamicResources pre-predicates "
        "failed resourceclaim.resource.k8s.io \"c\" not found.");
}

TEST_CASE("claims: nothing is written while a pod waits for devices", "[claims]") {
  ClaimBed bed;
  bed.Claim("c");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.Settle();
  int writes = 0;
  bed.line->on_request = [&](const net::Request& request) {
    writes += request.method == "GET" ? 0 : 1;
  };
  bed.executor.Advance(absl::Minutes(10));
  CHECK(writes == 0);
}

TEST_CASE("claims: a rule that taints devices counts while it is there", "[claims]") {
  ClaimBed bed;
  bed.options.device_taint_rules = true;
  bed.Slice("n1", R"({"name":"d0"})");
  bed.Claim("c");
  bed.Create("/apis/resource.k8s.io/v1beta2/devicetaintrules",
             R"({"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule","metadata":)"
             R"({"name":"t"},"spec":{"deviceSelector":{"driver":"x.io"},"taint":{"key":"x.io/k",)"
             R"("effect":"NoSchedule"}}})");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodOf("p", "g", "c");
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.Call("DELETE", "/apis/resource.k8s.io/v1beta2/devicetaintrules/t").code == 200);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
}

}  // namespace
}  // namespace bth::scheduler::testing
