// Keeps a sink equal to one collection of the API server: list, watch, resume, list again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/backoff.h"

namespace bth::client {

// Decodes and applies what a reflector reads. Thread: the executor's.
class ReflectorSink {
 public:
  struct Page {
    std::string resource_version;
    std::string continue_token;  // Empty: the last page.
  };
  struct Event {
    std::string resource_version;  // Empty: unknown, resume from the former one.
    absl::Status error;            // Of an ERROR event.
  };
  virtual ~ReflectorSink() = default;
  virtual void BeginList() = 0;
  // A page, or a part of one: only the last part has what Page tells. Errors: it is unreadable as
  // a whole.
  virtual absl::StatusOr<Page> ApplyPage(std::string part, types::Encoding encoding) = 0;
  // What was not on the pages since BeginList is gone.
  virtual void EndList() = 0;
  // Errors: the line is unreadable, so that an event was lost.
  virtual absl::StatusOr<Event> ApplyEvent(std::string line, types::Encoding encoding) = 0;
  // Everything that came with one read from the network has been applied.
  virtual void EndBatch() = 0;
};

struct ReflectorOptions {
  ApiPath collection;
  std::string label_selector;
  std::string field_selector;
  bool protobuf = false;  // The sink reads protobuf as well.
  int page_size = 500;
  // The first list may be as old as the server's cache (resourceVersion=0), which costs the server
  // least; servers then give the whole list at once.
  bool list_from_cache = true;
  // A collection the server does not know (404: a CRD that is not installed) counts as empty and
  // is asked for again at `backoff_max`.
  bool absent_is_empty = false;
  // Hears each time that it was asked for and is not there, and once when it is there again.
  std::function<void(bool is_there)> on_presence;
  // A collection that this client may not read (403) counts as empty as well, and is asked for
  // again at `backoff_max`; one that it may list but not watch is listed at that pace. For kinds
  // that one can do without. `on_forbidden` hears of it once, until it is readable again.
  bool forbidden_is_empty = false;
  std::function<void(const absl::Status&)> on_forbidden;
  // Until the head of a page's answer, and between two parts of it.
  absl::Duration list_timeout = absl::Seconds(60);
  absl::Duration backoff_initial = absl::Milliseconds(200);
  absl::Duration backoff_max = absl::Seconds(30);
  // Each failure of a list or watch, for logs and metrics.
  std::function<void(const absl::Status&)> on_error;
  // A list after the first complete one begins; a watch that follows another begins.
  std::function<void()> on_relist;
  std::function<void()> on_rewatch;
};

struct ReflectorCounters {
  uint64_t lists = 0;    // Completed.
  uint64_t watches = 0;  // Begun.
  uint64_t events = 0;   // Lines, bookmarks included.
  uint64_t expired = 0;  // 410: had to list again.
  uint64_t stalls = 0;
  uint64_t failures = 0;  // Lists and watches that ended with an error.
};

// Resumes a watch that ended from the last version seen; lists anew only when that version is too
// old (410) or an event could not be read. Failures are retried for ever with growing pauses.
// Destruction ends the work at once. Thread: the executor's.
class Reflector final {
 public:
  // `api`, `sink` and `rng` outlive it.
  Reflector(ApiClient& api, ReflectorSink& sink, Rng& rng, ReflectorOptions options);

  void Start();
  void Stop();
  // The first list has been applied.
  bool has_synced() const { return counters_.lists > 0 || absent_; }
  // The server did not know the collection when it was last asked for it.
  bool is_missing() const { return missing_; }
  const ReflectorCounters& counters() const { return counters_; }
  // OK while the last attempt went well.
  const absl::Status& last_error() const { return last_error_; }

 private:
  net::Awaitable<void> Run();
  net::Awaitable<absl::Status> ListOnce();
  net::Awaitable<absl::StatusOr<ReflectorSink::Page>> ListPage(ListOptions list);
  // OK: the server ended the watch in order. `useful`: it brought something or lasted.
  net::Awaitable<absl::Status> WatchOnce(bool* useful);
  // Takes the lines' texts.
  absl::Status ApplyBatch(std::vector<std::string>& lines, types::Encoding encoding);
  bool TreatAsEmpty(const absl::Status& status) const;
  bool IsForbidden(const absl::Status& status) const;
  void NoteForbidden(const absl::Status& status);
  void NotePresence(bool is_there);

  ApiClient& api_;
  ReflectorSink& sink_;
  Rng& rng_;
  const ReflectorOptions options_;
  Backoff backoff_;
  std::string version_;       // Where to resume the watch; empty: list first.
  bool list_newest_ = false;  // Versions at hand were too old once: ask for the newest.
  bool absent_ = false;
  bool missing_ = false;
  bool forbidden_ = false;  // And said so.
  bool watched_ = false;    // Since the last list.
  ReflectorCounters counters_;
  absl::Status last_error_;
  Background work_;
};

}  // namespace bth::client
