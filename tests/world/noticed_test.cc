#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/programs.h"
#include "tests/support/catch.h"
#include "tests/world/promise_bed.h"

namespace bth::sim {
namespace {

constexpr std::string_view kUid = "11111111-2222-3333-4444-555555555555";
constexpr std::string_view kOther = "66666666-2222-3333-4444-555555555555";

std::string Meta(std::string_view name, std::string_view more = "", std::string_view uid = kUid) {
  return StrCat(R"("metadata":{"namespace":"ns","name":")", name, R"(","uid":")", uid, "\"", more,
                "}");
}

std::string PodText(std::string_view name, std::string_view spec, std::string_view status,
                    std::string_view meta = "", std::string_view uid = kUid) {
  return StrCat("{", Meta(name, meta, uid), R"(,"spec":{"schedulerName":"volcano")", spec,
                R"(},"status":{)", status, "}}");
}

constexpr std::string_view kInGroup =
    R"(,"annotations":{"scheduling.k8s.io/group-name":"g","volcano.sh/job-version":"0"})";
constexpr std::string_view kRuns = R"("phase":"Running")";
constexpr std::string_view kPlaced = R"(,"nodeName":"n","containers":[{"name":"c","resources":)"
                                     R"({"requests":{"cpu":"1"}}}])";

std::string OwnedBy(std::string_view job) {
  return StrCat(
      R"(,"annotations":{"volcano.sh/job-version":"0"},"ownerReferences":[{"apiVersion":)",
      R"("batch.volcano.sh/v1alpha1","kind":"Job","name":")", job, R"(","uid":")", kOther,
      R"(","controller":true}])");
}

TEST_CASE("promises: a uid of something else names nothing", "[world]") {
  const std::string claim = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c/status";
  const auto breach_of = [&claim](const std::string& body) {
    PromiseBed bed(MakeByIdentity);
    bed.Send("scheduler-0_1", "PATCH", claim, body);
    return bed.breach();
  };
  const std::string users = R"("status":{"reservedFor":[{"resource":"pods","uid":"u"}]})";
  CHECK(absl::StrContains(breach_of(StrCat("{", users, "}")), "goes by the name alone"));
  CHECK(breach_of(StrCat(R"({"metadata":{"resourceVersion":"7"},)", users, "}")).empty());
  CHECK(breach_of(R"([{"op":"test","path":"/metadata/uid","value":"u"}])").empty());
  CHECK_FALSE(breach_of(R"([{"op":"add","path":"/metadata/uid","value":"u"}])").empty());
  CHECK(breach_of(R"({"preconditions":{"uid":"u"}})").empty());
}

TEST_CASE("promises: what is refused is not sent again at once for ever", "[world]") {
  PromiseBed bed(MakeUnhurried);
  const std::string pods = "/api/v1/namespaces/ns/pods";
  const auto send_often = [&](const std::string& target, int times) {
    for (int i = 0; i < times; ++i) bed.Send("scheduler-0_1", "POST", target);
  };
  // Many at once are of many objects, or are not all ours.
  for (int i = 0; i < 1000; ++i) send_often(StrCat(pods, "/p-", i, "/binding"), 1);
  for (int i = 0; i < 1000; ++i) bed.Send("kubelet", "POST", StrCat(pods, "/p/binding"));
  send_often("/api/v1/namespaces/ns/events", 1000);
  for (int minute = 0; minute < 10; ++minute) {
    send_often(StrCat(pods, "/p/binding"), 300);
    bed.now += absl::Minutes(1);
  }
  CHECK(bed.breach().empty());
  send_often(StrCat(pods, "/p/binding"), 301);
  CHECK(absl::StrContains(bed.breach(), "more than 300 times within a minute"));
}

TEST_CASE("promises: whoever leads has asked for its lease not long ago", "[world]") {
  PromiseBed bed(MakeOneLeader);
  const std::string holds = R"("holderIdentity":"scheduler-0_1","leaseDurationSeconds":15,)"
                            R"("renewTime":"2026-01-01T00:00:00.000000Z")";
  bed.Put("leases.coordination.k8s.io",
          StrCat(R"({"metadata":{"namespace":")", kWorldNamespace,
                 R"(","name":"volcano","uid":"u"},"spec":{)", holds, "}}"));
  bed.sight.asked_at["scheduler-0_1 2026-01-01T00:00:00.000000Z"] = bed.now;
  bed.now += absl::Seconds(10);
  bed.Send("scheduler-0_1", "POST", "/api/v1/namespaces/ns/events", "{}");
  CHECK(bed.breach().empty());
  bed.now += absl::Milliseconds(1);
  bed.Send("scheduler-0_1", "POST", "/api/v1/namespaces/ns/events", "{}");
  CHECK(absl::StrContains(bed.breach(), "after its lease was asked for the last time"));
}

