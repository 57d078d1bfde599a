#include "admission/webhooks/review_handler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "admission/webhooks/configurations.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/text_response.h"

namespace bth::admission {
namespace {

constexpr absl::Duration kReviewTimeMin = absl::Milliseconds(100);

// A review counts as under way for as long as its coroutine lives.
class UnderWay final {
 public:
  UnderWay(int& count, metrics::AdmissionMetrics& metrics) : count_(count), metrics_(metrics) {
    metrics_.SetInFlight(++count_);
  }
  UnderWay(const UnderWay&) = delete;
  ~UnderWay() { metrics_.SetInFlight(--count_); }

 private:
  int& count_;
  metrics::AdmissionMetrics& metrics_;
};

// Whether it is asked about this only because queues are checked.
bool IsOnlyChecked(const Webhook& webhook, const ResourceName& asked) {
  const std::string_view checked = CheckedResource(webhook);
  return !checked.empty() && asked.group == webhook.group && asked.version == webhook.version &&
         asked.resource == checked;
}

net::Response Busy(std::string_view why) {
  net::Response response = net::TextResponse(429, StrCat(why, "\n"));
  response.headers.Set("Retry-After", "1");
  return response;
}

}  // namespace

absl::StatusOr<std::vector<const Webhook*>> ReadEnabledPaths(std::string_view list) {
  std::vector<const Webhook*> enabled;
  for (absl::string_view part : SplitText(list, ',')) {
    const std::string_view path = StripAsciiWhitespace(ToStd(part));
    if (path.empty()) continue;
    const Webhook* const webhook = FindWebhook(path);
    if (webhook == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("enabled admission ", path, " not found on the admission registered map"));
    }
    if (std::find(enabled.begin(), enabled.end(), webhook) == enabled.end()) {
      enabled.push_back(webhook);
    }
  }
  return enabled;
}

ReviewHandler::ReviewHandler(const Parts& parts, std::vector<const Webhook*> webhooks,
                             Settings settings, ReviewLimits limits)
    : parts_(parts),
      webhooks_(std::move(webhooks)),
      limits_(limits),
      settings_(std::make_shared<const Settings>(std::move(settings))) {}

void ReviewHandler::SetSettings(Settings settings) {
  settings_ = std::make_shared<const Settings>(std::move(settings));
}

const Webhook* ReviewHandler::Find(std::string_view path) const {
  const auto found = std::find_if(webhooks_.begin(), webhooks_.end(),
                                  [&](const Webhook* webhook) { return webhook->path == path; });
  return found == webhooks_.end() ? nullptr : *found;
}

void ReviewHandler::NoteContentType(std::string_view path) {
  const auto line = content_types_.Note(path, parts_.executor.Monotonic());
  if (!line) return;
  Log(LogLevel::kError, "review.refused",
      {{"path", path}, {"why", "contentType is not application/json"}, {"requests", line->times}});
}

std::optional<net::Response> ReviewHandler::Turned(const net::Request& request,
                                                   const Webhook* webhook) {
  if (webhook == nullptr) return net::TextResponse(404, "404 page not found\n");
  if (request.method != "POST") {
    net::Response response = net::TextResponse(405, "reviews are sent by POST\n");
    response.headers.Set("Allow", "POST");
    return response;
  }
  if (request.body.size() > kReviewBytesMax) {
    parts_.metrics.LimitReached("review_bytes");
    return net::TextResponse(413, "request body too large\n");
  }
  if (request.headers.Get("Content-Type") != "application/json") {
    NoteContentType(webhook->path);
    return net::Response();
  }
  if (in_flight_ >= limits_.reviews_max) {
    parts_.metrics.LimitReached("reviews_in_flight");
    return Busy(StrCat(in_flight_, " reviews are under way already"));
  }
  return std::nullopt;
}

absl::Duration ReviewHandler::TimeFor(const net::Target& target) const {
  absl::Duration asked;
  const std::string text(target.Query("timeout"));  // As kube-apiserver says it: "10s".
  if (!absl::ParseDuration(text, &asked)) return limits_.time_max;
  return std::clamp(asked, kReviewTimeMin, limits_.time_max);
}

net::Awaitable<net::Response> ReviewHandler::Serve(net::Request request) {
  const absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
  const Webhook* const webhook = target.ok() ? Find(target->path) : nullptr;
  std::optional<net::Response> turned = Turned(request, webhook);
  net::Response response;
  if (turned.has_value()) {
    response = *std::move(turned);
  } else {
    const UnderWay under_way(in_flight_, parts_.metrics);
    response = co_await Answer(*webhook, request.body, TimeFor(*target));
  }
  parts_.metrics.Answered(webhook == nullptr ? std::string_view() : webhook->path, response.status);
  co_return response;
}

net::Response ReviewHandler::Unanswered(const Webhook& webhook, const absl::Status& why,
                                        absl::Duration begun) {
  const bool late = absl::IsDeadlineExceeded(why);
  if (late) parts_.metrics.LimitReached("review_time");
  parts_.metrics.Reviewed(webhook.path, metrics::ReviewOutcome::kUnanswered, {},
                          parts_.executor.Monotonic() - begun);
  if (absl::IsResourceExhausted(why)) return Busy(ToStd(why.message()));
  return net::TextResponse(late ? 504 : 500,
                           StrCat("who may submit is not known: ", ToStd(why.message()), "\n"));
}

net::Awaitable<net::Response> ReviewHandler::Answer(const Webhook& webhook, std::string_view body,
                                                    absl::Duration time_max) {
  const absl::Duration begun = parts_.executor.Monotonic();
  const auto review = AdmissionReview::Decode(body);
  if (!review.ok()) {
    co_return net::TextResponse(400, StrCat(ToStd(review.status().message()), "\n"));
  }
  const Request& request = (*review)->request();
  const std::shared_ptr<const Settings> settings = settings_;
  const bool is_checked = parts_.access != nullptr && !webhook.mutating;
  std::vector<QueueSubmission> submissions;  // Read before the rule, to which the object is spare.
  if (is_checked) submissions = SubmissionsOf(request, *settings, parts_.known);
  Verdict verdict = is_checked && IsOnlyChecked(webhook, request.resource)
                        ? Verdict::Allow()
                        : Review(webhook, request, *settings, parts_.known);
  for (QueueSubmission& submission : submissions) {
    if (!verdict.allowed) break;
    const absl::Duration left = time_max - (parts_.executor.Monotonic() - begun);
    absl::StatusOr<Verdict> judged =
        co_await parts_.access->Judge(request, std::move(submission), left);
    if (!judged.ok()) co_return Unanswered(webhook, judged.status(), begun);
    if (!judged->allowed) verdict = *std::move(judged);
  }
  parts_.metrics.Reviewed(
      webhook.path,
      verdict.allowed ? metrics::ReviewOutcome::kAllowed : metrics::ReviewOutcome::kRefused,
      verdict.reason, parts_.executor.Monotonic() - begun);
  if (!verdict.allowed && LogEnabled(LogLevel::kDebug)) {
    Log(LogLevel::kDebug, "object.refused",
        {{"path", webhook.path},
         {"namespace", request.ns},
         {"name", request.name},
         {"operation", request.operation},
         {"message", verdict.message}});
  }
  net::Response response;
  response.headers.Set("Content-Type", "application/json");
  response.body = EncodeAnswer(request.uid, verdict);
  co_return response;
}

}  // namespace bth::admission
