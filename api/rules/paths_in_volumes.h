// Paths below a volume, and modes of files. Pure, any thread.
#pragma once

#include <string_view>

#include "api/rules/part.h"

namespace bth::rules {

// No element "..".
void CheckNoBacksteps(const Part& holder, std::string_view key, std::string_view path);
// Relative, and no element "..".
void CheckDescendingPath(const Part& holder, std::string_view key, std::string_view path);
// The same, and not beginning with "..", which kubelets keep for themselves.
void CheckLocalPath(const Part& holder, std::string_view key, std::string_view path);
// source[key] is absent or a mode from 0 to 0777; errors are told at holder's `key`.
void CheckFileMode(const Part& holder, const Part& source, std::string_view key);

}  // namespace bth::rules
