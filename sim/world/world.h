// A whole cluster in one process, on one thread and virtual time: API server, schedulers,
// controller managers and kubelets, all of them the real code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "apiserver/api_server.h"
#include "base/digest.h"
#include "sim/world/line.h"
#include "sim/world/programs.h"
#include "sim/world/story.h"
#include "sim/world/timeline.h"
#include "sim/world/weather.h"

namespace bth::sim {

using types::Json;

struct WorldHooks {
  // Extends the server, such as with the product's own admission. May be empty.
  std::function<void(apiserver::ApiServer&)> extend;
  // Everything that is written, right after it was.
  std::function<void(const std::string& collection, const apiserver::StoreEvent&)> on_event;
  // What is sent, whether or not it arrives.
  std::function<void(const Process& from, const net::Request&)> on_departure;
  std::function<void(const Process& from, const net::Request&, absl::Duration sent_at)> on_arrival;
  std::function<void(const Process& from, const net::Request&, int code)> on_answer;
};

// What follows from the story's seed: interleaving, delays, uids. Thread: one.
class World final {
 public:
  World(const Story& story, WorldHooks hooks);
  ~World();
  World(const World&) = delete;

  struct Answer {
    int code = 0;
    Json body;
  };
  // A user's request, past all weather and at once.
  Answer Call(const std::string& method, const std::string& target, const std::string& body = "");
  void Do(const Deed& deed);
  // Lets time pass. False: a moment without end.
  bool Pass(absl::Duration time);
  // The weather is good, all processes run.
  void ClearUp();

  absl::Duration now() const { return timeline_.Elapsed(); }
  absl::Time time() const { return timeline_.Now(); }
  const Weather& weather() const { return weather_; }
  uint64_t digest() const { return digest_.value(); }
  uint64_t events() const { return events_; }
  uint64_t tasks() const { return timeline_.tasks_run(); }
  apiserver::Store& store() { return server_->store(); }
  // Exceptions that ended at the barrier of any process.
  int64_t escapes() const;

  struct Slot {
    std::string name;
    std::function<std::unique_ptr<Program>(Site)> make;
    std::unique_ptr<Program> program;  // Null while it is dead.
    std::shared_ptr<Process> process;
    std::shared_ptr<Line> line;
    uint64_t lives = 0;
    bool starting = false;
  };
  const std::vector<std::unique_ptr<Slot>>& slots() const { return slots_; }

 private:
  void StartServer();
  void AddSlot(std::string name, std::function<std::unique_ptr<Program>(Site)> make);
  Slot* Find(std::string_view name);
  void Start(Slot* slot);
  void Kill(Slot* slot, absl::Duration down);
  void Pause(Slot* slot, absl::Duration lasts);
  void Pick(const Deed& deed);

  const Story story_;
  const WorldHooks hooks_;
  Rng rng_;
  Timeline timeline_;
  Weather weather_;
  Digest digest_;
  uint64_t events_ = 0;
  int64_t escapes_of_dead_ = 0;
  std::string policy_path_;
  std::shared_ptr<Process> director_;  // Users, and whoever starts what died.
  std::shared_ptr<Process> server_process_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<net::Transport> direct_;
  Harbour harbour_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace bth::sim
