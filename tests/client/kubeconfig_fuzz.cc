// Any bytes as a kubeconfig: no crash, bounded work, and every context either becomes a
// configuration that holds together or is refused with a reason.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "client/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::client;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Kubeconfig> parsed = ParseKubeconfig(text, "/nonexistent/folder/config");
  if (!parsed.ok()) {
    BTH_CHECK(absl::IsInvalidArgument(parsed.status()));
    BTH_CHECK(!parsed.status().message().empty());
    return 0;
  }
  BTH_CHECK(parsed->contexts.size() <= 1000);
  const Kubeconfig merged = MergeKubeconfigs(*parsed, *parsed);
  BTH_CHECK(merged.clusters.size() == parsed->clusters.size());
  for (const auto& context : parsed->contexts) {
    const absl::StatusOr<ClientConfig> config = SelectContext(merged, context.name);
    if (!config.ok()) {
      BTH_CHECK(!config.status().message().empty());
      continue;
    }
    BTH_CHECK(!config->server.host.empty());
    BTH_CHECK(config->server.port > 0);
    BTH_CHECK(config->certificate.empty() == config->key.empty());
    // Secrets never go over plain HTTP.
    BTH_CHECK(config->server.tls || config->credentials.token.empty());
    BTH_CHECK(config->server.tls || config->certificate.empty());
  }
  return 0;
}