TEST_CASE("promises: a pod keeps the devices that it was bound with", "[world]") {
  PromiseBed bed(MakeDevicesStay);
  const auto put_claim = [&bed](std::string_view status) {
    bed.Put("resourceclaims.resource.k8s.io",
            StrCat("{", Meta("c", "", kOther), R"(,"spec":{},"status":{)", status, "}}"));
  };
  const std::string devices = R"("allocation":{"devices":{"results":[{"request":"r","driver":"d",)"
                              R"("pool":"p","device":"x"}]}})";
  const std::string pod = PodText(
      "a", R"(,"nodeName":"n","resourceClaims":[{"name":"k","resourceClaimName":"c"}])", kRuns);
  put_claim(
      StrCat(devices, R"(,"reservedFor":[{"resource":"pods","name":"a","uid":")", kUid, R"("}])"));
  bed.Put("pods", pod);
  bed.Pass(absl::Minutes(2));
  CHECK(bed.breach().empty());
  SECTION("taken away") {
    put_claim("");
    bed.Pass(absl::Minutes(1));
    CHECK(absl::EndsWith(bed.breach(), "its claim c has no devices"));
  }
  SECTION("lent to somebody else") {
    put_claim(devices);
    bed.Pass(absl::Minutes(1));
    CHECK(absl::EndsWith(bed.breach(), "its claim c is not reserved for it"));
  }
  SECTION("late: its scheduler could not know of it") {
    bed.sight.bound_late.insert(std::string(kUid));
    put_claim("");
    bed.Pass(absl::Minutes(1));
    CHECK(bed.breach().empty());
  }
}

TEST_CASE("promises: a queue is closed when it is empty", "[world]") {
  PromiseBed bed(MakeQueueStates);
  const std::string group = StrCat("{", Meta("g"), R"(,"spec":{"minMember":1,"queue":"q"}})");
  const auto set_state = [&bed](std::string_view state) {
    bed.Put("queues.scheduling.volcano.sh",
            StrCat(R"({"metadata":{"name":"q","uid":"q"},"spec":{},"status":{"state":")", state,
                   R"("}})"));
  };
  set_state("Open");
  bed.Put("podgroups.scheduling.volcano.sh", group);
  bed.now += absl::Seconds(6);
  SECTION("too early") {
    set_state("Closed");
    CHECK(bed.breach() == "queue q is Closed, and holds ns/g");
  }
  SECTION("in time") {
    set_state("Closing");
    bed.promise->AtRest();
    bed.Remove("podgroups.scheduling.volcano.sh", group);
    set_state("Closed");
    bed.promise->AtRest();
    CHECK(bed.breach().empty());
  }
  SECTION("never") {
    set_state("Closing");
    bed.Remove("podgroups.scheduling.volcano.sh", group);
    bed.promise->AtRest();
    CHECK(bed.breach() == "queue q is Closing, and holds nothing");
  }
}

TEST_CASE("promises: the phase of a job tells why its pods go", "[world]") {
  PromiseBed bed(MakePhaseFirst);
  const auto set_phase = [&bed](std::string_view phase, int version) {
    bed.Put("jobs.batch.volcano.sh",
            StrCat("{", Meta("j", "", kOther), R"(,"spec":{},"status":{"state":{"phase":")", phase,
                   R"("},"version":)", version, "}}"));
  };
  const std::string target = "/api/v1/namespaces/ns/pods/j-t-0";
  const auto by_uid = [](std::string_view uid) {
    return StrCat(R"({"preconditions":{"uid":")", uid, R"("}})");
  };
  set_phase("Running", 0);
  bed.Put("pods", PodText("j-t-0", "", kRuns, OwnedBy("j")));
  SECTION("first") {
    set_phase("Aborting", 1);
    bed.Send("controllers-0_1", "DELETE", target, by_uid(kUid));
    set_phase("Aborted", 1);
    CHECK(bed.breach().empty());
  }
  SECTION("afterwards") {
    bed.Send("controllers-0_1", "DELETE", target, by_uid(kUid));
    set_phase("Aborting", 1);
    CHECK(bed.breach() == "pod j-t-0 was told to go before its job ns/j became Aborting");
  }
  SECTION("an earlier one of that name") {
    bed.Send("controllers-0_1", "DELETE", target, by_uid("u"));
    set_phase("Aborting", 1);
    CHECK(bed.breach().empty());
  }
  SECTION("commanded: the Command tells why") {
    bed.Put("commands.bus.volcano.sh",
            StrCat("{", Meta("c"), R"(,"action":"AbortJob","target":{"kind":"Job","name":"j",)",
                   R"("uid":")", kOther, R"("}})"));
    bed.Send("controllers-0_1", "DELETE", target, by_uid(kUid));
    set_phase("Aborting", 1);
    CHECK(bed.breach().empty());
  }
}

