#include "base/worker_pool.h"

#include <utility>

namespace bth {

WorkerPool::WorkerPool(int workers) {
  for (int i = 1; i < workers; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::ForBlocks(size_t blocks, absl::FunctionRef<void(size_t)> body) {
  if (threads_.empty() || blocks <= 1) {
    for (size_t i = 0; i < blocks; ++i) body(i);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    body_ = &body;
    blocks_ = blocks;
    next_.store(0, std::memory_order_relaxed);
    busy_ = threads_.size();
    ++round_;
  }
  wake_.notify_all();
  Drain(body);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  body_ = nullptr;
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerPool::Drain(absl::FunctionRef<void(size_t)> body) {
  for (size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < blocks_;) {
    try {
      body(i);
    } catch (...) {
      NoteFailure(i, std::current_exception());
    }
  }
}

void WorkerPool::NoteFailure(size_t block, std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  if (error_ != nullptr && failed_block_ < block) return;
  failed_block_ = block;
  error_ = std::move(error);
}

void WorkerPool::Work() {
  size_t seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const absl::FunctionRef<void(size_t)> body = *body_;
    lock.unlock();
    Drain(body);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace bth
