#include "scheduler/pages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "net/text_response.h"
#include "scheduler/explain.h"

namespace bth::scheduler {
namespace {

using types::Json;

net::Response JsonText(int status, std::string text) {
  net::Response response = net::TextResponse(status, std::move(text));
  response.headers.Set("Content-Type", "application/json");
  return response;
}

std::string Message(std::string_view text) {
  Json out = Json::MakeObject();
  out.Set("message", Json(text));
  return out.Pretty() + "\n";
}

// What to read from the last cycle for a path; empty for other paths.
Scheduler::ReadCycle PageFor(const net::Target& target) {
  if (target.path == "/debug/cycle") {
    return [](const framework::Cycle* cycle) { return CyclePage(*cycle).Pretty() + "\n"; };
  }
  if (target.path == "/debug/queues") {
    return [](const framework::Cycle* cycle) { return QueuesPage(*cycle).Pretty() + "\n"; };
  }
  if (target.path == "/debug/explain") {
    const std::string pod(target.Query("pod"));
    const std::string job(target.Query("job"));
    return [pod, job](const framework::Cycle* cycle) {
      const Json page = pod.empty() ? ExplainJobPage(*cycle, job) : ExplainPodPage(*cycle, pod);
      return page.is_null() ? std::string() : page.Pretty() + "\n";
    };
  }
  return nullptr;
}

class Pages {
 public:
  Pages(net::Executor& executor, Scheduler& scheduler, metrics::Registry& registry)
      : executor_(executor), scheduler_(scheduler), registry_(registry) {}

  net::Awaitable<net::Response> Serve(net::Request request) {
    const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
    if (!target.ok())
      co_return net::TextResponse(400, std::string(target.status().message()) + "\n");
    if (request.method != "GET" && request.method != "HEAD") {
      co_return net::TextResponse(405, "only GET is served here\n");
    }
    const std::string& path = target->path;
    if (path == "/healthz" || path == "/healthz/ping" || path == "/livez") {
      const bool verbose = target->HasQuery("verbose");
      co_return net::TextResponse(200, verbose ? "[+]ping ok\nhealthz check passed\n" : "ok");
    }
    if (path == "/readyz") co_return Ready();
    if (path == "/metrics") co_return net::TextResponse(200, registry_.RenderText());
    if (path == "/debug/explain" && target->Query("pod").empty() && target->Query("job").empty()) {
      co_return JsonText(400, Message("say which: ?pod=NAMESPACE/NAME or ?job=NAMESPACE/NAME"));
    }
    if (path == "/debug/invariants") {
      co_return JsonText(200, scheduler_.invariants().Page().Pretty() + "\n");
    }
    if (path == "/debug/dump") co_return Dump(request.method == "HEAD");
    Scheduler::ReadCycle read = PageFor(*target);
    if (!read) {
      co_return net::TextResponse(
          404,
          "pages: /healthz /readyz /metrics /debug/explain /debug/queues /debug/cycle "
          "/debug/invariants /debug/dump\n");
    }
    co_return co_await FromCycle(std::move(read));
  }

 private:
  net::Response Ready() const {
    if (scheduler_.ready()) return net::TextResponse(200, "ok");
    return net::TextResponse(503, "the first lists from the API server are not complete\n");
  }

  net::Response Dump(bool head_only) {
    if (head_only) return JsonText(200, "");
    absl::StatusOr<std::unique_ptr<net::ByteStream>> dump = scheduler_.Dump();
    if (!dump.ok()) return JsonText(429, Message(ToStd(dump.status().message())));
    net::Response response = JsonText(200, "");
    response.headers.Set("Content-Disposition", "attachment; filename=\"snapshot.json\"");
    response.stream = *std::move(dump);
    return response;
  }

  net::Awaitable<net::Response> FromCycle(Scheduler::ReadCycle read) {
    // Right after the start the first cycle is a moment away.
    constexpr int kTriesMax = 100;
    const absl::Duration pause = absl::Milliseconds(50);
    for (int tries = 0; scheduler_.cycles() == 0 && scheduler_.leading() && tries < kTriesMax;
         ++tries) {
      co_await net::Sleep(executor_, pause);
    }
    net::Promised<std::string> page(executor_);
    Scheduler::ReadCycle guarded = [read = std::move(read)](const framework::Cycle* cycle) {
      return cycle == nullptr ? std::string("none") : read(cycle);
    };
    std::function<void(std::string)> done = [page](std::string text) { page.Set(std::move(text)); };
    scheduler_.Inspect(std::move(guarded), std::move(done));
    std::string text = co_await page.Wait();
    if (text == "none") co_return JsonText(503, Message("no cycle has run yet"));
    if (text.empty()) co_return JsonText(404, Message("the last cycle knew no such pod or job"));
    co_return JsonText(200, std::move(text));
  }

  net::Executor& executor_;
  Scheduler& scheduler_;
  metrics::Registry& registry_;
};

}  // namespace

net::Handler MakePages(net::Executor& executor, Scheduler& scheduler, metrics::Registry& registry) {
  auto pages = std::make_shared<Pages>(executor, scheduler, registry);
  return [pages](net::Request request) { return pages->Serve(std::move(request)); };
}

}  // namespace bth::scheduler
