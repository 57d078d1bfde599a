// How things are shown to people: the flags --color and --time.
#pragma once

#include "cli/command/flag_set.h"
#include "cli/print/times.h"

namespace bth::cli {

enum class ColourMode { kAuto, kAlways, kNever };

struct ShowFlags {
  ColourMode colour = ColourMode::kAuto;
  TimeForm time = TimeForm::kUsual;
};

// Other words are refused with pflag's text for bad values.
void AddColourFlag(ShowFlags* target, FlagSet* flags);
void AddTimeFlag(ShowFlags* target, FlagSet* flags);

}  // namespace bth::cli
