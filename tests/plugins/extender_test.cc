#include "base/strings.h"
#include "plugins/factories.h"
#include "tests/plugins/extender_bed.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using model::TaskId;

using NodeByTask = std::map<std::string, std::string>;

const std::string kSilent = "connection refused";
absl::Status Silence() {
  return absl::UnavailableError(kSilent);
}

TEST_CASE("extender: verbs without a URL are refused", "[plugins][extender]") {
  const std::string yaml = GENERATE(
      values<std::string>({"extender.predicateVerb: predicate",
                           "extender.urlPrefix: localhost\nextender.jobReadyVerb: ready"}));
  const absl::Status status = plugins::CreateExtender(MakeArguments(yaml)).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.ToString().find("extender.urlPrefix") != std::string::npos);
  CHECK(plugins::CreateExtender(
            MakeArguments(StrCat(std::string(kExtenderUrl), "extender.managedResources: gpu")))
            .status()
            .code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("extender: arguments that cannot be used are reported", "[plugins][extender]") {
  const std::string yaml = GENERATE(values<std::string>(
      {"extender.httpTimeout: soon", "extender.httpTimeout: -1s", "extender.httpTimeout: 2h",
       "extender.predicateVerb: 5", "extender.ignorable: maybe"}));
  const conf::Arguments args = MakeArguments(StrCat(std::string(kExtenderUrl), yaml));
  REQUIRE(plugins::CreateExtender(args).ok());
  CHECK(args.Findings().size() == 1);
}

TEST_CASE("extender: without verbs it does nothing", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "");
  CHECK(bed.Binds(MakeWorld("node n1 cpu=2; job a tasks=1 cpu=1")) == NodeByTask{{"a-0", "n1"}});
  CHECK(bed.extender.asked.empty());
}

TEST_CASE("extender: each verb is asked under its own name", "[plugins][extender]") {
  struct Case {
    std::string key, asked;
  };
  const Case c = GENERATE(values<Case>({
      {"onSessionOpenVerb", "open"},
      {"onSessionCloseVerb", "close"},
      {"predicateVerb", "predicate a-0 n1"},
      {"prioritizeVerb", "prioritize a-0 1"},
      {"queueOverusedVerb", "overused default"},
      {"jobEnqueueableVerb", "vote a"},
      {"jobEnqueuedVerb", "enqueued a"},
      {"jobReadyVerb", "ready a"},
      {"allocateFuncVerb", "placed a-0"},
  }));
  CAPTURE(c.key);
  const std::string verb = c.key == "allocateFuncVerb" ? "allocate" : "some-verb";
  ExtenderBed bed("enqueue,allocate", "gang;extender",
                  StrCat("extender.httpTimeout: 250ms\nextender.", c.key, ": ", verb));
  bed.extender.score = [](const std::string&) { return 1.0; };
  bed.extender.vote = [](const std::string&) { return 1; };
  bed.extender.ready = [](const std::string&) { return true; };
  bed.extender.overused = [](const std::string&) { return false; };
  const World world = MakeWorld("node n1 cpu=2; job a phase=pending minres.cpu=1 tasks=1 cpu=1");
  CHECK(bed.Binds(world) == NodeByTask{{"a-0", "n1"}});
  REQUIRE_FALSE(bed.extender.asked.empty());
  for (const std::string& line : bed.extender.asked) CHECK(line == c.asked);
  for (const std::string& url : bed.extender.urls) {
    CHECK(url == StrCat("http://localhost:8713/", verb));
  }
  CHECK(bed.extender.timeout == absl::Milliseconds(250));
}

TEST_CASE("extender: it turns nodes down, in its own words", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "extender.predicateVerb: predicate");
  bed.extender.filter = [](const std::string&, const std::string& node) {
    if (node == "n1") return FakeExtender::FilterAnswer{"too old", 3};
    if (node == "n2") return FakeExtender::FilterAnswer{"no licence", 0};
    return FakeExtender::FilterAnswer{"not today", 2};
  };
  const World world = MakeWorld("node n1 cpu=2; node n2 cpu=2; node n3 cpu=2; job a tasks=1 cpu=1");
  CHECK(bed.Binds(world).empty());
  CHECK(bed.Reasons(world, "a-0") ==
        std::map<std::string, int>{{"3: too old", 1}, {"1: no licence", 1}, {"2: not today", 1}});
}

