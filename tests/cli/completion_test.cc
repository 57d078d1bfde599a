// What shells are told while a line is being typed, and what is said to mistyped words.
#include "cli/completion/completion.h"

#include "cli/command/suggestions.h"
#include "cli/session/offers.h"
#include "cli/slurm/programs.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Console;
using test::Ran;

// The lines of an answer, which is the same for every exit but success.
std::vector<std::string> Answer(const Ran& ran) {
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  return absl::StrSplit(ran.out, '\n', absl::SkipEmpty());
}

// The words without what is said of them, and the directive.
std::vector<std::string> Words(const Ran& ran) {
  std::vector<std::string> words = Answer(ran);
  for (std::string& word : words) word = word.substr(0, word.find('\t'));
  return words;
}

std::vector<std::string> Ask(std::vector<std::string> line) {
  line.insert(line.begin() + 1, "__complete");
  return Words(Console().Run(line));
}

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

using Strings = std::vector<std::string>;

TEST_CASE("completion: commands with what they do", "[cli][completion]") {
  const Strings groups = Answer(Console().Run({"vcctl", "__complete", "job"}));
  CHECK(groups == Strings{"job\tvcctl command line operation job",
                          "jobflow\tvcctl command line operation jobflow",
                          "jobtemplate\tvcctl command line operation jobtemplate", ":4"});
  CHECK(Ask({"vcctl", "jobflow", ""}) ==
        Strings{"create", "list", "get", "delete", "describe", ":4"});
  CHECK(Ask({"vcctl", "-v", "3", "queue", "op"}) == Strings{"operate", ":4"});
  CHECK(Ask({"vcctl", "completion", ""}) == Strings{"bash", "zsh", "fish", ":4"});
  CHECK(Ask({"vcctl", "nope", ""}) == Strings{":4"});
  CHECK(Ask({"vcctl", "queue", "nope", ""}) == Strings{":4"});
  CHECK(Ask({"vcctl"}) == Ask({"vcctl", ""}));
}

TEST_CASE("completion: topics of help are commands", "[cli][completion]") {
  CHECK(Ask({"vcctl", "help", "que"}) == Strings{"queue", ":4"});
  CHECK(Ask({"vcctl", "help", "queue", "cr"}) == Strings{"create", ":4"});
  CHECK(Ask({"vcctl", "help", "queue", "create", ""}) == Strings{":4"});
  CHECK(Ask({"vcctl", "help", "nope", ""}) == Strings{":4"});
}

TEST_CASE("completion: flags that are not given yet", "[cli][completion]") {
  CHECK(Ask({"vcctl", "queue", "create", "--"}) ==
        Strings{"--master", "--kubeconfig", "--name", "--weight", "--state", "--help",
                "--log-flush-frequency", "--v", "--vmodule", ":4"});
  CHECK(Ask({"vcctl", "queue", "create", "--ma"}) == Strings{"--master", ":4"});
  for (const Strings& given :
       {Strings{"--name", "q"}, Strings{"--name=q"}, Strings{"-n", "q"}, Strings{"-nq"}}) {
    Strings line = {"vcctl", "queue", "create"};
    line.insert(line.end(), given.begin(), given.end());
    line.emplace_back("--n");
    CHECK(Ask(line) == Strings{":4"});
  }
  const Strings letters = Ask({"vcctl", "queue", "create", "-"});
  CHECK(Has(letters, "-w"));
  CHECK(Has(letters, "--weight"));
  // Behind "--" there are none.
  CHECK(Ask({"vcctl", "queue", "create", "--", "-"}) == Strings{":4"});
}

TEST_CASE("completion: a command that takes only flags offers them", "[cli][completion]") {
  const Strings offered = Ask({"vcctl", "job", "view", ""});
  CHECK(offered == Strings{"--master", "--kubeconfig", "--namespace", "--name", "--color", "--time",
                           "--help", ":4"});
  CHECK(Ask({"vcctl", "job", "view", "x"}) == Strings{":4"});
}

TEST_CASE("completion: values of flags in every spelling", "[cli][completion]") {
  CHECK(Ask({"vcctl", "job", "view", "--color", "a"}) == Strings{"always", "auto", ":4"});
  CHECK(Ask({"vcctl", "job", "view", "--time", "r"}) == Strings{"relative", "rfc3339", ":4"});
  CHECK(Ask({"vcctl", "conf", "check", "-o", "j"}) == Strings{"json", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "-o", "y"}) == Strings{"yaml", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "-o=y"}) == Strings{"yaml", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "--output", "y"}) == Strings{"yaml", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "--output=y"}) == Strings{"yaml", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "-Ao", "y"}) == Strings{"yaml", ":4"});
  CHECK(Ask({"vcctl", "jobflow", "describe", "-o", ""}) == Strings{"yaml", "json", ":4"});
  CHECK(Ask({"vcctl", "queue", "operate", "-a", ""}) == Strings{"open", "close", "update", ":4"});
  CHECK(Ask({"vcctl", "queue", "create", "-S", "C"}) == Strings{"Closed", ":4"});
  CHECK(Ask({"vcctl", "job", "list", "--watch="}) == Strings{"true", "false", ":4"});
  // No value is known, and no file is meant.
  CHECK(Ask({"vcctl", "queue", "create", "-w", ""}) == Strings{":4"});
  CHECK(Ask({"vcctl", "--nope", ""}).back() == ":4");
}

