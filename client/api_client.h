// Requests to one API server: credentials, rate limit, metrics, errors with a meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "api/types/codec.h"
#include "client/api_error.h"
#include "client/connection.h"
#include "client/credential_source.h"
#include "client/list_stream.h"
#include "client/server_contact.h"
#include "client/text_stream.h"
#include "client/token_bucket.h"
#include "client/watch_stream.h"
#include "net/http.h"

namespace bth::client {

// Where a request goes: `path` is percent-encoded and has no server prefix
// ("/api/v1/namespaces/a/pods/b"), `resource` is its label in metrics ("pods").
struct ApiPath {
  std::string resource;
  std::string path;
};

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;        // "": newest; "0": whatever the server has at hand.
  std::string resource_version_match;  // "NotOlderThan" or "Exact"; "" leaves it to the server.
  std::string continue_token;
  int limit = 500;         // 0: all at once.
  bool protobuf = false;   // ListInParts: the caller reads protobuf as well as JSON.
  absl::Duration timeout;  // Zero: the client's default.
  net::CancelToken cancel;
};

enum class PatchKind { kMerge, kJson, kStrategic, kApply };
// Preconditions are part of the body (client/patch.h).
struct Patch {
  PatchKind kind = PatchKind::kMerge;
  std::string body;
  std::string field_manager;  // Required for kApply.
  bool force = false;         // kApply: take fields over from other managers.
};

struct DeleteOptions {
  std::string uid;               // Precondition, when set.
  std::string resource_version;  // Precondition, when set.
  std::optional<int64_t> grace_period_seconds;
  std::string propagation;  // "Background", "Foreground", "Orphan" or the server's default.
};

struct BindRequest {
  std::string namespace_name;
  std::string pod;
  std::string uid;  // Precondition: a pod made anew under the same name is not bound.
  std::string node;
  std::vector<std::pair<std::string, std::string>> annotations;
};

struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool bookmarks = true;
  bool protobuf = false;                          // The caller reads protobuf as well as JSON.
  absl::Duration timeout = absl::ZeroDuration();  // The server ends the watch; zero: its default.
  net::CancelToken cancel;
};

// Any other request.
struct ApiRequest {
  std::string verb;  // For metrics.
  ApiPath path;
  std::string method = "GET";
  std::vector<std::pair<std::string, std::string>> query;
  std::string_view content_type = "application/json";  // A constant.
  std::string body;
  bool protobuf = false;   // The caller reads an answer in protobuf as well.
  absl::Duration timeout;  // Zero: the client's default.
  bool last = false;       // Waits for the rate limit behind all others.
  std::vector<std::pair<std::string, std::string>> headers;  // Beside the usual ones.
  net::CancelToken cancel;
};

// Makes a request with its body in that encoding.
using RequestMaker = std::function<ApiRequest(types::Encoding)>;

// One finished exchange, told to the metrics hook. Code 0: no answer came.
struct CallRecord {
  std::string_view verb;
  std::string_view resource;
  int code = 0;
  absl::Duration latency;  // Without the wait for the rate limit.
  absl::Duration throttled;
};

struct ApiClientOptions {
  std::string user_agent = "batholith";
  std::string path_prefix;  // ClientConfig::server.path_prefix
  double qps = 50;          // Not positive: no limit.
  int burst = 100;
  absl::Duration timeout = absl::Seconds(30);
  size_t response_bytes_max = size_t{256} << 20;
  size_t watch_line_bytes_max = size_t{16} << 20;  // Also of one item of a list.
  // A reflector has the server end each watch after a random time in [watch_min, 2 x watch_min),
  // and takes the connection for dead after so long without an event or a bookmark, of which
  // servers send one a minute.
  absl::Duration watch_min = absl::Minutes(5);
  absl::Duration watch_stall = absl::Minutes(3);
  // Ask for protobuf where the caller reads it, and send it in great numbers; a server that does
  // not have it answers, and gets, JSON.
  bool protobuf = true;
  std::function<void(const CallRecord&)> on_call;
  // Told of each request whether it was answered (client/server_contact.h). May be null; outlives
  // the client, and may be shared by several.
  ServerContact* contact = nullptr;
  // Asked before a changing request waits for a connection, and again right before its first byte
  // goes out: where it says no, the request fails with kFailedPrecondition and nothing has
  // happened. For those that act only while they lead.
  std::function<bool()> may_write;
};

