#include "net/detail/pool.h"

#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/cord.h"
#include "base/strings.h"
#include "net/detail/asio_executor.h"
#include "net/detail/bounded_wait.h"

namespace bth::net::detail {

namespace {

constexpr absl::Duration kSweepPeriodMax = absl::Seconds(5);
constexpr size_t kAddressesMax = 8;

absl::Status ClosedStatus() {
  return absl::UnavailableError("client is closed; not sent");
}

}  // namespace

Lease::Lease(std::shared_ptr<Pool> pool, std::unique_ptr<Channel> channel)
    : pool_(std::move(pool)), channel_(std::move(channel)), reused_(channel_ != nullptr) {
  if (channel_ != nullptr) pool_->leased_.insert(channel_.get());
}

Lease::~Lease() {
  if (pool_ != nullptr) pool_->Return(std::move(channel_), keep_);
}

Pool::~Pool() {
  if (sweep_ != 0) static_cast<Executor&>(origin_->executor).CancelTimer(sweep_);
}

// A place in the queue, given up when the waiting coroutine ends in whatever way.
class Pool::QueuePlace {
 public:
  QueuePlace(std::list<Waiter>& queue, const Waiter& waiter)
      : queue_(queue), place_(queue.insert(queue.end(), waiter)) {}
  QueuePlace(const QueuePlace&) = delete;
  QueuePlace& operator=(const QueuePlace&) = delete;
  ~QueuePlace() { queue_.erase(place_); }

