// `vcctl jobflow` and `vcctl jobtemplate`.
#pragma once

#include "cli/command/command.h"

namespace bth::cli {

Command JobFlowCommand();
Command JobTemplateCommand();

}  // namespace bth::cli
