#include "scheduler/http_port.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::scheduler {
namespace {

// Beside the exchanges themselves, for threads to notice each other.
constexpr absl::Duration kGrace = absl::Seconds(2);

// A server that did not answer will not answer the next question either.
bool MeansSilence(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status) ||
         absl::IsCancelled(status);
}

}  // namespace

// Answers are written by the executor's thread and read by the caller when `left` is 0.
struct BlockingHttp::Batch {
  std::mutex mutex;
  std::condition_variable done;
  std::vector<Request> requests;
  std::vector<std::optional<Answer>> answers;
  size_t left = 0;
  size_t next = 0;       // Executor only.
  absl::Status silence;  // Executor only: why the rest is not sent.

  void Set(size_t i, Answer answer) {
    std::lock_guard lock(mutex);
    if (answers[i].has_value()) return;
    // Copies of a status share what it holds; this one goes to another thread by itself.
    if (!answer.ok()) answer = absl::Status(answer.status().code(), answer.status().message());
    answers[i] = std::move(answer);
    if (--left == 0) done.notify_all();
  }
  void FailRest(const absl::Status& status) {
    for (size_t i = 0; i < answers.size(); ++i) Set(i, status);
  }
};

struct BlockingHttp::Net {
  explicit Net(client::TransportFactory factory) : transports(std::move(factory)) {}

  // The client for the server of `url`, kept for the next question; `path` is the rest of the URL.
  absl::StatusOr<std::shared_ptr<WebClient>> ClientFor(const std::string& url, std::string* path) {
    BTH_ASSIGN_OR_RETURN(client::ServerUrl server, client::ParseServerUrl(url));
    *path = std::exchange(server.path_prefix, "");
    const std::string key =
        StrCat(server.tls ? "https" : "http", "://", server.host, "|", server.port);
    for (const auto& [known, web] : clients) {
      if (known == key) return web;
    }
    BTH_ASSIGN_OR_RETURN(std::shared_ptr<WebClient> web,
                         WebClient::Create(transports, server, {.connections_max = kSideBySide}));
    if (clients.size() >= kServersMax) clients.pop_front();
    clients.emplace_back(key, web);
    return web;
  }

  const client::TransportFactory transports;
  net::CancelToken cancel;  // Ends what is under way.
  std::deque<std::pair<std::string, std::shared_ptr<WebClient>>> clients;
  std::mutex mutex;              // Guards what follows.
  std::weak_ptr<Batch> waiting;  // The batch that some thread waits for.
};

namespace {

template <typename Net, typename Batch>
net::Awaitable<void> SendSome(std::shared_ptr<Net> net, std::shared_ptr<Batch> batch) {
  while (batch->next < batch->requests.size()) {
    const size_t i = batch->next++;
    if (!batch->silence.ok()) {
      batch->Set(i, batch->silence);
      continue;
    }
    framework::HttpPort::Request& request = batch->requests[i];
    WebClient::Call call;
    absl::StatusOr<std::shared_ptr<WebClient>> web = net->ClientFor(request.url, &call.path);
    if (!web.ok()) {
      batch->Set(i, web.status());
      continue;
    }
    call.method = request.method;
    call.content_type = request.content_type;
    call.body = std::move(request.body);
    call.timeout = request.timeout;
    call.response_bytes_max = request.response_max_bytes;
    call.cancel = net->cancel;
    absl::StatusOr<std::string> answer = co_await (*web)->Exchange(std::move(call));
    if (MeansSilence(answer.status())) batch->silence = answer.status();
    batch->Set(i, std::move(answer));
  }
}

}  // namespace

BlockingHttp::BlockingHttp(net::Executor& executor, client::TransportFactory transports,
                           metrics::SchedulerMetrics* metrics)
    : executor_(executor), metrics_(metrics), net_(std::make_shared<Net>(std::move(transports))) {}

BlockingHttp::~BlockingHttp() {
  net_->cancel.Cancel();
}

void BlockingHttp::Interrupt() {
  std::shared_ptr<Batch> batch;
  {
    std::lock_guard lock(net_->mutex);
    batch = net_->waiting.lock();
  }
  if (batch != nullptr) batch->FailRest(absl::CancelledError("the scheduler stops"));
}

std::vector<framework::HttpPort::Answer> BlockingHttp::Exchange(
    absl::Span<const Request> requests) {
  if (requests.empty()) return {};
  if (executor_.IsCurrent()) {
    return std::vector<Answer>(
        requests.size(),
        absl::UnavailableError("cycles run on the network thread here: nobody can be asked"));
  }
  auto batch = std::make_shared<Batch>();
  batch->requests.assign(requests.begin(), requests.end());
  batch->answers.resize(requests.size());
  batch->left = requests.size();
  absl::Duration wait = kGrace;
  for (const Request& request : requests) wait += request.timeout / kSideBySide;
  wait += requests.front().timeout;
  {
    std::lock_guard lock(net_->mutex);
    net_->waiting = batch;
  }
  net::Executor* executor = &executor_;
  executor_.Post([executor, net = net_, batch] {
    const size_t senders = std::min<size_t>(kSideBySide, batch->requests.size());
    for (size_t s = 0; s < senders; ++s) net::Spawn(*executor, SendSome(net, batch));
  });
  std::vector<Answer> out;
  std::unique_lock lock(batch->mutex);
  const bool through = batch->done.wait_for(lock, absl::ToChronoMilliseconds(wait),
                                            [&batch] { return batch->left == 0; });
  if (!through && metrics_ != nullptr) metrics_->LimitReached("http_port_wait");
  for (std::optional<Answer>& answer : batch->answers) {
    if (answer.has_value()) {
      out.push_back(*std::move(answer));
    } else {
      out.push_back(absl::DeadlineExceededError("the network thread did not answer in time"));
      answer.emplace(std::string());  // What comes now comes too late.
    }
  }
  return out;
}

}  // namespace bth::scheduler
