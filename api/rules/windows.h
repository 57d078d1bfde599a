// Pods for one operating system only. Pure, any thread.
#pragma once

#include "api/rules/part.h"

namespace bth::rules {

// windowsOptions of a security context.
void CheckWindowsOptions(const Part& context);
// Either all containers of a pod are processes of the host, or none.
void CheckHostProcesses(const Part& spec);
// spec.os, and what may not be set for that system.
void CheckOperatingSystem(const Part& spec);

}  // namespace bth::rules
