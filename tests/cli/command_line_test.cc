// Command lines as cobra and pflag read them: words, help, mistakes, exit codes.
#include "cli/command/flag_set.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::Console;
using test::Ran;

struct Values {
  std::string name = "x";
  int64_t count = 1;
  int32_t weight = 0;
  bool all = false;
  absl::Duration wait = absl::Seconds(5);
  FlagSet set;

  Values() {
    set.Text(&name, {"some-name", 'n'}, "a name");
    set.Int(&count, {"count", 'c'}, "a count");
    set.Int32(&weight, {"weight", 'w'}, "a weight");
    set.Bool(&all, {"all", 'a'}, "all of them");
    set.Duration(&wait, {"wait"}, "how long");
  }
};

std::string ParseError(const std::vector<std::string>& args) {
  Values values;
  return std::string(values.set.Parse(args).status().message());
}

TEST_CASE("flags: every spelling of a value", "[cli][command]") {
  const std::vector<std::vector<std::string>> spellings = {{"--some-name", "v"},
                                                           {"--some-name=v"},
                                                           {"--some_name=v"},
                                                           {"-n", "v"},
                                                           {"-nv"},
                                                           {"-n=v"},
                                                           {"-an", "v"},
                                                           {"-anv"},
                                                           {"word", "-n", "v"},
                                                           {"-n", "v", "--", "-c", "no"}};
  for (const std::vector<std::string>& args : spellings) {
    Values values;
    INFO(args[0]);
    REQUIRE(values.set.Parse(args).ok());
    CHECK(values.name == "v");
    CHECK(values.count == 1);
  }
}

TEST_CASE("flags: numbers, truths and durations as Go reads them", "[cli][command]") {
  Values values;
  REQUIRE(values.set.Parse({"-c", "0x10", "-w=-2", "--all=T", "--wait=1m30s"}).ok());
  CHECK(values.count == 16);
  CHECK(values.weight == -2);
  CHECK(values.all);
  CHECK(values.wait == absl::Seconds(90));
  REQUIRE(values.set.Parse({"-c", "1_000", "--all=false", "-c", "010"}).ok());
  CHECK(values.count == 8);
  CHECK_FALSE(values.all);
}

TEST_CASE("flags: words remain in their order", "[cli][command]") {
  Values values;
  const auto words = values.set.Parse({"a", "-n", "v", "b", "-", "--", "-c", "--"});
  REQUIRE(words.ok());
  CHECK(*words == std::vector<std::string>{"a", "b", "-", "-c", "--"});
}

TEST_CASE("flags: mistakes have pflag's words", "[cli][command]") {
  struct Case {
    std::vector<std::string> args;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--nope"}, "unknown flag: --nope"},
      {{"--nope=3"}, "unknown flag: --nope"},
      {{"-z"}, "unknown shorthand flag: 'z' in -z"},
      {{"-azb"}, "unknown shorthand flag: 'z' in -zb"},
      {{"--count"}, "flag needs an argument: --count"},
      {{"-c"}, "flag needs an argument: 'c' in -c"},
      {{"-ac"}, "flag needs an argument: 'c' in -c"},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"--=x"}, "bad flag syntax: --=x"},
      {{"-c", "x"},
       "invalid argument \"x\" for \"-c, --count\" flag: strconv.ParseInt: parsing \"x\": invalid "
       "syntax"},
      {{"--weight", "3000000000"},
       "invalid argument \"3000000000\" for \"-w, --weight\" flag: strconv.ParseInt: parsing "
       "\"3000000000\": value out of range"},
      {{"-c", "9223372036854775808"},
       "invalid argument \"9223372036854775808\" for \"-c, --count\" flag: strconv.ParseInt: "
       "parsing \"9223372036854775808\": value out of range"},
      {{"-c", ""},
       "invalid argument \"\" for \"-c, --count\" flag: strconv.ParseInt: parsing \"\": invalid "
       "syntax"},
      {{"-c", "1__0"},
       "invalid argument \"1__0\" for \"-c, --count\" flag: strconv.ParseInt: parsing \"1__0\": "
       "invalid syntax"},
      {{"--all=perhaps"},
       "invalid argument \"perhaps\" for \"-a, --all\" flag: strconv.ParseBool: parsing "
       "\"perhaps\": invalid syntax"},
      {{"--wait=5"},
       "invalid argument \"5\" for \"--wait\" flag: time: missing unit in duration \"5\""},
      {{"--wait=x"}, "invalid argument \"x\" for \"--wait\" flag: time: invalid duration \"x\""},
  };
  for (const Case& c : cases) {
    INFO(c.message);
    CHECK(ParseError(c.args) == c.message);
  }
}

