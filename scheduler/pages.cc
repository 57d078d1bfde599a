#include "scheduler/pages.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

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
    const std::vector<std::string> missing = scheduler_.missing_definitions();
    if (scheduler_.ready() && missing.empty()) return net::TextResponse(200, "ok");
    std::string text;
    if (!scheduler_.ready()) {
      text = StrCat("the first lists from the API server are not complete: ",
                    absl::StrJoin(scheduler_.unsynced(), ", "), "\n");
    }
    if (!missing.empty()) {
      StrAppend(&text, "the API server does not know ", absl::StrJoin(missing, ", "),
                ": install the definitions with kubectl apply -f deploy/crds\n");
    }
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
