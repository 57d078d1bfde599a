// The API server as commands see it: one call after the other, errors in the words that Go's client
// has for them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/resource.h"
#include "cli/session/go_errors.h"
#include "cli/session/text_reader.h"
#include "client/api_client.h"

namespace bth::cli {

// What one call is about. `name` is empty for lists and creations, `ns` for cluster-scoped kinds
// and for all namespaces.
struct Target {
  const types::ResourceType& type;
  std::string ns;
  std::string name;
};

struct Selectors {
  std::string labels;
  std::string fields;
};

// Objects in the server's order.
struct ObjectList {
  std::vector<types::Json> items;
  types::Json meta;  // metadata of the (first) list.
};

// How far objects are looked for that help and are not needed.
struct GlanceLimits {
  absl::Duration time;
  size_t most;
};

// The names that go with a status of something that was not found.
std::vector<std::string> NearNamesOf(const absl::Status& status);

// One event of a watch: ADDED, MODIFIED or DELETED.
struct Change {
  std::string type;
  types::Json object;
};

struct WatchRequest {
  Selectors selectors;
  std::string version;  // Of what is known already.
  absl::Duration timeout = absl::InfiniteDuration();
};

// A text that belongs to an object: `subresource` is "log".
struct TextRequest {
  Target target;
  std::string subresource;
  std::vector<std::pair<std::string, std::string>> query;
};

// A call that is about no object of a kind that is known here.
struct RawCall {
  std::string method = "GET";
  std::string path;  // Escaped.
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  absl::Duration timeout;
};

// Where the coroutines of the client run while a call waits for them.
class Loop {
 public:
  virtual ~Loop() = default;
  virtual net::Executor& executor() = 0;
  // Lets the executor work until Wake is called on it.
  virtual void Run() = 0;
  virtual void Wake() = 0;
  // Calls `action` for each of these signals while the loop runs, instead of what they do by
  // themselves.
  virtual void OnSignals(std::vector<int> signals, std::function<void(int)> action) = 0;
  // Calls `action` when there is something to read, until it returns false.
  virtual void OnReadable(int descriptor, std::function<bool()> action) = 0;
};

// What the server's clock showed when it answered last ("Mon, 23 Nov 2026 08:00:00 GMT"); empty
// while it did not say.
using ServerDate = std::shared_ptr<const std::string>;

// `server`: "https://host:6443", for messages. `loop` outlives `api`, which this owns. Thread: one,
// which waits in each call.
class Cluster final {
 public:
  Cluster(std::unique_ptr<Loop> loop, std::unique_ptr<client::ApiClient> api, std::string server,
          ServerDate date = std::make_shared<const std::string>())
      : loop_(std::move(loop)),
        api_(std::move(api)),
        server_(std::move(server)),
        date_(std::move(date)) {}
  Cluster(const Cluster&) = delete;

  absl::StatusOr<types::Json> Get(const Target& target);
  // All of them, read page by page.
  absl::StatusOr<ObjectList> List(const Target& target, const Selectors& selectors = {});
  // Objects as far as they come within the limits; none when the server does not tell.
  std::vector<types::Json> Glance(const Target& target, const Selectors& selectors,
                                  const GlanceLimits& limits);
  // Where one object is asked for that does not exist, names near to its own go with the status:
  // one more list, of which the first page is looked at.
  void SuggestNames() { suggests_names_ = true; }
  // Goes with the failure when no connection comes about.
  void HintWhenUnreachable(std::string hint) { unreachable_hint_ = std::move(hint); }
  absl::Status WithNearNames(const Target& target, absl::Status status);
  // `object` is completed with apiVersion and kind. Returns what the server made of it.
  absl::StatusOr<types::Json> Create(const Target& target, types::Json object);
  // The same up to the moment in which it would be stored.
  absl::StatusOr<types::Json> TryCreate(const Target& target, types::Json object);
  // What is no object: "/version".
  absl::StatusOr<types::Json> Read(const std::string& path);
  // Failures are the client's, not put into words: callers look at codes.
  absl::StatusOr<types::Json> CallRaw(const RawCall& call);
  absl::StatusOr<types::Json> MergePatch(const Target& target, const types::Json& patch);
  absl::Status Delete(const Target& target);
  // Tells of changes until `on_change` returns false, the server ends the watch (both are OK; the
  // version of `watch` is then the last one known), or its time has passed (kDeadlineExceeded).
  absl::Status Watch(const Target& target, WatchRequest* watch,
                     const std::function<bool(Change)>& on_change);
  // Begins to read the text. It goes on, piece by piece, while this waits in any of its calls. The
  // reader ends before this.
  std::unique_ptr<TextReader> ReadText(const TextRequest& text,
                                       std::function<void(std::string_view)> on_piece);
  // Ends early when a reader comes to its end, or by Interrupt.
  void Pause(absl::Duration pause);
  void Interrupt();
  void OnSignals(std::vector<int> signals, std::function<void(int)> action) {
    loop_->OnSignals(std::move(signals), std::move(action));
  }
  void OnReadable(int descriptor, std::function<bool()> action) {
    loop_->OnReadable(descriptor, std::move(action));
  }
  absl::Duration monotonic() const { return loop_->executor().Monotonic(); }
  // For what goes on by itself while this waits, such as informers; it ends before this.
  client::ApiClient& api() { return *api_; }
  // How the failure of a request through `api` is told.
  absl::Status Told(const absl::Status& status, std::string_view method,
                    const Target& target) const;
  const std::string& server() const { return server_; }
  const std::string& server_date() const { return *date_; }

 private:
  // As Go tells it, with the hint.
  absl::Status InWords(const absl::Status& status, CallText call) const;
  // Sends a request about one object.
  absl::StatusOr<types::Json> SendNamed(const Target& target, client::ApiRequest request);
  // Fills in where the request goes, and reads the answer.
  absl::StatusOr<types::Json> Send(const Target& target, client::ApiRequest request);
  absl::StatusOr<std::string> Wait(client::ApiRequest request);
  absl::StatusOr<ObjectList> ListPages(const Target& target, const Selectors& selectors, int limit);

  const std::unique_ptr<Loop> loop_;
  const std::unique_ptr<client::ApiClient> api_;
  const std::string server_;
  bool suggests_names_ = false;
  std::string unreachable_hint_;
  bool is_pausing_ = false;
  const ServerDate date_;
};

}  // namespace bth::cli
