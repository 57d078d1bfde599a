#include "cmd/common/debug_flags.h"

#include "base/status.h"
#include "base/strings.h"
#include "cmd/common/daemon_flags.h"
#include "cmd/common/endpoint.h"

namespace bth::cmd {

void DebugFlags::AddTo(FlagSet& flags) {
  flags.Add("debug-bind-address", &bind_address,
            "Serve the debug pages there; empty: nowhere. Off loopback with a certificate only");
  flags.Add("debug-tls-cert-file", &certificate_file,
            "Certificate of the debug pages: with it and its key they are served over TLS, to "
            "those whom the API server lets in");
  flags.Add("debug-tls-private-key-file", &key_file, "Its key");
  flags.Add(
      "debug-self-signed", &self_signed,
      "Make the certificate of the debug pages at the start: for callers who come through the "
      "API server's proxy of Services, which verifies none");
}

absl::Status DebugFlags::Check() const {
  if (certificate_file.empty() != key_file.empty()) {
    return certificate_file.empty()
               ? RefusedFlag("debug-tls-private-key-file", "give --debug-tls-cert-file too")
               : RefusedFlag("debug-tls-cert-file", "give --debug-tls-private-key-file too");
  }
  if (self_signed && !certificate_file.empty()) {
    return RefusedFlag("debug-self-signed", "there is a certificate: --debug-tls-cert-file");
  }
  if (bind_address.empty()) return absl::OkStatus();
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(bind_address);
  if (!endpoint.ok()) {
    return RefusedFlag("debug-bind-address", ToStd(endpoint.status().message()));
  }
  if (IsLoopback(*endpoint) || tls()) return absl::OkStatus();
  return RefusedFlag("debug-bind-address",
                     StrCat(bind_address, " is not on loopback: give --debug-tls-cert-file ",
                            "and --debug-tls-private-key-file, or --debug-self-signed, so that ",
                            "only those are served whom the API server lets in"));
}

}  // namespace bth::cmd