 private:
  std::list<Waiter>& queue_;
  const std::list<Waiter>::iterator place_;
};

std::unique_ptr<Channel> Pool::TakeIdle() {
  while (!idle_.empty()) {
    std::unique_ptr<Channel> channel = std::move(idle_.back().channel);
    idle_.pop_back();
    if (channel->Quiet()) return channel;
    --live_;
  }
  return nullptr;
}

Awaitable<absl::StatusOr<Lease>> Pool::Acquire(Call call) {
  const std::shared_ptr<Pool> self = shared_from_this();
  if (closed_.cancelled()) co_return ClosedStatus();
  if (call.fresh && live_ >= connections_max_ && !idle_.empty()) {
    idle_.erase(idle_.begin());
    --live_;
  }
  std::unique_ptr<Channel> idle = call.fresh ? nullptr : TakeIdle();
  std::optional<Lease> lease;
  if (idle != nullptr) {
    lease.emplace(self, std::move(idle));
  } else if (live_ < connections_max_) {
    ++live_;
    lease.emplace(self, nullptr);
  } else {
    Executor& executor = origin_->executor;
    Waiter waiter(executor);
    QueuePlace place(queue_, waiter);
    BoundedWait bound(executor, waiter, call.deadline, "no free connection in time; not sent");
    bound.EndOn(call.cancel, absl::CancelledError("request cancelled; not sent"));
    bound.EndOn(closed_, ClosedStatus());
    absl::StatusOr<Lease> granted = co_await waiter.Wait();
    if (!granted.ok()) co_return granted.status();
    lease.emplace(*std::move(granted));
    if (lease->channel_ != nullptr && (call.fresh || !lease->channel_->Quiet())) {
      leased_.erase(lease->channel_.get());
      lease->channel_.reset();
      lease->reused_ = false;
    }
  }
  if (lease->channel_ == nullptr) {
    const absl::Status connected = co_await Connect(*lease, call);
    if (!connected.ok()) {
      const ClientOptions& options = origin_->options;
      absl::Status failed(connected.code(), StrCat("connect to ", options.host, ":", options.port,
                                                   ": ", connected.message(), "; not sent"));
      connected.ForEachPayload([&failed](absl::string_view url, const absl::Cord& payload) {
        failed.SetPayload(url, payload);
      });
      co_return failed;
    }
  }
  co_return *std::move(lease);
}

Awaitable<absl::Status> Pool::Connect(Lease& lease, const Call& call) {
  Executor& executor = origin_->executor;
  const ClientOptions& options = origin_->options;
  const absl::Duration limit = executor.Monotonic() + options.connect_timeout;
  const absl::Duration deadline = std::min(call.deadline, limit);
  const Promised<Addresses> found = Resolve(origin_->executor, options.host, options.port);
  absl::Status outcome;
  {
    BoundedWait bound(executor, found, deadline, "name was not resolved in time");
    bound.EndOn(call.cancel, absl::CancelledError("request cancelled"));
    bound.EndOn(closed_, ClosedStatus());
    Addresses addresses = co_await found.Wait();
    if (!addresses.ok()) co_return addresses.status();
    if (addresses->size() > kAddressesMax) addresses->resize(kAddressesMax);
    for (const SocketAddress& address : *addresses) {
      if (closed_.cancelled()) co_return ClosedStatus();
      const int fd = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      if (fd < 0) co_return absl::UnavailableError("socket: too many open files");
      SslPtr ssl;
      if (origin_->tls != nullptr) {
        absl::StatusOr<SslPtr> made = origin_->tls->NewConnection();
        if (!made.ok()) co_return made.status();
        ssl = *std::move(made);
      }
      lease.channel_ = std::make_unique<Channel>(origin_->executor, fd, std::move(ssl));
      leased_.insert(lease.channel_.get());
      Channel* const channel = lease.channel_.get();
      channel->SetDeadline(deadline);
      auto abort = [channel] { channel->Abort(absl::CancelledError("request cancelled")); };
      const CancelToken::Registration cancel = call.cancel.OnCancel(std::move(abort));
      outcome = co_await ConnectOne(lease, address);
      if (outcome.ok()) co_return outcome;
      leased_.erase(channel);
      lease.channel_.reset();
      if (outcome.code() != absl::StatusCode::kUnavailable || closed_.cancelled()) break;
    }
  }
  if (outcome.code() == absl::StatusCode::kDeadlineExceeded && call.deadline > limit) {
    co_return absl::UnavailableError(
        StrCat("no connection within ", absl::FormatDuration(options.connect_timeout)));
  }
  co_return outcome;
}

Awaitable<absl::Status> Pool::ConnectOne(Lease& lease, const SocketAddress& address) {
  const absl::Status connected = co_await lease.channel_->Connect(address);
  if (!connected.ok()) co_return connected;
  if (origin_->tls == nullptr) co_return absl::OkStatus();
  co_return co_await lease.channel_->Handshake();
}

void Pool::Return(std::unique_ptr<Channel> channel, bool keep) {
  if (channel != nullptr) {
    leased_.erase(channel.get());
    channel->SetDeadline(absl::InfiniteDuration());
  }
  if (!keep || closed_.cancelled()) channel.reset();
  for (Waiter& waiter : queue_) {
    if (waiter.is_set()) continue;  // It has its answer and is about to leave the queue.
    Lease lease(shared_from_this(), std::move(channel));
    waiter.Set(std::move(lease));
    return;
  }
  if (channel == nullptr) {
    --live_;
    return;
  }
  channel->ExpectSilence();
  idle_.push_back({std::move(channel), static_cast<Executor&>(origin_->executor).Monotonic()});
  ScheduleSweep();
}

void Pool::ScheduleSweep() {
  if (sweep_ != 0 || idle_.empty()) return;
  Executor& executor = origin_->executor;
  const absl::Duration period = std::min(origin_->options.idle_timeout / 4, kSweepPeriodMax);
  sweep_ = executor.RunAfter(period, [this] {
    sweep_ = 0;
    Sweep();
  });
}

void Pool::Sweep() {
  const absl::Duration now = static_cast<Executor&>(origin_->executor).Monotonic();
  const auto stale = [&](Idle& idle) {
    return now - idle.since >= origin_->options.idle_timeout || !idle.channel->Quiet();
  };
  const auto kept = std::remove_if(idle_.begin(), idle_.end(), stale);
  live_ -= static_cast<int>(idle_.end() - kept);
  idle_.erase(kept, idle_.end());
  ScheduleSweep();
}

void Pool::Close() {
  closed_.Cancel();
  live_ -= static_cast<int>(idle_.size());
  idle_.clear();
  for (Channel* channel : leased_) channel->Abort(absl::UnavailableError("client is closed"));
}

}  // namespace bth::net::detail
