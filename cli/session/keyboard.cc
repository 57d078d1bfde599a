#include "cli/session/keyboard.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace bth::cli {
namespace {

constexpr size_t kKeysMax = 64;

class TerminalKeyboard final : public Keyboard {
 public:
  TerminalKeyboard(int descriptor, const termios& before)
      : descriptor_(descriptor), before_(before) {
    Resume();
  }
  TerminalKeyboard(const TerminalKeyboard&) = delete;
  // Whoever has the terminal by now decides about it: a program in the background would be stopped.
  ~TerminalKeyboard() override {
    if (tcgetpgrp(descriptor_) == getpgrp()) tcsetattr(descriptor_, TCSADRAIN, &before_);
  }

  int descriptor() const override { return descriptor_; }

  std::optional<std::string> Take() override {
    char keys[kKeysMax];
    ssize_t count = 0;
    do {
      count = read(descriptor_, keys, sizeof(keys));
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return std::nullopt;
    return std::string(keys, static_cast<size_t>(count));
  }

  void Resume() override {
    if (tcgetpgrp(descriptor_) != getpgrp()) return;
    termios single = before_;
    single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    single.c_cc[VMIN] = 1;
    single.c_cc[VTIME] = 0;
    tcsetattr(descriptor_, TCSANOW, &single);
  }

 private:
  const int descriptor_;
  const termios before_;
};

}  // namespace

std::unique_ptr<Keyboard> OpenKeyboard(int descriptor) {
  termios before{};
  if (tcgetattr(descriptor, &before) != 0 || tcgetpgrp(descriptor) != getpgrp()) return nullptr;
  return std::make_unique<TerminalKeyboard>(descriptor, before);
}

}  // namespace bth::cli
