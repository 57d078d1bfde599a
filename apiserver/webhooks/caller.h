// One call of one webhook.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "apiserver/matching/outside.h"
#include "apiserver/webhooks/clients.h"
#include "apiserver/webhooks/review.h"
#include "apiserver/webhooks/webhook.h"

namespace bth::apiserver {

// What is asked. Shared by the calls of one write, which may outlive it.
struct Question {
  WebhookPtr webhook;
  std::shared_ptr<const ReviewTexts> texts;
  std::string operation;
  bool mutating = false;
  absl::Duration deadline;  // Of the whole request, on the monotonic clock.
  net::CancelToken cancel;
};

struct Reply {
  // Not OK: refused, or the call failed and that counts. Whether the request's own time was up.
  absl::Status status;
  bool out_of_time = false;
  // Nothing when the call failed and that is ignored.
  std::optional<ReviewAnswer> answer;
};

// Lifetime: shared by the calls that are under way. Thread: the executor's.
class WebhookCaller final : public std::enable_shared_from_this<WebhookCaller> {
 public:
  WebhookCaller(std::shared_ptr<Outside> outside, ConnectTo connect)
      : outside_(std::move(outside)), clients_(std::move(connect)) {}

  net::Awaitable<Reply> Call(Question question);
  Outside& outside() { return *outside_; }

 private:
  net::Awaitable<ReadAnswer> Send(const Question& question, absl::Duration timeout);
  Reply Judge(const Question& question, ReadAnswer read, absl::Duration took);

  const std::shared_ptr<Outside> outside_;
  WebhookClients clients_;
};

}  // namespace bth::apiserver
