#include "cli/session/session.h"

namespace bth::cli {
namespace {

Terminal WithColourMode(Terminal terminal, ColourMode mode) {
  if (mode != ColourMode::kAuto) terminal.colour = mode == ColourMode::kAlways;
  return terminal;
}

}  // namespace

Terminal Session::TerminalNow() const {
  if (!surroundings_.terminal_now) return surroundings_.terminal;
  return WithColourMode(surroundings_.terminal_now(), colour_);
}

void Session::Apply(const ShowFlags& flags) {
  colour_ = flags.colour;
  time_form_ = flags.time;
  surroundings_.terminal = WithColourMode(surroundings_.terminal, colour_);
}

}  // namespace bth::cli
