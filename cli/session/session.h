// What a command gets from its surroundings: streams, clock, zone, environment, the cluster.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "cli/conf/policy_engine.h"
#include "cli/print/terminal.h"
#include "cli/session/cluster.h"
#include "cli/session/keyboard.h"
#include "cli/session/show_flags.h"

namespace bth::cli {

// --master and --kubeconfig.
struct ClusterFlags {
  std::string master;
  std::string kubeconfig;
};

struct Surroundings {
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  // In, out and err are a person at a terminal, who can be asked.
  bool is_interactive = false;
  const Clock* clock = nullptr;
  absl::TimeZone zone;  // Of times that people read.
  std::function<std::optional<std::string>(std::string_view)> variable;  // Of the environment.
  // Finds the API server, and sends nothing. Called once per command, before anything else.
  std::function<absl::StatusOr<std::unique_ptr<Cluster>>(const ClusterFlags&)> connect;
  // The scheduler's engine, with the plugins in a folder of shared objects ("": only its own).
  std::function<absl::StatusOr<std::unique_ptr<PolicyEngine>>(const std::string&)> engine;
  Terminal terminal;      // What is known of `out`.
  Terminal err_terminal;  // And of `err`.
  // Looks at `out` again, after its window was resized. Unset: nothing has changed.
  std::function<Terminal()> terminal_now;
  // Keys of the person at `in`. Unset or null: there is nobody whose keys could be read.
  std::function<std::unique_ptr<Keyboard>()> keyboard;
  bool is_watched = false;   // Somebody reads `err` on a terminal: suggestions may be asked for.
  std::string version_text;  // Of `vcctl version`.
};

// One run of a program. What `surroundings` points at outlives it. Thread: one.
class Session final {
 public:
  explicit Session(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}
  Session(const Session&) = delete;

  std::istream& in() const { return *surroundings_.in; }
  std::ostream& out() const { return *surroundings_.out; }
  std::ostream& err() const { return *surroundings_.err; }
  absl::Time now() const { return surroundings_.clock->Now(); }
  absl::TimeZone zone() const { return surroundings_.zone; }
  bool is_watched() const { return surroundings_.is_watched; }
  const Terminal& terminal() const { return surroundings_.terminal; }
  const Terminal& err_terminal() const { return surroundings_.err_terminal; }
  Terminal TerminalNow() const;
  bool is_interactive() const { return surroundings_.is_interactive; }
  std::unique_ptr<Keyboard> OpenKeyboard() const {
    return surroundings_.keyboard ? surroundings_.keyboard() : nullptr;
  }
  // How points in time are shown.
  TimeStyle times() const { return {now(), time_form_, zone()}; }
  // What a person asks for counts before what is known of the terminal.
  void Apply(const ShowFlags& flags);
  const std::string& version_text() const { return surroundings_.version_text; }
  // Empty when it is not set.
  std::string Variable(std::string_view name) const {
    return surroundings_.variable(name).value_or("");
  }
  absl::StatusOr<std::unique_ptr<Cluster>> Connect(const ClusterFlags& flags) const {
    absl::StatusOr<std::unique_ptr<Cluster>> cluster = surroundings_.connect(flags);
    if (cluster.ok() && is_watched()) (*cluster)->SuggestNames();
    return cluster;
  }
  absl::StatusOr<std::unique_ptr<PolicyEngine>> Engine(const std::string& plugins_dir) const {
    return surroundings_.engine(plugins_dir);
  }

 private:
  Surroundings surroundings_;
  ColourMode colour_ = ColourMode::kAuto;
  TimeForm time_form_ = TimeForm::kUsual;
};

}  // namespace bth::cli
