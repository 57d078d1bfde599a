#include "plugins/admission_shortage.h"

#include "algo/queue_claims.h"
#include "algo/resource_algebra.h"
#include "api/model/quantity_text.h"
#include "base/strings.h"
#include "framework/report/eviction_advice.h"
#include "framework/report/figures.h"

namespace bth::plugins {

using model::AmountsText;
using model::DimensionTable;
using model::DimMask;

model::ResourceVec AskedForAdmission(const framework::Session& session, model::JobId job) {
  return algo::LacksOfMinimum({session.base(), session.usage(), job});
}

std::string AdmissionShortage::Text(const framework::Session& session) const {
  const DimensionTable& dims = session.dims();
  const DimMask beyond = algo::DimsOver(asked, most, short_dims);
  const std::string start =
      StrCat(refusal, ": asks for ", AmountsText(beyond != 0 ? beyond : short_dims, asked, dims),
             "; ", holder);
  if (beyond == 0) {
    return StrCat(start, " has too little left",
                  framework::Figures(
                      StrCat(model::UseText(short_dims, held, most, dims), " used or promised")),
                  framework::EvictionsWaitForAdmission(session, remedy, in_queue));
  }
  if ((beyond & ~by_capability) == 0) {
    return StrCat(start, " may hold ", AmountsText(beyond, most, dims),
                  " (spec.capability), so it can never be admitted");
  }
  return StrCat(start, " can never hold that",
                framework::Figures("at most " + AmountsText(beyond, most, dims)), " unless ",
                growth);
}

}  // namespace bth::plugins
