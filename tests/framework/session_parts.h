// What a session without plugins borrows.
#pragma once

#include <memory>
#include <utility>

#include "base/clock.h"
#include "conf/policy.h"
#include "framework/nodes/static_fit.h"
#include "framework/report/reasons.h"
#include "framework/session/session.h"

namespace bth::framework {

class SessionParts {
 public:
  SessionContext Context(std::shared_ptr<const model::Snapshot> snapshot, EffectSink& sink) {
    return {.snapshot = std::move(snapshot),
            .policy = &policy_,
            .sink = &sink,
            .clock = &clock_,
            .static_fits = &fits_,
            .reasons = &reasons_,
            .metrics = nullptr,
            .uid = "session"};
  }

 private:
  conf::Policy policy_;
  ManualClock clock_{absl::UnixEpoch()};
  StaticFitCache fits_;
  ReasonTable reasons_;
};

}  // namespace bth::framework
