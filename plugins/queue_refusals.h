// The words and rules by which plugins of queue quotas refuse.
#pragma once

#include <string>

#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/shortage_text.h"

namespace bth::plugins {

inline bool IsOpen(const framework::Session& session, model::QueueId queue) {
  return session.queue(queue).state == model::QueueState::kOpen;
}

inline std::string NotOpenText(const framework::Session& session, model::QueueId queue) {
  return StrCat("queue ", *session.queue(queue).name, " is not open");
}

inline std::string QuotaText(const framework::Session& session, model::DimMask short_dims) {
  return ShortageText("queue resource quota insufficient", "insufficient", short_dims,
                      session.dims());
}

// Where `most`, which the queue may hold, is what its own capability says.
inline model::DimMask ByCapability(const framework::Session& session, model::QueueId queue,
                                   const model::ResourceVec& most) {
  const model::ResourceSet& capability = session.queue(queue).capability;
  model::DimMask dims = 0;
  for (int d = 0; d < session.dims().size(); ++d) {
    if (capability.Has(d) && capability.v[d] == most[d]) dims |= model::DimMask{1} << d;
  }
  return dims;
}

// False when the job is held at an earlier gate, so that words about its quota would be lost.
inline bool QuotaMayHold(const framework::Session& session, model::JobId job) {
  const framework::JobFit* hold = session.notes().HoldOf(job);
  return hold == nullptr || hold->gate > framework::Gate::kQuota;
}

}  // namespace bth::plugins
