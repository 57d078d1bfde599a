// The API server through all of its lives: process, disk, and what survives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/api_server.h"
#include "base/rng.h"
#include "sim/world/line.h"
#include "sim/world/platter.h"
#include "sim/world/service.h"
#include "sim/world/story.h"
#include "sim/world/survivors.h"
#include "sim/world/timeline.h"
#include "sim/world/weather.h"

namespace bth::sim {

// Without a disk it lives once, and what happens to its disk does not happen. Thread: the
// timeline's.
class ServerSeat final {
 public:
  struct Parts {
    Timeline& timeline;
    const Story& story;
    Weather& weather;
    Service& service;
    Rng& rng;
    Process& director;
    Harbour& harbour;  // Of all who call it.
    std::function<void(apiserver::ApiServer&)> extend;
    // What anybody may know of from now on.
    Survivors::Replay on_event;
    // It is not what it should be, until then at least.
    std::function<void(absl::Duration until)> on_fault;
    // Something is gone that it had acknowledged, or it cannot read its own disk.
    std::function<void(std::string what)> on_loss;
  };
  explicit ServerSeat(Parts parts);
  ServerSeat(const ServerSeat&) = delete;
  ~ServerSeat();

  void Kill(absl::Duration down);
  void Pause(absl::Duration lasts);
  // It runs, with a disk that works.
  void ClearUp();

  // Null: it is down.
  const std::shared_ptr<net::Transport>& direct() const { return direct_; }
  // Answers only later.
  bool halted() const { return process_->halted(); }
  bool has_disk() const { return platter_ != nullptr; }
  int64_t escapes() const { return escapes_of_dead_ + process_->barrier().caught(); }
  uint64_t lives() const { return life_; }

 private:
  void Start();
  apiserver::Options Options();
  void Watch(apiserver::Store& store);
  void EndLife();
  void StartAgainAfter(absl::Duration pause);
  void KillAfter(absl::Duration pause, absl::Duration down);

  const Parts parts_;
  std::shared_ptr<Process> process_;
  std::vector<std::shared_ptr<Process>> former_;  // What is on its way may still know of them.
  std::unique_ptr<Platter> platter_;              // Null: it keeps everything in memory.
  Survivors survivors_;
  std::unique_ptr<apiserver::ApiServer> server_;  // Null: it is down.
  std::shared_ptr<net::Transport> direct_;
  uint64_t life_ = 0;
  int64_t escapes_of_dead_ = 0;
};

}  // namespace bth::sim