TEST_CASE("promises: a pod beyond the minimum belongs to the gang beside which it waited",
          "[world]") {
  PromiseBed bed(MakeWholeGangs);
  bed.Put("podgroups.scheduling.volcano.sh",
          StrCat("{", Meta("g", "", kOther), R"(,"spec":{"minMember":2}})"));
  bed.Put("pods", PodText("a", kPlaced, kRuns, kInGroup, "a"));
  bed.Put("pods", PodText("b", kPlaced, kRuns, kInGroup, "b"));
  const bool waited = GENERATE(true, false);
  if (waited) bed.Put("pods", PodText("c", "", "", kInGroup, "c"));
  bed.Put("pods", PodText("a", kPlaced, R"("phase":"Failed")", kInGroup, "a"));
  bed.Put("pods", PodText("b", kPlaced, R"("phase":"Failed")", kInGroup, "b"));
  bed.Put("pods", PodText("c", kPlaced, kRuns, kInGroup, "c"));
  bed.Pass(absl::Minutes(20));
  CHECK(bed.breach().empty() == waited);
}

TEST_CASE("promises: who binds a gang decided by the minimum that it had", "[world]") {
  PromiseBed bed(MakeWholeGangs);
  const auto put_group = [&bed](int least) {
    bed.Put("podgroups.scheduling.volcano.sh",
            StrCat("{", Meta("g", "", kOther), R"(,"spec":{"minMember":)", least, "}}"));
  };
  const bool decided_before = GENERATE(true, false);
  put_group(2);
  bed.Put("pods", PodText("a", kPlaced, kRuns, kInGroup, "a"));
  put_group(7);
  bed.Pass(decided_before ? absl::Seconds(1) : absl::Minutes(4));
  bed.Put("pods", PodText("b", kPlaced, kRuns, kInGroup, "b"));
  bed.Pass(absl::Minutes(20));
  CHECK(bed.breach().empty() == decided_before);
}

TEST_CASE("promises: who completes a gang in bad weather need not know yet what it lost",
          "[world]") {
  PromiseBed bed(MakeWholeGangs);
  bed.Put("podgroups.scheduling.volcano.sh",
          StrCat("{", Meta("g", "", kOther), R"(,"spec":{"minMember":3}})"));
  const bool bad_weather = GENERATE(true, false);
  bed.fair_since = bad_weather ? bed.now : absl::ZeroDuration();
  const bool made_later = GENERATE(true, false);
  bed.Put("pods", PodText("a", kPlaced, kRuns, kInGroup, "a"));
  bed.Put("pods", PodText("b", kPlaced, kRuns, kInGroup, "b"));
  if (!made_later) bed.Put("pods", PodText("c", "", "", kInGroup, "c"));
  bed.Remove("pods", PodText("a", kPlaced, kRuns, kInGroup, "a"));
  if (made_later) bed.Put("pods", PodText("c", "", "", kInGroup, "c"));
  bed.Put("pods", PodText("c", kPlaced, kRuns, kInGroup, "c"));
  bed.Pass(absl::Minutes(20));
  CHECK(bed.breach().empty() == (bad_weather && !made_later));
}

