// A server outside the cluster, on an event loop with a thread of its own, and the scheduler's line
// to it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "metrics/registry.h"
#include "net/client.h"
#include "net/io_context.h"
#include "net/server.h"
#include "scheduler/http_port.h"
#include "tests/support/catch.h"

namespace bth::scheduler::testing {

// `handler` runs on the loop's thread until the bed is gone; everything else is the test's.
class HttpBed {
 public:
  explicit HttpBed(net::Handler handler) {
    net::ServerOptions options;
    options.address = "127.0.0.1";
    auto started = net::StartServer(*io, options, std::move(handler));
    REQUIRE(started.status().ToString() == "OK");
    server_ = *std::move(started);
    url = StrCat("http://127.0.0.1:", server_->port());
    http = std::make_unique<BlockingHttp>(
        *io, [this](net::ClientOptions of) { return net::MakeHttpClient(*io, std::move(of)); },
        &metrics);
    thread_ = std::thread([this] { io->Run(); });
    // Until it runs, this thread counts as that of the loop.
    std::atomic<bool> running = false;
    io->Post([&running] { running = true; });
    while (!running) std::this_thread::yield();
  }
  HttpBed(const HttpBed&) = delete;
  ~HttpBed() {
    // What lives on the loop ends there.
    io->Post([this] {
      http.reset();
      server_.reset();
      io->RunAfter(absl::Milliseconds(20), [this] { io->Stop(); });
    });
    thread_.join();
  }

  std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  metrics::Registry metric_registry;
  metrics::SchedulerMetrics metrics{metric_registry};
  std::string url;
  std::unique_ptr<BlockingHttp> http;

 private:
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

}  // namespace bth::scheduler::testing
