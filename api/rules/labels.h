// Labels, annotations and selectors. Pure, any thread.
#pragma once

#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

// A map of labels at `key`.
void CheckLabels(const Part& holder, std::string_view key);
// Names are qualified, all of them together up to 256 KiB.
void CheckAnnotations(const Part& holder, std::string_view key);
// {matchLabels, matchExpressions} at `key`.
void CheckLabelSelector(const Part& holder, std::string_view key);
// One name of a label, at `key`.
void CheckLabelName(const Part& holder, std::string_view key);

}  // namespace bth::rules
