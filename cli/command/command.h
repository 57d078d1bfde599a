// One command of a program: what it is called, which flags it has, what it does. Commands are a
// tree; its root is the program.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/flag_set.h"

namespace bth::cli {

class Session;

// Plain value. `run` keeps alive what the flags write to.
struct Command {
  std::string name;
  std::string short_text;  // In the list of its parent.
  std::string long_text;   // Above its own help; empty: the short text.
  std::string operands;    // What the usage line has after the name.
  std::string example;
  // Of a program: what its help on a terminal shows beside the commands. Volcano's has none.
  std::string screen_example;
  FlagSet flags;
  std::vector<Command> children;
  bool needs_child = false;  // A group that is a mistake by itself, instead of showing its help.
  // Takes the words that are no flags; unset: they are passed over, as by Volcano's programs. A
  // refusal is a mistake on the command line.
  std::function<absl::Status(const std::vector<std::string>&)> take_words;
  // Empty: a group, which only shows its help. A status becomes the closing line of the output; one
  // without a message is only told by the exit code.
  std::function<absl::Status(Session&)> run;

  const Command* Child(std::string_view name) const;
};

// From the program down to the command that is meant; never empty.
using CommandPath = std::vector<const Command*>;

// "vcctl job list".
std::string PathText(const CommandPath& path);

}  // namespace bth::cli