TEST_CASE("completion: a word that goes on has no blank behind it", "[cli][completion]") {
  CHECK(Ask({"vcctl", "pod", "list", "-o", "custom-columns="}) == Strings{"custom-columns=", ":6"});
  CHECK(Ask({"vcctl", "pod", "list", "-o", "jsonp"}).back() == ":6");
  CHECK(Ask({"vcctl", "pod", "list", "-o", "js"}).back() == ":4");
}

TEST_CASE("completion: phases are a list with commas", "[cli][completion]") {
  CHECK(Ask({"vcctl", "job", "wait", "--for", "Com"}) == Strings{"Completing", "Completed", ":4"});
  CHECK(Ask({"vcctl", "job", "wait", "--for=Failed,Completed,de"}) ==
        Strings{"Failed,Completed,delete", ":4"});
}

TEST_CASE("completion: files where files are meant", "[cli][completion]") {
  CHECK(Ask({"vcctl", "job", "run", "-f", ""}) == Strings{":0"});
  CHECK(Ask({"vcctl", "jobtemplate", "create", "--file="}) == Strings{":0"});
  CHECK(Ask({"vjobs", "-k", "x"}) == Strings{":0"});
}

constexpr char kJobsOfNamespace[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/";
constexpr char kAllQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues";
constexpr char kFlowsOfNamespace[] = "/apis/flow.volcano.sh/v1alpha1/namespaces/";

std::string Named(const std::string& name, const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + "\"}" + more + "}";
}

struct NamedBed : CliBed {
  NamedBed() {
    for (const char* ns : {"default", "research"}) {
      bed.Call("POST", "/api/v1/namespaces", Named(ns));
    }
    const std::string tasks =
        R"(,"spec":{"tasks":[{"name":"ps","replicas":1},{"name":"worker","replicas":2}]})";
    bed.Create(std::string(kJobsOfNamespace) + "research/jobs", Named("train-1", tasks));
    bed.Create(std::string(kJobsOfNamespace) + "research/jobs", Named("train-2", tasks));
    bed.Create(std::string(kJobsOfNamespace) + "default/jobs", Named("other"));
    for (const char* queue : {"fast", "slow"}) {
      bed.Create(kAllQueues, Named(queue, R"(,"spec":{"weight":1})"));
    }
    bed.Create(std::string(kFlowsOfNamespace) + "default/jobflows", Named("flow-a"));
    bed.Create(std::string(kFlowsOfNamespace) + "default/jobtemplates", Named("template-a"));
  }
  Strings Ask(Strings line) {
    line.insert(line.begin() + 1, "__complete");
    return Words(Run(line));
  }
};

TEST_CASE("completion: names of what is there now", "[cli][completion]") {
  NamedBed names;
  CHECK(names.Ask({"vcctl", "job", "view", "-N", ""}) == Strings{"other", ":4"});
  for (const char* leaf : {"view", "suspend", "resume", "delete", "explain", "wait"}) {
    INFO(leaf);
    CHECK(names.Ask({"vcctl", "job", leaf, "-n", "research", "-N", "tr"}) ==
          Strings{"train-1", "train-2", ":4"});
  }
  CHECK(names.Ask({"vcctl", "--namespace=research", "job", "view", "--name=train-2"}) ==
        Strings{"train-2", ":4"});
  CHECK(names.Ask({"vcctl", "job", "run", "-n", "res"}) == Strings{"research", ":4"});
  CHECK(names.Ask({"vcctl", "job", "run", "-N", ""}) == Strings{":4"});
  CHECK(names.Ask({"vcctl", "job", "list", "-q", ""}) == Strings{"fast", "slow", ":4"});
  for (const char* leaf : {"get", "delete", "operate", "explain"}) {
    INFO(leaf);
    CHECK(names.Ask({"vcctl", "queue", leaf, "-n", "s"}) == Strings{"slow", ":4"});
  }
  CHECK(names.Ask({"vcctl", "queue", "create", "-n", ""}) == Strings{":4"});
  CHECK(names.Ask({"vcctl", "pod", "list", "-n", "research", "-j", "train-1"}) ==
        Strings{"train-1", ":4"});
  CHECK(names.Ask({"vcctl", "jobflow", "get", "-N", ""}) == Strings{"flow-a", ":4"});
  CHECK(names.Ask({"vcctl", "jobtemplate", "describe", "-N", ""}) == Strings{"template-a", ":4"});
}

TEST_CASE("completion: the programs of one command, with their letters", "[cli][completion]") {
  NamedBed names;
  for (const char* program : {"vjobs", "vcancel", "vsuspend", "vresume"}) {
    INFO(program);
    CHECK(names.Ask({program, "-N", "research", "-n", "train"}) ==
          Strings{"train-1", "train-2", ":4"});
    CHECK(names.Ask({program, "-N", "re"}) == Strings{"research", ":4"});
  }
  CHECK(names.Ask({"vqueues", "--name", "f"}) == Strings{"fast", ":4"});
  CHECK(names.Ask({"vsub", "-N", "re"}) == Strings{"research", ":4"});
  CHECK(names.Ask({"vsub", "-n", ""}) == Strings{":4"});
  CHECK(Has(names.Ask({"vsub", "--"}), "--command"));
}

TEST_CASE("completion: pods and tasks of a job", "[cli][completion]") {
  NamedBed names;
  names.bed.Create(
      "/api/v1/namespaces/research/pods",
      R"({"metadata":{"name":"train-1-ps-0","labels":{"volcano.sh/job-name":"train-1"}},
                       "spec":{"containers":[{"name":"c","image":"i"}]}})");
  const ClusterFlags cluster;
  const std::string ns = "research";
  std::string job = "train-1";
  const auto words = [&names](const Offer& offer) {
    Strings out;
    Surroundings surroundings;
    surroundings.connect = names.console.connect;
    Session session(std::move(surroundings));
    for (const Candidate& candidate : offer(session, "").words) out.push_back(candidate.word);
    return out;
  };
  CHECK(words(OfferPodsOfJob({&cluster, &ns, &job})) == Strings{"train-1-ps-0"});
  CHECK(words(OfferTasksOfJob({&cluster, &ns, &job})) == Strings{"ps", "worker"});
  job = "train-2";
  CHECK(words(OfferPodsOfJob({&cluster, &ns, &job})).empty());
  job.clear();
  CHECK(words(OfferPodsOfJob({&cluster, &ns, &job})) == Strings{"train-1-ps-0"});
}

