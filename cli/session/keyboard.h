// Single keys of a person at the terminal.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace bth::cli {

// While it lives, keys are not shown and arrive without Enter; Ctrl-C stays a signal. Then the
// terminal is as it was. Thread: one.
class Keyboard {
 public:
  virtual ~Keyboard() = default;
  // Readable when keys were pressed.
  virtual int descriptor() const = 0;
  // What was typed; waits where nothing was. Nothing: the terminal has gone.
  virtual std::optional<std::string> Take() = 0;
  // The terminal may have been somebody else's meanwhile: after SIGCONT.
  virtual void Resume() = 0;
};

// Null: the descriptor is no terminal, or another program's at the moment.
std::unique_ptr<Keyboard> OpenKeyboard(int descriptor);

}  // namespace bth::cli
