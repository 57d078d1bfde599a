#include "cli/session/session.h"

namespace bth::cli {
namespace {

Terminal WithColourWish(Terminal terminal, ColourWish wish) {
  if (wish != ColourWish::kAuto) terminal.colour = wish == ColourWish::kAlways;
  return terminal;
}

}  // namespace

Terminal Session::TerminalNow() const {
  if (!surroundings_.terminal_now) return surroundings_.terminal;
  return WithColourWish(surroundings_.terminal_now(), colour_);
}

void Session::Apply(const ShowFlags& flags) {
  colour_ = flags.colour;
  time_form_ = flags.time;
  surroundings_.terminal = WithColourWish(surroundings_.terminal, colour_);
}

}  // namespace bth::cli
