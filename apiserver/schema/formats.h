// The formats of strings that Kubernetes checks.
#pragma once

#include <string_view>

namespace bth::apiserver {

// Whether `format` is one that is checked; others are taken for a remark.
bool IsCheckedFormat(std::string_view format);
// Whether `text` has the format. True for formats that are not checked.
bool HasFormat(std::string_view format, std::string_view text);
// Whether a definition may name the format without a warning: checked ones and those of numbers.
bool IsKnownFormat(std::string_view format);

}  // namespace bth::apiserver
