#include "client/leader_election.h"

#include "base/strings.h"
#include "tests/client/fake_server.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::Await;
using testing::FakeServer;
using testing::StartTime;
using types::Json;

// The other host's idea of time: its wall clock is off.
class SkewedExecutor final : public net::Executor {
 public:
  explicit SkewedExecutor(net::VirtualExecutor& inner) : inner_(inner) {}
  void Post(Task task) override { inner_.Post(std::move(task)); }
  TimerId RunAfter(absl::Duration delay, Task task) override {
    return inner_.RunAfter(delay, std::move(task));
  }
  void CancelTimer(TimerId id) override { inner_.CancelTimer(id); }
  absl::Duration Monotonic() const override { return inner_.Monotonic(); }
  absl::Time Now() const override { return inner_.Now() + skew; }
  bool IsCurrent() const override { return true; }
  absl::Duration skew;

 private:
  net::VirtualExecutor& inner_;
};

// One lease, with versions and conflicts.
struct LeaseServer {
  net::VirtualExecutor executor{StartTime()};
  FakeServer server{executor};
  std::optional<Json> lease;
  int version = 0;
  bool down = false;
  bool lose_answers = false;  // Writes happen, their answers do not arrive.

  LeaseServer() {
    server.script = [this](const net::Request& request) { return Serve(request); };
  }
  std::string holder() const {
    return lease ? std::string((*lease)["spec"]["holderIdentity"].AsString()) : "none";
  }
  bool forbidden = false;
  net::Response Serve(const net::Request& request) {
    if (forbidden) {
      return Answer(403, R"({"kind":"Status","reason":"Forbidden","message":"cannot get"})");
    }
    if (down) return Answer(503, "down");
    if (request.method == "GET") {
      return lease ? Answer(200, lease->Dump())
                   : Answer(404, R"({"kind":"Status","reason":"NotFound"})");
    }
    Json wanted = *Json::Parse(request.body);
    if (request.method == "POST" && lease) {
      return Answer(409, R"({"kind":"Status","reason":"AlreadyExists"})");
    }
    if (request.method == "PUT" &&
        wanted["metadata"]["resourceVersion"] != (*lease)["metadata"]["resourceVersion"]) {
      return Answer(409, R"({"kind":"Status","reason":"Conflict"})");
    }
    wanted.MutableAt({"metadata", "resourceVersion"}) = StrCat(++version);
    lease = wanted;
    if (lose_answers) return Answer(504, "lost");
    return Answer(200, lease->Dump());
  }
};

struct Candidate {
  SkewedExecutor executor;
  Rng rng;
  ApiClient api;
  std::vector<std::string> log;
  LeaderElector elector;

  Candidate(LeaseServer& server, const std::string& identity, uint64_t seed)
      : executor(server.executor),
        rng(seed),
        api(executor, server.server.Transport(), {}),
        elector(api, rng, Options(identity)) {}

  LeaderElectionOptions Options(const std::string& identity) {
    LeaderElectionOptions options;
    options.lease_name = "volcano";
    options.identity = identity;
    options.on_started = [this] { log.push_back("started"); };
    options.on_lost = [this] { log.push_back("lost"); };
    options.on_leader = [this](const std::string& who) { log.push_back("sees " + who); };
    return options;
  }
};

net::Awaitable<bool> StopOf(LeaderElector& elector) {
  co_await elector.Stop();
  co_return true;
}

TEST_CASE("leader election: a right that is missing is named, at once and then ever more rarely",
          "[client]") {
  LeaseServer server;
  server.forbidden = true;
  Candidate a(server, "a", 1);
  test::CapturedLog log(LogLevel::kInfo);
  a.elector.Start();
  server.executor.Advance(absl::Minutes(10));
  const std::vector<std::string> lines = log.Take();
  CHECK(lines.size() >= 5);
  CHECK(lines.size() <= 7);
  CHECK_THAT(lines[0], Catch::StartsWith("leader_election.attempt_failed ") &&
                           Catch::Contains("get and update on lease volcano in namespace "
                                           "volcano-system\" times=1 next_line_in=10s"));
  server.forbidden = false;
  server.executor.Advance(absl::Seconds(5));
  CHECK(a.elector.is_leader());
}

