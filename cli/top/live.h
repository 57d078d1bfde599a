// A view that stays on the terminal and follows what happens.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/session/session.h"
#include "cli/top/view.h"

namespace bth::cli {

// On a terminal: draws on its alternate screen, again where something has changed since the last
// time, until q is pressed, or SIGINT, SIGTERM or SIGHUP; then the terminal is as it was.
// Elsewhere: a block of lines each time, until the signal.
void ShowLive(Session& session, Cluster& cluster, const TopView& view, absl::Duration interval);

}  // namespace bth::cli