TEST_CASE("extender: only nodes that are in question are asked about, once per kind of task",
          "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;predicates,extender", "extender.predicateVerb: predicate");
  const World world = MakeWorld(
      "node n1 cpu=8; node n2 cpu=8; node n3 cpu=8 cordoned; node n4 cpu=1\n"
      "job a tasks=4 cpu=2 min=4");
  CHECK(bed.Binds(world).size() == 4);
  CHECK(bed.extender.Count("predicate a-0") == 2);  // n1 and n2,
  // and then the one node that changed with each placement.
  CHECK(bed.extender.Count("predicate") == 5);
}

TEST_CASE("extender: it rates nodes", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "extender.prioritizeVerb: prioritize");
  bed.extender.score = [](const std::string& node) { return node == "n2" ? 10.0 : -5.0; };
  const World world = MakeWorld("node n1 cpu=2; node n2 cpu=2; node n3 cpu=2; job a tasks=1 cpu=1");
  CHECK(bed.Binds(world) == NodeByTask{{"a-0", "n2"}});
}

TEST_CASE("extender: it says who may be evicted", "[plugins][extender]") {
  const World world = MakeWorld(
      "node n1 cpu=2; queue q; job low queue=q min=1 phase=running; job high queue=q min=1 prio=5\n"
      "task l0 job=low cpu=1 node=n1; task l1 job=low cpu=1 node=n1; task h job=high cpu=1");
  const auto verdict = [&](const std::string& verb, const std::string& ignorable, auto prepare) {
    ExtenderBed bed("", "extender",
                    StrCat("extender.", verb, ": v\nextender.ignorable: ", ignorable));
    prepare(bed.extender);
    REQUIRE(bed.Run(world).ok());
    const auto& list = verb == "preemptableVerb" ? bed.session().hooks().preemptable
                                                 : bed.session().hooks().reclaimable;
    REQUIRE(list.size() == 1);
    const TaskId candidates[] = {world.task("l0"), world.task("l1")};
    return list[0].fn(world.task("h"), candidates);
  };
  const std::string verb = GENERATE(values<std::string>({"preemptableVerb", "reclaimableVerb"}));
  CAPTURE(verb);
  const auto named = verdict(verb, "false", [&](FakeExtender& fake) {
    fake.victims = FakeExtender::VictimAnswer{1, {world.task("l1")}, 0};
  });
  CHECK(named.vote == framework::Vote::kPermit);
  CHECK(named.victims == std::vector<TaskId>{world.task("l1")});
  const auto refused = verdict(verb, "false", [&](FakeExtender& fake) {
    fake.victims = FakeExtender::VictimAnswer{-1, {}, 0};
  });
  CHECK(refused.vote == framework::Vote::kReject);
  const auto undecided = verdict(verb, "false", [](FakeExtender&) {});
  CHECK(undecided.vote == framework::Vote::kAbstain);
  const auto silent = verdict(verb, "false", [](FakeExtender& fake) { fake.victims = Silence(); });
  CHECK(silent.vote == framework::Vote::kReject);
  const auto left_out = verdict(verb, "true", [](FakeExtender& fake) { fake.victims = Silence(); });
  CHECK(left_out.vote == framework::Vote::kAbstain);
}

TEST_CASE("extender: it has a say in admission", "[plugins][extender]") {
  struct Case {
    std::string name;
    absl::StatusOr<int64_t> answer;
    bool ignorable, admitted;
  };
  const Case c = GENERATE(values<Case>({{"yes", 1, false, true},
                                        {"no", -1, false, false},
                                        {"undecided", 0, false, true},
                                        {"silent", Silence(), false, false},
                                        {"silent but ignorable", Silence(), true, true}}));
  CAPTURE(c.name);
  ExtenderBed bed("enqueue,allocate", "gang;extender",
                  StrCat("extender.jobEnqueueableVerb: v\nextender.ignorable: ",
                         c.ignorable ? "true" : "false"));
  bed.extender.vote = [&c](const std::string&) { return c.answer; };
  const NodeByTask binds =
      bed.Binds(MakeWorld("node n1 cpu=2; job a phase=pending minres.cpu=1 tasks=1 cpu=1"));
  CHECK(binds.size() == (c.admitted ? 1 : 0));
}

