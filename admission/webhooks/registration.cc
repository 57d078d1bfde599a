#include "admission/webhooks/registration.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

// A conflict means that somebody else wrote meanwhile: what they wrote is read, and ours put in.
constexpr int kConflictsMax = 5;

// Volcano's words have a blank where others have a colon.
absl::Status Worded(const absl::Status& status, std::string_view doing) {
  return absl::Status(status.code(), StrCat(doing, " ", ToStd(status.message())));
}

std::string GetFailed(const Webhook& webhook) {
  return StrCat("failed to get ", webhook.mutating ? "mutating" : "validating", " webhook");
}

std::string UpdateFailed(const Webhook& webhook) {
  return StrCat("failed to update ", webhook.mutating ? "mutating" : "validating",
                " admission webhooks ", ConfigurationName(webhook));
}

}  // namespace

Registration::Registration(client::ApiClient& api, metrics::AdmissionMetrics& metrics,
                           RegistrationOptions options)
    : api_(api), metrics_(metrics), options_(std::move(options)) {}

bool Registration::IsWorthWaiting(const absl::Status& status) const {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

net::Awaitable<absl::Status> Registration::Begin(std::string authorities_pem) {
  const absl::Duration until = api_.executor().Monotonic() + options_.wait_max;
  for (const Webhook* webhook : options_.webhooks) {
    bool told = false;
    for (;;) {
      const absl::Status status = co_await Write(*webhook, authorities_pem);
      metrics_.Registered(status.ok());
      if (status.ok()) break;
      if (!IsWorthWaiting(status) || api_.executor().Monotonic() >= until) {
        co_return Worded(status, "failed to add caCert for webhook");
      }
      if (!std::exchange(told, true)) {
        Log(LogLevel::kWarning, "registration.waiting",
            {{"configuration", ConfigurationName(*webhook)}, {"status", status}});
      }
      co_await net::Sleep(api_.executor(), options_.retry);
    }
  }
  Log(LogLevel::kInfo, "registration.done",
      {{"configurations", options_.webhooks.size()}, {"created_by_us", options_.create}});
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> Registration::Renew(std::string authorities_pem) {
  absl::Status failed;
  absl::Status missing;
  for (const Webhook* webhook : options_.webhooks) {
    const absl::Status status = co_await Write(*webhook, authorities_pem);
    metrics_.Registered(status.ok());
    (absl::IsNotFound(status) ? missing : failed).Update(status);
  }
  failed.Update(missing);
  co_return failed;
}

net::Awaitable<absl::Status> Registration::Write(const Webhook& webhook,
                                                 const std::string& authorities_pem) {
  absl::Status failed;
  for (int attempt = 0; attempt < kConflictsMax; ++attempt) {
    client::ApiPath path = ConfigurationPath(webhook);
    const client::ApiClient::Text text = co_await api_.Get(path);
    if (absl::IsNotFound(text.status()) && options_.create) {
      failed = co_await Create(webhook, authorities_pem);
    } else if (!text.ok()) {
      co_return Worded(text.status(), GetFailed(webhook));
    } else {
      absl::StatusOr<Json> found = Json::Parse(*text);
      if (!found.ok()) co_return Worded(found.status(), GetFailed(webhook));
      bool changed = SetAuthorities(*found, authorities_pem, api_.executor().Now());
      if (options_.create) {
        const Json wanted =
            MakeConfiguration(webhook, options_.address, authorities_pem, options_.queue_check);
        changed = BringUpToDate(*found, wanted) || changed;
      }
      if (!changed) co_return absl::OkStatus();
      std::string body = found->Dump();
      const client::ApiClient::Text written =
          co_await api_.Update(std::move(path), std::move(body));
      failed = written.status();
    }
    if (failed.ok()) {
      Log(LogLevel::kInfo, "registration.written", {{"configuration", ConfigurationName(webhook)}});
      co_return failed;
    }
    if (!absl::IsAborted(failed) && !absl::IsAlreadyExists(failed)) break;
  }
  co_return Worded(failed, UpdateFailed(webhook));
}

net::Awaitable<absl::Status> Registration::Create(const Webhook& webhook,
                                                  const std::string& authorities_pem) {
  client::ApiPath path = ConfigurationsPath(webhook);
  std::string body =
      MakeConfiguration(webhook, options_.address, authorities_pem, options_.queue_check).Dump();
  const client::ApiClient::Text made = co_await api_.Create(std::move(path), std::move(body));
  co_return made.status();
}

}  // namespace bth::admission
