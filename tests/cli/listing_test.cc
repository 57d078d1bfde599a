// What lists can do beyond Volcano's: formats, selectors, following; and waiting for a job.
#include "cli/job/wait.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;
using Line = std::vector<std::string>;

constexpr char kJobPath[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs/one";

// The job is in these phases, five seconds after one another.
net::Awaitable<void> GoThrough(net::Executor& executor, client::ApiClient& api,
                               std::vector<std::string> phases) {
  for (const std::string& phase : phases) {
    co_await net::Sleep(executor, absl::Seconds(5));
    client::ApiPath path{"jobs", kJobPath};
    if (phase == "deleted") {
      client::DeleteOptions options;
      BTH_CHECK((co_await api.Delete(path, options)).ok());
      continue;
    }
    client::Patch patch;
    patch.body = R"({"status":{"state":{"phase":")" + phase + "\"}}}";
    BTH_CHECK((co_await api.PatchStatus(path, patch)).ok());
  }
}

struct JobBed {
  CliBed cli;

  JobBed() { REQUIRE(cli.Run({"vcctl", "job", "run", "-N", "one"}).code == 0); }
  Ran RunWhile(std::vector<std::string> phases, const Line& line) {
    net::Spawn(cli.bed.executor, GoThrough(cli.bed.executor, *cli.bed.api, std::move(phases)));
    return cli.Run(line);
  }
};

TEST_CASE("job wait: until the phase is there", "[cli][job]") {
  const Line wait = {"vcctl", "job", "wait", "-N", "one"};
  const Ran done = JobBed().RunWhile({"Pending", "Running", "Completed"}, wait);
  CHECK(done.out == "job one is Completed\n");
  CHECK(done.code == 0);
  Line either = wait;
  either.push_back("--for=Aborted,Running");
  CHECK(JobBed().RunWhile({"Pending", "Running"}, either).out == "job one is Running\n");
  Line gone = wait;
  gone.push_back("--for=delete");
  CHECK(JobBed().RunWhile({"Failed", "deleted"}, gone).out == "job one is deleted\n");
}

TEST_CASE("job wait: what is so already needs no waiting", "[cli][job]") {
  JobBed bed;
  REQUIRE(bed.RunWhile({"Completed"}, {"vcctl", "job", "wait", "-N", "one"}).code == 0);
  const absl::Time before = bed.cli.bed.executor.Now();
  CHECK(bed.cli.Run({"vcctl", "job", "wait", "-N", "one"}).code == 0);
  CHECK(bed.cli.bed.executor.Now() == before);
}

TEST_CASE("job wait: what can never come ends it", "[cli][job]") {
  const Line wait = {"vcctl", "job", "wait", "-N", "one"};
  const Ran failed = JobBed().RunWhile({"Running", "Failed"}, wait);
  CHECK(failed.out == "Failed to wait job: job one is Failed and will not become Completed\n");
  CHECK(failed.code == 255);
  CHECK(JobBed().RunWhile({"deleted"}, wait).out == "Failed to wait job: job one was deleted\n");
  Line short_wait = wait;
  short_wait.push_back("--timeout=7s");
  CHECK(JobBed().RunWhile({"Running"}, short_wait).out ==
        "Failed to wait job: timed out waiting for job one, which is Running\n");
  CliBed empty;
  CHECK(empty.Run(wait).out == "Failed to wait job: jobs.batch.volcano.sh \"one\" not found\n");
  CHECK(empty.Run({"vcctl", "job", "wait"}).out ==
        "Failed to wait job: job name is mandatory to wait for a particular job\n");
  Line typo = wait;
  typo.push_back("--for=Complete");
  CHECK(
      empty.Run(typo).out.starts_with("Failed to wait job: --for: there is no phase \"Complete\" "
                                      "(did you mean \"Completed\"?)"));
}

TEST_CASE("job wait: a watch that broke off is taken up again", "[cli][job]") {
  JobBed bed;
  int watches = 0;
  bed.cli.bed.line->script = [&watches](const net::Request& request) -> std::optional<test::Fault> {
    if (request.target.find("watch=true") == std::string::npos || ++watches > 1)
      return std::nullopt;
    test::Fault fault;
    fault.stream_bytes = 100;  // In the middle of the first event; seen with the second.
    return fault;
  };
  const Ran done =
      bed.RunWhile({"Running", "Restarting", "Completed"}, {"vcctl", "job", "wait", "-N", "one"});
  CHECK(done.out == "job one is Completed\n");
  CHECK(watches == 2);
}

