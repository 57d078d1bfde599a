// A signal that ends what is under way.
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"

namespace bth::net {

// A one-way signal "stop what you are doing". Copies share it. Thread: one executor.
class CancelToken {
 public:
  using Action = absl::AnyInvocable<void()>;

  // A token that is never cancelled unless someone calls Cancel on it or a copy of it.
  CancelToken() = default;
  CancelToken(const CancelToken& other) : state_(other.Shared()) {}
  CancelToken& operator=(const CancelToken& other) {
    if (this != &other) state_ = other.Shared();
    return *this;
  }
  CancelToken(CancelToken&&) noexcept = default;
  CancelToken& operator=(CancelToken&&) noexcept = default;

  // False while there is nobody else who could cancel: it was never copied.
  bool shared() const { return state_ != nullptr; }

  void Cancel() const;
  bool cancelled() const;
  // `action` runs inside Cancel, or at once if that already happened. The returned handle drops
  // the action when destroyed.
  class [[nodiscard]] Registration {
   public:
    Registration();
    Registration(Registration&&) noexcept;
    Registration& operator=(Registration&&) noexcept;
    ~Registration();

   private:
    friend class CancelToken;
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };
  Registration OnCancel(Action action) const;

 private:
  struct State;
  const std::shared_ptr<State>& Shared() const;
  mutable std::shared_ptr<State> state_;  // Made when needed: most requests never do.
};

}  // namespace bth::net
