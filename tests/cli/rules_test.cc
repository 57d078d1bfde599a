// Rules of Volcano's programs that show only when something is missing, failing or odd.
#include "cli/print/times.h"
#include "cli/text/resource_list.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;

constexpr char kJobsOfDefault[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";

// Requests whose path holds `part` are answered with 403.
void Forbid(CliBed& cli, std::string part) {
  cli.bed.line->script = [part = std::move(part)](const net::Request& request) {
    std::optional<test::Fault> fault;
    if (StrContains(request.target, part)) {
      fault.emplace();
      fault->code = 403;
      fault->reason = "Forbidden";
      fault->message = "you may not";
    }
    return fault;
  };
}

TEST_CASE("job view: events that may not be read are told beside it", "[cli][job]") {
  CliBed cli;
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  Forbid(cli, "/events");
  const Ran ran = cli.Run({"vcctl", "job", "view", "-N", "one"});
  CHECK(ran.code == 0);
  CHECK(ran.err == "Failed to list events: you may not\n");
  CHECK(ran.out.ends_with("  State:\n    Phase:\t\nEvents: \t<none>\n"));
}

TEST_CASE("job view: only vcctl shows conditions", "[cli][job]") {
  CliBed cli;
  REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0);
  const std::string path = std::string(kJobsOfDefault) + "/one";
  Json job = cli.bed.Get(path);
  job.MutableAt({"status", "conditions"}) =
      *Json::Parse(R"([{"status":"Pending","lastTransitionTime":"2026-01-01T00:00:00Z"}])");
  REQUIRE(cli.bed.Call("PUT", path + "/status", job.Dump()).code == 200);
  const std::string block =
      "  Conditions:\n    Status\tTransitionTime\n    Pending \t2026-01-01 00:00:00 +0000 UTC \n";
  CHECK(StrContains(cli.Run({"vcctl", "job", "view", "-N", "one"}).out, block));
  const Ran other = cli.Run({"vjobs", "-n", "one"});
  CHECK(other.code == 0);
  CHECK_FALSE(StrContains(other.out, "Conditions"));
}

TEST_CASE("job list: queue and scheduler must be equal, the namespace counts", "[cli][job]") {
  CliBed cli;
  cli.bed.Create(kJobsOfDefault, R"({"metadata":{"name":"a"},"spec":{"queue":"q"}})");
  cli.bed.Create(kJobsOfDefault, R"({"metadata":{"name":"b"},"spec":{"schedulerName":"s"}})");
  const auto names = [&cli](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"vcctl", "job", "list"});
    const std::string out = cli.Run(flags).out;
    std::string first_letters;
    for (const auto& line : absl::StrSplit(out, '\n', absl::SkipEmpty())) first_letters += line[0];
    return first_letters;
  };
  CHECK(names({}) == "Nab");
  CHECK(names({"-q", "q"}) == "Na");
  CHECK(names({"-S", "s"}) == "Nb");
  CHECK(names({"-q", "q", "-S", "s"}) == "N");  // "No resources found"
  CHECK(names({"-q", "q2"}) == "N");
  CHECK(cli.Run({"vcctl", "job", "list", "-q", "q2"}).out == "No resources found\n");
}

TEST_CASE("job leaves: -n is the namespace in vcctl", "[cli][job]") {
  CliBed cli;
  CHECK(cli.Run({"vcctl", "job", "suspend", "-n", "job1"}).out ==
        "Failed to suspend job: job name is mandatory to suspend a particular job\n");
}

TEST_CASE("job run: a file is YAML by its name, wherever that says so", "[cli][job]") {
  CliBed cli;
  const test::TempFolder folder;
  const std::string json =
      R"({"metadata":{"name":"of-json"},"odd":1,"spec":{"tasks":[{"name":"t","replicas":1,
          "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})";
  CHECK(cli.Run({"vcctl", "job", "run", "-f", folder.Write("a.yaml.txt", json)}).out ==
        "run job of-json successfully\n");
  CHECK(cli.Run({"vcctl", "job", "run", "-f", folder.Write("a.json", json)}).out ==
        "Failed to run job: only support yaml file\n");
}

TEST_CASE("vsub: what is given empty stays empty", "[cli][slurm]") {
  CliBed cli;
  cli.console.environment["VOLCANO_DEFAULT_IMAGE"] = "mine";
  REQUIRE(cli.Run({"vsub", "-n", "a", "-i", ""}).code == 0);
  const Json job = cli.bed.Get(std::string(kJobsOfDefault) + "/a");
  const Json& container = job["spec"]["tasks"][0]["template"]["spec"]["containers"][0];
  CHECK(container["image"].AsString().empty());
  CHECK(container["command"].is_null());
}

TEST_CASE("resource list: names are taken as they stand", "[cli][text]") {
  CHECK(*ParseResourceList(" cpu=1,=2") == Json::MakeObject({{" cpu", "1"}, {"", "2"}}));
}

TEST_CASE("queue tables: pod groups that may not be read", "[cli][queue]") {
  CliBed cli;
  CHECK(cli.Run({"vcctl", "queue", "list"}).out == "No resources found\n");
  CHECK(cli.bed.calls == 1);  // Without queues nobody asks for pod groups.
  REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q"}).code == 0);
  Forbid(cli, "/podgroups");
  const Ran one = cli.Run({"vcctl", "queue", "get", "-n", "q"});
  CHECK(one.code == 255);
  CHECK(one.out ==
        "Failed to get queue: failed to list podgroup for queue q with err: you may not\n");
  const Ran all = cli.Run({"vcctl", "queue", "list"});
  CHECK(all.code == 255);
  CHECK(all.out == "Failed to list queue: failed to list podgroups with err: you may not\n");
}

