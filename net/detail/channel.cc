#include "net/detail/channel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/asio_executor.h"

namespace bth::net::detail {

namespace {

constexpr size_t kInputBytes = 16 << 10;  // One TLS record.
constexpr size_t kRecordBytes = 16 << 10;
constexpr size_t kTurnBytes = 1 << 20;  // Then other connections get their turn.
constexpr size_t kWatchedBytesMax = 64 << 10;

absl::Status Broken(const char* doing, int error) {
  return absl::UnavailableError(StrCat(doing, ": ", std::strerror(error)));
}

// SSL_get_error needs an empty queue; clearing one that is empty costs as much as a small copy.
void ForgetSslErrors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

bool WouldBlock(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

void TuneSocket(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // A peer that vanished without a word is noticed after about a minute.
  const int idle_s = 30, interval_s = 10, probes = 3;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

}  // namespace

// Suspends until the socket is ready, the deadline passed or the channel was aborted.
class Channel::WaitOp {
 public:
  WaitOp(Channel& channel, Want want) : channel_(channel), want_(want) {}
  WaitOp(const WaitOp&) = delete;
  WaitOp& operator=(const WaitOp&) = delete;
  ~WaitOp() {
    if (suspended_) channel_.waiter_ = {};
  }
  bool await_ready() {
    channel_.outcome_ = channel_.abort_;
    return !channel_.outcome_.ok();
  }
  void await_suspend(std::coroutine_handle<> caller) {
    BTH_CHECK(!channel_.waiter_);
    suspended_ = true;
    channel_.waiter_ = caller;
    channel_.Suspend(want_);
  }
  absl::Status await_resume() {
    suspended_ = false;
    return std::move(channel_.outcome_);
  }

 private:
  Channel& channel_;
  const Want want_;
  bool suspended_ = false;
};

Channel::Channel(AsioExecutor& executor, int fd, SslPtr ssl)
    : executor_(executor),
      loop_(executor),
      readiness_(executor, fd, *this),
      ssl_(std::move(ssl)),
      self_(std::make_shared<Channel*>(this)) {
  TuneSocket(fd);
  if (ssl_ == nullptr) return;
  BIO* bio = BIO_new(SocketBio());
  BTH_CHECK(bio != nullptr);
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
}

Channel::~Channel() {
  *self_ = nullptr;
  if (timer_ != 0) loop_.CancelTimer(timer_);
  ShutdownWrite();
}

void Channel::ShutdownWrite() {
  if (readiness_.fd() < 0) return;
  if (ssl_ != nullptr && !broken_ && SSL_is_init_finished(ssl_.get())) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());  // The notice goes out if the kernel has room; nobody waits for it.
  }
  shutdown(readiness_.fd(), SHUT_WR);
}

void Channel::Consume(size_t bytes) {
  begin_ += bytes;
  if (begin_ == end_) begin_ = end_ = 0;
}

void Channel::Reserve(size_t room) {
  if (capacity_ - end_ >= room) return;
  const size_t used = end_ - begin_;
  if (capacity_ - used < room) {
    const size_t capacity = std::max(capacity_ * 2, std::max(kInputBytes, used + room));
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (used > 0) std::memcpy(larger.get(), input_.get() + begin_, used);
    input_ = std::move(larger);
    capacity_ = capacity;
  } else {
    std::memmove(input_.get(), input_.get() + begin_, used);
  }
  begin_ = 0;
  end_ = used;
}

Awaitable<absl::Status> Channel::Connect(SocketAddress address) {
  const auto* raw = reinterpret_cast<const sockaddr*>(address.bytes);
  if (connect(readiness_.fd(), raw, address.length) == 0) co_return absl::OkStatus();
  if (errno != EINPROGRESS) co_return Broken("connect", errno);
  {
    WaitOp wait(*this, Want::kWrite);
    const absl::Status ready = co_await wait;
    if (!ready.ok()) co_return ready;
  }
  int error = 0;
  socklen_t length = sizeof(error);
  getsockopt(readiness_.fd(), SOL_SOCKET, SO_ERROR, &error, &length);
  co_return error == 0 ? absl::OkStatus() : Broken("connect", error);
}

Awaitable<absl::Status> Channel::Handshake() {
  for (;;) {
    ForgetSslErrors();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) co_return absl::OkStatus();
    const Attempt attempt = SslResult(result, "TLS handshake");
    if (attempt.want == Want::kNothing) {
      const long verified = SSL_get_verify_result(ssl_.get());
      if (verified != X509_V_OK) {
        co_return CertificateRefused(X509_verify_cert_error_string(verified));
      }
      if (!attempt.moved.ok()) co_return attempt.moved.status();
      co_return absl::UnavailableError("TLS handshake: connection closed");
    }
    WaitOp wait(*this, attempt.want);
    const absl::Status ready = co_await wait;
    if (!ready.ok()) co_return ready;
  }
}

