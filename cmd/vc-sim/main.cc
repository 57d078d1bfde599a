// vc-sim: the scheduler's decisions on manifests, offline and on virtual time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "base/log.h"
#include "cmd/common/own_admission.h"
#include "cmd/common/unknown_flag.h"
#include "cmd/common/version.h"
#include "cmd/vc-sim/trace_flags.h"
#include "sim/run.h"
#include "sim/world/storm_command.h"

namespace bth::cmd {
namespace {

// Long flags of the command that was asked for, or of the program.
std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// Help ends with 0; every mistake on the command line ends as bad input does, and in one line.
int Ended(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const CLI::App* asked = &app;
  std::string words = "vc-sim";
  while (!asked->get_subcommands().empty()) {
    asked = asked->get_subcommands().back();
    words += " " + asked->get_name();
  }
  const std::vector<std::string> known = FlagsOf(*asked);
  std::string message = error.what();
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const std::string name = arg.substr(0, arg.find('='));
    if (name.size() < 3 || name.substr(0, 2) != "--") continue;
    if (std::find(known.begin(), known.end(), name.substr(2)) != known.end()) continue;
    message = UnknownFlag(arg, known);
    break;
  }
  std::cerr << "vc-sim: " << message << "; " << words << " --help shows more\n";
  return sim::kExitInput;
}

CLI::App* AddStorm(CLI::App& app, sim::StormFlags* storm) {
  CLI::App* command =
      app.add_subcommand("storm", "Whole clusters under simulated faults; see docs/vc-sim.md.");
  command->add_option("--seeds", storm->seeds, "A..B, or one.")->capture_default_str();
  command->add_option("--hours", storm->hours, "Of simulated time for each seed, roughly.")
      ->capture_default_str();
  command->add_option("--profile", storm->profile, "calm, rough or hell.")->capture_default_str();
  command->add_option("--jobs", storm->jobs, "Seeds at once; 0: one for each processor.");
  command->add_option("--seconds", storm->seconds, "End after so many, not with a seed.");
  command->add_option("--failures", storm->failures, "End after so many.")->capture_default_str();
  command->add_option("--only", storm->only, "Numbers of the deeds that are done.");
  command->add_option("--story", storm->story, "A story file, told instead of seeds.");
  command->add_option("--save", storm->save, "Folder for the stories of failures, once shrunk.");
  command->add_flag("--tell", storm->tell, "Print what is done and written, of the first seed.");
  command->add_flag("--log", storm->log, "Print what the daemons log, of the first seed.");
  command->add_flag("--shrink,!--no-shrink", storm->shrink, "Look for the fewest deeds that fail.");
  return command;
}

int Main(int argc, char** argv) {
  CLI::App app("Shows what the scheduler decides for a cluster described by manifests.", "vc-sim");
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Print the version and exit.");
  sim::RunOptions run;
  CLI::App* run_command = app.add_subcommand("run", "Run cycles on manifests.");
  run_command->add_option("--conf", run.conf, "A scheduler.conf; without it, the built-in policy.");
  run_command->add_option("--plugins-dir", run.plugins_dir,
                          "Folder of shared objects with further plugins.");
  run_command->add_option("--cycles", run.cycles, "How many cycles to run.")->capture_default_str();
  run_command->add_flag("--apply", run.apply,
                        "Between cycles, bound pods start, victims go, statuses are written.");
  run_command->add_option("--scheduler-sharding-mode", run.sharding_mode,
                          "none, hard or soft: how to keep to the nodes of the NodeShard.");
  run_command->add_option("--scheduler-sharding-name", run.sharding_name, "Name of the NodeShard.");
  run_command->add_option("--output,-o", run.output, "text or json.")->capture_default_str();
  run_command->add_option("PATH", run.paths, "Manifest files, folders, or - for standard input.");
  bool bless = false;
  std::vector<std::string> scenarios;
  CLI::App* test_command = app.add_subcommand("test", "Run scenario files.");
  test_command->add_flag("--bless", bless, "Rewrite what differs from the expectations.");
  test_command->add_option("PATH", scenarios, "Scenario files or folders.")->required();
  sim::StormFlags storm;
  const CLI::App* storm_command = AddStorm(app, &storm);
  trace::TraceFlags trace;
  CLI::App* trace_command = AddTrace(app, &trace);
  trace::GenerateFlags generate;
  const CLI::App* generate_command = AddGenerate(*trace_command, &generate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Ended(app, error, argc, argv);
  }
  if (version) {
    std::cout << VersionText();
    return sim::kExitRan;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help() << "\nvc-sim: say what to do: run, test, storm or trace\n";
    return sim::kExitInput;
  }
  SetLogLevel(LogLevel::kError);
  const auto extend = [](apiserver::ApiServer& server) {
    AddOwnAdmission(server, admission::Settings());
  };
  if (generate_command->parsed()) return trace::RunGenerate(generate, std::cout, std::cerr);
  if (trace_command->parsed()) {
    return trace::RunTrace(trace, extend, std::cin, std::cout, std::cerr);
  }
  if (storm_command->parsed()) {
    return sim::RunStorm(storm, extend, std::cout, std::cerr);
  }
  if (test_command->parsed()) {
    return sim::RunScenarioFiles(scenarios, bless, std::cout, std::cerr);
  }
  return sim::RunManifests(run, std::cin, std::cout, std::cerr);
}

}  // namespace
}  // namespace bth::cmd

int main(int argc, char** argv) {
  return bth::cmd::Main(argc, argv);
}
