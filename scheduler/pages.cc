#include "scheduler/pages.h"

#include <memory>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "net/text_response.h"

namespace bth::scheduler {
namespace {

class Pages {
 public:
  Pages(Scheduler& scheduler, metrics::Registry& registry, std::function<std::string()> last_error)
      : scheduler_(scheduler), registry_(registry), last_error_(std::move(last_error)) {}

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
    const bool debug = path.starts_with("/debug/");
    co_return net::TextResponse(404,
                                StrCat("pages: /healthz /readyz /metrics\n",
                                       debug ? "debug pages are at --debug-bind-address\n" : ""));
  }

 private:
  net::Response Ready() const {
    if (scheduler_.ready()) return net::TextResponse(200, "ok");
    std::string text = StrCat("the first lists from the API server are not complete: ",
                              absl::StrJoin(scheduler_.unsynced(), ", "), "\n");
    const std::string last_error = last_error_ ? last_error_() : "";
    if (!last_error.empty()) StrAppend(&text, last_error, "\n");
    return net::TextResponse(503, std::move(text));
  }

  Scheduler& scheduler_;
  metrics::Registry& registry_;
  const std::function<std::string()> last_error_;
};

}  // namespace

net::Handler MakePages(Scheduler& scheduler, metrics::Registry& registry,
                       std::function<std::string()> last_error) {
  auto pages = std::make_shared<Pages>(scheduler, registry, std::move(last_error));
  return [pages](net::Request request) { return pages->Serve(std::move(request)); };
}

}  // namespace bth::scheduler