// Results are the texts of the answers. Waiting after kResourceExhausted (RetryAfter) and trying
// again are the caller's business; only a refused token (401) is renewed and tried again, once.
// The body of a refusal is waited for as long as the request may take, ten seconds at most.
// In coroutines, name options before the call: GCC 12 destroys `{...}` inside a co_await twice.
// Lifetime: longer than every call and stream. Thread: the executor's.
class ApiClient final {
 public:
  using Text = absl::StatusOr<std::string>;

  ApiClient(net::Executor& executor, std::unique_ptr<Connection> connection,
            std::unique_ptr<CredentialSource> credentials, ApiClientOptions options);
  // Without credentials: in-process servers, plain HTTP, tests.
  ApiClient(net::Executor& executor, std::shared_ptr<net::Transport> transport,
            ApiClientOptions options);
  ApiClient(const ApiClient&) = delete;

  net::Awaitable<Text> Get(ApiPath path);
  // One page. An answer names the next one in metadata.continue.
  net::Awaitable<Text> List(ApiPath path, ListOptions options);
  // The same, read while it arrives; `options.timeout` ends with the head of the answer.
  net::Awaitable<absl::StatusOr<ListStream>> ListInParts(ApiPath path, ListOptions options);
  net::Awaitable<Text> Create(ApiPath path, std::string body);
  // Creates an object of a built-in kind, in protobuf unless the server refuses that (415): then
  // `make` is asked again.
  net::Awaitable<Text> CreateEncoded(std::string_view resource, RequestMaker make);
  net::Awaitable<Text> Update(ApiPath path, std::string body);
  net::Awaitable<Text> Patch(ApiPath path, client::Patch patch);
  net::Awaitable<Text> PatchStatus(ApiPath path, client::Patch patch);
  net::Awaitable<Text> Delete(ApiPath path, DeleteOptions options);
  net::Awaitable<absl::Status> Bind(BindRequest request);
  // Asks for an eviction that honours disruption budgets; one that forbids it answers
  // kResourceExhausted.
  net::Awaitable<absl::Status> Evict(std::string namespace_name, std::string pod,
                                     DeleteOptions options);
  net::Awaitable<absl::StatusOr<WatchStream>> Watch(ApiPath path, WatchOptions options);
  net::Awaitable<Text> Call(ApiRequest request);
  // An answer that is no object, read while it arrives; `request.timeout` ends with its head.
  net::Awaitable<absl::StatusOr<TextStream>> OpenText(ApiRequest request);

  net::Executor& executor() const { return executor_; }
  const ApiClientOptions& options() const { return options_; }

 private:
  struct Exchange {
    std::shared_ptr<net::Transport> transport;
    net::Response response;
    std::string refused;      // The request, when its credentials were not accepted.
    absl::Duration deadline;  // Of the request, in the executor's time.
  };
  // Sends, renewing credentials once. `stream`: the body stays open.
  net::Awaitable<absl::StatusOr<Exchange>> Send(ApiRequest request, bool stream);
  net::Request Build(const ApiRequest& request, const Identity& identity) const;
  bool WantsProtobuf(const ApiRequest& request) const;
  // Whether `may_write` has a say in it.
  bool NeedsLeave(const ApiRequest& request) const;
  // Tells the contact of a request that no answer came to, and says in the status which one it was.
  absl::Status NoAnswer(absl::Status status, const ApiRequest& request) const;
  absl::Status NoCredentials(absl::Status status, const ApiRequest& request) const;
  // What an answer other than 2xx means.
  absl::Status Refusal(const Exchange& exchange, std::string_view body) const;
  void Record(const ApiRequest& request, int code, absl::Duration latency,
              absl::Duration throttled) const;

  net::Executor& executor_;
  const std::unique_ptr<Connection> connection_;
  const std::unique_ptr<CredentialSource> credentials_;  // Null: none.
  const ApiClientOptions options_;
  TokenBucket bucket_;
  // Resources whose server refuses protobuf: as an answer (406) or as a body (415).
  absl::flat_hash_set<std::string> json_only_;
};

}  // namespace bth::client