TEST_CASE("leader election: the first candidate makes the lease and keeps it", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.RunUntilIdle();
  CHECK(a.elector.is_leader());
  CHECK(a.log == std::vector<std::string>{"sees a", "started"});
  const Json& spec = (*server.lease)["spec"];
  CHECK(spec["leaseDurationSeconds"] == Json(15));
  CHECK(spec["acquireTime"].AsString() == "2023-11-14T22:13:20.000000Z");
  CHECK(spec["leaseTransitions"] == Json(0));
  server.executor.Advance(absl::Minutes(5));
  CHECK(a.elector.is_leader());
  CHECK(a.log.size() == 2);
  CHECK((*server.lease)["spec"]["renewTime"].AsString() > "2023-11-14T22:18:17");
}

TEST_CASE("leader election: of two candidates exactly one leads", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  Candidate b(server, "b", 2);
  a.elector.Start();
  b.elector.Start();
  for (int i = 0; i < 600; ++i) {
    server.executor.Advance(absl::Milliseconds(100));
    CHECK(a.elector.is_leader() != b.elector.is_leader());
  }
  CHECK(b.elector.leader() == "a");
}

TEST_CASE("leader election: a released lease is taken over at once", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  Candidate b(server, "b", 2);
  a.elector.Start();
  server.executor.RunUntilIdle();
  b.elector.Start();
  server.executor.Advance(absl::Seconds(5));
  Await(server.executor, StopOf(a.elector));
  CHECK(server.holder().empty());
  CHECK_FALSE(a.elector.is_leader());
  server.executor.Advance(absl::Milliseconds(4400));
  CHECK(b.elector.is_leader());
  CHECK((*server.lease)["spec"]["leaseTransitions"] == Json(1));
  CHECK(a.log == std::vector<std::string>{"sees a", "started"});
}

TEST_CASE("leader election: a dead leader's lease runs out on the follower's own clock",
          "[client]") {
  LeaseServer server;
  auto a = std::make_unique<Candidate>(server, "a", 1);
  Candidate b(server, "b", 2);
  // Hours of difference between the hosts' clocks must not matter in either direction.
  b.executor.skew = GENERATE(absl::Hours(-5), absl::ZeroDuration(), absl::Hours(5));
  a->elector.Start();
  server.executor.RunUntilIdle();
  b.elector.Start();
  server.executor.Advance(absl::Seconds(30));
  CHECK_FALSE(b.elector.is_leader());
  a.reset();  // Killed: nothing is released.
  server.executor.Advance(absl::Seconds(11));
  CHECK_FALSE(b.elector.is_leader());
  server.executor.Advance(absl::Seconds(9));
  CHECK(b.elector.is_leader());
}

TEST_CASE("leader election: jumps of the wall clock change nothing", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  Candidate b(server, "b", 2);
  a.elector.Start();
  server.executor.RunUntilIdle();
  b.elector.Start();
  for (int i = 0; i < 100; ++i) {
    a.executor.skew = absl::Hours(i % 7 - 3);
    b.executor.skew = absl::Hours(i % 5 - 2);
    server.executor.Advance(absl::Seconds(1));
    REQUIRE(a.elector.is_leader());
    REQUIRE_FALSE(b.elector.is_leader());
  }
}

TEST_CASE("leader election: without the API leadership ends at the renew deadline", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.Advance(absl::Seconds(1));
  server.down = true;
  server.executor.Advance(absl::Milliseconds(8900));
  CHECK(a.elector.is_leader());
  server.executor.Advance(absl::Milliseconds(200));
  CHECK_FALSE(a.elector.is_leader());
  CHECK(a.log.back() == "lost");
  server.down = false;
  a.elector.Start();
  server.executor.RunUntilIdle();
  CHECK(a.elector.is_leader());
}

