// What lists look like for a person at a terminal, and to the byte in a pipe.
#include "base/strings.h"
#include "cli/print/utf8.h"
#include "cli/text/padded_table.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;

Terminal WideTerminal(int width, bool colour) {
  Terminal terminal;
  terminal.width = width;
  terminal.height = 24;
  terminal.utf8 = true;
  terminal.colour = colour;
  return terminal;
}

PaddedTable TwoJobs() {
  PaddedTable table;
  table.widths = {12, 10, 12, 12};
  table.phase = 1;
  table.lines = {{"Name", "Phase", "Replicas", "RetryCount"},
                 {"calc", "Running", "3", "0"},
                 {"a-long-name", "Failed", "1200", "7"}};
  return table;
}

TEST_CASE("padded table: in a pipe it is Volcano's to the byte", "[cli][unit]") {
  CHECK(PaddedTableText(TwoJobs(), Terminal()) ==
        "Name        Phase     Replicas    RetryCount  \n"
        "calc        Running   3           0           \n"
        "a-long-name Failed    1200        7           \n");
}

TEST_CASE("padded table: colours do not move anything", "[cli][unit]") {
  CHECK(PaddedTableText(TwoJobs(), WideTerminal(80, true)) ==
        "Name        Phase     Replicas    RetryCount  \n"
        "calc        \x1b[32mRunning\x1b[0m   3           0           \n"
        "a-long-name \x1b[31mFailed\x1b[0m    1200        7           \n");
  CHECK(PaddedTableText(TwoJobs(), WideTerminal(80, false)) ==
        PaddedTableText(TwoJobs(), Terminal()));
}

TEST_CASE("padded table: what is too wide gets narrow, titles first, names last", "[cli][unit]") {
  CHECK(PaddedTableText(TwoJobs(), WideTerminal(44, false)) ==
        "Name         Phase    Replicas  RetryCount\n"
        "calc         Running  3         0\n"
        "a-long-name  Failed   1200      7\n");
  CHECK(PaddedTableText(TwoJobs(), WideTerminal(36, false)) ==
        "Name         Phase    Repli…  Retry…\n"
        "calc         Running  3       0\n"
        "a-long-name  Failed   1200    7\n");
  CHECK(PaddedTableText(TwoJobs(), WideTerminal(29, false)) ==
        "Name       Phase    Rep…  Re…\n"
        "calc       Running  3     0\n"
        "a-long-n…  Failed   1200  7\n");
}

TEST_CASE("padded table: wide characters are counted by what they take", "[cli][unit]") {
  PaddedTable table;
  table.widths = {8, 6};
  table.lines = {{"Name", "Phase"}, {"日本語日本語", "x"}};
  const std::string text = PaddedTableText(table, WideTerminal(13, false));
  CHECK(text == "Name      Ph…\n日本語…   x\n");
}

constexpr char kJobsPath[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";

std::string JobObject(const std::string& name, const std::string& labels = "{}") {
  return R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":")" + name +
         R"(","labels":)" + labels + R"(},"spec":{"minAvailable":1,"queue":"default","tasks":[
      {"name":"w","replicas":1,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})";
}

void SetPhase(CliBed& cli, const std::string& name, const std::string& phase) {
  const auto answer = cli.bed.Call("PATCH", std::string(kJobsPath) + "/" + name + "/status",
                                   R"({"status":{"state":{"phase":")" + phase + R"("}}})",
                                   "application/merge-patch+json");
  REQUIRE(answer.code == 200);
}

TEST_CASE("job list: a pipe and a terminal see the same jobs", "[cli][job]") {
  CliBed cli;
  cli.bed.Create(kJobsPath, JobObject("calc"));
  SetPhase(cli, "calc", "Running");
  const std::string piped = cli.Run({"vcctl", "job", "list"}).out;
  CHECK(piped ==
        "Name   Creation       Phase       JobType     Replicas    Min   Pending   Running   "
        "Succeeded   Failed    Unknown     RetryCount\n"
        "calc   2026-01-01     Running     Batch       1           0     0         0         "
        "0           0         0           0         \n");
  CHECK(cli.Run({"vcctl", "job", "list", "--color=always"}).out.find("\x1b[32mRunning\x1b[0m") !=
        std::string::npos);
  cli.console.terminal = WideTerminal(80, true);
  const std::string seen = cli.Run({"vcctl", "job", "list"}).out;
  CHECK(seen.find("\x1b[32mRunning\x1b[0m") != std::string::npos);
  const std::string plain = cli.Run({"vcctl", "job", "list", "--color", "never"}).out;
  CHECK(plain.find('\x1b') == std::string::npos);
  for (const absl::string_view line : SplitText(plain, '\n')) {
    CHECK(DisplayWidth(ToStd(line)) <= 80);
  }
  CHECK(plain.find("calc  2026-01-01  Running  Batch  ") != std::string::npos);
  // Programs of one command have it too.
  CHECK(cli.Run({"vjobs"}).out == seen);
}

