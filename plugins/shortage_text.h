// How refusals name the resources that are short.
#pragma once

#include <string>
#include <string_view>

#include "api/model/quantity_text.h"
#include "api/model/resource_vec.h"
#include "base/strings.h"

namespace bth::plugins {

// "prefix: verb cpu, verb memory". The prefix alone when `short_dims` is empty.
inline std::string ShortageText(std::string_view prefix, std::string_view verb,
                                model::DimMask short_dims, const model::DimensionTable& dims) {
  std::string text(prefix);
  std::string_view separator = ": ";
  for (int d : model::DimsByName(short_dims, dims)) {
    StrAppend(&text, separator, verb, " ", dims.name(d));
    separator = ", ";
  }
  return text;
}

}  // namespace bth::plugins
