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

// One event of a watch: ADDED, MODIFIED or DELETED.
struct Change {
  std::string type;
  types::Json object;
};

struct WatchWish {
  Selectors selectors;
  std::string version;  // Of what is known already.
  absl::Duration timeout = absl::InfiniteDuration();
};

// Where the coroutines of the client run while a call waits for them.
class Loop {
 public:
  virtual ~Loop() = default;
  virtual net::Executor& executor() = 0;
  // Lets the executor work until Wake is called on it.
  virtual void Run() = 0;
  virtual void Wake() = 0;
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
  // `object` is completed with apiVersion and kind. Returns what the server made of it.
  absl::StatusOr<types::Json> Create(const Target& target, types::Json object);
  // The same up to the moment in which it would be stored.
  absl::StatusOr<types::Json> TryCreate(const Target& target, types::Json object);
  // What is no object: "/version".
  absl::StatusOr<types::Json> Read(const std::string& path);
  absl::StatusOr<types::Json> MergePatch(const Target& target, const types::Json& patch);
  absl::Status Delete(const Target& target);
  // Tells of changes until `on_change` returns false, the server ends the watch (both are OK; the
  // version of `wish` is then the last one known), or its time has passed (kDeadlineExceeded).
  absl::Status Watch(const Target& target, WatchWish* wish,
                     const std::function<bool(Change)>& on_change);
  void Pause(absl::Duration pause);
  absl::Duration monotonic() const { return loop_->executor().Monotonic(); }
  const std::string& server() const { return server_; }
  const std::string& server_date() const { return *date_; }

 private:
  // Fills in where the request goes, and reads the answer.
  absl::StatusOr<types::Json> Send(const Target& target, client::ApiRequest request);
  absl::StatusOr<std::string> Wait(client::ApiRequest request);
  absl::StatusOr<ObjectList> ListPages(const Target& target, const Selectors& selectors, int limit);

  const std::unique_ptr<Loop> loop_;
  const std::unique_ptr<client::ApiClient> api_;
  const std::string server_;
  const ServerDate date_;
};

}  // namespace bth::cli
