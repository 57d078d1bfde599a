// The programs of users in the test's own process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/programs.h"
#include "cli/session/cluster.h"
#include "cli/session/session.h"
#include "sim/policy_engine.h"

namespace bth::test {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs programs in a session without a cluster: for what never asks one.
struct Console {
  std::map<std::string, std::string> environment;
  std::function<absl::StatusOr<std::unique_ptr<cli::Cluster>>(const cli::ClusterFlags&)> connect =
      [](const cli::ClusterFlags&) { return absl::UnavailableError("there is no cluster"); };
  std::string input;           // What a program reads, or a person answers.
  cli::Terminal terminal;      // Of stdout; none unless a test says so.
  cli::Terminal err_terminal;  // Of stderr.
  std::function<cli::Terminal()> terminal_now;
  bool is_interactive = false;
  bool is_watched = false;  // Somebody reads the mistakes on a terminal.
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};

  // The first word is the program's name.
  Ran Run(const std::vector<std::string>& line) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    cli::Surroundings surroundings;
    surroundings.in = &in;
    surroundings.out = &out;
    surroundings.err = &err;
    surroundings.clock = &clock;
    surroundings.zone = absl::UTCTimeZone();
    surroundings.variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment.find(std::string(name));
      if (found == environment.end()) return std::nullopt;
      return found->second;
    };
    surroundings.connect = connect;
    surroundings.engine = sim::MakePolicyEngine;
    surroundings.is_interactive = is_interactive;
    surroundings.terminal = terminal;
    surroundings.err_terminal = err_terminal;
    surroundings.terminal_now = terminal_now;
    surroundings.is_watched = is_watched;
    surroundings.version_text = "API Version: v1alpha1\n";
    cli::Session session(std::move(surroundings));
    const std::vector<std::string> args(line.begin() + 1, line.end());
    const int code = cli::RunProgram(line[0], args, session);
    return {code, out.str(), err.str()};
  }
};

}  // namespace bth::test
