// Any bytes as the output of a credential program: an accepted answer is complete and safe to put
// into a header.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "client/credential_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = bth::client::ParseExecCredential(text, "client.authentication.k8s.io/v1");
  if (!answer.ok()) {
    BTH_CHECK(!answer.status().message().empty());
    return 0;
  }
  BTH_CHECK(!answer->token.empty() || !answer->certificate_pem.empty());
  BTH_CHECK(answer->certificate_pem.empty() == answer->key_pem.empty());
  BTH_CHECK(answer->token.find('\n') == std::string::npos);
  BTH_CHECK(answer->token.find('\r') == std::string::npos);
  return 0;
}