TEST_CASE("completion: without a server there is no word, no mistake, no waiting",
          "[cli][completion]") {
  CHECK(Ask({"vcctl", "job", "view", "-N", ""}) == Strings{":4"});
  NamedBed names;
  size_t asked = 0;
  names.bed.line->script = [&asked](const net::Request& request) {
    ++asked;
    CHECK(request.timeout <= absl::Seconds(1));
    test::Fault fault;
    fault.unsent = true;
    return fault;
  };
  CHECK(names.Ask({"vcctl", "job", "view", "-N", ""}) == Strings{":4"});
  CHECK(asked == 1);
}

TEST_CASE("completion: each script is for all programs and asks __complete", "[cli][completion]") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    INFO(shell);
    const Ran ran = Console().Run({"vcctl", "completion", shell});
    CHECK(ran.code == 0);
    CHECK(ran.out == CompletionScript(shell));
    CHECK(StrContains(ran.out, " __complete "));
    CHECK_FALSE(StrContains(ran.out, "@PROGRAMS@"));
    std::string programs = "vcctl";
    for (const std::string_view program : kSlurmPrograms) programs += " " + std::string(program);
    CHECK(StrContains(ran.out, programs));
    const Ran help = Console().Run({"vcctl", "completion", shell, "--help"});
    CHECK(StrContains(help.out, std::string("vcctl completion ") + shell));
  }
  CHECK(CompletionScript("tcsh").empty());
  const Console console;
  for (const std::string_view program : kSlurmPrograms) {
    CHECK(Has(Ask({std::string(program), "--he"}), "--help"));
  }
}

TEST_CASE("suggestions: a slip in three letters, or the beginning", "[cli][command]") {
  const Strings known = {"namespace", "name", "no-headers", "v"};
  CHECK(NearWords("namespce", known) == Strings{"namespace"});
  CHECK(NearWords("name", known) == Strings{"namespace", "name"});
  CHECK(NearWords("nmae", known) == Strings{"name"});
  CHECK(NearWords("nope", known).empty());
  CHECK(NearWords("x", known).empty());
  CHECK(NearWords("", known).empty());
  CHECK(NearWords(std::string(300, 'n'), known).empty());
  CHECK(NearWords("a", {"a1", "a2", "a3", "a4", "a5", "a6"}).size() == 5);
}

