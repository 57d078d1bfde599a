// The controllers of a process, made anew when an exception leaves their state in doubt.
#pragma once

#include <functional>
#include <memory>

#include "client/background.h"
#include "controllers/manager/controller_set.h"
#include "net/awaitable.h"

namespace bth::cmd {

// Controllers take up what the API server has, so that a new set goes on where the former one
// stopped. Pauses between sets grow as those of client::Background do. Thread: the executor's.
class KeptControllers final {
 public:
  using Make = std::function<std::unique_ptr<controllers::ControllerSet>()>;

  KeptControllers(net::Executor& executor, Make make);
  KeptControllers(const KeptControllers&) = delete;
  ~KeptControllers();

  // Makes and starts the first set.
  void Start();
  // Null before Start, and for a moment while one set follows another.
  const controllers::ControllerSet* set() const { return set_.get(); }

 private:
  void MakeAnew();

  net::Executor& executor_;
  const Make make_;
  std::unique_ptr<controllers::ControllerSet> set_;
  absl::Duration made_at_;
  absl::Duration pause_ = client::Background::kPauseFirst;
  net::Executor::TimerId timer_ = 0;
  std::shared_ptr<void> listener_;
};

}  // namespace bth::cmd
