// `vcctl doctor` as it is typed, and what it prints.
#include "absl/strings/match.h"
#include "cli/doctor/report.h"
#include "cli/doctor/server.h"
#include "tests/cli/cli_bed.h"
#include "tests/cli/doctor/points_text.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::ListingOf;
using test::PointsText;
using test::Ran;

TEST_CASE("doctor: the report is short where all is well", "[cli][doctor]") {
  std::vector<Point> points = {
      {"queues", "all", PointLevel::kOk, "3 queues", ""},
      {"leases", "b", PointLevel::kWarning, "old", "look"},
      {"leases", "a", PointLevel::kFault, "lost\x1b[2J", "see"},
      {"server", "version", PointLevel::kOk, "v1.36.0", ""},
      {"nodes", "all", PointLevel::kNotChecked, "forbidden", ""},
  };
  SortPoints(&points);
  CHECK(HasFault(points));
  CHECK(DoctorText("https://host:6443", points, false) ==
        R"(https://host:6443: 1 fault, 1 warning, 2 in order, 1 not checked

AREA                OK   WARNINGS   FAULTS   NOT CHECKED
server               1          -        -             -
definitions          -          -        -             -
daemons              -          -        -             -
leases               -          1        1             -
roles                -          -        -             -
policy               -          -        -             -
webhooks             -          -        -             -
queues               1          -        -             -
priority classes     -          -        -             -
nodes                -          -        -             1

FAULT         leases: a: lost [2J
              > see
WARNING       leases: b: old
              > look
NOT CHECKED   nodes: all: forbidden
)");
  CHECK(DoctorText("s", points, true)
            .ends_with("OK            server: version: v1.36.0\n"
                       "OK            queues: all: 3 queues\n"));
  const types::Json json = DoctorJson("s", points);
  CHECK(json["faults"].AsInt() == 1);
  CHECK(json["notChecked"].AsInt() == 1);
  CHECK(json["points"].items()[1] ==
        test::Parsed(R"({"area": "leases", "subject": "a", "level": "fault",
                         "found": "lost\u001b[2J", "remedy": "see"})"));
}

TEST_CASE("doctor: server versions, clocks and nodes", "[cli][doctor]") {
  std::vector<Point> points;
  CheckServerVersion(test::Parsed(R"({"major": "1", "minor": "36", "gitVersion": "v1.36.0"})"),
                     &points);
  CheckServerVersion(test::Parsed(R"({"major": "1", "minor": "23+", "gitVersion": "v1.23.4"})"),
                     &points);
  CHECK(PointsText(points) ==
        "ok: version: v1.36.0\n"
        "warning: version: v1.23.4 does not serve all kinds that the scheduler reads\n");

  const auto date = ParseServerDate("Thu, 01 Jan 2026 00:00:00 GMT");
  REQUIRE(date.has_value());
  CHECK(*date == absl::FromUnixSeconds(1'767'225'600));
  CHECK_FALSE(ParseServerDate("yesterday").has_value());
  points.clear();
  CheckClock(date, *date + absl::Seconds(9), &points);
  CheckClock(date, *date + absl::Minutes(2), &points);
  CheckClock(date, *date - absl::Minutes(2), &points);
  CheckClock(std::nullopt, *date, &points);
  CHECK(PointsText(points) ==
        "ok: clock: within seconds of the one here\n"
        "warning: clock: 2m behind the one here\n"
        "warning: clock: 2m ahead of the one here\n"
        "not checked: clock: the server's answers do not say what time it has\n");

  points.clear();
  const std::string ready = R"({"metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "2"},
    "conditions": [{"type": "Ready", "status": "True"}]}})";
  const std::string away =
      R"({"metadata": {"name": "b"}, "status": {"allocatable": {"cpu": "1500m"},
    "conditions": [{"type": "Ready", "status": "Unknown"}]}})";
  CheckNodes(ListingOf({ready}), &points);
  CheckNodes(ListingOf({ready, away}), &points);
  CheckNodes({}, &points);
  CHECK(PointsText(points) ==
        "ok: all: 1 ready\n"
        "warning: all: 1 of 2 are not ready: b\n"
        "warning: all: there are none\n");
  CHECK(AllocatableOf(ListingOf({ready, away})).at("cpu").ToString() == "3500m");
}

TEST_CASE("doctor: a cluster without daemons has warnings and no fault", "[cli][doctor]") {
  CliBed bed;
  const Ran ran = bed.Run({"vcctl", "doctor"});
  INFO(ran.out);
  CHECK(ran.code == 0);
  CHECK(absl::StartsWith(ran.out, "http://test: 0 faults, "));
  CHECK(absl::StrContains(ran.out,
                          "daemons: scheduler: no Deployment or StatefulSet runs vc-scheduler\n"));
  CHECK(absl::StrContains(ran.out, "webhooks: trial of a bad job: it was taken: no webhooks"));
  CHECK(bed.Run({"vcctl", "doctor"}).out == ran.out);
  CHECK_FALSE(absl::StrContains(ran.out, "\nOK  "));
  CHECK(absl::StrContains(bed.Run({"vcctl", "doctor", "--all"}).out,
                          "definitions: queues.scheduling.volcano.sh: v1beta1 is served\n"));
  CHECK(bed.bed.Get("/apis/batch.volcano.sh/v1alpha1/jobs")["items"].size() == 0);
}

