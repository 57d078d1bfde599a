#include "admission/webhooks/secret_certificates.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/api_error.h"

namespace bth::admission {
namespace {

constexpr int kAttemptsMax = 5;

}  // namespace

SecretCertificates::SecretCertificates(client::ApiClient& api, SecretOptions options)
    : api_(api), options_(std::move(options)) {}

client::ApiPath SecretCertificates::PathOf(bool with_name) const {
  std::string path = StrCat("/api/v1/namespaces/", options_.ns, "/secrets");
  if (with_name) StrAppend(&path, "/", options_.name);
  return {"secrets", std::move(path)};
}

net::Awaitable<absl::StatusOr<Json>> SecretCertificates::Read() {
  client::ApiPath path = PathOf(true);
  const client::ApiClient::Text text = co_await api_.Get(std::move(path));
  if (absl::IsNotFound(text.status())) co_return Json();
  if (!text.ok()) co_return text.status();
  co_return Json::Parse(*text);
}

net::Awaitable<absl::Status> SecretCertificates::Write(Json secret, bool exists) {
  client::ApiPath path = PathOf(exists);
  std::string body = secret.Dump();
  absl::Status status;
  if (exists) {
    const client::ApiClient::Text written = co_await api_.Update(std::move(path), std::move(body));
    status = written.status();
  } else {
    const client::ApiClient::Text made = co_await api_.Create(std::move(path), std::move(body));
    status = made.status();
  }
  if (absl::IsAlreadyExists(status) || (exists && absl::IsNotFound(status))) {
    co_return absl::AbortedError(status.message());
  }
  co_return status;
}

net::Awaitable<absl::StatusOr<ServingCertificate>> SecretCertificates::Current() {
  const std::string place = StrCat("Secret ", options_.ns, "/", options_.name);
  absl::Status failed;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    absl::StatusOr<Json> secret = co_await Read();
    if (!secret.ok()) co_return client::WithContext(secret.status(), place);
    const bool exists = !secret->is_null();
    const KeptCertificates kept = ReadSecret(*secret);
    const absl::Time now = api_.executor().Now();
    if (now < good_until_ && kept == good_) co_return kept.serving;
    const CertificateFinding finding = Examine(kept, options_.terms, now);
    if (finding.remedy == Remedy::kNone) {
      trusted_pem_ = kept.serving.authorities_pem;
      good_ = kept;
      good_until_ = finding.good_until;
      co_return kept.serving;
    }
    absl::StatusOr<KeptCertificates> renewed =
        Renewed(kept, finding.remedy, options_.terms, trusted_pem_, now);
    if (!renewed.ok()) co_return Annotate(renewed.status(), place);
    if (!exists) {
      *secret = Json::MakeObject(
          {{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"metadata", Json::MakeObject({{"name", options_.name}, {"namespace", options_.ns}})},
           {"type", "Opaque"}});
    }
    WriteSecret(*renewed, *secret);
    failed = co_await Write(*std::move(secret), exists);
    if (failed.ok()) {
      Log(LogLevel::kInfo, "certificate.made",
          {{"secret", StrCat(options_.ns, "/", options_.name)},
           {"why", finding.why},
           {"authority", finding.remedy == Remedy::kNewAuthority ? "new" : "kept"}});
      trusted_pem_ = renewed->serving.authorities_pem;
      co_return renewed->serving;
    }
    if (!absl::IsAborted(failed) && finding.usable) {
      Log(LogLevel::kWarning, "certificate.not_renewed",
          {{"secret", StrCat(options_.ns, "/", options_.name)}, {"status", failed}});
      co_return kept.serving;
    }
    if (!absl::IsAborted(failed)) break;
  }
  co_return client::WithContext(failed, place);
}

}  // namespace bth::admission
