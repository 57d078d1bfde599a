// Policies drawn at random.
#pragma once

#include <string>

#include "tests/hostile/dice.h"

namespace bth::hostile {

// A scheduler.conf: actions in any order, every plugin (but those that ask servers outside the
// cluster) in any tier, switches and arguments as it comes. Some are refused.
std::string DrawPolicy(Dice& dice);

// Admits and places whatever fits; nothing else.
std::string PlainPolicy();

}  // namespace bth::hostile
