#include "cli/doctor/daemons.h"

#include "api/types/time.h"
#include "tests/cli/doctor/points_text.h"

namespace bth::cli {
namespace {

using test::ListingOf;
using test::PointsText;

const absl::Time kLookedAt = absl::FromUnixSeconds(1'767'225'600);

// A StatefulSet has what is read of it at the same places.
std::string Deployment(const std::string& key, const std::string& image, const std::string& args,
                       int replicas = 2, int ready = 2) {
  const size_t slash = key.find('/');
  return StrCat(R"({"metadata": {"namespace": ")", key.substr(0, slash), R"(", "name": ")",
                key.substr(slash + 1), R"("}, "spec": {"replicas": )", replicas,
                R"(, "template": {"spec": {"serviceAccountName": "account",
                "containers": [{"name": "proxy", "image": "proxy:1"}, {"name": "c", "image": ")",
                image, R"(", "args": )", args, R"(}]}}}, "status": {"readyReplicas": )", ready,
                "}}");
}

std::string Checked(const std::vector<std::string>& deployments,
                    const std::vector<std::string>& stateful_sets = {}) {
  const WorkloadsRead workloads = {ListingOf(deployments), ListingOf(stateful_sets)};
  std::vector<Point> points;
  CheckDaemons(workloads, FindDaemons(workloads), {}, &points);
  CHECK(test::HaveRemedies(points));
  // Kinds that are not there are not what these tests are about.
  std::erase_if(points, [](const Point& point) { return point.found.starts_with("no Deploy"); });
  return PointsText(points);
}

TEST_CASE("doctor: daemons are known by their images, flags in every spelling", "[cli][doctor]") {
  const ObjectsRead listing = ListingOf({
      Deployment("n/theirs", "volcanosh/vc-scheduler:v1.15",
                 R"(["--logtostderr --scheduler-name=a,b", "--scheduler_name", "c",
                     "--leader_elect=F"])"),
      Deployment("n/other", "example.com/web:1", "[]"),
      Deployment("m/ours", "registry:5000/batholith/vc-controller-manager@sha256:00",
                 R"(["--leader-elect-resource-name=own", "--lock-object-namespace", "place",
                     "--leader-elect-resource-namespace=elsewhere", "--leader-elect", "false"])"),
  });
  const std::vector<Daemon> daemons = FindDaemons({listing, {}});
  REQUIRE(daemons.size() == 2);
  CHECK(daemons[0].Key() == "n/theirs");
  CHECK(daemons[0].SchedulerNames() == std::vector<std::string>{"a,b", "c"});
  CHECK_FALSE(daemons[0].is_electing());
  CHECK(daemons[0].Lease() == std::pair<std::string, std::string>("volcano-system", "volcano"));
  CHECK(daemons[1].kind == DaemonKind::kControllers);
  CHECK(daemons[1].Lease() == std::pair<std::string, std::string>("place", "own"));
  CHECK(daemons[1].SchedulerNames() == std::vector<std::string>{"volcano"});
  CHECK(daemons[1].is_electing());  // A boolean takes no word.
}

TEST_CASE("doctor: an agent scheduler has names of its own", "[cli][doctor]") {
  const ObjectsRead listing =
      ListingOf({Deployment("n/a", "batholith/vc-agent-scheduler:1", "[]"),
                 Deployment("n/b", "vc-agent-scheduler",
                            R"(["--scheduler-name=x", "--scheduler-name=urgent"])")});
  const std::vector<Daemon> daemons = FindDaemons({listing, {}});
  REQUIRE(daemons.size() == 2);
  CHECK(daemons[0].kind == DaemonKind::kAgentScheduler);
  CHECK(daemons[0].SchedulerNames() == std::vector<std::string>{"agent-scheduler"});
  CHECK(daemons[0].Lease() ==
        std::pair<std::string, std::string>("volcano-system", "agent-scheduler"));
  CHECK(daemons[1].SchedulerNames() == std::vector<std::string>{"urgent"});
  CHECK(Checked({Deployment("n/a", "vc-agent-scheduler", "[]", 2, 0)}) ==
        "fault: n/a: agent scheduler, 0 of 2 ready, vc-agent-scheduler\n");
  CHECK(Checked({Deployment("n/a", "vc-agent-scheduler", R"(["--leader-elect=false"])")}) ==
        "ok: n/a: agent scheduler, 2 of 2 ready, vc-agent-scheduler\n"
        "fault: n/a: 2 replicas act at once: --leader-elect=false\n");
}

TEST_CASE("doctor: a scheduler and an agent scheduler keep out of each other's way",
          "[cli][doctor]") {
  const auto pair = [](const std::string& args) {
    const std::string told = Checked(
        {Deployment("n/s", "vc-scheduler", "[]"), Deployment("n/a", "vc-agent-scheduler", args)});
    return told.substr(told.find('\n', told.find(": n/a: ")) + 1);
  };
  const std::string who =
      "fault: n/s and n/a: scheduler and agent scheduler (vc-scheduler, vc-agent-scheduler) ";
  CHECK(pair("[]").empty());
  CHECK(pair(R"(["--scheduler-name=volcano"])") == who + "both serve schedulerName volcano\n");
  CHECK(pair(R"(["--leader-elect-resource-name=volcano"])") ==
        who + "share the lease volcano-system/volcano, so that only one of them is at work\n");
  CHECK(pair(R"(["--leader-elect-resource-name=volcano", "--leader-elect=false"])").find("lease") ==
        std::string::npos);
}

