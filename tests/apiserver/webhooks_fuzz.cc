// Feeds answers of webhooks, their URLs and configurations. The first byte chooses what is tried;
// the rest is one text. Nothing may crash, and what is accepted must be usable.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apiserver/policies/check_policy.h"
#include "apiserver/webhooks/check_configuration.h"
#include "apiserver/webhooks/endpoint.h"
#include "apiserver/webhooks/review.h"
#include "base/check.h"

namespace bth::apiserver::testing {
namespace {

void TryAnswer(int code, std::string_view body) {
  for (const bool mutating : {false, true}) {
    for (const bool beta : {false, true}) {
      const ReadAnswer read = ReadReview(code, body, {"1", beta, mutating});
      BTH_CHECK(read.answer.has_value() != !read.fault.stage.empty());
      if (!read.answer.has_value() || read.answer->allowed) continue;
      const int refusal = HttpCode(RefusalOf("w", *read.answer));
      BTH_CHECK(refusal >= 400 && refusal < 600);
    }
  }
}

void TryUrl(std::string_view text) {
  const absl::StatusOr<UrlParts> url = ReadUrl(text);
  BTH_CHECK(!url.ok() || url->authority.find('@') == std::string::npos);
}

void TryObjects(std::string_view text) {
  const absl::StatusOr<Json> json = Json::Parse(text);
  if (!json.ok() || !json->is_object()) return;
  const auto environment = ExpressionEnvironment({});
  for (const bool mutating : {false, true}) {
    Json object = *json;
    DefaultWebhooks(object, mutating);
    const rules::FieldErrors errors = CheckWebhooks(object, nullptr, mutating, environment);
    if (errors.empty()) ReadWebhooks(object, environment);
    Json policy = *json;
    DefaultPolicy(policy);
    CheckPolicy(policy, nullptr, mutating);
    Json binding = *json;
    DefaultBinding(binding);
    CheckBinding(binding, mutating);
  }
}

}  // namespace
}  // namespace bth::apiserver::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::apiserver::testing;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      TryAnswer(200, text);
      break;
    case 1:
      TryAnswer(500, text);
      break;
    case 2:
      TryUrl(text);
      break;
    default:
      TryObjects(text);
  }
  return 0;
}
