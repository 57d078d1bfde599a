// A fixed set of threads for loops over blocks of nodes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace bth {

// Runs `body(block)` for every block number. Workers write only their own block's slots; the
// caller reduces in block order, so that results do not depend on the number of workers.
// Thread: one caller at a time.
class WorkerPool {
 public:
  // `workers` counts the caller: 1 runs everything inline.
  explicit WorkerPool(int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int workers() const { return static_cast<int>(threads_.size()) + 1; }
  // Returns when every block is done. `body` must not call ForBlocks. What it throws is thrown
  // here: that of the first block that failed, in their order, after all others are through.
  void ForBlocks(size_t blocks, absl::FunctionRef<void(size_t)> body);

 private:
  void Work();
  void Drain(absl::FunctionRef<void(size_t)> body);
  void NoteFailure(size_t block, std::exception_ptr error);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const absl::FunctionRef<void(size_t)>* body_ = nullptr;
  size_t blocks_ = 0;
  std::atomic<size_t> next_{0};
  size_t round_ = 0;
  size_t busy_ = 0;
  bool stop_ = false;
  size_t failed_block_ = 0;
  std::exception_ptr error_;  // Of the failed block; null: none failed.
  std::vector<std::thread> threads_;
};

}  // namespace bth
