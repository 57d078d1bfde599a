// How refusals name the resources that are short.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/model/resource_vec.h"
#include "base/strings.h"

namespace bth::plugins {

// cpu, memory and pods first, the rest by name, because the numbers of the others depend on who
// asked first.
inline std::vector<int> DimsByName(model::DimMask mask, const model::DimensionTable& dims) {
  std::vector<int> out;
  for (int d = 0; d < dims.size(); ++d) {
    if ((mask >> d & 1u) != 0) out.push_back(d);
  }
  const auto others =
      std::find_if(out.begin(), out.end(), [](int d) { return d >= model::kFixedDims; });
  std::sort(others, out.end(), [&dims](int a, int b) { return dims.name(a) < dims.name(b); });
  return out;
}

// "prefix: verb cpu, verb memory". The prefix alone when `short_dims` is empty.
inline std::string ShortageText(std::string_view prefix, std::string_view verb,
                                model::DimMask short_dims, const model::DimensionTable& dims) {
  std::string text(prefix);
  std::string_view separator = ": ";
  for (int d : DimsByName(short_dims, dims)) {
    absl::StrAppend(&text, ToAbsl(separator), ToAbsl(verb), " ", ToAbsl(dims.name(d)));
    separator = ", ";
  }
  return text;
}

}  // namespace bth::plugins
