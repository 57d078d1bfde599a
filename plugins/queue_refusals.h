// The words and rules by which plugins of queue quotas refuse.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/session.h"
#include "plugins/shortage_text.h"

namespace bth::plugins {

inline bool IsOpen(const framework::Session& session, model::QueueId queue) {
  return session.queue(queue).state == model::QueueState::kOpen;
}

inline std::string NotOpenText(const framework::Session& session, model::QueueId queue) {
  return absl::StrCat("queue ", *session.queue(queue).name, " is not open");
}

inline std::string QuotaText(const framework::Session& session, model::DimMask short_dims) {
  return ShortageText("queue resource quota insufficient", "insufficient", short_dims,
                      session.dims());
}

// False when the job is held at an earlier gate, so that words about its quota would be lost.
inline bool QuotaMayHold(const framework::Session& session, model::JobId job) {
  const framework::JobFit* hold = session.HoldOf(job);
  return hold == nullptr || hold->gate > framework::Gate::kQuota;
}

}  // namespace bth::plugins
