// The webhooks' handler over a few queues, without sockets.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "admission/webhooks/cluster_view.h"
#include "admission/webhooks/review_handler.h"
#include "metrics/admission_metrics.h"
#include "net/virtual_executor.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"
#include "tests/webhooks/review_texts.h"

namespace bth::admission::testing {

constexpr char kAllPaths[] =
    "/jobs/mutate,/jobs/validate,/podgroups/mutate,/podgroups/validate,/pods/mutate,/pods/validate,"
    "/queues/mutate,/queues/validate,/jobflows/validate,/cronjobs/validate,/hypernodes/validate";

struct HandlerBed {
  explicit HandlerBed(QueueAccess* access = nullptr, ReviewLimits limits = {},
                      const std::string& paths = kAllPaths, net::VirtualExecutor* outside = nullptr)
      : executor(outside == nullptr ? own : *outside),
        metrics(registry, {"/queues/validate", "/queues/mutate", "/jobs/validate"}),
        handler(ReviewHandler::Parts{executor, view, metrics, access}, *ReadEnabledPaths(paths),
                Settings{.check_queue_access = access != nullptr}, limits) {
    for (const char* name : {"root", "default"}) {
      types::Queue queue;
      queue.meta.name = name;
      queue.status.state = "Open";
      view.PutQueue(std::move(queue));
    }
  }

  static net::Request Request(std::string target, std::string body) {
    net::Request request;
    request.method = "POST";
    request.target = std::move(target);
    request.headers.Set("Content-Type", "application/json");
    request.body = std::move(body);
    return request;
  }
  net::Response Send(net::Request request) {
    return client::testing::Await(executor, handler.Serve(std::move(request)));
  }
  net::Response Send(const std::string& target, const ReviewText& text) {
    return Send(Request(target, ToText(text)));
  }
  // The response member of an answer with code 200.
  Json Verdict(const std::string& target, const ReviewText& text) {
    const net::Response response = Send(target, text);
    INFO(response.body);
    REQUIRE(response.status == 200);
    REQUIRE(response.headers.Get("Content-Type") == "application/json");
    return (*Json::Parse(response.body))["response"];
  }
  bool Counts(const std::string& line) const {
    return registry.RenderText().find(line + "\n") != std::string::npos;
  }

  net::VirtualExecutor own{client::testing::StartTime()};
  net::VirtualExecutor& executor;
  metrics::Registry registry;
  ClusterView view;
  metrics::AdmissionMetrics metrics;
  ReviewHandler handler;
};

}  // namespace bth::admission::testing