TEST_CASE("lists: --time says how times are shown", "[cli][job]") {
  CliBed cli;
  cli.bed.Create(kJobsPath, JobObject("calc"));
  cli.console.clock.Advance(absl::Minutes(5));
  struct Case {
    std::string form;
    std::string shown;
  };
  const std::vector<Case> cases = {{"relative", "5m"},
                                   {"absolute", "2026-01-01 00:00:00"},
                                   {"rfc3339", "2026-01-01T00:00:00+00:00"}};
  for (const Case& c : cases) {
    CAPTURE(c.form);
    const std::string flag = "--time=" + c.form;
    const std::string table = cli.Run({"vcctl", "job", "list", flag}).out;
    CHECK(table.find("\ncalc   " + c.shown + "   ") != std::string::npos);
    const std::string wide = cli.Run({"vcctl", "job", "list", "-o", "wide", flag}).out;
    CHECK(wide.find("   " + c.shown + "   ") != std::string::npos);
    const std::string view = cli.Run({"vcctl", "job", "view", "-N", "calc", flag}).out;
    CHECK(view.find("  Creation Timestamp:\t" + c.shown + "\n") != std::string::npos);
  }
  const Ran wrong = cli.Run({"vcctl", "job", "list", "--time=soon"});
  CHECK(wrong.code == 1);
  CHECK(wrong.err ==
        "Error: invalid argument \"soon\" for \"--time\" flag: there is no such word; it is one of "
        "relative, absolute, rfc3339\n");
}

TEST_CASE("job delete: all of a namespace, or what is selected", "[cli][job]") {
  CliBed cli;
  for (const char* name : {"a", "b", "c"}) {
    cli.bed.Create(kJobsPath,
                   JobObject(name, *name == 'c' ? R"({"team":"x"})" : R"({"team":"y"})"));
  }
  Ran ran = cli.Run({"vcctl", "job", "delete", "-l", "team=x"});
  CHECK(ran.out == "delete job c successfully\n");
  CHECK(ran.code == 0);
  ran = cli.Run({"vcctl", "job", "delete", "--all", "-n", "elsewhere"});
  CHECK(ran.out == "No resources found\n");
  ran = cli.Run({"vcctl", "job", "delete", "--field-selector=metadata.name!=b", "-A"});
  CHECK(ran.out == "delete job default/a successfully\n");
  // The namespace of a variable that is not set is not all of them.
  for (const char* which :
       {"--all", "--label-selector=team=y", "--field-selector=metadata.name=b"}) {
    ran = cli.Run({"vcctl", "job", "delete", which, "-n", ""});
    CHECK(ran.out ==
          "Failed to delete job: --namespace is empty: name one, or use --all-namespaces\n");
    CHECK(ran.code == 255);
  }
  ran = cli.Run({"vcctl", "job", "wait", "-N", "b", "--for=delete", "-n", ""});
  CHECK(ran.out == "Failed to wait job: --namespace is empty: name the job's\n");
  // A script is not asked.
  cli.bed.Create(kJobsPath, JobObject("d"));
  ran = cli.Run({"vcctl", "job", "delete", "--all"});
  CHECK(ran.out == "delete job b successfully\ndelete job d successfully\n");
  CHECK(ran.err.empty());
  CHECK(cli.Run({"vcctl", "job", "list"}).out == "No resources found\n");
}