TEST_CASE("flags: the least 64-bit number can be written", "[cli][command]") {
  Values values;
  REQUIRE(values.set.Parse({"-c", "-9223372036854775808"}).ok());
  CHECK(values.count == INT64_MIN);
}

constexpr char kGlobalFlags[] =
    "Global Flags:\n"
    "      --log-flush-frequency duration   Maximum number of seconds between log flushes (default "
    "5s)\n"
    "  -v, --v Level                        number for the log level verbosity\n"
    "      --vmodule moduleSpec             comma-separated list of pattern=N settings for "
    "file-filtered logging (only works for the default text log format)\n";

TEST_CASE("help: a group lists its commands", "[cli][command]") {
  const std::string expected =
      std::string(
          "vcctl command line operation job\n"
          "\n"
          "Usage:\n"
          "  vcctl job [command]\n"
          "\n"
          "Available Commands:\n"
          "  delete      delete a job\n"
          "  explain     tell why a job waits\n"
          "  list        list job information\n"
          "  logs        show what the pods of a job write\n"
          "  resume      resume a job\n"
          "  run         run job by parameters from the command line\n"
          "  suspend     abort a job\n"
          "  view        show job information\n"
          "  wait        wait until a job is in a phase\n"
          "\n"
          "Flags:\n"
          "  -h, --help   help for job\n"
          "\n") +
      kGlobalFlags +
      "\n"
      "Use \"vcctl job [command] --help\" for more information about a command.\n";
  const std::vector<std::vector<std::string>> ways = {
      {"vcctl", "job"},
      {"vcctl", "job", "--help"},
      {"vcctl", "job", "no-such-leaf"},
      {"vcctl", "help", "job"},
      {"/usr/bin/vcctl", "-v", "3", "job", "-h"},
      // What follows a flag that is not known yet may be its value.
      {"vcctl", "job", "--help", "list"}};
  for (const std::vector<std::string>& line : ways) {
    INFO(line[1] << " " << line.back());
    const Ran ran = Console().Run(line);
    CHECK(ran.out == expected);
    CHECK(ran.err.empty());
    CHECK(ran.code == 0);
  }
}

TEST_CASE("help: the program lists its groups", "[cli][command]") {
  const Ran ran = Console().Run({"vcctl"});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "Usage:\n"
        "  vcctl [command]\n"
        "\n"
        "Available Commands:\n"
        "  completion  print a script that completes commands in a shell\n"
        "  conf        look into the scheduler's policy\n"
        "  doctor      look whether an installation is in order\n"
        "  help        Help about any command\n"
        "  job         vcctl command line operation job\n"
        "  jobflow     vcctl command line operation jobflow\n"
        "  jobtemplate vcctl command line operation jobtemplate\n"
        "  pod         vcctl command line operation pod\n"
        "  queue       Queue Operations\n"
        "  top         show who uses what of the cluster\n"
        "  version     Print the version information\n"
        "\n"
        "Flags:\n"
        "  -h, --help                           help for vcctl\n"
        "      --log-flush-frequency duration   Maximum number of seconds between log flushes "
        "(default 5s)\n"
        "  -v, --v Level                        number for the log level verbosity\n"
        "      --vmodule moduleSpec             comma-separated list of pattern=N settings for "
        "file-filtered logging (only works for the default text log format)\n"
        "\n"
        "Use \"vcctl [command] --help\" for more information about a command.\n");
  CHECK(Console().Run({"vcctl", "--help"}).out == ran.out);
  CHECK(Console().Run({"vcctl", "help"}).out == ran.out);
  CHECK(Console().Run({"vcctl", "--help", "job"}).out == ran.out);
}

