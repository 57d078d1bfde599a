#include "client/file_watch.h"

#include <sys/stat.h>

#include <utility>

namespace bth::client {

FileWatch::FileWatch(net::Executor& executor, FileWatchOptions options)
    : executor_(executor), options_(std::move(options)) {}

FileWatch::~FileWatch() {
  if (timer_ != 0) executor_.CancelTimer(timer_);
}

FileWatch::Stamp FileWatch::Look() const {
  struct stat found {};
  if (options_.path.empty() || ::stat(options_.path.c_str(), &found) != 0) return {};
  return {.inode = found.st_ino,
          .modified_ns = int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
          .size = found.st_size};
}

void FileWatch::Note() {
  known_ = seen_ = Look();
}

void FileWatch::Start(Changed changed) {
  changed_ = std::move(changed);
  if (!options_.path.empty()) LookAgainIn(options_.poll);
}

void FileWatch::LookAgainIn(absl::Duration delay) {
  timer_ = executor_.RunAfter(delay, [this] { Poll(); });
}

void FileWatch::Poll() {
  const Stamp now = Look();
  if (now == known_) return LookAgainIn(options_.poll);
  const bool rests = now == std::exchange(seen_, now);
  LookAgainIn(rests ? options_.poll : options_.rest);
  if (!rests) return;
  known_ = now;
  changed_();
}

}  // namespace bth::client
