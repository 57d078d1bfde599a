#include "scheduler/web_client.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::scheduler {
namespace {

// The beginning of a text from outside, fit for a log line.
std::string Excerpt(const std::string& text) {
  constexpr size_t kBytesMax = 160;
  std::string out = text.substr(0, kBytesMax);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 0x7f) c = ' ';
  }
  return out;
}

}  // namespace

WebClient::WebClient(std::unique_ptr<net::Transport> transport, const client::ServerUrl& server,
                     const Options& options)
    : transport_(std::move(transport)),
      prefix_(server.path_prefix),
      host_(server.host.find(':') == std::string::npos
                ? StrCat(server.host, ":", server.port)
                : StrCat("[", server.host, "]:", server.port)) {
  if (options.username.empty()) return;
  authorization_ =
      StrCat("Basic ", net::Base64Encode(StrCat(options.username, ":", options.password)));
  if (!server.tls) {
    Log(LogLevel::kWarning, "web.password_in_clear",
        {{"server", host_}, {"remedy", "give the address with https"}});
  }
}

absl::StatusOr<std::unique_ptr<WebClient>> WebClient::Create(
    const client::TransportFactory& factory, const client::ServerUrl& server, Options options) {
  net::ClientOptions client;
  client.host = server.host;
  client.port = server.port;
  client.tls.enabled = server.tls;
  client.tls.insecure_skip_verify = options.insecure_skip_verify;
  client.connections_max = options.connections_max;
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<net::Transport> transport, factory(std::move(client)));
  return std::unique_ptr<WebClient>(new WebClient(std::move(transport), server, options));
}

net::Awaitable<absl::StatusOr<std::string>> WebClient::Exchange(Call call) {
  net::Request request;
  request.method = std::move(call.method);
  request.target = StrCat(prefix_, call.path);
  if (request.target.empty()) request.target = "/";
  request.headers.Set("host", host_);
  request.headers.Set("accept", "application/json");
  if (!call.content_type.empty()) request.headers.Set("content-type", call.content_type);
  if (!authorization_.empty()) request.headers.Set("authorization", authorization_);
  request.body = std::move(call.body);
  request.timeout = call.timeout;
  request.response_bytes_max = call.response_bytes_max;
  request.cancel = std::move(call.cancel);
  absl::StatusOr<net::Response> response = co_await transport_->Fetch(std::move(request));
  if (!response.ok()) co_return response.status();
  if (response->status != 200) {
    co_return absl::FailedPreconditionError(
        StrCat("HTTP ", response->status, ": ", Excerpt(response->body)));
  }
  co_return std::move(response->body);
}

}  // namespace bth::scheduler
