// What a container will do, read off its command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace bth::nodesim {

// A run of a container.
struct Outcome {
  absl::Duration runs = absl::InfiniteDuration();  // Infinite: until it is stopped.
  int exit_code = 0;

  bool endless() const { return runs == absl::InfiniteDuration(); }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Something that a run prints.
struct Printed {
  absl::Duration at;  // From the start of the run.
  std::string text;   // A line, several, or a piece of one.
};

// Understands true, false, `:`, echo, printf, exit K, sleep N[smhd] and sleep infinity, chained
// with `;`, `&&` and `||`, directly or through `sh -c`. Everything else, and an image's own
// command, runs without end: as servers do. What echo and printf say is appended to `printed` when
// it is wanted. Pure; cost linear in the length.
Outcome OutcomeOf(const std::vector<std::string>& command, const std::vector<std::string>& args,
                  std::vector<Printed>* printed = nullptr);

// The same for the text of a shell script.
Outcome OutcomeOfScript(std::string_view script, std::vector<Printed>* printed = nullptr);

}  // namespace bth::nodesim
