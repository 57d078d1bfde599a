#include "client/api_client.h"

#include <algorithm>

#include "api/types/api_status.h"
#include "api/types/json.h"
#include "api/types/refusal.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/background.h"
#include "client/bodies.h"
#include "client/encoding.h"

namespace bth::client {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kHeadersUsual = 5;  // Of a request.
constexpr size_t kErrorBodyBytesMax = 64 << 10;
constexpr absl::Duration kErrorBodyWaitMax = absl::Seconds(10);

void AddQuery(Query* query, const char* name, std::string value) {
  if (!value.empty()) query->emplace_back(name, std::move(value));
}

const char* ContentType(PatchKind kind) {
  switch (kind) {
    case PatchKind::kMerge:
      return "application/merge-patch+json";
    case PatchKind::kJson:
      return "application/json-patch+json";
    case PatchKind::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchKind::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

types::Json DeleteOptionsJson(const DeleteOptions& options) {
  types::Json out = types::Json::MakeObject({{"apiVersion", "v1"}, {"kind", "DeleteOptions"}});
  if (!options.uid.empty()) out.MutableAt({"preconditions", "uid"}) = options.uid;
  if (!options.resource_version.empty()) {
    out.MutableAt({"preconditions", "resourceVersion"}) = options.resource_version;
  }
  if (options.grace_period_seconds.has_value()) {
    out.Set("gracePeriodSeconds", *options.grace_period_seconds);
  }
  if (!options.propagation.empty()) out.Set("propagationPolicy", options.propagation);
  return out;
}

std::string PodPath(const std::string& namespace_name, const std::string& pod,
                    const char* subresource) {
  return StrCat("/api/v1/namespaces/", net::PercentEncode(namespace_name), "/pods/",
                net::PercentEncode(pod), subresource);
}

// The server does not take a body in this encoding.
bool IsBodyRefused(const absl::Status& status) {
  return types::HttpCodeOf(status) == types::RowOf(types::Refusal::kUnsupportedMediaType).http_code;
}

std::string NameOf(const ApiRequest& request) {
  return StrCat(request.method, " ", request.path.path);
}

ApiRequest ListRequest(ApiPath path, ListOptions options) {
  ApiRequest request;
  request.verb = "list";
  request.path = std::move(path);
  request.protobuf = options.protobuf;
  request.timeout = options.timeout;
  request.cancel = options.cancel;
  AddQuery(&request.query, "labelSelector", std::move(options.label_selector));
  AddQuery(&request.query, "fieldSelector", std::move(options.field_selector));
  if (options.limit > 0) AddQuery(&request.query, "limit", StrCat(options.limit));
  if (!options.continue_token.empty()) {
    // The token carries the version: naming one beside it is refused by the server.
    AddQuery(&request.query, "continue", std::move(options.continue_token));
  } else {
    AddQuery(&request.query, "resourceVersion", std::move(options.resource_version));
    AddQuery(&request.query, "resourceVersionMatch", std::move(options.resource_version_match));
  }
  return request;
}

absl::Status NotSent(const ApiRequest& request) {
  return absl::FailedPreconditionError(StrCat(NameOf(request), ": not sent: another one may lead"));
}

// Ends a wait at a moment of the executor's time.
class Deadline final {
 public:
  Deadline(net::Executor& executor, absl::Duration at, net::Promised<bool> wait)
      : executor_(executor),
        timer_(executor.RunAfter(at - executor.Monotonic(), [wait] { wait.Set(false); })) {}
  Deadline(const Deadline&) = delete;
  ~Deadline() { executor_.CancelTimer(timer_); }

 private:
  net::Executor& executor_;
  const net::Executor::TimerId timer_;
};

net::Awaitable<void> ReadErrorBody(net::ByteStream* stream, std::string* body,
                                   net::Promised<bool> done) {
  while (body->size() < kErrorBodyBytesMax) {
    absl::StatusOr<std::optional<std::string>> piece = co_await stream->Next();
    if (!piece.ok() || !piece->has_value()) break;
    *body += **piece;
  }
  done.Set(true);
}

// The body of a refusal, which may come as a stream. Bounded in bytes and in time, by `deadline` as
// well; what broke off or comes later is left out.
net::Awaitable<std::string> ErrorBody(net::Executor& executor, absl::Duration deadline,
                                      net::Response* response) {
  std::string body = std::move(response->body);
  if (response->stream == nullptr) co_return std::move(body);
  const net::Promised<bool> done(executor);
  const absl::Duration end = std::min(deadline, executor.Monotonic() + kErrorBodyWaitMax);
  const Deadline limit(executor, end, done);
  Background reading;  // Its end ends the read under way.
  reading.Start(executor, ReadErrorBody(response->stream.get(), &body, done));
  co_await done.Wait();
  reading.Stop();
  co_return std::move(body);
}

}  // namespace

ApiClient::ApiClient(net::Executor& executor, std::unique_ptr<Connection> connection,
                     std::unique_ptr<CredentialSource> credentials, ApiClientOptions options)
    : executor_(executor),
      connection_(std::move(connection)),
      credentials_(std::move(credentials)),
      options_(std::move(options)),
      bucket_(executor, options_.qps, options_.burst) {}

ApiClient::ApiClient(net::Executor& executor, std::shared_ptr<net::Transport> transport,
                     ApiClientOptions options)
    : ApiClient(executor, std::make_unique<Connection>(executor, std::move(transport)), nullptr,
                std::move(options)) {}

net::Request ApiClient::Build(const ApiRequest& request, const Identity& identity) const {
  net::Request out;
  out.method = request.method;
  out.target = StrCat(options_.path_prefix, request.path.path);
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    out.target.push_back(separator);
    StrAppend(&out.target, name, "=", net::PercentEncode(value));
    separator = '&';
  }
  out.headers.Reserve(kHeadersUsual);
  out.headers.Add("Accept", WantsProtobuf(request) ? kAcceptProtobuf : kAcceptJson);
  out.headers.Add("User-Agent", options_.user_agent);
  if (!request.body.empty()) out.headers.Add("Content-Type", std::string(request.content_type));
  if (!identity.authorization.empty()) out.headers.Add("Authorization", identity.authorization);
  if (credentials_ != nullptr) {
    for (auto& [name, value] : credentials_->extra_headers()) out.headers.Add(name, value);
  }
  for (const auto& [name, value] : request.headers) out.headers.Add(name, value);
  out.body = request.body;
  out.timeout = request.timeout > absl::ZeroDuration() ? request.timeout : options_.timeout;
  out.response_bytes_max = options_.response_bytes_max;
  if (request.cancel.shared()) out.cancel = request.cancel;
  if (NeedsLeave(request)) out.may_send = [this] { return options_.may_write(); };
  return out;
}

bool ApiClient::NeedsLeave(const ApiRequest& request) const {
  return request.method != "GET" && options_.may_write;
}

bool ApiClient::WantsProtobuf(const ApiRequest& request) const {
  return options_.protobuf && request.protobuf && !json_only_.contains(request.path.resource);
}

void ApiClient::Record(const ApiRequest& request, int code, absl::Duration latency,
                       absl::Duration throttled) const {
  if (!options_.on_call) return;
  options_.on_call({request.verb, request.path.resource, code, latency, throttled});
}

absl::Status ApiClient::NoAnswer(absl::Status status, const ApiRequest& request) const {
  // A request that was cancelled says nothing of the server.
  if (options_.contact != nullptr && !absl::IsCancelled(status)) {
    options_.contact->Failed(&status, NameOf(request));
  }
  return WithContext(status, NameOf(request));
}

absl::Status ApiClient::NoCredentials(absl::Status status, const ApiRequest& request) const {
  if (options_.contact != nullptr) options_.contact->NoCredentials(&status, NameOf(request));
  return status;
}

absl::Status ApiClient::Refusal(const Exchange& exchange, std::string_view body) const {
  const net::Response& response = exchange.response;
  absl::Status status = ErrorFromResponse(response.status, response.headers, body);
  if (options_.contact != nullptr && !exchange.refused.empty()) {
    options_.contact->Failed(&status, exchange.refused);
  }
  return status;
}

net::Awaitable<absl::StatusOr<ApiClient::Exchange>> ApiClient::Send(ApiRequest request,
                                                                    bool stream) {
  const absl::Duration asked_at = executor_.Monotonic();
  if (request.last) {
    co_await bucket_.AcquireLast();
  } else {
    co_await bucket_.Acquire();
  }
  const absl::Duration throttled = executor_.Monotonic() - asked_at;
  for (bool last = false;;) {
    Identity identity;
    if (credentials_ != nullptr) {
      absl::StatusOr<Identity> known = co_await credentials_->Get();
      if (!known.ok()) co_return NoCredentials(known.status(), request);
      identity = *std::move(known);
    }
    BTH_CO_ASSIGN_OR_RETURN(std::shared_ptr<net::Transport> transport, connection_->Get(identity));
    if (NeedsLeave(request) && !options_.may_write()) co_return NotSent(request);
    const absl::Duration sent_at = executor_.Monotonic();
    net::Request wire = Build(request, identity);
    const absl::Duration deadline = sent_at + wire.timeout;
    net::Awaitable<absl::StatusOr<net::Response>> exchange =
        stream ? transport->Open(std::move(wire)) : transport->Fetch(std::move(wire));
    absl::StatusOr<net::Response> response = co_await std::move(exchange);
    if (absl::IsFailedPrecondition(response.status()) && NeedsLeave(request)) {
      co_return NotSent(request);
    }
    const int code = response.ok() ? response->status : 0;
    Record(request, code, executor_.Monotonic() - sent_at, throttled);
    if (!response.ok()) co_return NoAnswer(response.status(), request);
    if (code == 406 && WantsProtobuf(request)) {
      json_only_.insert(request.path.resource);
      continue;
    }
    const bool refused = code == 401 && credentials_ != nullptr && credentials_->renewable();
    if (refused) credentials_->Refused(identity.generation);
    if (refused && !last) {
      last = true;
      continue;
    }
    Exchange done{std::move(transport), *std::move(response), "", deadline};
    if (code == 401) done.refused = NameOf(request);
    if (code != 401 && options_.contact != nullptr) options_.contact->Answered();
    co_return std::move(done);
  }
}

net::Awaitable<ApiClient::Text> ApiClient::Call(ApiRequest request) {
  BTH_CO_ASSIGN_OR_RETURN(Exchange exchange, co_await Send(std::move(request), false));
  net::Response& response = exchange.response;
  if (response.status >= 200 && response.status < 300) co_return std::move(response.body);
  co_return Refusal(exchange, response.body);
}

net::Awaitable<absl::StatusOr<TextStream>> ApiClient::OpenText(ApiRequest request) {
  BTH_CO_ASSIGN_OR_RETURN(Exchange exchange, co_await Send(std::move(request), true));
  net::Response& response = exchange.response;
  if (response.status < 200 || response.status >= 300) {
    const std::string body = co_await ErrorBody(executor_, exchange.deadline, &response);
    co_return Refusal(exchange, body);
  }
  co_return TextStream(std::move(exchange.transport), std::move(response));
}

net::Awaitable<ApiClient::Text> ApiClient::Get(ApiPath path) {
  ApiRequest request;
  request.verb = "get";
  request.path = std::move(path);
  co_return co_await Call(std::move(request));
}

net::Awaitable<ApiClient::Text> ApiClient::List(ApiPath path, ListOptions options) {
  options.protobuf = false;
  co_return co_await Call(ListRequest(std::move(path), std::move(options)));
}

net::Awaitable<absl::StatusOr<ListStream>> ApiClient::ListInParts(ApiPath path,
                                                                  ListOptions options) {
  ApiRequest request = ListRequest(std::move(path), std::move(options));
  BTH_CO_ASSIGN_OR_RETURN(Exchange exchange, co_await Send(std::move(request), true));
  net::Response& response = exchange.response;
  if (response.status != 200) {
    const std::string body = co_await ErrorBody(executor_, exchange.deadline, &response);
    co_return Refusal(exchange, body);
  }
  co_return ListStream(std::move(exchange.transport), std::move(response),
                       options_.watch_line_bytes_max);
}

net::Awaitable<ApiClient::Text> ApiClient::Create(ApiPath path, std::string body) {
  ApiRequest request;
  request.verb = "create";
  request.method = "POST";
  request.path = std::move(path);
  request.body = std::move(body);
  co_return co_await Call(std::move(request));
}

net::Awaitable<ApiClient::Text> ApiClient::CreateEncoded(std::string_view resource,
                                                         RequestMaker make) {
  for (;;) {
    const bool protobuf = options_.protobuf && !json_only_.contains(ToAbsl(resource));
    ApiRequest request = make(protobuf ? types::Encoding::kProtobuf : types::Encoding::kJson);
    request.verb = "create";
    request.method = "POST";
    request.path.resource = resource;
    request.protobuf = protobuf;
    if (protobuf) request.content_type = types::kProtobufMediaType;
    Text answer = co_await Call(std::move(request));
    if (answer.ok() || !protobuf || !IsBodyRefused(answer.status())) co_return answer;
    json_only_.emplace(ToAbsl(resource));
  }
}

net::Awaitable<ApiClient::Text> ApiClient::Update(ApiPath path, std::string body) {
  ApiRequest request;
  request.verb = "update";
  request.method = "PUT";
  request.path = std::move(path);
  request.body = std::move(body);
  co_return co_await Call(std::move(request));
}

net::Awaitable<ApiClient::Text> ApiClient::Patch(ApiPath path, client::Patch patch) {
  ApiRequest request;
  request.verb = "patch";
  request.method = "PATCH";
  request.path = std::move(path);
  request.content_type = ContentType(patch.kind);
  request.body = std::move(patch.body);
  AddQuery(&request.query, "fieldManager", std::move(patch.field_manager));
  if (patch.force) AddQuery(&request.query, "force", "true");
  co_return co_await Call(std::move(request));
}

net::Awaitable<ApiClient::Text> ApiClient::PatchStatus(ApiPath path, client::Patch patch) {
  path.resource += "/status";
  path.path += "/status";
  co_return co_await Patch(std::move(path), std::move(patch));
}

net::Awaitable<ApiClient::Text> ApiClient::Delete(ApiPath path, DeleteOptions options) {
  ApiRequest request;
  request.verb = "delete";
  request.method = "DELETE";
  request.path = std::move(path);
  request.body = DeleteOptionsJson(options).Dump();
  co_return co_await Call(std::move(request));
}

net::Awaitable<absl::Status> ApiClient::Bind(BindRequest bind) {
  const RequestMaker make = [&bind](types::Encoding encoding) {
    ApiRequest request;
    request.path.path = PodPath(bind.namespace_name, bind.pod, "/binding");
    request.body = BindingBody(bind, encoding);
    return request;
  };
  const Text answer = co_await CreateEncoded("pods/binding", make);
  co_return answer.status();
}

net::Awaitable<absl::Status> ApiClient::Evict(std::string namespace_name, std::string pod,
                                              DeleteOptions options) {
  types::Json metadata = types::Json::MakeObject({{"name", pod}, {"namespace", namespace_name}});
  types::Json eviction = types::Json::MakeObject(
      {{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", std::move(metadata)}});
  eviction.Set("deleteOptions", DeleteOptionsJson(options));
  ApiRequest request;
  request.verb = "create";
  request.method = "POST";
  request.path.resource = "pods/eviction";
  request.path.path = PodPath(namespace_name, pod, "/eviction");
  request.body = eviction.Dump();
  const Text answer = co_await Call(std::move(request));
  co_return answer.status();
}

net::Awaitable<absl::StatusOr<WatchStream>> ApiClient::Watch(ApiPath path, WatchOptions options) {
  ApiRequest request;
  request.verb = "watch";
  request.path = std::move(path);
  request.protobuf = options.protobuf;
  request.cancel = options.cancel;
  AddQuery(&request.query, "watch", "true");
  AddQuery(&request.query, "labelSelector", std::move(options.label_selector));
  AddQuery(&request.query, "fieldSelector", std::move(options.field_selector));
  AddQuery(&request.query, "resourceVersion", std::move(options.resource_version));
  if (options.bookmarks) AddQuery(&request.query, "allowWatchBookmarks", "true");
  if (const int64_t seconds = absl::ToInt64Seconds(options.timeout); seconds > 0) {
    AddQuery(&request.query, "timeoutSeconds", StrCat(seconds));
  }
  BTH_CO_ASSIGN_OR_RETURN(Exchange exchange, co_await Send(std::move(request), true));
  net::Response& response = exchange.response;
  if (response.status != 200) {
    const std::string body = co_await ErrorBody(executor_, exchange.deadline, &response);
    co_return Refusal(exchange, body);
  }
  co_return WatchStream(std::move(exchange.transport), std::move(response),
                        options_.watch_line_bytes_max);
}

}  // namespace bth::client