TEST_CASE("help: a leaf shows its flags with their defaults", "[cli][command]") {
  const Ran ran = Console().Run({"vcctl", "queue", "create", "--help"});
  CHECK(ran.code == 0);
  CHECK(ran.out == std::string("creates queue\n"
                               "\n"
                               "Usage:\n"
                               "  vcctl queue create [flags]\n"
                               "\n"
                               "Flags:\n"
                               "  -h, --help                help for create\n"
                               "  -k, --kubeconfig string   (optional) absolute path to the "
                               "kubeconfig file\n"
                               "  -s, --master string       the address of apiserver\n"
                               "  -n, --name string         the name of queue (default \"test\")\n"
                               "  -S, --state string        the state of queue (default \"Open\")\n"
                               "  -w, --weight int32        the weight of the queue (default 1)\n"
                               "\n") +
                       kGlobalFlags);
}

TEST_CASE("help: a program of one command shows all flags together", "[cli][command]") {
  Console console;
  console.environment["VOLCANO_DEFAULT_IMAGE"] = "mine";
  const Ran ran = console.Run({"vsub", "-h"});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "submit a job with specified name and arguments. yaml/json file is not accepted, you may "
        "refer to kubectl.\n"
        "\n"
        "Usage:\n"
        "  vsub [flags]\n"
        "\n"
        "Flags:\n"
        "  -c, --command string                 the command of job\n"
        "  -h, --help                           help for vsub\n"
        "  -i, --image string                   the container image of job, overwrite the value of "
        "'VOLCANO_DEFAULT_IMAGE' (default \"busybox\")\n"
        "  -k, --kubeconfig string              (optional) absolute path to the kubeconfig file\n"
        "  -L, --limits string                  the resource limit of the task (default "
        "\"cpu=1000m,memory=100Mi\")\n"
        "      --log-flush-frequency duration   Maximum number of seconds between log flushes "
        "(default 5s)\n"
        "  -s, --master string                  the address of apiserver\n"
        "  -m, --min int                        the minimal available tasks of job (default 1)\n"
        "  -n, --name string                    the name of job\n"
        "  -N, --namespace string               the namespace of job, overwrite the value of "
        "'VOLCANO_DEFAULT_JOB_NAMESPACE' (default \"default\")\n"
        "  -r, --replicas int                   the total tasks of job (default 1)\n"
        "  -R, --requests string                the resource request of the task (default "
        "\"cpu=1000m,memory=100Mi\")\n"
        "  -S, --scheduler string               the scheduler for this job, overwrite the value of "
        "'VOLCANO_SCHEDULER_NAME' (default \"volcano\")\n"
        "  -v, --v Level                        number for the log level verbosity\n"
        "      --vmodule moduleSpec             comma-separated list of pattern=N settings for "
        "file-filtered logging (only works for the default text log format)\n");
}

TEST_CASE("help: an unknown topic is told, and is no failure", "[cli][command]") {
  const Ran ran = Console().Run({"vcctl", "help", "nope", "more"});
  CHECK(ran.code == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err.starts_with("Unknown help topic [`nope` `more`]\nUsage:\n  vcctl [command]\n"));
}

TEST_CASE("dispatch: an unknown command ends with 1 and suggestions", "[cli][command]") {
  const Ran typo = Console().Run({"vcctl", "joob", "list"});
  CHECK(typo.code == 1);
  CHECK(typo.out.empty());
  CHECK(typo.err ==
        "Error: unknown command \"joob\" for \"vcctl\"\n\nDid you mean this?\n\tjob\n\n");
  const Ran beginning = Console().Run({"vcctl", "qu"});
  CHECK(beginning.err ==
        "Error: unknown command \"qu\" for \"vcctl\"\n\nDid you mean this?\n\tqueue\n\n");
  const Ran far = Console().Run({"vcctl", "compile"});
  CHECK(far.code == 1);
  CHECK(far.err == "Error: unknown command \"compile\" for \"vcctl\"\n");
}

