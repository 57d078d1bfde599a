#include "cmd/common/access_guard.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "api/types/refusal.h"
#include "base/log.h"
#include "base/strings.h"

namespace bth::cmd {
namespace {

using client::Access;
using types::Json;
using types::Refusal;

constexpr absl::Duration kFailureLogPeriod = absl::Minutes(1);

net::Response Refuse(Refusal refusal, std::string_view message) {
  const types::RefusalRow& row = types::RowOf(refusal);
  net::Response response;
  response.status = row.http_code;
  response.headers.Set("Content-Type", "application/json");
  response.body = Json::MakeObject({{"kind", "Status"},
                                    {"apiVersion", "v1"},
                                    {"metadata", Json::MakeObject()},
                                    {"status", "Failure"},
                                    {"message", message},
                                    {"reason", row.reason},
                                    {"code", row.http_code}})
                      .Dump();
  return response;
}

// Empty: there is none.
std::string BearerToken(const net::Headers& headers) {
  constexpr std::string_view kScheme = "Bearer ";
  const bool usual = headers.Has("authorization");
  const std::string_view field = headers.Get(usual ? "authorization" : kProxiedToken);
  if (!StartsWithIgnoreCase(field, kScheme)) return "";
  return std::string(StripAsciiWhitespace(field.substr(kScheme.size())));
}

class Guard {
 public:
  Guard(net::Executor& executor, client::AccessReview& review,
        const metrics::CounterFamily& requests, net::Handler pages)
      : executor_(executor),
        review_(review),
        pages_(std::move(pages)),
        allowed_(requests.With({{"result", "allowed"}})),
        unauthenticated_(requests.With({{"result", "unauthenticated"}})),
        forbidden_(requests.With({{"result", "forbidden"}})),
        busy_(requests.With({{"result", "busy"}})),
        failed_(requests.With({{"result", "failed"}})) {}

  net::Awaitable<net::Response> Serve(net::Request request) {
    const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
    std::string token = BearerToken(request.headers);
    if (!target.ok() || token.empty()) co_return Unauthenticated();
    const std::string path = target->path;
    const absl::StatusOr<client::AccessAnswer> answer =
        co_await review_.Ask(std::move(token), path);
    if (!answer.ok()) co_return Failed(answer.status());
    switch (answer->access) {
      case Access::kUnauthenticated:
        co_return Unauthenticated();
      case Access::kForbidden:
        forbidden_.Increment();
        co_return Refuse(Refusal::kForbidden, StrCat("forbidden: user \"", answer->user,
                                                     "\" cannot get path \"", path, "\""));
      case Access::kBusy:
        co_return Busy();
      case Access::kAllowed:
        break;
    }
    allowed_.Increment();
    for (const std::string_view name : {std::string_view("authorization"), kProxiedToken}) {
      request.headers.Set(name, "");  // The pages have no use for it.
    }
    co_return co_await pages_(std::move(request));
  }

 private:
  net::Response Unauthenticated() {
    unauthenticated_.Increment();
    net::Response response = Refuse(Refusal::kUnauthorized, "Unauthorized");
    response.headers.Set("WWW-Authenticate", "Bearer");
    return response;
  }
  net::Response Busy() {
    busy_.Increment();
    net::Response response =
        Refuse(Refusal::kTooManyRequests, "too many callers are being looked up");
    response.headers.Set("Retry-After", "1");
    return response;
  }
  net::Response Failed(const absl::Status& status) {
    failed_.Increment();
    const absl::Duration now = executor_.Monotonic();
    if (now - failure_logged_ >= kFailureLogPeriod) {
      failure_logged_ = now;
      Log(LogLevel::kWarning, "access_review.failed",
          {{"status", status}, {"remedy", "bind the role system:auth-delegator to this program"}});
    }
    return Refuse(Refusal::kInternalError, "the API server could not be asked who may see this");
  }

  net::Executor& executor_;
  client::AccessReview& review_;
  const net::Handler pages_;
  metrics::Counter allowed_, unauthenticated_, forbidden_, busy_, failed_;
  absl::Duration failure_logged_ = -absl::InfiniteDuration();
};

}  // namespace

net::Handler GuardPages(net::Executor& executor, client::AccessReview& review,
                        metrics::Registry& registry, net::Handler pages) {
  const metrics::CounterFamily requests =
      registry.AddCounter("batholith_debug_requests_total",
                          "Requests to the debug pages over TLS, by what became of the caller.");
  auto guard = std::make_shared<Guard>(executor, review, requests, std::move(pages));
  return [guard](net::Request request) { return guard->Serve(std::move(request)); };
}

}  // namespace bth::cmd