Awaitable<absl::StatusOr<bool>> Channel::Fill() {
  Reserve(kInputBytes / 4);
  for (;;) {
    const Attempt attempt = TryRead(input_.get() + end_, capacity_ - end_);
    if (attempt.want == Want::kNothing) {
      if (!attempt.moved.ok()) co_return attempt.moved.status();
      end_ += *attempt.moved;
      co_return *attempt.moved > 0;
    }
    WaitOp wait(*this, attempt.want);
    const absl::Status ready = co_await wait;
    if (!ready.ok()) co_return ready;
  }
}

Awaitable<absl::StatusOr<size_t>> Channel::Read(char* to, size_t size) {
  BTH_CHECK(begin_ == end_);
  for (;;) {
    const Attempt attempt = TryRead(to, size);
    if (attempt.want == Want::kNothing) co_return attempt.moved;
    WaitOp wait(*this, attempt.want);
    const absl::Status ready = co_await wait;
    if (!ready.ok()) co_return ready;
  }
}

Awaitable<absl::Status> Channel::Write(Parts parts) {
  for (;;) {
    if (parts[0].empty() && parts[1].empty() && parts[2].empty()) co_return absl::OkStatus();
    const Attempt attempt = TryWrite(parts);
    if (attempt.want == Want::kNothing) {
      if (!attempt.moved.ok()) co_return attempt.moved.status();
      size_t moved = *attempt.moved;
      for (std::string_view& part : parts) {
        const size_t taken = std::min(moved, part.size());
        part.remove_prefix(taken);
        moved -= taken;
      }
      continue;
    }
    WaitOp wait(*this, attempt.want);
    const absl::Status ready = co_await wait;
    if (!ready.ok()) co_return ready;
  }
}

Channel::Attempt Channel::TryRead(char* to, size_t size) {
  if (!abort_.ok()) return {abort_};
  if (turn_bytes_ > kTurnBytes) return {size_t{0}, Want::kTurn};
  const bool tls_has_more = ssl_ != nullptr && SSL_has_pending(ssl_.get()) != 0;
  // Knowing that there is nothing saves a system call: waiting is by level.
  if (drained_ && !tls_has_more) return {size_t{0}, Want::kRead};
  Attempt attempt;
  if (ssl_ != nullptr) {
    ForgetSslErrors();
    const int result = SSL_read(ssl_.get(), to, static_cast<int>(std::min<size_t>(size, 1 << 30)));
    attempt = result > 0 ? Attempt{static_cast<size_t>(result)} : SslResult(result, "read");
  } else {
    ssize_t result = 0;
    do result = recv(readiness_.fd(), to, size, 0);
    while (result < 0 && errno == EINTR);
    if (result >= 0) {
      attempt.moved = static_cast<size_t>(result);
      drained_ = result > 0 && static_cast<size_t>(result) < size;
    } else if (WouldBlock(errno)) {
      drained_ = true;
      attempt.want = Want::kRead;
    } else {
      attempt.moved = Broken("read", errno);
    }
  }
  if (attempt.want == Want::kNothing && attempt.moved.ok()) turn_bytes_ += *attempt.moved;
  return attempt;
}

