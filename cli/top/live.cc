#include "cli/top/live.h"

#include <csignal>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cli/print/clip.h"
#include "cli/print/watch.h"

namespace bth::cli {
namespace {

// The alternate screen without a cursor, and back.
constexpr std::string_view kEnterScreen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeaveScreen = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

class AlternateScreen final {
 public:
  explicit AlternateScreen(std::ostream& out, bool is_wanted) : out_(out), is_wanted_(is_wanted) {
    if (is_wanted_) out_ << kEnterScreen << kClearScreen << std::flush;
  }
  AlternateScreen(const AlternateScreen&) = delete;
  ~AlternateScreen() {
    if (is_wanted_) out_ << kLeaveScreen << std::flush;
  }

 private:
  std::ostream& out_;
  const bool is_wanted_;
};

std::string LiveText(const TopView& view, const Terminal& terminal) {
  std::string text = view.Text(terminal);
  const absl::Status error = view.last_error();
  if (!error.ok()) StrAppend(&text, "\nnot up to date: ", error.message(), "\n");
  return ClipLines(text, terminal.width, terminal.utf8);
}

// "q", and Ctrl-D, which ends what is typed.
bool EndsIt(std::string_view typed) {
  return typed.find_first_of("qQ\x04") != std::string_view::npos;
}

}  // namespace

void ShowLive(Session& session, Cluster& cluster, const TopView& view, absl::Duration interval) {
  bool is_over = false;
  bool is_resized = false;
  cluster.OnSignals({SIGINT, SIGTERM, SIGHUP}, [&](int) {
    is_over = true;
    cluster.Interrupt();
  });
  cluster.OnSignals({SIGWINCH}, [&](int) {
    is_resized = true;
    cluster.Interrupt();
  });
  Terminal terminal = session.terminal();
  const AlternateScreen alternate(session.out(), terminal.can_redraw);
  const std::unique_ptr<Keyboard> keyboard = terminal.can_redraw ? session.OpenKeyboard() : nullptr;
  if (keyboard != nullptr) {
    cluster.OnReadable(keyboard->descriptor(), [&] {
      const std::optional<std::string> typed = keyboard->Take();
      is_over |= !typed.has_value() || EndsIt(*typed);
      if (is_over) cluster.Interrupt();
      return !is_over;
    });
    cluster.OnSignals({SIGCONT}, [&](int) {
      keyboard->Resume();
      is_resized = true;  // The screen may hold anything.
      cluster.Interrupt();
    });
  }
  LiveScreen screen(terminal);
  std::string shown;
  while (!is_over) {
    std::string out;
    if (std::exchange(is_resized, false)) {
      terminal = session.TerminalNow();
      screen.Resize(terminal);
      shown.clear();
      if (terminal.can_redraw) out = kClearScreen;
    }
    std::string text = LiveText(view, terminal);
    // What did not change need not be sent again; in a pipe each time counts.
    if (!terminal.can_redraw || text != shown) screen.Draw(text, out);
    shown = std::move(text);
    session.out() << out << std::flush;
    // The reader has gone.
    if (!session.out()) return;
    cluster.Pause(interval);
  }
}

}  // namespace bth::cli
