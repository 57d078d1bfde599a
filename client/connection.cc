#include "client/connection.h"

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "client/file.h"

namespace bth::client {
namespace {

constexpr size_t kPemBytesMax = 1 << 20;
constexpr absl::Duration kCheckPeriod = absl::Seconds(10);

absl::StatusOr<std::string> Read(const TextSource& source, const char* what) {
  if (source.file.empty()) return source.text;
  absl::StatusOr<std::string> content = ReadSmallFile(source.file, kPemBytesMax);
  if (!content.ok()) return Annotate(content.status(), what);
  return content;
}

bool Same(const net::TlsOptions& a, const net::TlsOptions& b) {
  return a.enabled == b.enabled && a.insecure_skip_verify == b.insecure_skip_verify &&
         a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem &&
         a.server_name == b.server_name;
}

}  // namespace

Connection::Connection(net::Executor& executor, ClientConfig config, net::ClientOptions options,
                       TransportFactory factory)
    : executor_(executor),
      config_(std::move(config)),
      options_(std::move(options)),
      factory_(std::move(factory)) {
  options_.host = config_.server.host;
  options_.port = config_.server.port;
}

Connection::Connection(net::Executor& executor, std::shared_ptr<net::Transport> transport)
    : executor_(executor), transport_(std::move(transport)) {}

absl::StatusOr<net::TlsOptions> Connection::ReadTls(const Identity& identity) const {
  net::TlsOptions tls;
  tls.enabled = config_.server.tls;
  if (!tls.enabled) return tls;
  tls.insecure_skip_verify = config_.insecure_skip_verify;
  tls.server_name = config_.tls_server_name;
  BTH_ASSIGN_OR_RETURN(tls.ca_pem, Read(config_.ca, "certificate authority"));
  if (!identity.certificate_pem.empty()) {
    tls.certificate_pem = identity.certificate_pem;
    tls.key_pem = identity.key_pem;
    return tls;
  }
  BTH_ASSIGN_OR_RETURN(tls.certificate_pem, Read(config_.certificate, "client certificate"));
  BTH_ASSIGN_OR_RETURN(tls.key_pem, Read(config_.key, "client key"));
  return tls;
}

absl::Status Connection::Renew(const Identity& identity) {
  BTH_ASSIGN_OR_RETURN(net::TlsOptions tls, ReadTls(identity));
  if (transport_ != nullptr && Same(tls, options_.tls)) return absl::OkStatus();
  net::ClientOptions options = options_;
  options.tls = tls;
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<net::Transport> transport, factory_(std::move(options)));
  transport_ = std::move(transport);
  options_.tls = std::move(tls);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<net::Transport>> Connection::Get(const Identity& identity) {
  if (!factory_) return transport_;
  const absl::Duration now = executor_.Monotonic();
  const bool due = transport_ == nullptr || now - checked_at_ >= kCheckPeriod ||
                   identity.generation != identity_generation_;
  if (!due) return transport_;
  checked_at_ = now;
  identity_generation_ = identity.generation;
  if (const absl::Status status = Renew(identity); !status.ok()) {
    if (transport_ == nullptr) return Annotate(status, config_.origin);
    Log(LogLevel::kWarning, "client.certificates_not_renewed", {{"error", status}});
  }
  return transport_;
}

}  // namespace bth::client
