// The rules of what a definition says per version.
#pragma once

#include <vector>

#include "apiserver/rest/errors.h"

namespace bth::apiserver {

// Checks schemas, columns, subresources and selectable fields of `versions`. What all versions
// have in common is told once and under the name it would have outside of them, as the real
// server does.
void CheckVersions(const Json& versions, std::vector<Cause>& causes);

}  // namespace bth::apiserver