TEST_CASE("extender: queues that it finds overused get nothing", "[plugins][extender]") {
  struct Case {
    absl::StatusOr<bool> answer;
    bool ignorable, placed;
  };
  const Case c = GENERATE(values<Case>({{true, false, false},
                                        {false, false, true},
                                        {Silence(), false, false},
                                        {Silence(), true, true}}));
  ExtenderBed bed("allocate", "gang;extender",
                  StrCat("extender.queueOverusedVerb: v\nextender.ignorable: ",
                         c.ignorable ? "true" : "false"));
  bed.extender.overused = [&c](const std::string&) { return c.answer; };
  CHECK(bed.Binds(MakeWorld("node n1 cpu=2; job a tasks=1 cpu=1")).size() == (c.placed ? 1 : 0));
}

TEST_CASE("extender: jobs that it does not find ready are not bound", "[plugins][extender]") {
  struct Case {
    absl::StatusOr<bool> answer;
    bool ignorable, bound;
  };
  const Case c = GENERATE(values<Case>({{false, false, false},
                                        {true, false, true},
                                        {Silence(), false, false},
                                        {Silence(), true, true}}));
  ExtenderBed bed(
      "allocate", "gang;extender",
      StrCat("extender.jobReadyVerb: v\nextender.ignorable: ", c.ignorable ? "true" : "false"));
  bed.extender.ready = [&c](const std::string&) { return c.answer; };
  CHECK(bed.Binds(MakeWorld("node n1 cpu=2; job a tasks=1 cpu=1")).size() == (c.bound ? 1 : 0));
}

TEST_CASE("extender: a placement that it refuses keeps the job from being bound",
          "[plugins][extender]") {
  struct Case {
    std::string tiers;
    size_t removed;
  };
  // In the tier of gang it has its word before gang reserves the room. Readiness has a switch, a
  // refusal has none.
  const Case c = GENERATE(values<Case>({{"gang,extender", 2},
                                        {"gang;extender", 0},
                                        {"gang,extender!enableJobReady", 2},
                                        {"gang;extender!enableJobReady", 0}}));
  CAPTURE(c.tiers);
  ExtenderBed bed("allocate", c.tiers,
                  "extender.allocateFuncVerb: allocate\nextender.deallocateFuncVerb: release");
  bed.extender.placed = [](const std::string& task) {
    return task == "a-1" ? absl::AbortedError("no slot") : absl::OkStatus();
  };
  const World world =
      MakeWorld("node n1 cpu=8; job a tasks=2 min=2 cpu=1; job b tasks=1 min=1 cpu=1");
  CHECK(bed.Binds(world) == NodeByTask{{"b-0", "n1"}});
  CHECK(bed.extender.Count("placed a-") == 2);
  CHECK(bed.extender.Count("removed a-") == c.removed);
}

