// What goes wrong between the processes of a cluster and its API server, and when.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/rng.h"
#include "net/http.h"

namespace bth::sim {

enum class Fault : uint8_t {
  kRefused,      // The server cannot be reached, and the caller is told so.
  kLost,         // The request never comes, and the caller waits for its deadline.
  kLateRequest,  // The server gets it late, may be after the caller gave up.
  kLateAnswer,   // The server does as asked at once; the answer comes late, or too late.
  kAnswerLost,   // The server does as asked, and the connection breaks.
  kConflict,     // Somebody else writes to the object right before.
  kExpired,      // 410 to watches.
  kBusy,         // 429 with Retry-After.
  kError,        // 500
  kUnavailable,  // 503
  kCut,          // Streams break off in the middle of a piece.
  kLateStream,   // What streams bring comes late, or all at once when the front has passed.
  kStaleList,    // Lists that may be old are those of a server that lags behind.
  kDiskSlow,     // The server's disk takes time, and the server with it.
  kDiskFull,     // Nothing more can be written to it.
  kDiskFails,    // It cannot sync.
  kDiskDies,     // The server ends in the middle of writing; the tail is torn.
  kForbidden,    // 403 to bindings of some pods, the same ones all the time.
};
inline constexpr size_t kFaults = 18;
inline constexpr size_t kLineFaults = 12;  // Those of lines come first.
std::string_view NameOf(Fault fault);

// A time in which one kind of fault hits requests of some processes.
struct Front {
  Fault fault = Fault::kRefused;
  std::string process;  // The beginning of their names; empty: of all.
  double rate = 0;      // Of requests, or of streams.
  // Of delays, when the fault is one. kLateStream: infinite waits for the end.
  absl::Duration most;
  absl::Duration until;
  uint64_t seed = 0;
};

// What becomes of one request.
struct Fate {
  absl::Duration there;  // How long it travels.
  absl::Duration back;   // How long its answer does.
  bool refused = false;
  bool lost = false;
  bool answer_lost = false;
  bool overtaken = false;  // By another write to the object.
  absl::Duration stale;    // How far behind the answer may be.
  int code = 0;            // Not 0: the answer, without asking the server.
  std::string_view reason;
  int retry_after_s = 0;
  int64_t cut_after = -1;  // Bytes of the stream; negative: never.
};

// What becomes of one thing that the server asks of its disk.
struct DiskFate {
  absl::Duration slow;
  bool full = false;
  bool fails = false;
  bool dies = false;
};

// A list that its reader allows to be old.
bool MayBeOld(const net::Request& request);

// Draws the fate of each request, and of what each stream brings. Thread: one.
class Weather final {
 public:
  explicit Weather(uint64_t seed) : rng_(seed) {}

  void Begin(Front front);
  void Clear() { fronts_.clear(); }
  // `streams`: the answer is read while it comes.
  Fate FateOf(const std::string& process, const net::Request& request, bool streams,
              absl::Duration now);
  // `syncs`: it must be on disk when it is done.
  DiskFate FateOfDisk(bool syncs, absl::Duration now);
  // How long the next piece of a stream travels to a process.
  absl::Duration PieceDelay(const std::string& process, absl::Duration now);
  // When the last of what was held back so far comes: it does so though its front is over.
  absl::Duration held_back_until() const { return held_back_until_; }
  // How many requests and streams each fault has hit.
  const std::array<uint64_t, kFaults>& hits() const { return hits_; }

 private:
  struct Active {
    Front front;
    Rng rng;
  };
  void DropPast(absl::Duration now);
  bool Hits(const Active& active, const net::Request& request, bool streams) const;
  static void Apply(Active& active, Fate* fate);
  void HoldBack(absl::Duration until);

  Rng rng_;
  std::vector<Active> fronts_;
  absl::Duration held_back_until_;
  std::array<uint64_t, kFaults> hits_{};
};

}  // namespace bth::sim