TEST_CASE("doctor: a daemon runs, in part, not at all, or is not to", "[cli][doctor]") {
  const auto told = [](int replicas, int ready) {
    return Checked({Deployment("n/s", "vc-scheduler", "[]", replicas, ready)});
  };
  CHECK(told(2, 2) == "ok: n/s: scheduler, 2 of 2 ready, vc-scheduler\n");
  CHECK(told(2, 1) == "warning: n/s: scheduler, 1 of 2 ready, vc-scheduler\n");
  CHECK(told(2, 0) == "fault: n/s: scheduler, 0 of 2 ready, vc-scheduler\n");
  CHECK(told(0, 0) == "warning: n/s: scheduler, scaled to 0\n");
  CHECK(Checked({Deployment("n/s", "vc-scheduler", R"(["--leader-elect=false"])")}) ==
        "ok: n/s: scheduler, 2 of 2 ready, vc-scheduler\n"
        "fault: n/s: 2 replicas act at once: --leader-elect=false\n");
}

TEST_CASE("doctor: kinds of daemons that nobody runs are told", "[cli][doctor]") {
  std::vector<Point> points;
  CheckDaemons({}, {}, {}, &points);
  CHECK(PointsText(points) ==
        "warning: scheduler: no Deployment or StatefulSet runs vc-scheduler\n"
        "warning: controllers: no Deployment or StatefulSet runs vc-controller-manager\n"
        "warning: webhooks: no Deployment or StatefulSet runs vc-webhook-manager\n");
  points.clear();
  CheckDaemons({{{}, "forbidden"}, {{}, "unknown"}}, {}, {}, &points);
  CHECK(PointsText(points) ==
        "not checked: Deployments: forbidden\n"
        "not checked: StatefulSets: unknown\n");
}

TEST_CASE("doctor: what is found counts where other kinds of workloads may not be read",
          "[cli][doctor]") {
  WorkloadsRead workloads = {ListingOf({Deployment("n/s", "vc-scheduler", "[]")}), {}};
  workloads.stateful_sets.unread = "forbidden";
  std::vector<Point> points;
  CheckDaemons(workloads, FindDaemons(workloads), {}, &points);
  CHECK(PointsText(points) ==
        "not checked: StatefulSets: forbidden\n"
        "ok: n/s: scheduler, 2 of 2 ready, vc-scheduler\n");
}

TEST_CASE("doctor: two of one duty and one name", "[cli][doctor]") {
  const std::string ours = Deployment("n/a", "batholith/vc-scheduler:1", "[]");
  const auto second = [&ours](const std::string& args, int replicas = 2) {
    const std::string told =
        Checked({ours, Deployment("n/b", "volcanosh/vc-scheduler:1", args, replicas, replicas)});
    return told.substr(told.find('\n', told.find("n/b: ")) + 1);
  };
  const std::string what =
      "n/a and n/b: both are scheduler of schedulerName volcano (batholith/vc-scheduler:1, "
      "volcanosh/vc-scheduler:1)";
  CHECK(second(R"(["--leader-elect=false"])").find("fault: " + what + ", and nothing keeps") !=
        std::string::npos);
  CHECK(second(R"(["--leader-elect-resource-name=x"])") ==
        "fault: " + what + ", and nothing keeps them apart\n");
  CHECK(second("[]") ==
        "warning: " + what + "; they share a lease, so that one of them stands by\n");
  CHECK(second(R"(["--scheduler-name=beside", "--leader-elect-resource-name=x"])").empty());
  CHECK(second("[]", 0).empty());
}

TEST_CASE("doctor: a StatefulSet is a daemon as a Deployment is", "[cli][doctor]") {
  const WorkloadsRead workloads = {
      ListingOf({Deployment("n/s", "vc-scheduler", "[]")}),
      ListingOf({Deployment("n/s", "vc-scheduler", R"(["--leader-elect=false"])", 1, 0)})};
  std::vector<Point> points;
  CheckDaemons(workloads, FindDaemons(workloads), {}, &points);
  std::erase_if(points, [](const Point& point) { return point.found.starts_with("no Deploy"); });
  CHECK(PointsText(points) ==
        "ok: n/s: scheduler, 2 of 2 ready, vc-scheduler\n"
        "fault: n/s (StatefulSet): scheduler, 0 of 1 ready, vc-scheduler\n"
        "fault: n/s and n/s (StatefulSet): both are scheduler of schedulerName volcano "
        "(vc-scheduler, vc-scheduler), and nothing keeps them apart\n");
  REQUIRE(points.size() == 3);
  CHECK(points[1].remedy.starts_with("kubectl -n n describe statefulset s "));
  CHECK(points[2].remedy.ends_with("kubectl -n n scale statefulset s --replicas=0"));

  const std::vector<std::string> other = {
      Deployment("n/t", "vc-scheduler", R"(["--scheduler-name=other"])")};
  CHECK(Checked({}, other) == "ok: n/t (StatefulSet): scheduler, 2 of 2 ready, vc-scheduler\n");
  CHECK(Checked({Deployment("n/s", "vc-scheduler", "[]")}, other).find("fault") ==
        std::string::npos);
}

