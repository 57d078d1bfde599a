// Arguments of job plugins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/go_flags.h"

namespace bth::controllers {

using PluginFlags = GoFlags;

// Empty, or that the value of the flag is no port and what to mend.
std::string WrongPortText(std::string_view flag, int32_t port);

}  // namespace bth::controllers
