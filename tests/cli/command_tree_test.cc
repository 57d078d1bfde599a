// Volcano's commands with the flags, letters, defaults and sentences that its programs have. What
// is ours beside them is not looked at.
#include "tests/cli/console.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::Console;

struct FlagLine {
  std::string name;
  char letter;
  std::string type;
  std::string help;
  std::string shown_default = "";
};

struct LeafLine {
  std::string path;
  std::string about;
  std::vector<FlagLine> flags;
};

const std::vector<FlagLine> kClusterFlags = {
    {"kubeconfig", 'k', "string", "(optional) absolute path to the kubeconfig file"},
    {"master", 's', "string", "the address of apiserver"}};

const std::vector<FlagLine> kLogFlags = {
    {"log-flush-frequency", 0, "duration", "Maximum number of seconds between log flushes", "5s"},
    {"v", 'v', "Level", "number for the log level verbosity"},
    {"vmodule", 0, "moduleSpec",
     "comma-separated list of pattern=N settings for file-filtered logging (only works for the "
     "default text log format)"}};

std::vector<FlagLine> Joined(std::vector<FlagLine> flags, const std::vector<FlagLine>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<FlagLine> JobFlagsOf(char ns, char name) {
  return {{"namespace", ns, "string", "the namespace of job", "\"default\""},
          {"name", name, "string", "the name of job"}};
}

const std::vector<FlagLine> kShapeFlags = {
    {"min", 'm', "int", "the minimal available tasks of job", "1"},
    {"replicas", 'r', "int", "the total tasks of job", "1"},
    {"requests", 'R', "string", "the resource request of the task", "\"cpu=1000m,memory=100Mi\""},
    {"limits", 'L', "string", "the resource limit of the task", "\"cpu=1000m,memory=100Mi\""}};

const FlagLine kQueueName = {"name", 'n', "string", "the name of queue"};

// One blank between words: help aligns them.
std::string Squeezed(const std::string& line) {
  std::string out;
  for (const char c : line) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out += c;
  }
  return out;
}

std::string HelpLineOf(const FlagLine& flag) {
  std::string line = flag.letter == 0 ? "" : std::string("-") + flag.letter + ", ";
  line += "--" + flag.name + (flag.type.empty() ? "" : " " + flag.type) + " " + flag.help;
  return line + (flag.shown_default.empty() ? "" : " (default " + flag.shown_default + ")");
}

void CheckLeaf(const LeafLine& leaf) {
  std::vector<std::string> line = absl::StrSplit(leaf.path, ' ');
  line.emplace_back("--help");
  const std::string help = Console().Run(line).out;
  INFO(leaf.path);
  CHECK(help.starts_with(leaf.about + "\n\nUsage:\n  " + leaf.path));
  std::vector<std::string> shown;
  for (const auto& text : absl::StrSplit(help, '\n')) shown.push_back(Squeezed(std::string(text)));
  const std::string name(leaf.path.substr(leaf.path.rfind(' ') + 1));
  for (const FlagLine& flag :
       Joined(Joined(leaf.flags, kLogFlags), {{"help", 'h', "", "help for " + name}})) {
    INFO(HelpLineOf(flag));
    CHECK(std::count(shown.begin(), shown.end(), HelpLineOf(flag)) == 1);
  }
}

TEST_CASE("command tree: leaves on jobs", "[cli][job]") {
  const std::vector<FlagLine> of_job = Joined(kClusterFlags, JobFlagsOf('n', 'N'));
  CheckLeaf({"vcctl job run", "run job by parameters from the command line",
             Joined(Joined(of_job, kShapeFlags),
                    {{"image", 'i', "string", "the container image of job", "\"busybox\""},
                     {"scheduler", 'S', "string", "the scheduler for this job", "\"volcano\""},
                     {"filename", 'f', "string", "the yaml file of job"}})});
  CheckLeaf({"vcctl job list", "list job information",
             Joined(kClusterFlags,
                    {{"namespace", 'n', "string", "the namespace of job", "\"default\""},
                     {"queue", 'q', "string", "list job with specified queue name"},
                     {"scheduler", 'S', "string", "list job with specified scheduler name"},
                     {"selector", 0, "string", "fuzzy matching jobName"}})});
  CheckLeaf({"vcctl job view", "show job information", of_job});
  CheckLeaf({"vcctl job suspend", "abort a job", of_job});
  CheckLeaf({"vcctl job resume", "resume a job", of_job});
  CheckLeaf({"vcctl job delete", "delete a job", of_job});
}