TEST_CASE("promises: a gang in part gives back what it holds in time", "[world]") {
  PromiseBed bed(MakeWholeGangs);
  bed.Put("podgroups.scheduling.volcano.sh",
          StrCat("{", Meta("g", "", kOther),
                 R"(,"spec":{"minMember":2},"status":{"conditions":[{"type":"PartiallyBound",)",
                 R"("status":"True"}]}})"));
  bed.Put("pods", PodText("a", kPlaced, kRuns, kInGroup));
  bed.Pass(absl::Minutes(14));
  CHECK(bed.breach().empty());
  SECTION("it does not") {
    bed.Pass(absl::Minutes(2));
    CHECK(absl::StrContains(bed.breach(), "holds 1 of 2 places since 15m,"));
  }
  SECTION("it has ended") {
    bed.Put("pods", PodText("a", kPlaced, R"("phase":"Succeeded")", kInGroup));
    bed.Pass(absl::Minutes(30));
    CHECK(bed.breach().empty());
    bed.Put("podgroups.scheduling.volcano.sh",
            StrCat("{", Meta("g", "", kOther),
                   R"(,"spec":{"minMember":3},"status":{"conditions":[{"type":"PartiallyBound",)",
                   R"("status":"True"}]}})"));
    bed.Pass(absl::Minutes(4));
    bed.Put("pods", PodText("b", kPlaced, kRuns, kInGroup, "b"));
    bed.Pass(absl::Minutes(14));
    CHECK(bed.breach().empty());
    bed.Pass(absl::Minutes(2));
    CHECK(absl::StrContains(bed.breach(), "holds 2 of 3 places since 1h3m,"));
  }
  SECTION("it is leaving") {
    bed.Put("pods", PodText("a", kPlaced, kRuns,
                            StrCat(kInGroup, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")));
    bed.Pass(absl::Minutes(30));
    CHECK(bed.breach().empty());
  }
}

TEST_CASE("promises: what is told wrongly for long is noticed before the end", "[world]") {
  PromiseBed bed(MakeTrueSums);
  const auto put_group = [&bed](int running) {
    bed.Put("podgroups.scheduling.volcano.sh",
            StrCat("{", Meta("g", "", kOther), R"(,"spec":{"minMember":1},"status":{"phase":)",
                   R"("Running","running":)", running, "}}"));
  };
  put_group(1);
  bed.Put("pods", PodText("a", kPlaced, kRuns, kInGroup));
  bed.Pass(absl::Minutes(5));
  CHECK(bed.breach().empty());
  put_group(0);
  bed.Pass(absl::Minutes(6));
  CHECK(bed.breach().empty());
  SECTION("put right") {
    put_group(1);
    bed.Pass(absl::Minutes(10));
    CHECK(bed.breach().empty());
  }
  SECTION("in bad weather nobody can") {
    bed.fair_since = bed.now + absl::Hours(1);
    bed.Pass(absl::Minutes(10));
    CHECK(bed.breach().empty());
  }
  SECTION("it stays") {
    bed.Pass(absl::Minutes(1));
    CHECK(absl::StrContains(bed.breach(), "tells of 0 running, 0 succeeded, 0 failed; it is 1"));
  }
}

TEST_CASE("promises: a job runs with the pods that it needs", "[world]") {
  PromiseBed bed(MakeJobPhases);
  const auto set_phase = [&bed](std::string_view phase) {
    bed.Put("jobs.batch.volcano.sh",
            StrCat("{", Meta("j", "", kOther), R"(,"spec":{"minAvailable":1},"status":{"state":)",
                   R"({"phase":")", phase, R"("}}})"));
  };
  set_phase("Pending");
  bed.Put("pods", PodText("j-t-0", kPlaced, kRuns,
                          StrCat(OwnedBy("j"), R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")));
  bed.now += absl::Seconds(GENERATE(4, 6));
  set_phase("Running");
  // News of its leaving may not have come.
  CHECK(bed.breach().empty() == (bed.now < absl::Hours(1) + absl::Seconds(5)));
}

TEST_CASE("promises: a command may meet a job of which a policy restarts a part", "[world]") {
  PromiseBed bed(MakeCommandsCount);
  std::string action = "RestartPod";
  const auto put_job = [&](int retries) {
    bed.Put("jobs.batch.volcano.sh",
            StrCat("{", Meta("j", "", kOther), R"(,"spec":{"tasks":[{"name":"t","replicas":2,)",
                   R"("policies":[{"event":"*","action":")", action, R"("}]}]},"status":{"state":)",
                   R"({"phase":"Pending"},"retryCount":)", retries, "}}"));
  };
  const std::string a = PodText("a", kPlaced, kRuns, OwnedBy("j"), "a");
  const std::string b = PodText("b", kPlaced, kRuns, OwnedBy("j"), "b");
  const std::string command =
      StrCat("{", Meta("c"), R"(,"action":"RestartJob","target":{"apiVersion":)",
             R"("batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":")", kOther, "\"}}");
  int retries = 1;
  bool is_noticed = false;
  SECTION("nothing is left that it could stop") {}
  SECTION("something is left") {
    is_noticed = true;
  }
  SECTION("nobody restarts it") {
    retries = 0;
    is_noticed = true;
  }
  SECTION("its policies are about the whole job, and make a version") {
    action = "RestartJob";
    is_noticed = true;
  }
  const bool is_left = is_noticed && retries == 1 && action == "RestartPod";
  put_job(0);
  bed.Put("pods", a);
  bed.Put("pods", b);
  bed.Put("commands.bus.volcano.sh", command);
  put_job(retries);
  bed.Remove("pods", a);
  if (!is_left) bed.Remove("pods", b);
  bed.Put("pods", PodText("a", kPlaced, kRuns, OwnedBy("j"), "a2"));
  bed.Send("controllers-0_1", "DELETE", "/apis/bus.volcano.sh/v1alpha1/namespaces/ns/commands/c");
  bed.Remove("commands.bus.volcano.sh", command);
  CHECK(bed.breach().empty() != is_noticed);
  CHECK(bed.promise->looks() == 1);
}

}  // namespace
}  // namespace bth::sim
