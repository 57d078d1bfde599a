// A simulated disk: what outlives the server that writes to it, and how it goes wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/store/disk.h"
#include "base/rng.h"
#include "sim/world/timeline.h"
#include "sim/world/weather.h"

namespace bth::sim {

// After a crash of its server the disk holds what was synced; of what was written since, a part
// that nobody can foretell: the beginning of a file's tail, may be with its last bytes garbled, and
// any of the names that were made, changed and removed. Thread: the timeline's.
class Platter final {
 public:
  struct Parts {
    const Timeline& timeline;
    Weather& weather;
    // The server cannot go on until `pause` has passed, as its thread waits for the disk.
    std::function<void(absl::Duration pause)> wait;
    // The server dies in the middle of what it does; nothing of it may be seen any more.
    std::function<void()> die;
    // The disk has failed it.
    std::function<void()> fail;
  };
  Platter(uint64_t seed, Parts parts) : rng_(seed), parts_(std::move(parts)) {}
  Platter(const Platter&) = delete;

  // For one life of the server: what the former had open is closed. `folder` is for messages only.
  std::unique_ptr<apiserver::Disk> Open(std::string folder);
  // The server is gone. What it still does with its disk has no effect.
  void Crash();
  // From now on syncs are told to be done and are not.
  void set_lies() { lies_ = true; }

 private:
  class Handle;
  class File;
  // `synced` is there whatever happens, once `settled_at` has come; till then `before` is.
  struct Inode {
    std::string written;
    std::string synced;
    std::string before;
    absl::Duration settled_at;
    // So many syncs copy the whole: `synced` and `before` may be no beginnings of `written`.
    int whole_copies = 0;
  };
  using InodePtr = std::shared_ptr<Inode>;
  struct Renaming {
    std::string name;
    InodePtr inode;  // Null: the name is removed.
  };

  bool Serves(uint64_t life) const { return up_ && life_ == life; }
  absl::Status Gone() const { return absl::UnavailableError("the disk is gone"); }
  // What hits an operation that writes. Not OK: it has no effect, or half of one.
  enum class Hit : uint8_t { kNone, kFull, kFails, kDies };
  Hit Strike(bool syncs);
  absl::Status Answer(Hit hit);
  absl::Status Append(Inode* inode, std::string_view bytes);
  static void Cut(Inode* inode, size_t bytes);
  static void Keep(Inode* inode);
  absl::Status Sync(const InodePtr& inode);
  absl::Status SyncNames();
  void Name(std::string name, InodePtr inode);
  // Whoever asks for more has waited for what came before.
  void Settle();
  std::string Left(const Inode& inode);

  Rng rng_;
  const Parts parts_;
  uint64_t life_ = 0;
  bool up_ = false;
  bool lies_ = false;
  std::map<std::string, InodePtr> names_;
  std::map<std::string, InodePtr> synced_names_;
  std::vector<Renaming> unsynced_;
  InodePtr settling_;  // The last sync takes its time; may be null.
};

}  // namespace bth::sim
