#include "cmd/common/debug_server.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "cmd/common/access_guard.h"
#include "cmd/common/endpoint.h"
#include "cmd/common/page_servers.h"

namespace bth::cmd {

absl::StatusOr<std::unique_ptr<DebugServer>> DebugServer::Start(const Context& context,
                                                                const DebugFlags& flags,
                                                                net::Handler pages) {
  if (flags.bind_address.empty()) return nullptr;
  std::unique_ptr<DebugServer> made(new DebugServer());
  if (flags.tls()) BTH_RETURN_IF_ERROR(made->Secure(context, flags, &pages));
  const net::ServerTls* tls = flags.tls() ? &made->certificates_->now() : nullptr;
  auto server = ServePages(context.executor, flags.bind_address, std::move(pages), tls);
  if (absl::IsUnavailable(server.status())) {
    Log(LogLevel::kError, "debug.not_served",
        {{"address", flags.bind_address}, {"status", server.status()}});
    return nullptr;
  }
  if (!server.ok()) return Annotate(server.status(), "--debug-bind-address");
  made->server_ = *std::move(server);
  if (tls != nullptr) made->certificates_->Follow(*made->server_);
  LogServed("debug.served", flags.bind_address, *made->server_, tls != nullptr);
  return made;
}

absl::Status DebugServer::Secure(const Context& context, const DebugFlags& flags,
                                 net::Handler* pages) {
  const CertificateFiles files{.certificate = flags.certificate_file, .key = flags.key_file};
  auto certificates = flags.self_signed ? ServedCertificates::Make(context.executor)
                                        : ServedCertificates::Read(context.executor, files);
  if (!certificates.ok()) return Annotate(certificates.status(), "--debug-tls-cert-file");
  certificates_ = *std::move(certificates);
  BTH_ASSIGN_OR_RETURN(api_, context.connect());
  review_ = std::make_unique<client::AccessReview>(*api_);
  *pages = GuardPages(context.executor, *review_, context.registry, std::move(*pages));
  return absl::OkStatus();
}

}  // namespace bth::cmd
