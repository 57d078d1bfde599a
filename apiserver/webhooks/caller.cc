#include "apiserver/webhooks/caller.h"

#include <algorithm>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/webhooks/endpoint.h"
#include "base/strings.h"
#include "net/client.h"

namespace bth::apiserver {
namespace {

constexpr char kStage[] = "failed to call webhook";

// In the words of the client library that kube-apiserver uses, where they are known.
std::string ConnectionText(const absl::Status& status, const Endpoint& endpoint) {
  const std::string_view message = ToStd(status.message());
  if (status.code() == absl::StatusCode::kDeadlineExceeded) return "context deadline exceeded";
  if (net::IsCertificateRefused(status)) {
    return StrCat("tls: failed to verify certificate: x509: ", message);
  }
  if (StrContains(message, "refused")) {
    return StrCat("dial tcp ", endpoint.host, ":", endpoint.port, ": connect: connection refused");
  }
  return std::string(message);
}

net::Request RequestOf(const Question& question, std::string target, absl::Duration timeout,
                       std::string_view uid) {
  net::Request request;
  request.method = "POST";
  request.target = std::move(target);
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("Accept", "application/json, */*");
  request.headers.Set("User-Agent", "kube-apiserver-admission");
  request.body = ReviewBody(*question.texts, uid, question.webhook->first_review_is_beta);
  request.timeout = timeout;
  request.response_bytes_max = kAnswerBytesMax;
  request.cancel = question.cancel;
  return request;
}

}  // namespace

net::Awaitable<ReadAnswer> WebhookCaller::Send(const Question& question, absl::Duration timeout) {
  const Webhook& webhook = *question.webhook;
  const CallPlace place = PlaceOf(outside_->core, webhook.client, timeout);
  auto failed = [&](std::string_view why) {
    return ReadAnswer{std::nullopt, {kStage, StrCat("Post \"", place.url, "\": ", why)}};
  };
  if (!place.endpoint.ok()) co_return failed(ToStd(place.endpoint.status().message()));
  absl::StatusOr<std::shared_ptr<net::Transport>> client = clients_.To(*place.endpoint);
  if (!client.ok()) {
    co_return ReadAnswer{
        std::nullopt, {"could not get REST client", std::string(ToStd(client.status().message()))}};
  }
  const std::string uid = outside_->core.NewUid();
  net::Request request = RequestOf(question, place.target, timeout, uid);
  absl::StatusOr<net::Response> response = co_await (*client)->Fetch(std::move(request));
  if (!response.ok()) co_return failed(ConnectionText(response.status(), *place.endpoint));
  const ReviewExpectation expected{uid, webhook.first_review_is_beta, question.mutating,
                                   response->headers.Get("content-type")};
  co_return ReadReview(response->status, response->body, expected);
}

Reply WebhookCaller::Judge(const Question& question, ReadAnswer read, absl::Duration took) {
  const Webhook& webhook = *question.webhook;
  const std::string_view type = question.mutating ? "admit" : "validating";
  AdmissionMetrics::Call call{webhook.name, type, question.operation, took};
  Reply reply;
  if (read.answer.has_value()) {
    if (!read.answer->allowed) {
      reply.status = RefusalOf(webhook.name, *read.answer);
      call.rejected = true;
      call.code = HttpCode(reply.status);
      call.error_type = "no_error";
    }
    reply.answer = std::move(read.answer);
    outside_->metrics.Called(call);
    return reply;
  }
  const std::string text =
      StrCat("failed calling webhook \"", webhook.name, "\": ", read.fault.Text());
  call.rejected = !webhook.ignores_failure;
  call.code = 500;
  call.error_type = "calling_webhook_error";
  outside_->metrics.Called(call);
  if (webhook.ignores_failure) {
    outside_->metrics.FailedOpen(webhook.name, type);
    return reply;
  }
  reply.status = InternalError(text);
  return reply;
}

net::Awaitable<Reply> WebhookCaller::Call(Question question) {
  const std::shared_ptr<WebhookCaller> alive = shared_from_this();
  net::Executor& executor = outside_->core.executor;
  const absl::Duration start = executor.Monotonic();
  const absl::Duration left = question.deadline - start;
  Reply late;
  late.status = TimedOut("request did not complete within requested timeout");
  late.out_of_time = true;
  if (left <= absl::ZeroDuration()) co_return late;
  const absl::Duration timeout = std::min(question.webhook->timeout, left);
  ReadAnswer read = co_await Send(question, timeout);
  const absl::Duration end = executor.Monotonic();
  Reply reply = Judge(question, std::move(read), end - start);
  // The webhook had less time than it may take: that is not its failure.
  if (!reply.answer.has_value() && end >= question.deadline) co_return late;
  co_return reply;
}

}  // namespace bth::apiserver