TEST_CASE("suggestions: flags", "[cli][command]") {
  const Ran typo = Console().Run({"vcctl", "job", "view", "--namespce", "a"});
  CHECK(typo.code == 1);
  CHECK(typo.err == "Error: unknown flag: --namespce\n\nDid you mean this?\n\t--namespace\n\n");
}

TEST_CASE("suggestions: names of objects, to whoever sits at a terminal", "[cli][command]") {
  NamedBed names;
  const Strings line = {"vcctl", "job", "view", "-n", "research", "-N", "trian-1"};
  const std::string failed = "Failed to view job: jobs.batch.volcano.sh \"trian-1\" not found\n";
  const size_t before = names.bed.calls;
  Ran ran = names.Run(line);
  CHECK(ran.out == failed);
  CHECK(ran.err.empty());
  CHECK(names.bed.calls == before + 1);
  names.console.is_watched = true;
  for (const char* leaf : {"view", "suspend", "resume", "delete", "explain", "wait"}) {
    INFO(leaf);
    ran = names.Run({"vcctl", "job", leaf, "-n", "research", "-N", "trian-1"});
    CHECK(ran.code == 255);
    CHECK(ran.err == "\nDid you mean this?\n\ttrain-1\n");
  }
  CHECK(names.Run({"vcctl", "queue", "get", "-n", "fsat"}).err == "\nDid you mean this?\n\tfast\n");
  CHECK(names.Run({"vcctl", "job", "view", "-N", "nothing-like-it"}).err.empty());
}

TEST_CASE("hints: names and help, to whoever sits at a terminal", "[cli][command]") {
  CliBed cli;
  const std::string mandatory =
      "Failed to delete job: job name is mandatory to delete a particular job\n";
  CHECK(cli.Run({"vcctl", "job", "delete", "train"}).err.empty());
  CHECK(cli.Run({"vcctl", "job", "list", "--nope"}).err == "Error: unknown flag: --nope\n");
  cli.console.is_watched = true;
  Ran ran = cli.Run({"vcctl", "job", "delete", "train"});
  CHECK(ran.out == mandatory);
  CHECK(ran.err == "Names are given with a flag: vcctl job delete -N train\n");
  CHECK(cli.Run({"vcancel", "train"}).err == "Names are given with a flag: vcancel -n train\n");
  CHECK(cli.Run({"vcctl", "job", "delete"}).err.empty());
  ran = cli.Run({"vcctl", "job", "list", "--nope"});
  CHECK(ran.err == "Error: unknown flag: --nope\nSee 'vcctl job list --help' for its flags.\n");
  CHECK(ran.code == 1);
}

TEST_CASE("help: on a terminal the program's is one screen", "[cli][command]") {
  Console console;
  console.terminal.width = 80;
  const std::string screen = console.Run({"vcctl", "--help"}).out;
  CHECK(screen.starts_with("Usage:\n  vcctl [command]\n\nExamples:\n  vcctl job run "));
  const Strings lines = absl::StrSplit(screen, '\n');
  CHECK(lines.size() - 1 <= 24);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  CHECK(console.Run({"vcctl"}).out == screen);
  CHECK(console.Run({"vcctl", "help"}).out == screen);
  CHECK(Console().Run({"vcctl"}).out != screen);
  CHECK(console.Run({"vcctl", "job"}).out == Console().Run({"vcctl", "job"}).out);
}

TEST_CASE("help: the examples of one screen are commands with flags that are there",
          "[cli][command]") {
  Console console;
  console.terminal.width = 80;
  const Strings lines = absl::StrSplit(console.Run({"vcctl"}).out, '\n');
  size_t examples = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with("  vcctl ") || line == "  vcctl [command]") continue;
    ++examples;
    const std::string command = line.substr(2, line.find("  ", 2) - 2);
    const Ran ran = Console().Run(Strings(absl::StrSplit(command, ' ')));
    INFO(command);
    CHECK(ran.code == 255);
    CHECK(StrContains(ran.out, "there is no cluster"));
  }
  CHECK(examples == 3);
}

TEST_CASE("completion: what a shell would read is a script or nothing", "[cli][completion]") {
  const Ran none = Console().Run({"vcctl", "completion"});
  CHECK(none.out.empty());
  CHECK(none.err ==
        "Error: a command is missing behind \"vcctl completion\": there are bash, zsh, fish\n");
  CHECK(none.code == 1);
  const Ran odd = Console().Run({"vcctl", "completion", "powershell"});
  CHECK(odd.out.empty());
  CHECK(odd.err ==
        "Error: unknown command \"powershell\" for \"vcctl completion\": there are bash, zsh, "
        "fish\n");
  CHECK(odd.code == 1);
  CHECK(Console().Run({"vcctl", "completion", "--help"}).code == 0);
}

}  // namespace
}  // namespace bth::cli
