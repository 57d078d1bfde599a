// The way from a process to a server, which is mostly the API server: requests, answers and streams
// take time and go wrong.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/background.h"
#include "net/http.h"
#include "sim/world/timeline.h"
#include "sim/world/weather.h"

namespace bth::sim {

struct Wire;  // An open stream.

// How a request came to the server.
struct Transit {
  absl::Duration sent_at;
  bool is_given_up = false;   // Its caller does not wait for the answer any more, or is dead.
  bool is_overtaken = false;  // Somebody else wrote to the object right before.
};

// The end of lines: a server in its own process. Lifetime: longer than all lines and their voyages;
// a server that is started again has a new process.
struct Harbour {
  std::shared_ptr<Process> process;
  std::shared_ptr<net::Transport> server;  // On that process; null: nobody listens.
  Weather* weather = nullptr;
  // Fronts know the line by this name; empty: by the name of whoever calls.
  std::string name;
  // A request that a process sends, whatever becomes of it on its way; what it finds when it comes
  // to the server, right before it is carried out; and what the server answered.
  std::function<void(const Process& from, const net::Request& request)> on_departure;
  std::function<void(const Process& from, const net::Request& request, const Transit& transit)>
      on_arrival;
  std::function<void(const Process& from, const net::Request& request, int code)> on_answer;
  // Former answers to lists that may be old, by target: what a server that lags behind would say.
  struct Former {
    absl::Duration at;
    net::Headers headers;
    std::string body;
  };
  bool remembers = false;
  std::map<std::string, std::deque<Former>> former;
  // What is being answered, and what is streamed.
  std::list<std::unique_ptr<client::Background>> at_work;
  std::vector<std::weak_ptr<Wire>> wires;
};
// What a caller hears where nobody listens.
absl::Status Refused();
// The server is about to die with all its work: whoever waits for it hears that the connection
// broke, and nobody listens from now on. Not from inside that work.
void Sink(Harbour* harbour);

// Deadlines and cancellation work as over a socket: whoever gives up does not stop what is on its
// way, and what dies with its process leaves the server to do what it was asked.
// Lifetime: the harbour outlives it. Thread: the timeline's.
class Line final : public net::Transport {
 public:
  Line(std::shared_ptr<Process> from, Harbour& harbour)
      : from_(std::move(from)), harbour_(harbour) {}

  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    return Exchange(std::move(request), false);
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    return Exchange(std::move(request), true);
  }
  // Breaks the streams that are open.
  void CutStreams();

 private:
  net::Awaitable<absl::StatusOr<net::Response>> Exchange(net::Request request, bool streams);

  const std::shared_ptr<Process> from_;
  Harbour& harbour_;
  std::vector<std::weak_ptr<Wire>> wires_;
};

}  // namespace bth::sim
