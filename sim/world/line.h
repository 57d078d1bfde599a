// The way from a process to the API server: requests, answers and streams take time and go wrong.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "net/http.h"
#include "sim/world/timeline.h"
#include "sim/world/weather.h"

namespace bth::sim {

// The end of all lines: the server in its own process.
struct Harbour {
  std::shared_ptr<Process> process;
  std::shared_ptr<net::Transport> server;  // On that process.
  Weather* weather = nullptr;
  // A request that a process sends, whatever becomes of it on its way; what it finds when it comes
  // to the server, right before it is carried out; and what the server answered.
  std::function<void(const Process& from, const net::Request& request)> on_departure;
  std::function<void(const Process& from, const net::Request& request, absl::Duration sent_at)>
      on_arrival;
  std::function<void(const Process& from, const net::Request& request, int code)> on_answer;
};

struct Wire;  // An open stream.

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