constexpr char kDeployment[] = R"({"metadata": {"name": "s"}, "spec": {"replicas": 1,
  "selector": {"matchLabels": {"app": "s"}}, "template": {"metadata": {"labels": {"app": "s"}},
    "spec": {"serviceAccountName": "robot", "containers": [{"name": "c", "image": "vc-scheduler"}],
      "volumes": [{"name": "v", "configMap": {"name": "conf"}}]}}}})";

TEST_CASE("doctor: faults end it with 255, and the policy is judged as the scheduler would",
          "[cli][doctor]") {
  CliBed bed;
  bed.bed.Create("/apis/apps/v1/namespaces/default/deployments", kDeployment);
  bed.bed.Create("/api/v1/namespaces/default/configmaps",
                 R"({"metadata": {"name": "conf"}, "data": {"volcano-scheduler.conf":
                     "actions: alocate"}})");
  const Ran ran = bed.Run({"vcctl", "doctor", "-o", "json"});
  CHECK(ran.code == 255);
  const types::Json json = test::Parsed(ran.out);
  std::vector<std::string> faults;
  for (const types::Json& point : json["points"].items()) {
    if (point["level"].AsString() != "fault") continue;
    faults.push_back(StrCat(point["area"].AsString(), " ", point["subject"].AsString()));
  }
  CHECK(faults == std::vector<std::string>{"daemons default/s", "leases volcano-system/volcano",
                                           "policy default/conf"});
  CHECK(json["faults"].AsInt() == 3);
}

TEST_CASE("doctor: two schedulers of one name are found whatever runs them", "[cli][doctor]") {
  CliBed bed;
  const std::string apps = "/apis/apps/v1/namespaces/default";
  bed.bed.Create(apps + "/deployments", kDeployment);
  bed.bed.Create(apps + "/statefulsets", kDeployment);
  const Ran ran = bed.Run({"vcctl", "doctor"});
  INFO(ran.out);
  CHECK(ran.code == 255);
  CHECK(absl::StrContains(ran.out,
                          "WARNING       daemons: default/s and default/s (StatefulSet): "
                          "both are scheduler of schedulerName volcano "));
  CHECK(absl::StrContains(ran.out, "scale statefulset s --replicas=0\n"));
}

TEST_CASE("doctor: the policy of an agent scheduler is judged as that one reads it",
          "[cli][doctor]") {
  CliBed bed;
  std::string deployment(kDeployment);
  const std::string image = "vc-scheduler";
  deployment.replace(deployment.find(image), image.size(), "vc-agent-scheduler");
  bed.bed.Create("/apis/apps/v1/namespaces/default/deployments", deployment);
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const auto put = [&](const std::string& plugin, const char* verb, const std::string& path) {
    const std::string map =
        StrCat(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf"},)",
               R"("data": {"agent-scheduler.conf":)",
               R"("actions: allocate\ntiers:\n- plugins:\n  - name: )", plugin, R"(\n"}})");
    REQUIRE(bed.bed.Call(verb, path, map).code < 300);
  };
  const auto policy = [&bed]() {
    const types::Json json = test::Parsed(bed.Run({"vcctl", "doctor", "-o", "json"}).out);
    for (const types::Json& point : json["points"].items()) {
      if (point["area"].AsString() != "policy") continue;
      return StrCat(point["level"].AsString(), " ", point["found"].AsString(), " > ",
                    point["remedy"].AsString());
    }
    return std::string();
  };
  put("predicates", "POST", maps);
  CHECK(policy() == "ok accepted > ");
  put("gang", "PUT", maps + "/conf");
  CHECK(absl::StrContains(policy(), "fault the scheduler refuses it: "));
  CHECK(absl::StrContains(policy(), "has nothing to say about single pods"));
  CHECK(absl::EndsWith(policy(), "> vcctl conf check --agent-scheduler --configmap default/conf"));
  CHECK(bed.Run({"vcctl", "conf", "check", "--configmap", "default/conf"}).code == 0);
  const Ran ran =
      bed.Run({"vcctl", "conf", "check", "--agent-scheduler", "--configmap", "default/conf"});
  CHECK(ran.code == 255);
  CHECK(absl::StrContains(ran.out, "has nothing to say about single pods"));
}

TEST_CASE("doctor: what may not be read is told as not checked", "[cli][doctor]") {
  CliBed bed;
  bed.bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    const bool is_secret = absl::StrContains(request.target, "/deployments") ||
                           absl::StrContains(request.target, "/queues");
    if (!is_secret) return std::nullopt;
    return test::Fault{.code = 403, .reason = "Forbidden", .message = "you may not"};
  };
  const Ran ran = bed.Run({"vcctl", "doctor"});
  INFO(ran.out);
  CHECK(ran.code == 0);
  CHECK(absl::StrContains(
      ran.out, "NOT CHECKED   daemons: Deployments: cannot list deployments.apps: you may not\n"));
  CHECK(absl::StrContains(ran.out, "NOT CHECKED   queues: all: cannot list "));
}

TEST_CASE("doctor: a server that does not answer is a failure of the command", "[cli][doctor]") {
  test::Console console;
  CHECK(console.Run({"vcctl", "doctor"}).out == "Failed to doctor: there is no cluster\n");
  CliBed bed;
  bed.bed.line->script = [](const net::Request&) { return test::Fault{.unsent = true}; };
  const Ran ran = bed.Run({"vcctl", "doctor"});
  CHECK(ran.code == 255);
  CHECK(absl::StartsWith(ran.out, "Failed to doctor: "));
  CHECK(bed.Run({"vcctl", "doctor", "-o", "yaml"}).code == 255);
}

}  // namespace
}  // namespace bth::cli
