#include "cli/doctor/access.h"

#include <set>

#include "api/manifests/manifest.h"
#include "tests/cli/doctor/points_text.h"
#include "tests/support/files.h"

namespace bth::cli {
namespace {

using test::PointsText;

Daemon Scheduler(std::vector<std::string> args = {}) {
  Daemon daemon;
  daemon.ns = "place";
  daemon.name = "s";
  daemon.account = "robot";
  daemon.args = std::move(args);
  return daemon;
}

TEST_CASE("doctor: roles are those of the manifests", "[cli][doctor]") {
  const auto file = [](const char* path) { return test::ReadFile(test::SourceRoot() / path); };
  CHECK(RolesOf(DaemonKind::kScheduler) == file("deploy/scheduler/rbac.yaml"));
  CHECK(RolesOf(DaemonKind::kControllers) == file("deploy/controllers/rbac.yaml"));
  CHECK(RolesOf(DaemonKind::kWebhooks) == file("deploy/admission/rbac.yaml"));
  CHECK(RolesOf(DaemonKind::kAgentScheduler) == file("deploy/agent_scheduler/rbac.yaml"));
  CHECK(EvictingRoles() == file("deploy/overlays/evicting/rbac.yaml"));
}

std::set<std::string> Needs(const Daemon& daemon) {
  const auto manifests = manifests::ObjectsFromYaml(RolesOf(daemon.kind), "roles");
  REQUIRE(manifests.ok());
  std::set<std::string> out;
  for (const Access& access : NeedsOf(*manifests, daemon)) out.insert(access.Text());
  return out;
}

TEST_CASE("doctor: rights are asked for with the names that the daemon was told", "[cli][doctor]") {
  const std::set<std::string> usual = Needs(Scheduler());
  CHECK(usual.contains("create pods/binding"));
  CHECK(usual.contains("patch podgroups.scheduling.volcano.sh"));
  CHECK(usual.contains("update leases.coordination.k8s.io volcano in volcano-system"));
  const std::set<std::string> other = Needs(
      Scheduler({"--leader-elect-resource-name=x", "--leader-elect-resource-namespace=place"}));
  CHECK(other.contains("update leases.coordination.k8s.io x in place"));
  const std::set<std::string> alone = Needs(Scheduler({"--leader-elect=false"}));
  for (const std::string& text : alone) CHECK(text.find("leases") == std::string::npos);

  Daemon agent = Scheduler();
  agent.kind = DaemonKind::kAgentScheduler;
  const std::set<std::string> of_agent = Needs(agent);
  CHECK(of_agent.contains("create pods/binding"));
  CHECK_FALSE(of_agent.contains("patch podgroups.scheduling.volcano.sh"));
  CHECK(of_agent.contains("update leases.coordination.k8s.io agent-scheduler in volcano-system"));

  Daemon webhooks = Scheduler();
  webhooks.kind = DaemonKind::kWebhooks;
  for (const std::string& text : Needs(webhooks)) CHECK(text.find("secrets") == std::string::npos);
  webhooks.args = {"--certificate-secret=mine"};
  CHECK(Needs(webhooks).contains("update secrets mine in place"));
}

struct Answers {
  std::set<std::string> denied;
  std::set<std::string> asked;
  absl::Status failure;

  std::string Check(const Daemon& daemon, bool evicts = false) {
    std::vector<Point> points;
    CheckAccess(
        daemon, evicts,
        [this](const Access& access) -> absl::StatusOr<bool> {
          if (!failure.ok()) return failure;
          asked.insert(access.Text());
          return !denied.contains(access.Text());
        },
        &points);
    CHECK(test::HaveRemedies(points));
    return PointsText(points);
  }
};

TEST_CASE("doctor: rights that are missing, by what follows", "[cli][doctor]") {
  Answers answers;
  CHECK(answers.Check(Scheduler()).starts_with("ok: place/robot: has the "));
  answers.denied = {"create pods/binding", "list poddisruptionbudgets.policy"};
  CHECK(answers.Check(Scheduler()) ==
        "fault: place/robot: may not create pods/binding\n"
        "warning: place/robot: may not list poddisruptionbudgets.policy: what these serve is "
        "missing\n");
  answers.failure = absl::PermissionDeniedError("who asks may not ask");
  CHECK(answers.Check(Scheduler()) == "not checked: place/robot: who asks may not ask\n");
}

TEST_CASE("doctor: an agent scheduler is told of its own roles", "[cli][doctor]") {
  Answers answers;
  answers.denied = {"create pods/binding", "list podgroups.scheduling.volcano.sh"};
  Daemon agent = Scheduler();
  agent.kind = DaemonKind::kAgentScheduler;
  std::vector<Point> points;
  CheckAccess(
      agent, false,
      [&answers](const Access& access) { return !answers.denied.contains(access.Text()); },
      &points);
  CHECK(PointsText(points) == "fault: place/robot: may not create pods/binding\n");
  CHECK(points.front().remedy ==
        "bind it to the roles of deploy/agent_scheduler/rbac.yaml (of the chart)");
}

TEST_CASE("doctor: what Volcano's daemons may do is not judged by our list", "[cli][doctor]") {
  Daemon theirs = Scheduler();
  theirs.image = "docker.io/volcanosh/vc-scheduler:v1.15.0";
  Answers answers;
  CHECK(answers.Check(theirs) ==
        "not checked: place/robot: place/s is Volcano's "
        "(docker.io/volcanosh/vc-scheduler:v1.15.0), which needs other rights than ours\n");
  CHECK(answers.asked.empty());
}

TEST_CASE("doctor: the right to evict is for policies that evict", "[cli][doctor]") {
  Answers answers;
  answers.denied = {"create pods/eviction", "patch pods"};
  CHECK(answers.Check(Scheduler()).starts_with("ok: "));
  CHECK_FALSE(answers.asked.contains("create pods/eviction"));
  CHECK(answers.Check(Scheduler(), true) == "fault: place/robot: may not create pods/eviction\n");
}

TEST_CASE("doctor: the review names the account and its groups", "[cli][doctor]") {
  const types::Json review =
      AccessReview({"list", "g", "things", "status", "ns", "name"}, Scheduler());
  CHECK(review["spec"] == test::Parsed(R"({"user": "system:serviceaccount:place:robot",
    "groups": ["system:serviceaccounts", "system:serviceaccounts:place", "system:authenticated"],
    "resourceAttributes": {"verb": "list", "group": "g", "resource": "things",
      "subresource": "status", "namespace": "ns", "name": "name"}})"));
}

}  // namespace
}  // namespace bth::cli