TEST_CASE("doctor: a PriorityClass of a daemon that does not exist", "[cli][doctor]") {
  WorkloadsRead workloads = {ListingOf({Deployment("n/s", "vc-scheduler", "[]")}), {}};
  workloads.deployments.items[0].MutableAt({"spec", "template", "spec", "priorityClassName"}) =
      "critical";
  const auto told = [&workloads](const ObjectsRead& classes) {
    std::vector<Point> points;
    CheckDaemons(workloads, FindDaemons(workloads), classes, &points);
    return PointsText(points);
  };
  const std::string missing =
      "fault: n/s: its PriorityClass critical does not exist: no pod of it can be made\n";
  CHECK(told(ListingOf({R"({"metadata": {"name": "other"}})"})).find(missing) != std::string::npos);
  CHECK(told(ListingOf({R"({"metadata": {"name": "critical"}})"})).find(missing) ==
        std::string::npos);
}

std::string LeaseTold(const std::string& spec, const ObjectsRead& pods = {}) {
  LeaseFacts facts;
  facts.now = kLookedAt;
  facts.leases["volcano-system"] =
      ListingOf({StrCat(R"({"metadata": {"name": "volcano"}, "spec": )", spec, "}")});
  facts.pods["volcano-system"] = pods;
  std::vector<Point> points;
  CheckLeases({}, facts, &points);
  CHECK(test::HaveRemedies(points));
  return PointsText(points);
}

std::string LeaseSpec(absl::Duration age) {
  return StrCat(R"({"holderIdentity": "pod-1_x", "leaseDurationSeconds": 15, "renewTime": ")",
                types::FormatMicroTimestamp(kLookedAt - age), R"("})");
}

TEST_CASE("doctor: leases are held, renewed lately, by somebody who is there", "[cli][doctor]") {
  const ObjectsRead pods = ListingOf({R"({"metadata": {"name": "pod-1"}})"});
  const std::string at = "volcano-system/volcano: ";
  CHECK(LeaseTold(LeaseSpec(absl::Seconds(3)), pods) == "ok: " + at + "held by pod-1_x\n");
  CHECK(LeaseTold(LeaseSpec(absl::Seconds(3))) ==
        "warning: " + at + "held by pod-1_x, and there is no such pod in this namespace\n");
  CHECK(LeaseTold(LeaseSpec(absl::Seconds(3)), {{}, "forbidden"}) ==
        "not checked: volcano-system/volcano holder: forbidden\n");
  CHECK(LeaseTold(LeaseSpec(absl::Seconds(90)), pods) ==
        "fault: " + at + "not renewed for 90s by pod-1_x: nobody leads\n");
  CHECK(LeaseTold(LeaseSpec(absl::Seconds(-60)), pods) ==
        "warning: " + at +
            "renewed 60s in the future: the clock of pod-1_x goes ahead of the API server's\n");
  CHECK(LeaseTold(R"({"holderIdentity": ""})") ==
        "fault: " + at + "nobody holds it: nothing is done under it\n");
  CHECK(LeaseTold(R"({"holderIdentity": "a"})") == "fault: " + at + "it was never renewed\n");
}

TEST_CASE("doctor: a lease that a daemon must have and that is not there", "[cli][doctor]") {
  const ObjectsRead listing =
      ListingOf({Deployment("n/s", "vc-scheduler", R"(["--leader-elect-resource-name=mine"])")});
  LeaseFacts facts;
  facts.now = kLookedAt;
  facts.leases["volcano-system"] = {};
  std::vector<Point> points;
  CheckLeases(FindDaemons({listing, {}}), facts, &points);
  CHECK(PointsText(points) == "fault: volcano-system/mine: is not there: nobody ever led\n");
  points.clear();
  facts.leases["volcano-system"].unread = "forbidden";
  CheckLeases(FindDaemons({listing, {}}), facts, &points);
  CHECK(PointsText(points) == "not checked: volcano-system: forbidden\n");
  points.clear();
  const ObjectsRead agents = ListingOf({Deployment("n/a", "vc-agent-scheduler", "[]")});
  facts.leases["volcano-system"].unread = "";
  CheckLeases(FindDaemons({agents, {}}), facts, &points);
  CHECK(PointsText(points) ==
        "fault: volcano-system/agent-scheduler: is not there: nobody ever led\n");
}

}  // namespace
}  // namespace bth::cli
