// Whether the API server answers and, when it does not, why: told once per cause and not once per
// request.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "net/awaitable.h"

namespace bth::client {

struct ServerContactOptions {
  std::string server;  // "host:port", for messages.
  std::string origin;  // Which kubeconfig and context; for messages.
  // Between two lines on one cause: doubling from the first to the second.
  absl::Duration pause_first = absl::Seconds(10);
  absl::Duration pause_max = absl::Minutes(10);
  // A certificate that does not verify from the first attempt on will not verify by waiting.
  absl::Duration hopeless_after = absl::Seconds(20);
  // Called once, in a turn of its own, when nothing can be hoped for. May be empty.
  std::function<void(const absl::Status&)> on_hopeless;
};

// Hears of each request that clients of one server make, and logs `server.no_contact` with the
// cause, the remedy and the number of requests it cost, then `server.contact`. Causes kept: a few.
// Thread: the executor's. Lifetime: longer than the clients that tell it; `executor` outlives it.
class ServerContact final {
 public:
  ServerContact(net::Executor& executor, ServerContactOptions options);

  // The server answered, and knows who asks.
  void Answered();
  // A request got no answer, or 401; or could not be sent for want of credentials. What is told
  // here needs no further line: it is marked, see WasTold. `request`: for the line.
  void Failed(absl::Status* status, std::string_view request);
  void NoCredentials(absl::Status* status, std::string_view request);

  // It has answered once.
  bool ever_answered() const { return ever_answered_; }
  // Empty while the server answers; else one line with the cause, and since when.
  std::string LastError() const;

 private:
  enum class Kind { kNoAnswer, kUntrusted, kRefused, kNoCredentials };
  struct Cause {
    Kind kind = Kind::kNoAnswer;
    std::string text;
    std::string remedy;
    int64_t failures = 0;       // In all.
    int64_t failures_told = 0;  // When it was told last.
    absl::Duration begun_at;    // Of the present series.
    absl::Duration next_at;     // When it may be told again.
    absl::Duration pause;
  };
  void Note(Kind kind, absl::Status* status, std::string_view request);
  std::string TextOf(Kind kind, const absl::Status& status) const;
  std::string RemedyOf(Kind kind) const;
  Cause& CauseOf(Kind kind, std::string text, absl::Duration now);
  void Tell(Cause& cause, std::string_view request, absl::Duration now);
  void WatchHope(const Cause& cause, absl::Duration now);

  net::Executor& executor_;
  const ServerContactOptions options_;
  std::vector<Cause> causes_;  // The one used last comes last.
  bool ever_answered_ = false;
  bool failing_ = false;  // Since the last answer.
  bool told_ = false;     // Of failures, since `server.contact` was.
  int64_t failures_ = 0;  // Since the last answer.
  absl::Duration failing_since_;
  absl::Duration untrusted_since_ = absl::InfiniteDuration();
  bool given_up_ = false;
};

// A ServerContact has told of it already.
bool WasTold(const absl::Status& status);

}  // namespace bth::client
