#include "admission/webhooks/queue_access.h"

#include <utility>

#include "api/types/codec.h"
#include "api/types/pod_group.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/typed_client.h"
#include "net/pem.h"

namespace bth::admission {
namespace {

constexpr char kReviews[] = "subjectaccessreviews";
constexpr char kDefaultQueueName[] = "default";

// Counts a review for as long as its coroutine waits.
class WaitingTurn final {
 public:
  explicit WaitingTurn(int& count) : count_(count) { ++count_; }
  WaitingTurn(const WaitingTurn&) = delete;
  ~WaitingTurn() { --count_; }

 private:
  int& count_;
};

}  // namespace

QueueAccess::QueueAccess(client::ApiClient& api, metrics::AdmissionMetrics& metrics,
                         QueueAccessOptions options)
    : api_(api),
      metrics_(metrics),
      options_(options),
      decisions_(static_cast<size_t>(options.answers_max)),
      groups_(static_cast<size_t>(options.answers_max)) {}

net::Awaitable<absl::StatusOr<Verdict>> QueueAccess::Judge(const Request& request,
                                                           QueueSubmission submission,
                                                           absl::Duration time_max) {
  const absl::Duration until = now() + time_max;
  std::string queue = submission.queue;
  if (queue.empty()) {
    std::string ns = request.ns;
    std::string group = submission.pod_group;
    const absl::StatusOr<std::optional<std::string>> found =
        co_await QueueOfGroup(std::move(ns), std::move(group), time_max);
    if (!found.ok()) co_return found.status();
    if (!found->has_value()) co_return Verdict::Allow();
    queue = **found;
  }
  Json review = SubmitReview(request.user, queue);
  const absl::StatusOr<bool> allowed = co_await MaySubmit(std::move(review), until - now());
  if (!allowed.ok()) co_return allowed.status();
  co_return *allowed ? Verdict::Allow() : RefuseSubmission(request.user, queue);
}

net::Awaitable<absl::StatusOr<std::optional<std::string>>> QueueAccess::QueueOfGroup(
    std::string ns, std::string name, absl::Duration time_max) {
  const std::string key = StrCat(ns, "/", name);
  if (const GroupRow* known = groups_.Find(key); known != nullptr && now() < known->until) {
    co_return std::optional<std::string>(known->queue);
  }
  client::ApiRequest request;
  request.verb = "get";
  request.path = client::PathOf<types::PodGroup>(ns, name);
  request.timeout = time_max;
  const absl::StatusOr<Json> group = co_await Call(std::move(request));
  if (absl::IsNotFound(group.status())) co_return std::optional<std::string>();
  if (!group.ok()) co_return client::WithContext(group.status(), "podgroups");
  const std::string_view queue = group->At({"spec", "queue"}).AsString();
  GroupRow& row = groups_.Touch(key);
  row.until = now() + options_.keep_for;
  row.queue = std::string(queue.empty() ? kDefaultQueueName : queue);
  co_return std::optional<std::string>(row.queue);
}

net::Awaitable<absl::StatusOr<bool>> QueueAccess::MaySubmit(Json review, absl::Duration time_max) {
  std::string body = review.Dump();
  const std::string key = net::Sha256Hex(body);
  if (const Decision* known = decisions_.Find(key); known != nullptr && now() < known->until) {
    co_return known->allowed;
  }
  client::ApiRequest request;
  request.verb = "create";
  request.method = "POST";
  request.path = {kReviews, StrCat("/apis/authorization.k8s.io/v1/", kReviews)};
  request.body = std::move(body);
  request.timeout = time_max;
  const absl::StatusOr<Json> answer = co_await Call(std::move(request));
  metrics_.AccessAsked(answer.ok());
  if (!answer.ok()) co_return client::WithContext(answer.status(), kReviews);
  const Json& status = (*answer)["status"];
  if (!status.is_object()) {
    co_return absl::InternalError(StrCat(kReviews, ": the answer has no status"));
  }
  const bool allowed = status["allowed"].AsBool() && !status["denied"].AsBool();
  decisions_.Touch(key) = {now() + options_.keep_for, allowed};
  co_return allowed;
}

net::Awaitable<absl::StatusOr<Json>> QueueAccess::Call(client::ApiRequest request) {
  if (asking_ >= options_.asking_max) {
    metrics_.LimitReached("queue_access_waiting");
    co_return absl::ResourceExhaustedError(
        StrCat(asking_, " reviews wait for the API server already"));
  }
  if (request.timeout <= absl::ZeroDuration()) {
    co_return absl::DeadlineExceededError("the review's time is up");
  }
  const WaitingTurn turn(asking_);
  const client::ApiClient::Text text = co_await api_.Call(std::move(request));
  if (!text.ok()) co_return text.status();
  co_return Json::Parse(*text);
}

}  // namespace bth::admission