TEST_CASE("job delete: a person is asked before more than one goes", "[cli][job]") {
  CliBed cli;
  cli.console.is_interactive = true;
  for (int i = 0; i < 12; ++i) cli.bed.Create(kJobsPath, JobObject(StrCat("j", i)));
  const std::string names =
      "  j0\n  j1\n  j10\n  j11\n  j2\n  j3\n  j4\n  j5\n  j6\n  and 3 more\n";
  const std::string question = names + "Delete these 12 jobs in namespace default? [y/N] ";
  for (const char* no : {"", "\n", "n\n", "yess\n"}) {
    cli.console.input = no;
    const Ran ran = cli.Run({"vcctl", "job", "delete", "--all"});
    CHECK(ran.err == question);
    CHECK(ran.out == "Failed to delete job: nothing was deleted, as it was not confirmed\n");
    CHECK(ran.code == 255);
  }
  // One alone needs no question.
  CHECK(cli.Run({"vcctl", "job", "delete", "--field-selector=metadata.name=j0"}).out ==
        "delete job j0 successfully\n");
  CHECK(cli.Run({"vcctl", "job", "delete", "-N", "j1"}).out == "delete job j1 successfully\n");
  cli.console.input = " Y \n";
  const Ran yes = cli.Run({"vcctl", "job", "delete", "--all"});
  CHECK(yes.code == 0);
  CHECK(yes.out.starts_with("delete job j10 successfully\ndelete job j11 successfully\n"));
  for (const char* name : {"a", "b"}) cli.bed.Create(kJobsPath, JobObject(name));
  cli.console.input.clear();
  const Ran unasked = cli.Run({"vcctl", "job", "delete", "--all", "-y"});
  CHECK(unasked.err.empty());
  CHECK(unasked.out == "delete job a successfully\ndelete job b successfully\n");
}

TEST_CASE("job delete: those that stay are told, and the others go", "[cli][job]") {
  CliBed cli;
  for (int i = 0; i < 40; ++i) cli.bed.Create(kJobsPath, JobObject(StrCat("j", 10 + i)));
  int busy = 0;
  cli.bed.line->script = [&busy](const net::Request& request) -> std::optional<test::Fault> {
    test::Fault fault;
    if (request.method == "DELETE" && request.target.ends_with("/j12")) {
      fault.code = 403;
      fault.reason = "Forbidden";
      fault.message = "it stays";
      return fault;
    }
    if (request.method == "DELETE" && request.target.ends_with("/j30") && ++busy <= 2) {
      fault.code = 429;
      fault.reason = "TooManyRequests";
      return fault;
    }
    return std::nullopt;
  };
  const Ran ran = cli.Run({"vcctl", "job", "delete", "--all"});
  CHECK(busy == 3);  // A server that is busy is asked again.
  CHECK(ran.code == 255);
  CHECK(
      ran.out.starts_with("delete job j10 successfully\ndelete job j11 successfully\n"
                          "delete job j13 successfully\n"));
  CHECK(
      ran.out.ends_with("delete job j49 successfully\n"
                        "Failed to delete job: 1 of 40 jobs could not be deleted\n"));
  CHECK(ran.err == "j12: it stays\n");
}

TEST_CASE("job delete: flags that contradict each other", "[cli][job]") {
  CliBed cli;
  CHECK(cli.Run({"vcctl", "job", "delete", "-N", "a", "--all"}).out ==
        "Failed to delete job: --name names one job: leave out --all, --label-selector and "
        "--field-selector\n");
  CHECK(cli.Run({"vcctl", "job", "delete", "-A"}).out ==
        "Failed to delete job: --all-namespaces needs --all, --label-selector or "
        "--field-selector\n");
  CHECK(cli.Run({"vcctl", "job", "delete"}).out ==
        "Failed to delete job: job name is mandatory to delete a particular job\n");
}

TEST_CASE("job delete: a terminal shows how far it is", "[cli][job]") {
  CliBed cli;
  cli.console.err_terminal = WideTerminal(80, false);
  cli.console.err_terminal.can_redraw = true;
  for (const char* name : {"a", "b"}) cli.bed.Create(kJobsPath, JobObject(name));
  const Ran ran = cli.Run({"vcctl", "job", "delete", "--all"});
  CHECK(ran.err == "\rdeleting jobs: 1 of 2\x1b[K\rdeleting jobs: 2 of 2\x1b[K\r\x1b[K");
}

TEST_CASE("job wait: a terminal shows what is waited for", "[cli][job]") {
  CliBed cli;
  cli.console.err_terminal = WideTerminal(60, false);
  cli.console.err_terminal.can_redraw = true;
  cli.bed.Create(kJobsPath, JobObject("calc"));
  const Ran ran = cli.Run({"vcctl", "job", "wait", "-N", "calc", "--timeout=2s"});
  CHECK(ran.code == 255);
  CHECK(
      ran.err.starts_with("\rjob calc: new; waiting for Completed since 0s\x1b[K"
                          "\rjob calc: new; waiting for Completed since 1s\x1b[K"));
  CHECK(ran.err.ends_with("\r\x1b[K"));
  // Without a terminal nothing is said.
  cli.console.err_terminal = Terminal();
  CHECK(cli.Run({"vcctl", "job", "wait", "-N", "calc", "--timeout=2s"}).err.empty());
}

}  // namespace
}  // namespace bth::cli