TEST_CASE("queue operate: an update is a patch of the weight alone", "[cli][queue]") {
  CliBed cli;
  REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q", "-S", "Closed"}).code == 0);
  std::string sent;
  cli.bed.line->on_request = [&sent](const net::Request& request) {
    sent = request.method + " " + request.target + " " + request.body;
  };
  REQUIRE(cli.Run({"vcctl", "queue", "operate", "-n", "q", "-a", "update", "-w", "3"}).code == 0);
  CHECK(sent == R"(PATCH /apis/scheduling.volcano.sh/v1beta1/queues/q {"spec":{"weight":3}})");
  const Ran refused = cli.Run({"vcctl", "queue", "operate", "-n", "q", "-a", "update", "-w=-1"});
  CHECK(StrContains(sent, R"({"spec":{"weight":-1}})"));
  CHECK(refused.code == 255);
  CHECK(cli.Run({"vcctl", "queue", "operate", "-n", "x", "-a", "update", "-w", "1"}).out ==
        "Failed to operate queue: queues.scheduling.volcano.sh \"x\" not found\n");
  // The state is not what a user says.
  const Json queue = cli.bed.Get("/apis/scheduling.volcano.sh/v1beta1/queues/q");
  CHECK(queue["status"]["state"].is_null());
}

TEST_CASE("queue operate: a Command has the queue as its owner and lies in default",
          "[cli][queue]") {
  for (const auto& [action, sent] :
       {std::pair<std::string, std::string>("open", "OpenQueue"), {"close", "CloseQueue"}}) {
    CliBed cli;
    REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q"}).code == 0);
    REQUIRE(cli.Run({"vcctl", "queue", "operate", "-n", "q", "-a", action}).code == 0);
    const Json queue = cli.bed.Get("/apis/scheduling.volcano.sh/v1beta1/queues/q");
    const Json commands = cli.bed.Get("/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands");
    const Json& command = commands["items"][0];
    const Json owner = Json::MakeObject({{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                                         {"kind", "Queue"},
                                         {"name", "q"},
                                         {"uid", queue["metadata"]["uid"]},
                                         {"controller", true},
                                         {"blockOwnerDeletion", true}});
    CHECK(command["action"].AsString() == sent);
    CHECK(command["target"] == owner);
    CHECK(command["metadata"]["ownerReferences"] == Json::MakeArray({owner}));
    CHECK(command["reason"].is_null());
    CHECK(command["message"].is_null());
  }
}

TEST_CASE("jobflow list: of all namespaces", "[cli][jobflow]") {
  CliBed cli;
  cli.bed.Call("POST", "/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
  cli.bed.Create("/apis/flow.volcano.sh/v1alpha1/namespaces/other/jobflows",
                 R"({"metadata":{"name":"f"}})");
  CHECK(cli.Run({"vcctl", "jobflow", "list"}).out == "No resources found\n");
  CHECK(StrContains(cli.Run({"vcctl", "jobflow", "list", "--all-namespaces", "-n", "x"}).out,
                    "\nf       other        "));
}

TEST_CASE("jobflow delete: what is deleted by its name was there", "[cli][jobflow]") {
  CliBed cli;
  cli.bed.Create("/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobflows",
                 R"({"metadata":{"name":"f"}})");
  std::vector<std::string> methods;
  cli.bed.line->on_request = [&methods](const net::Request& request) {
    methods.push_back(request.method);
  };
  REQUIRE(cli.Run({"vcctl", "jobflow", "delete", "-N", "f"}).code == 0);
  CHECK(methods == std::vector<std::string>{"GET", "DELETE"});
}

TEST_CASE("age: each unit begins where the one before ends", "[cli][text]") {
  struct Case {
    absl::Duration age;
    std::string of_event;
    std::string elsewhere;
  };
  const absl::Duration second = absl::Seconds(1);
  const std::vector<Case> cases = {
      {absl::Seconds(-2), "<invalid>", "<invalid>"},
      {absl::Seconds(-1), "0s", "0s"},
      {absl::Minutes(10) - second, "9m59s", "9m59s"},
      {absl::Minutes(180) - second, "179m", "179m"},
      {absl::Minutes(180), "3h", "3h"},
      {absl::Hours(8) - second, "7h59m", "7h59m"},
      {absl::Hours(8), "8h", "8h"},
      {absl::Hours(48) - second, "47h", "47h"},
      {absl::Hours(48), "2d", "2d"},
      {absl::Hours(192) - second, "7d23h", "7d23h"},
      {absl::Hours(192), "8d", "8d"},
      {absl::Hours(17520) - second, "729d", "729d"},
      {absl::Hours(17520), "2y0d", "2y"},
      {absl::Hours(70080) - second, "7y364d", "7y364d"},
      {absl::Hours(70080), "8y", "8y"},
  };
  for (const Case& c : cases) {
    INFO(absl::FormatDuration(c.age));
    CHECK(EventAgeText(c.age) == c.of_event);
    CHECK(AgeText(c.age) == c.elsewhere);
  }
}

}  // namespace
}  // namespace bth::cli
