// What two policies do with one cluster, for people. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "api/types/json.h"

namespace bth::cli {

// `comparison`: the answer of PolicyEngine::Compare. Of each job at most `rows_max` pods are told.
std::string ConfDiffText(const types::Json& comparison, std::string_view world, size_t rows_max);

}  // namespace bth::cli
