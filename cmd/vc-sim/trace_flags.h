// Flags of `vc-sim trace` and `vc-sim trace generate`.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/trace/trace_command.h"

namespace bth::cmd {

// Both outlive `app`.
CLI::App* AddTrace(CLI::App& app, trace::TraceFlags* flags);
CLI::App* AddGenerate(CLI::App& trace, trace::GenerateFlags* flags);

}  // namespace bth::cmd
