// YAML as `kubectl -o yaml` prints it: the text of sigs.k8s.io/yaml.
//
// Block style, indented by two, lists as far left as their key. Keys are sorted, numbers in them by
// their value. Long texts are folded behind column 80, texts of several lines stand as they are
// below
// `|`, and what a reader could take for something else is quoted.
#pragma once

#include <string>
#include <string_view>

#include "api/types/json.h"

namespace bth::cli {

// Ends with a line break.
std::string YamlText(const types::Json& value);

// Whether `a` comes before `b` among the keys of a map: letters after all else, numbers by value.
bool YamlKeyLess(std::string_view a, std::string_view b);

}  // namespace bth::cli
