#include "net/cancel_token.h"

#include <cstdint>
#include <map>
#include <utility>

namespace bth::net {

struct CancelToken::State {
  bool cancelled = false;
  uint64_t next_id = 1;
  std::map<uint64_t, Action> actions;  // In order of registration.
};

struct CancelToken::Registration::Impl {
  std::weak_ptr<State> state;
  uint64_t id = 0;
};

const std::shared_ptr<CancelToken::State>& CancelToken::Shared() const {
  if (state_ == nullptr) state_ = std::make_shared<State>();
  return state_;
}

void CancelToken::Cancel() const {
  // An action may drop other registrations or the last copy of this token.
  const std::shared_ptr<State> state = Shared();
  state->cancelled = true;
  while (!state->actions.empty()) {
    auto first = state->actions.extract(state->actions.begin());
    first.mapped()();
  }
}

bool CancelToken::cancelled() const {
  return state_ != nullptr && state_->cancelled;
}

CancelToken::Registration CancelToken::OnCancel(Action action) const {
  Registration registration;
  if (Shared()->cancelled) {
    action();
    return registration;
  }
  registration.impl_ = std::make_unique<Registration::Impl>();
  registration.impl_->state = state_;
  registration.impl_->id = state_->next_id++;
  state_->actions.emplace(registration.impl_->id, std::move(action));
  return registration;
}

CancelToken::Registration::Registration() = default;
CancelToken::Registration::Registration(Registration&&) noexcept = default;

CancelToken::Registration& CancelToken::Registration::operator=(Registration&& other) noexcept {
  // The former action goes with the temporary.
  Registration former(std::move(*this));
  impl_ = std::move(other.impl_);
  return *this;
}

CancelToken::Registration::~Registration() {
  if (impl_ == nullptr) return;
  if (const std::shared_ptr<State> state = impl_->state.lock()) {
    // The action is destroyed after it left the map: its captures may drop other registrations.
    auto dropped = state->actions.extract(impl_->id);
  }
}

}  // namespace bth::net
