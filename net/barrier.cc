#include "net/barrier.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "net/awaitable.h"

namespace bth::net {
namespace {

// Of the exception that is being handled.
std::string WhatIsHandled() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

std::string_view Name(Consequence consequence) {
  switch (consequence) {
    case Consequence::kFailed:
      return "failed";
    case Consequence::kRestarted:
      return "restarted";
    case Consequence::kLost:
      return "lost";
  }
  return "";
}

void Barrier::Caught(std::string_view place, Consequence consequence) noexcept {
  caught_.fetch_add(1, std::memory_order_relaxed);
  try {
    Escape escape{std::string(place), consequence, WhatIsHandled()};
    Log(LogLevel::kError, "exception.caught",
        {{"place", place}, {"what", escape.what}, {"consequence", Name(consequence)}});
    executor_.Post([this, escape = std::move(escape)] { Tell(escape); });
  } catch (...) {  // No memory to tell of it: what follows will say more.
  }
}

std::shared_ptr<void> Barrier::Listen(Listener listener) {
  auto held = std::make_shared<Listener>(std::move(listener));
  std::erase_if(listeners_, [](const auto& known) { return known.expired(); });
  listeners_.push_back(held);
  return held;
}

void Barrier::Tell(const Escape& escape) {
  // A listener may add or drop others.
  const std::vector<std::weak_ptr<Listener>> listeners = listeners_;
  for (const std::weak_ptr<Listener>& known : listeners) {
    const std::shared_ptr<Listener> listener = known.lock();
    if (listener == nullptr) continue;
    try {
      (*listener)(escape);
    } catch (...) {
      caught_.fetch_add(1, std::memory_order_relaxed);
      Log(LogLevel::kError, "exception.caught",
          {{"place", "barrier.listener"}, {"what", WhatIsHandled()}, {"of", escape.place}});
    }
  }
}

}  // namespace bth::net