TEST_CASE("dispatch: a leaf that may be meant is told on stderr", "[cli][command]") {
  const Ran typo = Console().Run({"vcctl", "job", "lst"});
  CHECK(typo.code == 0);
  CHECK(typo.out == Console().Run({"vcctl", "job"}).out);
  CHECK(typo.err == "unknown command \"lst\" for \"vcctl job\"\n\nDid you mean this?\n\tlist\n");
  CHECK(Console().Run({"vcctl", "job", "--help", "lst"}).err.empty());
}

TEST_CASE("dispatch: only programs show their usage before a bad flag", "[cli][command]") {
  const Ran leaf = Console().Run({"vcctl", "job", "list", "--nope"});
  CHECK(leaf.code == 1);
  CHECK(leaf.err == "Error: unknown flag: --nope\n");
  const Ran program = Console().Run({"vcctl", "--nope"});
  CHECK(program.code == 1);
  CHECK(program.err.starts_with("Usage:\n  vcctl [command]\n"));
  CHECK(program.err.ends_with(
      "Use \"vcctl [command] --help\" for more information about a command.\n\n"
      "Error: unknown flag: --nope\n"));
  const Ran single = Console().Run({"vjobs", "-z"});
  CHECK(single.code == 1);
  CHECK(single.err.starts_with("Usage:\n  vjobs [flags]\n\nFlags:\n"));
  CHECK(single.err.ends_with("\n\nError: unknown shorthand flag: 'z' in -z\n"));
}

TEST_CASE("dispatch: flags of a command may stand before its name", "[cli][command]") {
  const Ran ran = Console().Run({"vcctl", "--namespace", "a", "job", "-v=3", "list"});
  CHECK(ran.code == 255);
  CHECK(ran.out == "Failed to list job: there is no cluster\n");
}

TEST_CASE("dispatch: failures name leaf and group on stdout and end with 255", "[cli][command]") {
  struct Case {
    std::vector<std::string> line;
    std::string out;
  };
  const std::vector<Case> cases = {
      {{"vcctl", "job", "run"}, "Failed to run job: there is no cluster\n"},
      {{"vcctl", "queue", "get"}, "Failed to get queue: there is no cluster\n"},
      {{"vcctl", "pod", "list"}, "Failed to list pod: there is no cluster\n"},
      {{"vcctl", "jobflow", "describe"}, "Failed to describe jobflow: there is no cluster\n"},
      {{"vcancel"}, "Failed to: there is no cluster\n"},
  };
  for (const Case& c : cases) {
    const Ran ran = Console().Run(c.line);
    INFO(c.out);
    CHECK(ran.out == c.out);
    CHECK(ran.err.empty());
    CHECK(ran.code == 255);
  }
}

TEST_CASE("dispatch: flags of logs are read and checked", "[cli][command]") {
  CHECK(Console().Run({"vcctl", "version", "-v=9", "--vmodule=a=1,b*=2"}).code == 0);
  const Ran bad = Console().Run({"vcctl", "version", "--vmodule", "a"});
  CHECK(bad.code == 1);
  CHECK(bad.err ==
        "Error: invalid argument \"a\" for \"--vmodule\" flag: syntax error: expect "
        "comma-separated list of filename=N\n");
}

TEST_CASE("version: what the program was given", "[cli][version]") {
  const Ran ran = Console().Run({"vcctl", "version", "extra", "words"});
  CHECK(ran.code == 0);
  CHECK(ran.out == "API Version: v1alpha1\n");
  CHECK(Console()
            .Run({"vcctl", "help", "version"})
            .out.starts_with("Print the version information\n\nUsage:\n  vcctl version "
                             "[flags]\n\nExamples:\nvcctl "
                             "version\n\nFlags:\n"));
}

}  // namespace
}  // namespace bth::cli
