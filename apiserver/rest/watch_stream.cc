#include "apiserver/rest/watch_stream.h"

#include <optional>
#include <string>
#include <utility>

namespace bth::apiserver {
namespace {

// Events that wait are sent together up to this size, so that a burst costs few writes.
constexpr size_t kPieceBytes = size_t{64} << 10;

using Piece = absl::StatusOr<std::optional<std::string>>;

class WatchStream final : public net::ByteStream {
 public:
  WatchStream(std::shared_ptr<Core> core, std::shared_ptr<Watcher> watcher, WatchRenderer renderer,
              WatchTiming timing)
      : core_(std::move(core)),
        watcher_(std::move(watcher)),
        renderer_(std::move(renderer)),
        timing_(timing),
        end_(core_->executor.Monotonic() + timing.timeout),
        next_bookmark_(core_->executor.Monotonic() + core_->bookmark_period) {}

  ~WatchStream() override {
    watcher_->SetWakeup(nullptr);
    watcher_->Close();
    core_->executor.CancelTimer(timer_);
  }

  net::Awaitable<Piece> Next() override {
    while (!watcher_->has_items() && !watcher_->closed()) {
      const absl::Duration now = core_->executor.Monotonic();
      if (now >= end_) co_return Final();
      if (timing_.bookmarks && now >= next_bookmark_) {
        next_bookmark_ = now + core_->bookmark_period;
        co_return Piece(Bookmark());
      }
      co_await Wait(now);
    }
    std::string piece;
    while (watcher_->has_items() && piece.size() < kPieceBytes) {
      renderer_.Append(&piece, watcher_->Take(), core_->Now());
      ++core_->counters.watch_events;
    }
    if (piece.empty()) co_return Piece(std::nullopt);
    co_return Piece(std::move(piece));
  }

 private:
  // Until an event, the next bookmark or the end, whichever is first.
  net::Awaitable<void> Wait(absl::Duration now) {
    net::Promised<bool> woken(core_->executor);
    auto wake = [woken] { woken.Set(true); };
    watcher_->SetWakeup(wake);
    const absl::Duration until = timing_.bookmarks ? std::min(end_, next_bookmark_) : end_;
    timer_ = core_->executor.RunAfter(until - now, wake);
    co_await woken.Wait();
    core_->executor.CancelTimer(timer_);
    watcher_->SetWakeup(nullptr);
  }

  std::string Bookmark() {
    // Everything up to the synced revision was delivered before this point.
    std::string line;
    renderer_.Append(&line, {EventType::kBookmark, nullptr, core_->store->delivered()},
                     core_->Now());
    return line;
  }

  // The client resumes from the last bookmark rather than from its last event.
  Piece Final() {
    watcher_->Close();
    if (!timing_.bookmarks || std::exchange(said_goodbye_, true)) return Piece(std::nullopt);
    return Piece(Bookmark());
  }

  std::shared_ptr<Core> core_;
  std::shared_ptr<Watcher> watcher_;
  WatchRenderer renderer_;
  const WatchTiming timing_;
  const absl::Duration end_;
  absl::Duration next_bookmark_;
  net::Executor::TimerId timer_ = 0;
  bool said_goodbye_ = false;
};

class ErrorStream final : public net::ByteStream {
 public:
  explicit ErrorStream(std::string line) : line_(std::move(line)) {}
  net::Awaitable<Piece> Next() override { co_return Piece(std::exchange(line_, std::nullopt)); }

 private:
  std::optional<std::string> line_;
};

}  // namespace

std::unique_ptr<net::ByteStream> MakeWatchStream(std::shared_ptr<Core> core,
                                                 std::shared_ptr<Watcher> watcher,
                                                 WatchRenderer renderer, WatchTiming timing) {
  return std::make_unique<WatchStream>(std::move(core), std::move(watcher), std::move(renderer),
                                       timing);
}

std::unique_ptr<net::ByteStream> MakeErrorStream(const absl::Status& status) {
  return std::make_unique<ErrorStream>(WatchRenderer::ErrorLine(status));
}

}  // namespace bth::apiserver
