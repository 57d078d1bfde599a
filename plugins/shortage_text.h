// How refusals name the resources that are short.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/model/resource_vec.h"
#include "base/strings.h"

namespace bth::plugins {

// "prefix: verb cpu, verb memory": cpu, memory and pods first, the rest by name, because the
// numbers of the others depend on who asked first. The prefix alone when `short_dims` is empty.
inline std::string ShortageText(std::string_view prefix, std::string_view verb,
                                model::DimMask short_dims, const model::DimensionTable& dims) {
  std::vector<std::string_view> names;
  for (int d = 0; d < dims.size(); ++d) {
    if ((short_dims >> d & 1u) != 0) names.push_back(dims.name(d));
  }
  const unsigned fixed = (1u << model::kFixedDims) - 1;
  std::sort(names.begin() + std::popcount(short_dims & fixed), names.end());
  std::string text(prefix);
  std::string_view separator = ": ";
  for (std::string_view name : names) {
    absl::StrAppend(&text, ToAbsl(separator), ToAbsl(verb), " ", ToAbsl(name));
    separator = ", ";
  }
  return text;
}

}  // namespace bth::plugins