TEST_CASE("extender: events fail when it must be heard and is silent", "[plugins][extender]") {
  const bool ignorable = GENERATE(false, true);
  ExtenderBed bed("allocate", "gang;extender",
                  StrCat("extender.allocateFuncVerb: allocate\nextender.ignorable: ",
                         ignorable ? "true" : "false"));
  bed.extender.placed = [](const std::string&) { return Silence(); };
  CHECK(bed.Binds(MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1")).size() == (ignorable ? 1 : 0));
}

TEST_CASE("extender: only pods that name a managed resource are its business",
          "[plugins][extender]") {
  const std::string managed =
      "extender.predicateVerb: predicate\nextender.prioritizeVerb: prioritize\n"
      "extender.allocateFuncVerb: allocate\n"
      "extender.managedResources: [nvidia.com/gpu, amd.com/gpu]";
  ExtenderBed bed("allocate", "gang;extender", managed);
  bed.extender.score = [](const std::string&) { return 0.0; };
  World world = MakeWorld(
      "node n1 cpu=8 gpu=4 res.amd.com/gpu=4\n"
      "job plain tasks=1 cpu=1 image=a:1; job gpu tasks=1 cpu=1 gpu=1 image=b:1; job amd tasks=1 "
      "cpu=1 res.amd.com/gpu=1 image=c:1; job zero tasks=1 cpu=2 image=d:1");
  world = WithExtras(std::move(world), "zero-0", {.named_resources = {"cpu", "nvidia.com/gpu"}});
  world = WithExtras(std::move(world), "plain-0", {.named_resources = {"cpu", "memory"}});
  CHECK(bed.Binds(world).size() == 4);
  for (const std::string job : {"gpu", "amd", "zero"}) {
    CAPTURE(job);
    CHECK(bed.extender.Count(StrCat("predicate ", job)) == 1);
    CHECK(bed.extender.Count(StrCat("prioritize ", job)) == 1);
    CHECK(bed.extender.Count(StrCat("placed ", job)) == 1);
  }
  CHECK(bed.extender.asked.size() == 9);
}

TEST_CASE("extender: silence holds up only what it has a say in, and costs one call",
          "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender",
                  "extender.predicateVerb: predicate\nextender.managedResources: [nvidia.com/gpu]");
  bed.extender.filter = [](const std::string&, const std::string&) {
    return absl::StatusOr<FakeExtender::FilterAnswer>(Silence());
  };
  const World world = MakeWorld(
      "node n1 cpu=8 gpu=8; job g tasks=3 min=1 cpu=1 gpu=1; job h tasks=1 cpu=1 gpu=2; job p "
      "tasks=2 min=1 cpu=1");
  CHECK(bed.Binds(world) == NodeByTask{{"p-0", "n1"}, {"p-1", "n1"}});
  CHECK(bed.extender.asked.size() == 1);
  CHECK(bed.Reasons(world, "h-0") == std::map<std::string, int>{{"1: " + kSilent, 1}});
  CHECK(bed.Metrics().find("extender_call") != std::string::npos);

  SECTION("it is left alone for a while, then asked again") {
    CHECK(bed.Binds(world).size() == 2);
    CHECK(bed.extender.asked.size() == 1);
    bed.clock.Advance(absl::Seconds(2));
    CHECK(bed.Binds(world).size() == 2);
    CHECK(bed.extender.asked.size() == 2);
    bed.clock.Advance(absl::Seconds(1));
    CHECK(bed.Binds(world).size() == 2);
    CHECK(bed.extender.asked.size() == 2);  // The pause has doubled.
    bed.clock.Advance(absl::Seconds(30));
    bed.extender.filter = nullptr;
    CHECK(bed.Binds(world).size() == 6);
  }
}

TEST_CASE("extender: an ignorable one that is silent is left out", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender",
                  "extender.predicateVerb: predicate\nextender.prioritizeVerb: prioritize\n"
                  "extender.onSessionOpenVerb: open\nextender.ignorable: true");
  bed.extender.session = Silence();
  const World world = MakeWorld("node n1 cpu=8; job a tasks=3 min=3 cpu=1");
  CHECK(bed.Binds(world).size() == 3);
  CHECK(bed.extender.asked == Names{"open"});
}