TEST_CASE("leader election: a short outage is survived", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.Advance(absl::Seconds(1));
  server.down = true;
  server.executor.Advance(absl::Seconds(6));
  server.down = false;
  server.executor.Advance(absl::Seconds(30));
  CHECK(a.elector.is_leader());
  CHECK(a.log.size() == 2);
}

TEST_CASE("leader election: a hanging server does not hide the deadline", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.Advance(absl::Seconds(1));
  server.server.delay = absl::Hours(1);
  server.executor.Advance(absl::Seconds(10));
  CHECK(a.log.back() == "lost");
}

TEST_CASE("leader election: writes whose answers are lost do no harm", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  server.lose_answers = true;
  a.elector.Start();
  server.executor.RunUntilIdle();
  CHECK_FALSE(a.elector.is_leader());
  CHECK(server.holder() == "a");
  server.lose_answers = false;
  server.executor.Advance(absl::Seconds(5));
  CHECK(a.elector.is_leader());
  server.lose_answers = true;
  server.executor.Advance(absl::Seconds(6));
  server.lose_answers = false;
  server.executor.Advance(absl::Seconds(30));
  CHECK(a.elector.is_leader());
}

TEST_CASE("leader election: a lease taken by force is noticed at the next renewal", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.Advance(absl::Seconds(1));
  server.lease->MutableAt({"spec", "holderIdentity"}) = "thief";
  server.lease->MutableAt({"metadata", "resourceVersion"}) = "999";
  server.executor.Advance(absl::Seconds(2));
  CHECK(a.log.back() == "lost");
  CHECK(server.holder() == "thief");
}

TEST_CASE("leader election: nobody leads ten seconds after the last renewal", "[client]") {
  LeaseServer server;
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.RunUntilIdle();
  // Asked in the very turn in which the deadline passes, before the elector itself has noticed.
  server.server.delay = absl::Hours(1);
  server.executor.RunUntil([&] { return server.executor.Monotonic() >= absl::Seconds(10); },
                           absl::Seconds(10));
  CHECK_FALSE(a.elector.is_leader());
}

TEST_CASE("leader election: unknown fields of the lease survive", "[client]") {
  LeaseServer server;
  server.lease = *Json::Parse(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
    "metadata":{"name":"volcano","resourceVersion":"5","labels":{"keep":"me"}},
    "spec":{"strategy":"x"}})");
  Candidate a(server, "a", 1);
  a.elector.Start();
  server.executor.RunUntilIdle();
  CHECK(a.elector.is_leader());
  CHECK((*server.lease)["metadata"]["labels"]["keep"] == Json("me"));
  CHECK((*server.lease)["spec"]["strategy"] == Json("x"));
}

TEST_CASE("leader election: bad settings are named as the flags' users know it", "[client]") {
  LeaderElectionOptions options;
  options.lease_name = "volcano";
  CHECK(CheckLeaderElection(options).ok());
  options.lease_duration = absl::ZeroDuration();
  options.namespace_name = "";
  CHECK(
      CheckLeaderElection(options).message() ==
      "leaderElection.leaseDuration: Invalid value: \"0s\": must be greater than zero, "
      "leaderElection.leaseDuration: Invalid value: \"0s\": must be greater than `RenewDeadline`, "
      "leaderElection.resourceNamespace: Required value");
  options.namespace_name = "x";
  options.lease_duration = absl::Seconds(90);
  options.renew_deadline = absl::Seconds(100);
  CHECK(CheckLeaderElection(options).message() ==
        "leaderElection.leaseDuration: Invalid value: \"1m30s\": must be greater than "
        "`RenewDeadline`");
}

}  // namespace
}  // namespace bth::client
