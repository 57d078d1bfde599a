// Where exceptions end: none that escapes from work on an executor ends the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bth::net {

class Executor;

// What becomes of work that an exception cut off.
enum class Consequence : uint8_t {
  kFailed,     // It counts as failed, and whoever waits for it is told so.
  kRestarted,  // It begins anew after a pause.
  kLost,       // Nobody knows how far it came: who keeps state on the executor starts over.
};
std::string_view Name(Consequence consequence);

struct Escape {
  std::string place;  // Where the work was started: "effects.lane", "executor.timer".
  Consequence consequence = Consequence::kFailed;
  std::string what;
};

// Whoever starts work on an executor catches what escapes from it, hands it here and sees to the
// consequence. An escape is a bug of the program: an error in the log and a number in the metrics.
// Belongs to its executor.
class Barrier final {
 public:
  using Listener = std::function<void(const Escape&)>;

  explicit Barrier(Executor& executor) : executor_(executor) {}
  Barrier(const Barrier&) = delete;

  // To be called in a catch block: logs the exception and tells the listeners, by Post. `place` is
  // a constant. Thread: any.
  void Caught(std::string_view place, Consequence consequence) noexcept;
  // Tells `listener` of every escape until what is returned is dropped. What escapes from a
  // listener is logged only. Thread: the executor's.
  [[nodiscard]] std::shared_ptr<void> Listen(Listener listener);
  // Thread: any.
  int64_t caught() const { return caught_.load(std::memory_order_relaxed); }

 private:
  void Tell(const Escape& escape);

  Executor& executor_;
  std::atomic<int64_t> caught_{0};
  std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace bth::net
