// How things are shown to people: the flags --color and --time.
#pragma once

#include "cli/command/flag_set.h"
#include "cli/print/times.h"

namespace bth::cli {

enum class ColourWish { kAuto, kAlways, kNever };

struct ShowFlags {
  ColourWish colour = ColourWish::kAuto;
  TimeForm time = TimeForm::kUsual;
};

// Other words are refused with pflag's text for bad values.
void AddColourFlag(ShowFlags* target, FlagSet* flags);
void AddTimeFlag(ShowFlags* target, FlagSet* flags);

}  // namespace bth::cli