TEST_CASE("command tree: leaves on queues", "[cli][queue]") {
  const FlagLine name_test = {"name", 'n', "string", "the name of queue", "\"test\""};
  CheckLeaf({"vcctl queue create", "creates queue",
             Joined(kClusterFlags, {name_test,
                                    {"weight", 'w', "int32", "the weight of the queue", "1"},
                                    {"state", 'S', "string", "the state of queue", "\"Open\""}})});
  CheckLeaf({"vcctl queue delete", "delete queue", Joined(kClusterFlags, {kQueueName})});
  CheckLeaf({"vcctl queue operate", "operate queue",
             Joined(kClusterFlags,
                    {kQueueName,
                     {"weight", 'w', "int32", "the weight of the queue"},
                     {"action", 'a', "string",
                      "operate action to queue, valid actions are open, close, update"}})});
  CheckLeaf({"vcctl queue list", "lists all the queue", kClusterFlags});
  CheckLeaf({"vcctl queue get", "get a queue", Joined(kClusterFlags, {kQueueName})});
}

TEST_CASE("command tree: leaves on flows and templates", "[cli][jobflow]") {
  for (const auto& [group, words] : {std::pair<std::string, std::string>("jobflow", "jobflow"),
                                     {"jobtemplate", "job template"}}) {
    const FlagLine name = {"name", 'N', "string", "the name of " + words};
    const FlagLine ns = {"namespace", 'n', "string", "the namespace of " + words, "\"default\""};
    const FlagLine file = {"file", 'f', "string",
                           "the path to the YAML file containing the " + words};
    const FlagLine format = {"format", 'o', "string", "the format of output", "\"yaml\""};
    const std::string leaf = "vcctl " + group + " ";
    CheckLeaf({leaf + "create", "create a " + group, Joined(kClusterFlags, {file})});
    CheckLeaf({leaf + "list", "list " + group + "s", Joined(kClusterFlags, {ns})});
    CheckLeaf({leaf + "get", "get a " + group, Joined(kClusterFlags, {name, ns})});
    CheckLeaf({leaf + "delete", "delete a " + group, Joined(kClusterFlags, {name, ns, file})});
    CheckLeaf(
        {leaf + "describe", "describe a " + group, Joined(kClusterFlags, {name, ns, format})});
  }
}

TEST_CASE("command tree: the other leaves", "[cli][pod]") {
  CheckLeaf({"vcctl pod list", "list pod information created by vcjob",
             Joined(kClusterFlags,
                    {{"queue", 'q', "string", "list pod with specified queue name"},
                     {"job", 'j', "string", "list pod with specified job name"},
                     {"namespace", 'n', "string", "the namespace of pod", "\"default\""}})});
  CheckLeaf({"vcctl version", "Print the version information", {}});
}

TEST_CASE("command tree: all namespaces, where Volcano has them", "[cli][command]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"vcctl job list", "list jobs in all namespaces"},
      {"vjobs", "list jobs in all namespaces"},
      {"vcctl jobflow list", "list jobflows in all namespaces"},
      {"vcctl pod list", "list pods in all namespaces"}};
  for (const auto& [path, help] : cases) {
    std::vector<std::string> line = absl::StrSplit(path, ' ');
    line.emplace_back("--help");
    const std::string shown = Squeezed(Console().Run(line).out);
    INFO(path);
    CHECK(shown.find("--all-namespaces " + help) != std::string::npos);
  }
  const test::Ran ran = Console().Run({"vcctl", "jobtemplate", "list", "--all-namespaces"});
  CHECK(ran.err == "Error: unknown flag: --all-namespaces\n");
}

TEST_CASE("command tree: the programs of one command", "[cli][slurm]") {
  const std::vector<FlagLine> of_job = Joined(kClusterFlags, JobFlagsOf('N', 'n'));
  const std::string ending = " job with specified name in default or specified namespace";
  CheckLeaf({"vcancel", "cancel a running, pending, or aborted" + ending, of_job});
  CheckLeaf({"vresume", "resume an aborted" + ending, of_job});
  CheckLeaf({"vsuspend", "suspend a running or pending" + ending, of_job});
  CheckLeaf({"vjobs",
             "view information of a job with specified name or jobs from the same namespace",
             Joined(of_job, {{"scheduler", 'S', "string", "list job with specified scheduler name"},
                             {"selector", 0, "string", "fuzzy matching jobName"}})});
  CheckLeaf({"vqueues",
             "view information of a queue with specified name or queues from the same namespace",
             Joined(kClusterFlags, {kQueueName})});
  CheckLeaf({"vsub",
             "submit a job with specified name and arguments. yaml/json file is not accepted, you "
             "may refer to kubectl.",
             Joined(Joined(kClusterFlags, kShapeFlags),
                    {{"name", 'n', "string", "the name of job"},
                     {"command", 'c', "string", "the command of job"}})});
}

}  // namespace
}  // namespace bth::cli
