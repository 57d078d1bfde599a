// vc-sim: the scheduler's decisions on manifests, offline and on virtual time.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/log.h"
#include "sim/run.h"

namespace bth::cmd {
namespace {

// Help ends with 0, every mistake on the command line as bad input does.
int Ended(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? sim::kExitRan : sim::kExitInput;
}

int Main(int argc, char** argv) {
  CLI::App app("Shows what the scheduler decides for a cluster described by manifests.", "vc-sim");
  app.require_subcommand(1);
  sim::RunOptions run;
  CLI::App* run_command = app.add_subcommand("run", "Run cycles on manifests.");
  run_command->add_option("--conf", run.conf, "A scheduler.conf; without it, the built-in policy.");
  run_command->add_option("--plugins-dir", run.plugins_dir,
                          "Folder of shared objects with further plugins.");
  run_command->add_option("--cycles", run.cycles, "How many cycles to run.")->capture_default_str();
  run_command->add_flag("--apply", run.apply,
                        "Between cycles, bound pods start, victims go, statuses are written.");
  run_command->add_option("--output,-o", run.output, "text or json.")->capture_default_str();
  run_command->add_option("PATH", run.paths, "Manifest files, folders, or - for standard input.");
  bool bless = false;
  std::vector<std::string> scenarios;
  CLI::App* test_command = app.add_subcommand("test", "Run scenario files.");
  test_command->add_flag("--bless", bless, "Rewrite what differs from the expectations.");
  test_command->add_option("PATH", scenarios, "Scenario files or folders.")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Ended(app, error);
  }
  SetLogLevel(LogLevel::kError);
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
