#include "client/watch_notices.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "client/server_contact.h"

namespace bth::client {

WatchNotices::WatchNotices(net::Executor& executor, std::string role)
    : executor_(executor), role_(std::move(role)) {}

void WatchNotices::Failed(const std::string& resource, const absl::Status& status) {
  if (WasTold(status)) return;
  const auto line = failures_.Note(StrCat(resource, ": ", status.message()), executor_.Monotonic());
  if (!line) return;
  const std::string remedy = absl::IsPermissionDenied(status)
                                 ? StrCat("grant get, list and watch on it, as ", role_, " does")
                                 : "none needed if it ends by itself: it is tried again";
  Log(LogLevel::kWarning, "informer.failed",
      {{"resource", resource},
       {"status", status},
       {"remedy", remedy},
       {"times", line->times},
       {"next_line_in", line->next_in}});
}

void WatchNotices::Presence(const std::string& definition, bool is_there) {
  if (is_there) {
    if (missing_.Over(definition)) {
      Log(LogLevel::kInfo, "definition.found", {{"definition", definition}});
    }
    return;
  }
  const auto line = missing_.Note(definition, executor_.Monotonic());
  if (!line) return;
  Log(LogLevel::kWarning, "definition.missing",
      {{"definition", definition},
       {"effect", "counts as if there were no such objects"},
       {"remedy", "install it: kubectl apply -f deploy/crds"},
       {"next_line_in", line->next_in}});
}

}  // namespace bth::client
