// One TCP connection, plain or TLS, that coroutines read and write.
#pragma once

#include <array>
#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/awaitable.h"
#include "net/detail/readiness.h"
#include "net/detail/tls.h"

namespace bth::net::detail {

// One coroutine at a time waits on a channel. Bytes that arrived and are not used yet lie in
// `input()`; nothing is copied but from there. Destroying the channel closes the connection.
//
// Errors of every operation: kUnavailable (the connection broke), kDeadlineExceeded (the deadline
// passed; the channel still works, e.g. to say so), or the reason given to Abort.
// Thread: the executor's.
class Channel final : private Readiness::Listener {
 public:
  // `fd` is a non-blocking socket; `ssl`, if any, has its role set.
  Channel(AsioExecutor& executor, int fd, SslPtr ssl);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  Awaitable<absl::Status> Connect(SocketAddress address);
  Awaitable<absl::Status> Handshake();

  std::string_view input() const { return {input_.get() + begin_, end_ - begin_}; }
  void Consume(size_t bytes);
  // Appends what has arrived to input(), waiting for something. False at the other side's end.
  // The buffer grows as needed: callers bound what they leave unused.
  Awaitable<absl::StatusOr<bool>> Fill();
  // Reads past an empty input() straight into `to`: 1 to `size` bytes, or 0 at the end.
  Awaitable<absl::StatusOr<size_t>> Read(char* to, size_t size);
  // Writes all parts in order, small ones together in one record or packet. The bytes must stay.
  using Parts = std::array<std::string_view, 3>;
  Awaitable<absl::Status> Write(Parts parts);

  // Operations that wait beyond this moment of the executor's time fail. Moving it is cheap.
  void SetDeadline(absl::Duration at) { deadline_ = at; }
  // Makes the operation under way, from the event loop, and all later ones fail with `why`.
  void Abort(absl::Status why);
  // False once the other side closed or sent what nobody asked for. For idle connections. Costs no
  // system call after ExpectSilence, until the event loop hears of something.
  bool Quiet();
  void ExpectSilence();
  // While a coroutine waits for something else than this channel: calls `gone` from the event
  // loop when the other side closes. `gone` may destroy the channel. Bytes that arrive are kept.
  void WatchPeer(std::function<void()> gone);
  void StopWatching() { gone_ = nullptr; }
  // True if a byte reached the kernel since ResetCounters.
  bool sent_any() const { return sent_any_; }
  void ForgetSent() { sent_any_ = false; }
  // Tells the other side that nothing more will be sent.
  void ShutdownWrite();

  SSL* ssl() const { return ssl_.get(); }

 private:
  enum class Want { kNothing, kRead, kWrite, kTurn };  // kTurn: let others run, then go on.
  // The outcome of one attempt: bytes moved, 0 at the end, or what to wait for.
  struct Attempt {
    absl::StatusOr<size_t> moved = size_t{0};
    Want want = Want::kNothing;
  };
  class WaitOp;

  Attempt TryRead(char* to, size_t size);
  Attempt TryWrite(const Parts& parts);
  Attempt SslResult(int result, const char* doing);
  void OnReadable() override;
  void OnWritable() override;
  void Suspend(Want want);
  void ResumeWith(absl::Status outcome);
  void ArmTimer();
  void OnTimer();
  void PeerReadable();
  void Reserve(size_t room);
  static BIO_METHOD* SocketBio();
  static int BioRead(BIO* bio, char* to, int size);
  static int BioWrite(BIO* bio, const char* from, int size);

  AsioExecutor& executor_;
  Executor& loop_;
  Readiness readiness_;
  SslPtr ssl_;
  std::unique_ptr<char[]> input_;
  size_t capacity_ = 0, begin_ = 0, end_ = 0;
  std::unique_ptr<char[]> record_;  // Gathers small parts for one TLS record.
  bool drained_ = false;            // The last read took all that the kernel had.
  bool broken_ = false;             // TLS must not be used any more.
  bool silent_ = false;             // The event loop watches, and has not heard of anything.
  bool sent_any_ = false;
  size_t turn_bytes_ = 0;  // Moved without giving others a turn.
  absl::Status abort_;
  std::coroutine_handle<> waiter_;
  Want waits_for_ = Want::kNothing;
  absl::Status outcome_;
  absl::Duration deadline_ = absl::InfiniteDuration();
  absl::Duration timer_at_ = absl::InfiniteDuration();
  Executor::TimerId timer_ = 0;
  std::function<void()> gone_;
  // Posted functions look here whether the channel still lives.
  std::shared_ptr<Channel*> self_;
};

}  // namespace bth::net::detail