TEST_CASE("extender: when a session cannot be opened with it, what needs it waits",
          "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender",
                  "extender.predicateVerb: predicate\nextender.onSessionOpenVerb: open");
  bed.extender.session = Silence();
  CHECK(bed.Binds(MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1")).empty());
  CHECK(bed.extender.asked == Names{"open"});
}

TEST_CASE("extender: one that does not take the session is asked nothing in it",
          "[plugins][extender]") {
  const bool ignorable = GENERATE(false, true);
  ExtenderBed bed("allocate", "gang;extender",
                  StrCat("extender.predicateVerb: predicate\nextender.onSessionOpenVerb: open\n"
                         "extender.onSessionCloseVerb: close\nextender.ignorable: ",
                         ignorable ? "true" : "false"));
  // What status 500 or 404 becomes.
  bed.extender.session = absl::FailedPreconditionError("HTTP 500: ");
  const World world = MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1");
  CHECK(bed.Binds(world).size() == (ignorable ? 1 : 0));
  CHECK(bed.extender.asked == Names{"open"});
  // No pause: it is asked again with the next session.
  bed.extender.session = absl::OkStatus();
  CHECK(bed.Binds(world).size() == 1);
  CHECK(bed.extender.asked == Names{"open", "open", "predicate a-0 n1", "close"});
}

TEST_CASE("extender: a mandatory rating that fails keeps the job from being bound",
          "[plugins][extender]") {
  const bool ignorable = GENERATE(false, true);
  // A refusal has no switch.
  const std::string tiers =
      GENERATE(values<std::string>({"gang;extender", "gang;extender!enableJobReady"}));
  ExtenderBed bed("allocate", tiers,
                  StrCat("extender.prioritizeVerb: prioritize\nextender.ignorable: ",
                         ignorable ? "true" : "false"));
  bed.extender.score = [](const std::string&) {
    return absl::StatusOr<double>(absl::InvalidArgumentError("nodeScore: a score is beyond 1e9"));
  };
  CHECK(bed.Binds(MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1")).size() == (ignorable ? 1 : 0));
}

TEST_CASE("extender: one that lies again and again is not asked any more", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender",
                  "extender.predicateVerb: predicate\nextender.ignorable: true");
  bed.extender.filter = [](const std::string&, const std::string&) {
    return absl::StatusOr<FakeExtender::FilterAnswer>(absl::InvalidArgumentError("not JSON"));
  };
  std::string nodes;
  for (int n = 0; n < 20; ++n) StrAppend(&nodes, "node n", n, " cpu=1;");
  CHECK(bed.Binds(MakeWorld(nodes + "job a tasks=3 min=3 cpu=1; job b tasks=1 cpu=1")).size() == 4);
  CHECK(bed.extender.asked.size() == 20);
}

TEST_CASE("extender: one that takes its time is cut off", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender",
                  "extender.prioritizeVerb: prioritize\nextender.ignorable: true");
  bed.extender.score = [](const std::string&) { return 0.0; };
  bed.extender.takes = absl::Milliseconds(900);
  CHECK(bed.Binds(MakeWorld("node n1 cpu=100; job a tasks=20 min=20 cpu=1")).size() == 20);
  CHECK(bed.extender.asked.size() == 6);
  CHECK(bed.Metrics().find("extender_time") != std::string::npos);
}

TEST_CASE("extender: many slow answers about nodes are cut off too", "[plugins][extender]") {
  const bool ignorable = GENERATE(false, true);
  ExtenderBed bed("allocate", "gang;extender",
                  StrCat("extender.predicateVerb: predicate\nextender.ignorable: ",
                         ignorable ? "true" : "false"));
  bed.extender.takes = absl::Milliseconds(100);
  std::string nodes;
  for (int n = 0; n < 500; ++n) StrAppend(&nodes, "node n", n, " cpu=1;");
  CHECK(bed.Binds(MakeWorld(nodes + "job a tasks=1 cpu=1")).size() == (ignorable ? 1 : 0));
  CHECK(bed.extender.asked.size() == 64);
}

TEST_CASE("extender: unknown names in answers are counted", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "extender.prioritizeVerb: prioritize");
  bed.extender.score = [](const std::string&) { return 0.0; };
  bed.extender.unknown = 3;
  CHECK(bed.Binds(MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1")).size() == 1);
  CHECK(bed.Metrics().find("extender_unknown_name") != std::string::npos);
}

TEST_CASE("extender: where none can be asked, a mandatory one is an error", "[plugins][extender]") {
  const bool ignorable = GENERATE(false, true);
  ExtenderBed bed("allocate", "gang;extender",
                  StrCat("extender.predicateVerb: predicate\nextender.ignorable: ",
                         ignorable ? "true" : "false"));
  bed.has_port = false;
  const absl::Status status = bed.Run(MakeWorld("node n1 cpu=8; job a tasks=1 cpu=1"));
  CHECK(status.ok() == ignorable);
  if (!ignorable) CHECK(status.ToString().find("extender.ignorable") != std::string::npos);
}

TEST_CASE("extender: switches", "[plugins][extender]") {
  struct Case {
    std::string flag;
    std::function<size_t(const framework::HookTable&)> hooks;
  };
  const std::string all =
      "extender.predicateVerb: a\nextender.prioritizeVerb: b\nextender.preemptableVerb: c\n"
      "extender.reclaimableVerb: d\nextender.queueOverusedVerb: e\nextender.jobEnqueueableVerb: f\n"
      "extender.jobEnqueuedVerb: g\nextender.jobReadyVerb: h";
  const std::vector<Case> cases = {
      {"enablePredicate",
       [](const auto& h) { return h.global_filter.size() + h.pre_filter.size(); }},
      {"enableNodeOrder", [](const auto& h) { return h.global_score.size(); }},
      {"enablePreemptable", [](const auto& h) { return h.preemptable.size(); }},
      {"enableReclaimable", [](const auto& h) { return h.reclaimable.size(); }},
      {"enabledOverused", [](const auto& h) { return h.overused.size(); }},
      {"enableJobEnqueued",
       [](const auto& h) { return h.job_enqueueable.size() + h.job_enqueued.size(); }},
      {"enableJobReady", [](const auto& h) { return h.job_ready.size(); }},
  };
  const World world = MakeWorld("");
  for (const Case& c : cases) {
    CAPTURE(c.flag);
    ExtenderBed off("", "extender!" + c.flag, all);
    REQUIRE(off.Run(world).ok());
    CHECK(c.hooks(off.session().hooks()) == 0);
    ExtenderBed on("", "extender", all);
    REQUIRE(on.Run(world).ok());
    CHECK(c.hooks(on.session().hooks()) > 0);
  }
}

}  // namespace
}  // namespace bth::test
