#include "apiserver/services/proxy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/request.h"
#include "apiserver/services/locate.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using ProxyPiece = absl::StatusOr<std::optional<std::string>>;

// Of one connection, or told anew by whoever sends.
bool IsOfOneHop(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "connection", "content-length",    "date",    "host",    "keep-alive",
      "te",         "transfer-encoding", "trailer", "upgrade", "expect"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [name](std::string_view known) { return EqualsIgnoreCase(name, known); }) ||
         StartsWithIgnoreCase(name, "proxy-");
}

// Who asks is nobody's business but this server's.
bool IsCredential(std::string_view name) {
  return EqualsIgnoreCase(name, "authorization") || StartsWithIgnoreCase(name, "impersonate-") ||
         StartsWithIgnoreCase(name, "x-remote-");
}

net::Request OnwardRequest(net::Request request, const ProxyPlace& place, absl::Duration timeout) {
  net::Request onward;
  onward.method = std::move(request.method);
  onward.target = StrCat(place.path.empty() ? "/" : place.path, place.query);
  for (const auto& [name, value] : request.headers.fields()) {
    // Bytes are passed on as they are, so that nobody need say how they were packed.
    const bool packs = EqualsIgnoreCase(name, "accept-encoding");
    if (!IsOfOneHop(name) && !IsCredential(name) && !packs) onward.headers.Add(name, value);
  }
  onward.body = std::move(request.body);
  onward.timeout = timeout;
  return onward;
}

// Places on the same server lie behind the proxy.
std::string LocationBehind(const ProxyPlace& place, const std::string& location) {
  const bool of_server = location.starts_with("/") && !location.starts_with("//");
  return of_server ? StrCat(place.prefix, location) : location;
}

net::Headers HeadersBack(const net::Headers& headers, const ProxyPlace& place) {
  net::Headers back;
  for (const auto& [name, value] : headers.fields()) {
    // Programs behind it have no say in who may read what this server answers.
    if (IsOfOneHop(name) || StartsWithIgnoreCase(name, "access-control-")) continue;
    back.Add(name, EqualsIgnoreCase(name, "location") ? LocationBehind(place, value) : value);
  }
  return back;
}

net::Response ToProxiedFolder(const ProxyPlace& place) {
  net::Response response;
  response.status = 301;
  response.headers.Set("Location", StrCat(place.prefix, "/", place.query));
  return response;
}

absl::Status Unreached(const absl::Status& status) {
  const std::string_view why = ToStd(status.message());
  if (absl::IsDeadlineExceeded(status)) return TimedOut(StrCat("the service is silent: ", why));
  return ServiceUnavailable(StrCat("error trying to reach service: ", why));
}

}  // namespace

// One of those under way.
class ServiceProxy::Turn final {
 public:
  explicit Turn(std::shared_ptr<ServiceProxy> proxy) : proxy_(std::move(proxy)) {
    ++proxy_->under_way_;
  }
  Turn(Turn&& other) noexcept = default;
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (proxy_ != nullptr) --proxy_->under_way_;
  }

 private:
  std::shared_ptr<ServiceProxy> proxy_;
};

// The body, which ends when the program ends it, the reader goes, or its time is up.
class ServiceProxy::Stream final : public net::ByteStream {
 public:
  struct Parts {
    net::Executor& executor;
    std::shared_ptr<net::Transport> transport;
    std::unique_ptr<net::ByteStream> body;
    net::CancelToken cancel;
  };
  Stream(Turn turn, Parts parts, absl::Duration longest)
      : turn_(std::move(turn)),
        executor_(parts.executor),
        transport_(std::move(parts.transport)),
        body_(std::move(parts.body)),
        timer_(executor_.RunAfter(longest, [cancel = parts.cancel] { cancel.Cancel(); })) {}
  ~Stream() override { executor_.CancelTimer(timer_); }

  net::Awaitable<ProxyPiece> Next() override { return body_->Next(); }

 private:
  const Turn turn_;
  net::Executor& executor_;
  const std::shared_ptr<net::Transport> transport_;  // The body is read through it.
  const std::unique_ptr<net::ByteStream> body_;
  const net::Executor::TimerId timer_;
};

absl::StatusOr<Endpoint> ServiceProxy::EndpointOf(const Core& core, const ProxyPlace& place) const {
  const ObjectPtr stored = core.store->Find("services")->Get(place.service);
  if (stored == nullptr) return NotFound({"", "services", "Service", place.service.name});
  if (ParseStored(*stored)["spec"]["type"].AsString() == "ExternalName") {
    return ServiceUnavailable(
        StrCat("no endpoints available for service \"", place.service.name, "\""));
  }
  const absl::StatusOr<ServiceAddress> address = LocateService(core, place.service, place.port);
  if (!address.ok()) return ServiceUnavailable(ToStd(address.status().message()));
  Endpoint endpoint;
  endpoint.host = address->host;
  endpoint.port = address->port;
  endpoint.tls = place.tls;
  endpoint.verified = false;
  return endpoint;
}

net::Awaitable<absl::StatusOr<net::Response>> ServiceProxy::Pass(Core& core, net::Request request,
                                                                 ProxyPlace place) {
  const std::shared_ptr<ServiceProxy> alive = shared_from_this();
  if (request.headers.Has("upgrade")) {
    co_return NotImplemented("connections are not upgraded behind the proxy of a service");
  }
  if (request.body.size() > kBodyBytesMax) co_return TooLarge(kBodyBytesMax);
  BTH_CO_ASSIGN_OR_RETURN(const Endpoint endpoint, EndpointOf(core, place));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (place.path.empty() && reads) co_return ToProxiedFolder(place);
  if (under_way_ >= kExchangesMax) {
    ++core.counters.proxy_refused;
    co_return TooManyRequests("too many requests to services are under way", 1);
  }
  Turn turn(alive);
  absl::StatusOr<std::shared_ptr<net::Transport>> transport = clients_.To(endpoint);
  if (!transport.ok()) co_return Unreached(transport.status());
  const bool head_only = request.method == "HEAD";
  net::Request onward =
      OnwardRequest(std::move(request), place, std::min(kHeadTimeout, core.request_timeout));
  const net::CancelToken cancel = onward.cancel;
  absl::StatusOr<net::Response> answer = co_await (*transport)->Open(std::move(onward));
  if (!answer.ok()) co_return Unreached(answer.status());
  net::Response back;
  back.status = answer->status;
  back.headers = HeadersBack(answer->headers, place);
  const bool has_no_body = head_only || back.status == 204 || back.status == 304;
  if (!has_no_body) back.body = std::move(answer->body);
  if (!has_no_body && answer->stream != nullptr) {
    Stream::Parts parts{core.executor, *std::move(transport), std::move(answer->stream), cancel};
    back.stream = std::make_unique<Stream>(std::move(turn), std::move(parts), core.watch_timeout);
  }
  co_return back;
}

}  // namespace bth::apiserver
