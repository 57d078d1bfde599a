// A whole cluster in one process, on one thread and virtual time: API server, schedulers,
// controller managers and kubelets, all of them the real code.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "apiserver/api_server.h"
#include "base/digest.h"
#include "sim/world/line.h"
#include "sim/world/programs.h"
#include "sim/world/server_seat.h"
#include "sim/world/service.h"
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
  std::function<void(const Process& from, const net::Request&, const Transit&)> on_arrival;
  std::function<void(const Process& from, const net::Request&, int code)> on_answer;
  // See ServerSeat.
  std::function<void(absl::Duration until)> on_fault;
  std::function<void(std::string what)> on_loss;
};

// What follows from the story's seed: interleaving, delays, uids. Thread: one.
class World final {
 public:
  World(const Story& story, WorldHooks hooks);
  ~World();
  World(const World&) = delete;

  struct Answer {
    int code = 0;  // 0: the server did not answer.
    Json body;
    bool done = false;
  };
  // A user's request, past all weather. Lets time pass only where the server needs some for its
  // answer.
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
  ServerSeat& server() { return *server_; }
  const Service& service() const { return service_; }
  // Exceptions that ended at the barrier of any process.
  int64_t escapes() const;

  struct Slot {
    std::string name;
    std::function<std::unique_ptr<Program>(Site)> make;
    std::unique_ptr<Program> program;  // Null while it is dead.
    std::shared_ptr<Process> process;
    std::shared_ptr<Line> line;
    // Of a program that serves others; null: it does not. Outlives all of its lives.
    std::unique_ptr<Harbour> harbour;
    uint64_t lives = 0;
    bool starting = false;
  };
  const std::vector<std::unique_ptr<Slot>>& slots() const { return slots_; }

 private:
  ServerSeat::Parts SeatParts();
  void AddSlot(std::string name, std::function<std::unique_ptr<Program>(Site)> make,
               bool serves = false);
  void AddPrograms();
  void AddAdmissionService();
  void EndLife(Slot* slot);
  void Hear(const std::string& collection, const apiserver::StoreEvent& event);
  std::vector<Replica> Webhooks() const;
  Slot* Find(std::string_view name);
  void Start(Slot* slot);
  void Kill(Slot* slot, absl::Duration down);
  void Pause(Slot* slot, absl::Duration lasts);
  void Pick(const Deed& deed);
  net::Awaitable<void> Ask(net::Request request, int tries, std::shared_ptr<Answer> answer);
  std::shared_ptr<Answer> Send(const std::string& method, const std::string& target,
                               const std::string& body, int tries);
  void SendForUser(const std::string& method, const std::string& target, const std::string& body);
  // Requests of users may wait, and fail because of what happens to others.
  bool AnswersTakeTime() const { return story_.webhooks > 0 || story_.disk; }

  const Story story_;
  const WorldHooks hooks_;
  Rng rng_;
  Timeline timeline_;
  Weather weather_;
  Digest digest_;
  uint64_t events_ = 0;
  int64_t escapes_of_dead_ = 0;
  std::string policy_path_;
  uint64_t policies_ = 0;              // How often it was replaced.
  std::shared_ptr<Process> director_;  // Users, and whoever starts what died.
  Harbour harbour_;
  Service service_;
  std::unique_ptr<ServerSeat> server_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::list<std::unique_ptr<client::Background>> users_;  // Requests that wait.
};

}  // namespace bth::sim
