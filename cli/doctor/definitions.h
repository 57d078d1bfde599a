// The definitions of our kinds, against those that this version is built for. Pure function.
#pragma once

#include <vector>

#include "cli/doctor/points.h"

namespace bth::cli {

// `wanted`: CustomResourceDefinitions as deploy/crds has them.
void CheckDefinitions(const ObjectsRead& installed, const std::vector<types::Json>& wanted,
                      std::vector<Point>* points);

}  // namespace bth::cli
