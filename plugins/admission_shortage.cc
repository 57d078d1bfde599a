#include "plugins/admission_shortage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "algo/resource_algebra.h"
#include "api/model/quantity_text.h"
#include "base/strings.h"
#include "framework/eviction_advice.h"
#include "framework/figures.h"
#include "plugins/shortage_text.h"

namespace bth::plugins {
namespace {

using model::DimensionTable;
using model::DimMask;
using model::ResourceVec;

// "8 cpu, 16Gi memory".
std::string AmountsText(DimMask mask, const ResourceVec& amounts, const DimensionTable& dims) {
  std::string text;
  for (int d : DimsByName(mask, dims)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", model::QuantityText(dims, d, amounts[d]), " ",
                    ToAbsl(dims.name(d)));
  }
  return text;
}

// "6 of 8 cpu, 1Gi of 16Gi memory".
std::string UseText(DimMask mask, const ResourceVec& held, const ResourceVec& most,
                    const DimensionTable& dims) {
  std::string text;
  for (int d : DimsByName(mask, dims)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    model::QuantityText(dims, d, std::max<int64_t>(held[d], 0)), " of ",
                    model::QuantityText(dims, d, std::max<int64_t>(most[d], 0)), " ",
                    ToAbsl(dims.name(d)));
  }
  return text;
}

}  // namespace

std::string AdmissionShortage::Text(const framework::Session& session) const {
  const DimensionTable& dims = session.dims();
  const DimMask beyond = algo::DimsOver(asked, most, short_dims);
  const std::string start =
      absl::StrCat(refusal, ": asks for ",
                   AmountsText(beyond != 0 ? beyond : short_dims, asked, dims), "; ", holder);
  if (beyond == 0) {
    return absl::StrCat(start, " has too little left",
                        framework::Figures(absl::StrCat(UseText(short_dims, held, most, dims),
                                                        " used or promised")),
                        framework::EvictionsWaitForAdmission(session, remedy, in_queue));
  }
  if ((beyond & ~by_capability) == 0) {
    return absl::StrCat(start, " may hold ", AmountsText(beyond, most, dims),
                        " (spec.capability), so it can never be admitted");
  }
  return absl::StrCat(start, " can never hold that",
                      framework::Figures("at most " + AmountsText(beyond, most, dims)), " unless ",
                      growth);
}

}  // namespace bth::plugins