TEST_CASE("listing: one object and many in other formats", "[cli][listing]") {
  JobBed bed;
  CliBed& cli = bed.cli;
  CHECK(cli.Run({"vcctl", "job", "list", "-o", "name"}).out == "job.batch.volcano.sh/one\n");
  CHECK(cli.Run({"vcctl", "job", "list", "-o", "jsonpath={.items[*].metadata.name}"}).out == "one");
  const Ran listed = cli.Run({"vcctl", "job", "list", "-o", "json"});
  const auto list = Json::Parse(listed.out);
  REQUIRE(list.ok());
  CHECK((*list)["kind"].AsString() == "List");
  CHECK((*list)["items"][0]["kind"].AsString() == "Job");
  REQUIRE(cli.Run({"vcctl", "queue", "create", "-n", "q"}).code == 0);
  CHECK(cli.Run({"vcctl", "queue", "get", "-n", "q", "-o", "yaml"})
            .out.starts_with("apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"));
  CHECK(cli.Run({"vcctl", "queue", "list", "-o", "custom-columns=N:.metadata.name"}).out ==
        "N\nq\n");
  const Ran wide = cli.Run({"vcctl", "job", "list", "-A", "-o", "wide"});
  CHECK(wide.out.starts_with("NAMESPACE   NAME "));
  const Ran bad = cli.Run({"vcctl", "job", "list", "-o", "xml"});
  CHECK(bad.code == 255);
  CHECK(bad.out.starts_with("Failed to list job: "));
}

TEST_CASE("listing: selectors choose on the server", "[cli][listing]") {
  CliBed cli;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  cli.bed.Create(queues, R"({"metadata":{"name":"a","labels":{"team":"x"}},"spec":{}})");
  cli.bed.Create(queues, R"({"metadata":{"name":"b"},"spec":{}})");
  CHECK(cli.Run({"vcctl", "queue", "list", "-l", "team=x", "-o", "name"}).out ==
        "queue.scheduling.volcano.sh/a\n");
  CHECK(cli.Run({"vcctl", "queue", "list", "--field-selector", "metadata.name=b", "-o", "name"})
            .out == "queue.scheduling.volcano.sh/b\n");
  // Also where the table is Volcano's.
  const Ran plain = cli.Run({"vcctl", "queue", "list", "-l", "team=x"});
  CHECK(plain.out.find("\na ") != std::string::npos);
  CHECK(plain.out.find("\nb ") == std::string::npos);
}

TEST_CASE("listing: labels as columns, and tables without titles", "[cli][listing]") {
  CliBed cli;
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues";
  cli.bed.Create(queues, R"({"metadata":{"name":"a","labels":{"team":"x"}},"spec":{}})");
  cli.bed.Create(queues, R"({"metadata":{"name":"b"},"spec":{}})");
  const auto lines = [&cli](std::vector<std::string> more) {
    std::vector<std::string> line = {"vcctl", "queue", "list"};
    line.insert(line.end(), more.begin(), more.end());
    const Ran ran = cli.Run(line);
    CHECK(ran.code == 0);
    return std::vector<std::string>(absl::StrSplit(ran.out, '\n', absl::SkipEmpty()));
  };
  const std::vector<std::string> labelled = lines({"-L", "team"});
  REQUIRE(labelled.size() == 3);
  CHECK(labelled[0].ends_with("TEAM"));
  CHECK(labelled[1].ends_with("x"));
  const std::vector<std::string> untitled = lines({"--no-headers"});
  REQUIRE(untitled.size() == 2);
  CHECK(untitled[0].starts_with("a "));
  CHECK(untitled[1].starts_with("b "));
}

TEST_CASE("listing: an empty table says so on stderr only", "[cli][listing]") {
  CliBed cli;
  const Ran table = cli.Run({"vcctl", "job", "list", "-o", "wide"});
  CHECK(table.out.empty());
  CHECK(table.err == "No resources found\n");
  const Ran json = cli.Run({"vcctl", "job", "list", "-o", "json"});
  CHECK(Json::Parse(json.out).ok());
  CHECK(json.err.empty());
}

TEST_CASE("listing: changes follow the list", "[cli][listing]") {
  JobBed bed;
  int watches = 0;
  bed.cli.bed.line->script = [&watches](const net::Request& request) -> std::optional<test::Fault> {
    if (request.target.find("watch=true") == std::string::npos || ++watches == 1)
      return std::nullopt;
    test::Fault fault;  // Watches are taken up again until somebody forbids it.
    fault.code = 403;
    fault.reason = "Forbidden";
    return fault;
  };
  const Ran watched =
      bed.RunWhile({"Pending", "Running"}, {"vcctl", "job", "list", "--watch", "--no-headers"});
  CHECK(watched.out.ends_with("Failed to list job: told to fail\n"));
  std::vector<std::string> phases;
  for (const absl::string_view line : absl::StrSplit(watched.out, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    phases.push_back(words[1]);
  }
  REQUIRE(phases.size() >= 3);
  CHECK(phases[1] == "Pending");
  CHECK(phases[2] == "Running");
}

}  // namespace
}  // namespace bth::cli
