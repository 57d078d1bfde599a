#include "cmd/common/kept_controllers.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace bth::cmd {

using client::Background;

KeptControllers::KeptControllers(net::Executor& executor, Make make)
    : executor_(executor), make_(std::move(make)) {
  listener_ = executor_.barrier().Listen([this](const net::Escape& escape) {
    if (escape.consequence == net::Consequence::kLost) MakeAnew();
  });
}

KeptControllers::~KeptControllers() {
  executor_.CancelTimer(timer_);
}

void KeptControllers::Start() {
  set_ = make_();
  made_at_ = executor_.Monotonic();
  set_->Start();
}

// The old set ends at once: nothing may be decided on a state that is in doubt.
void KeptControllers::MakeAnew() {
  if (set_ == nullptr) return;  // It is on its way, or nothing began.
  set_.reset();
  if (executor_.Monotonic() - made_at_ >= Background::kPauseMax + pause_) {
    pause_ = Background::kPauseFirst;
  }
  Log(LogLevel::kWarning, "controllers.made_anew", {{"pause", pause_}});
  timer_ = executor_.RunAfter(pause_, [this] {
    timer_ = 0;
    Start();
  });
  pause_ = std::min(2 * pause_, Background::kPauseMax);
}

}  // namespace bth::cmd
