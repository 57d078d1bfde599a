#include "scheduler/debug_pages.h"

#include <memory>
#include <utility>

#include "api/types/json.h"
#include "base/strings.h"
#include "net/text_response.h"
#include "scheduler/explain.h"
#include "scheduler/explain_words.h"

namespace bth::scheduler {
namespace {

using types::Json;

// From the beginning of one dump to that of the next: each reads the whole cluster from the API
// server.
constexpr absl::Duration kDumpPeriod = absl::Seconds(10);

net::Response JsonPage(int status, std::string text) {
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

class DebugPages {
 public:
  DebugPages(net::Executor& executor, Scheduler& scheduler, metrics::SchedulerMetrics* metrics)
      : executor_(executor), scheduler_(scheduler), metrics_(metrics) {}

  net::Awaitable<net::Response> Serve(net::Request request) {
    const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
    if (!target.ok())
      co_return net::TextResponse(400, std::string(target.status().message()) + "\n");
    if (request.method != "GET" && request.method != "HEAD") {
      co_return net::TextResponse(405, "only GET is served here\n");
    }
    const std::string& path = target->path;
    if (path == "/debug/explain" && target->Query("pod").empty() && target->Query("job").empty()) {
      co_return JsonPage(400, Message("say which: ?pod=NAMESPACE/NAME or ?job=NAMESPACE/NAME"));
    }
    if (path == "/debug/invariants") {
      co_return JsonPage(200, scheduler_.invariants().Page().Pretty() + "\n");
    }
    if (path == "/debug/dump") co_return Dump(request.method == "HEAD");
    Scheduler::ReadCycle read = PageFor(*target);
    if (!read) {
      co_return net::TextResponse(
          404, "pages: /debug/explain /debug/queues /debug/cycle /debug/invariants /debug/dump\n");
    }
    std::string unknown;
    if (path == "/debug/explain") {
      const std::string_view pod = target->Query("pod");
      unknown = pod.empty() ? UnknownJobWords(target->Query("job")) : UnknownPodWords(pod);
    }
    co_return co_await FromCycle(std::move(read), std::move(unknown));
  }

 private:
  net::Response Dump(bool head_only) {
    if (head_only) return JsonPage(200, "");
    const absl::Duration now = executor_.Monotonic();
    if (now < next_dump_) {
      return NoDump("a dump was made a moment ago", absl::Ceil(next_dump_ - now, absl::Seconds(1)));
    }
    absl::StatusOr<std::unique_ptr<net::ByteStream>> dump = scheduler_.Dump();
    if (!dump.ok()) return NoDump(ToStd(dump.status().message()), kDumpPeriod);
    next_dump_ = now + kDumpPeriod;
    net::Response response = JsonPage(200, "");
    response.headers.Set("Content-Disposition", "attachment; filename=\"snapshot.json\"");
    response.stream = *std::move(dump);
    return response;
  }

  net::Response NoDump(std::string_view why, absl::Duration retry_after) {
    if (metrics_ != nullptr) metrics_->LimitReached("debug_dump");
    net::Response response = JsonPage(429, Message(why));
    response.headers.Set("Retry-After", StrCat(absl::ToInt64Seconds(retry_after)));
    return response;
  }

  // `unknown`: what to say where the cycle has nothing of the kind.
  net::Awaitable<net::Response> FromCycle(Scheduler::ReadCycle read, std::string unknown) {
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
    if (text == "none") {
      co_return JsonPage(
          503, Message(scheduler_.leading() ? "no cycle has run yet"
                                            : "this replica stands by and runs no cycles: ask the "
                                              "one that leads, its Lease names it"));
    }
    if (text.empty()) co_return JsonPage(404, Message(unknown));
    co_return JsonPage(200, std::move(text));
  }

  net::Executor& executor_;
  Scheduler& scheduler_;
  metrics::SchedulerMetrics* const metrics_;  // May be null.
  absl::Duration next_dump_;                  // Not before.
};

}  // namespace

net::Handler MakeDebugPages(net::Executor& executor, Scheduler& scheduler,
                            metrics::SchedulerMetrics* metrics) {
  auto pages = std::make_shared<DebugPages>(executor, scheduler, metrics);
  return [pages](net::Request request) { return pages->Serve(std::move(request)); };
}

}  // namespace bth::scheduler
