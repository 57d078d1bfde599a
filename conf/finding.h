// What is odd in a configuration without making it invalid.
#pragma once

#include <string>

namespace bth::conf {

// Warning: something the author wrote has no effect, or not the one they meant.
// Note: worth a look, works as written.
enum class Severity { kNote, kWarning };

struct Finding {
  Severity severity = Severity::kWarning;
  int line = 0;         // From 1; 0 when there is no line, as in the built-in policy.
  std::string path;     // `tiers[1].plugins[0].arguments.binpack.weight`; empty for the whole file.
  std::string text;     // What was found and what is done instead.
  std::string nearest;  // The valid name that was probably meant; may be empty.

  friend bool operator==(const Finding&, const Finding&) = default;
};

// `line 7: tiers[1].plugins[0].enabledJobOrder: unknown key, ignored (did you mean "…"?)`.
std::string ToString(const Finding& finding);

}  // namespace bth::conf