Channel::Attempt Channel::TryWrite(const Parts& parts) {
  if (!abort_.ok()) return {abort_};
  if (turn_bytes_ > kTurnBytes) return {size_t{0}, Want::kTurn};
  silent_ = false;
  Attempt attempt;
  if (ssl_ != nullptr) {
    // Gathering depends on the remaining parts alone, so that a retry offers the same bytes.
    std::string_view next;
    for (const std::string_view& part : parts) {
      if (next.empty()) {
        next = part;
      } else if (next.size() < kRecordBytes && !part.empty()) {
        if (record_ == nullptr) record_.reset(new char[kRecordBytes]);
        if (next.data() != record_.get()) std::memcpy(record_.get(), next.data(), next.size());
        const size_t taken = std::min(part.size(), kRecordBytes - next.size());
        std::memcpy(record_.get() + next.size(), part.data(), taken);
        next = {record_.get(), next.size() + taken};
      }
    }
    ForgetSslErrors();
    const int result = SSL_write(ssl_.get(), next.data(),
                                 static_cast<int>(std::min<size_t>(next.size(), 1 << 30)));
    attempt = result > 0 ? Attempt{static_cast<size_t>(result)} : SslResult(result, "write");
    // The other side took leave and is gone: an end for who reads, a failure for who writes.
    if (result <= 0 && attempt.want == Want::kNothing && attempt.moved.ok()) {
      broken_ = true;
      attempt.moved = Broken("write", EPIPE);
    }
  } else {
    iovec vectors[3];
    size_t count = 0;
    for (const std::string_view& part : parts) {
      if (!part.empty()) vectors[count++] = {const_cast<char*>(part.data()), part.size()};
    }
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = count;
    ssize_t result = 0;
    do result = sendmsg(readiness_.fd(), &message, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    if (result >= 0) {
      attempt.moved = static_cast<size_t>(result);
      sent_any_ = true;
    } else if (WouldBlock(errno)) {
      attempt.want = Want::kWrite;
    } else {
      attempt.moved = Broken("write", errno);
    }
  }
  if (attempt.want == Want::kNothing && attempt.moved.ok()) turn_bytes_ += *attempt.moved;
  return attempt;
}

Channel::Attempt Channel::SslResult(int result, const char* doing) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return {size_t{0}, Want::kRead};
  if (error == SSL_ERROR_WANT_WRITE) return {size_t{0}, Want::kWrite};
  if (error == SSL_ERROR_ZERO_RETURN) return {size_t{0}};
  broken_ = true;
  if (error == SSL_ERROR_SYSCALL && errno != 0) return {Broken(doing, errno)};
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ERR_clear_error();
    return {absl::UnavailableError(StrCat(doing, ": connection closed without notice"))};
  }
  return {absl::UnavailableError(StrCat(doing, ": ", TakeSslErrors()))};
}

BIO_METHOD* Channel::SocketBio() {
  // OpenSSL's own socket BIO raises SIGPIPE on a closed connection; this one does not.
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "bth socket");
    BTH_CHECK(made != nullptr);
    BIO_meth_set_read(made, &Channel::BioRead);
    BIO_meth_set_write(made, &Channel::BioWrite);
    BIO_meth_set_ctrl(made, [](BIO*, int command, long, void*) -> long {
      return command == BIO_CTRL_FLUSH ? 1 : 0;
    });
    return made;
  }();
  return method;
}

int Channel::BioRead(BIO* bio, char* to, int size) {
  auto* self = static_cast<Channel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  ssize_t result = 0;
  do result = recv(self->readiness_.fd(), to, static_cast<size_t>(size), 0);
  while (result < 0 && errno == EINTR);
  self->drained_ = result < 0 ? WouldBlock(errno) : (result > 0 && result < size);
  if (result < 0 && WouldBlock(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(result);
}

int Channel::BioWrite(BIO* bio, const char* from, int size) {
  auto* self = static_cast<Channel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  ssize_t result = 0;
  do result = send(self->readiness_.fd(), from, static_cast<size_t>(size), MSG_NOSIGNAL);
  while (result < 0 && errno == EINTR);
  if (result > 0) self->sent_any_ = true;
  if (result < 0 && WouldBlock(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(result);
}

void Channel::Suspend(Want want) {
  waits_for_ = want;
  turn_bytes_ = 0;
  if (want == Want::kRead) readiness_.WaitReadable();
  if (want == Want::kWrite) readiness_.WaitWritable();
  if (want == Want::kTurn) {
    loop_.Post([self = self_] {
      if (*self != nullptr && (*self)->waits_for_ == Want::kTurn) {
        (*self)->ResumeWith(absl::OkStatus());
      }
    });
  }
  ArmTimer();
}

void Channel::ResumeWith(absl::Status outcome) {
  waits_for_ = Want::kNothing;
  const auto waiter = std::exchange(waiter_, {});
  if (!waiter) return;
  outcome_ = std::move(outcome);
  waiter.resume();  // May destroy the channel.
}

void Channel::OnReadable() {
  drained_ = false;
  silent_ = false;
  if (waits_for_ == Want::kRead && waiter_) {
    ResumeWith(absl::OkStatus());
  } else if (gone_ != nullptr) {
    PeerReadable();
  }
}

void Channel::OnWritable() {
  if (waits_for_ == Want::kWrite && waiter_) ResumeWith(absl::OkStatus());
}

void Channel::ArmTimer() {
  // A timer that fires too early looks again; only an earlier deadline needs a new one.
  if (deadline_ >= timer_at_) return;
  if (timer_ != 0) loop_.CancelTimer(timer_);
  timer_at_ = deadline_;
  timer_ = loop_.RunAfter(deadline_ - loop_.Monotonic(), [this] { OnTimer(); });
}

void Channel::OnTimer() {
  timer_ = 0;
  timer_at_ = absl::InfiniteDuration();
  if (!waiter_) return;  // The next wait arms it again.
  if (loop_.Monotonic() >= deadline_) {
    ResumeWith(absl::DeadlineExceededError("deadline passed"));
  } else {
    ArmTimer();
  }
}

void Channel::Abort(absl::Status why) {
  if (!abort_.ok()) return;
  abort_ = std::move(why);
  loop_.Post([self = self_] {
    if (*self != nullptr && (*self)->waiter_) (*self)->ResumeWith((*self)->abort_);
  });
}

bool Channel::Quiet() {
  if (!abort_.ok() || broken_ || begin_ != end_) return false;
  if (silent_) return true;
  char byte = 0;
  if (ssl_ == nullptr) {
    const ssize_t result = recv(readiness_.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return result < 0 && WouldBlock(errno);
  }
  ForgetSslErrors();
  const int result = SSL_peek(ssl_.get(), &byte, 1);
  return result <= 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
}

void Channel::ExpectSilence() {
  silent_ = drained_ && (ssl_ == nullptr || SSL_has_pending(ssl_.get()) == 0);
  if (silent_) readiness_.WaitReadable();
}

void Channel::WatchPeer(std::function<void()> gone) {
  gone_ = std::move(gone);
  if (ssl_ != nullptr && SSL_has_pending(ssl_.get()) != 0) {
    // What OpenSSL holds already does not make the socket readable.
    loop_.Post([self = self_] {
      if (*self != nullptr && (*self)->gone_ != nullptr) (*self)->PeerReadable();
    });
    return;
  }
  readiness_.WaitReadable();
}

void Channel::PeerReadable() {
  for (;;) {
    if (end_ - begin_ >= kWatchedBytesMax) return;  // Enough early requests; look no further.
    Reserve(kInputBytes / 4);
    const Attempt attempt = TryRead(input_.get() + end_, capacity_ - end_);
    if (attempt.want != Want::kNothing) {
      turn_bytes_ = 0;
      readiness_.WaitReadable();
      return;
    }
    if (!attempt.moved.ok() || *attempt.moved == 0) {
      const std::function<void()> gone = std::exchange(gone_, nullptr);
      gone();
      return;
    }
    end_ += *attempt.moved;
  }
}

}  // namespace bth::net::detail
