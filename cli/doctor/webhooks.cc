#include "cli/doctor/webhooks.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cli/print/times.h"
#include "cli/text/object.h"
#include "net/certificates.h"
#include "net/pem.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr absl::Duration kExpirySoon = absl::Hours(24 * 7);
constexpr std::string_view kGroupSuffix = ".volcano.sh";

// Whether a webhook is about kinds of ours.
bool IsAboutOurs(const Json& webhook) {
  for (const Json& rule : webhook["rules"].items()) {
    for (const Json& group : rule["apiGroups"].items()) {
      if (group.AsString().ends_with(kGroupSuffix)) return true;
    }
  }
  return webhook["name"].AsString().ends_with(kGroupSuffix);
}

template <typename Visit>
void EachWebhook(const WebhookFacts& facts, const Visit& visit) {
  for (const ObjectsRead* listing : {&facts.mutating, &facts.validating}) {
    for (const Json& configuration : listing->items) {
      for (const Json& webhook : configuration["webhooks"].items()) {
        if (IsAboutOurs(webhook)) visit(configuration, webhook);
      }
    }
  }
}

int64_t ReadyEndpoints(const ObjectsRead& slices, std::string_view service) {
  int64_t ready = 0;
  for (const Json& slice : slices.items) {
    if (LabelIn(slice, "kubernetes.io/service-name") != service) continue;
    for (const Json& endpoint : slice["endpoints"].items()) {
      if (!endpoint.At({"conditions", "ready"}).AsBool(true)) continue;
      ready += static_cast<int64_t>(endpoint["addresses"].size());
    }
  }
  return ready;
}

struct Verdict {
  PointLevel level = PointLevel::kOk;
  std::string found;
  std::string remedy;
};

// The authorities that answers are trusted by. Former ones may be among them, and which of them the
// certificate that is served is of cannot be told: each counts.
Verdict JudgeAuthority(const Json& webhook, absl::Time now) {
  static constexpr char kRemedy[] =
      "see the logs of vc-webhook-manager, which writes it: has it the role to? "
      "(deploy/admission/rbac.yaml)";
  static constexpr char kRemedyOfOne[] =
      "if the certificate that is served is of it, renew that, or see the logs of "
      "vc-webhook-manager, which renews its own; a former one may be taken out "
      "(docs/operations.md, Authorities in the configurations)";
  const std::string_view bundle = webhook.At({"clientConfig", "caBundle"}).AsString();
  if (bundle.empty()) {
    return {PointLevel::kFault, "its caBundle is empty: the API server trusts no answer", kRemedy};
  }
  const auto pem = net::Base64Decode(bundle);
  if (!pem.ok()) return {PointLevel::kFault, "its caBundle is no base64", kRemedy};
  const auto certificates = net::DescribeCertificates(*pem);
  if (!certificates.ok()) {
    return {PointLevel::kFault, StrCat("its caBundle: ", certificates.status().message()), kRemedy};
  }
  absl::Time last = absl::InfinitePast();
  absl::Time expired = absl::InfinitePast();  // The last of those that have.
  absl::Time next = absl::InfiniteFuture();   // The first of those that have not.
  for (const net::CertificateFacts& one : *certificates) {
    const absl::Time until = one.valid_until;
    last = std::max(last, until);
    if (until <= now) expired = std::max(expired, until);
    if (until > now) next = std::min(next, until);
  }
  if (last <= now) {
    return {PointLevel::kFault, StrCat("its caBundle expired ", AgeText(now - last), " ago"),
            kRemedy};
  }
  const std::string left = StrCat("its caBundle expires in ", AgeText(last - now));
  if (last - now < kExpirySoon) return {PointLevel::kWarning, left, kRemedy};
  if (next - now < kExpirySoon) {
    return {PointLevel::kWarning, StrCat("one of its authorities ends in ", AgeText(next - now)),
            kRemedyOfOne};
  }
  if (expired != absl::InfinitePast()) {
    return {PointLevel::kWarning,
            StrCat("one of its authorities expired ", AgeText(now - expired), " ago"),
            kRemedyOfOne};
  }
  return {PointLevel::kOk, left, ""};
}

void CheckWebhook(const WebhookFacts& facts, const Json& webhook, const PointsOf& area) {
  const std::string subject(webhook["name"].AsString());
  const Json& service = webhook.At({"clientConfig", "service"});
  const bool fails = webhook["failurePolicy"].AsString("Fail") == "Fail";
  const Verdict authority = JudgeAuthority(webhook, facts.now);
  if (authority.level == PointLevel::kFault) {
    return area.Fault(subject, authority.found, authority.remedy);
  }
  if (authority.level == PointLevel::kWarning) {
    area.Warning(subject, authority.found, authority.remedy);
  }
  if (service.is_object()) {
    const std::string ns(service["namespace"].AsString());
    const std::string key = StrCat(ns, "/", service["name"].AsString());
    const auto slices = facts.slices.find(ns);
    if (slices != facts.slices.end() && !slices->second.is_read()) {
      area.NotChecked(StrCat(subject, " endpoints"), slices->second.unread);
    } else if (slices != facts.slices.end() &&
               ReadyEndpoints(slices->second, service["name"].AsString()) == 0) {
      const std::string consequence =
          fails ? "what it is about is refused" : "nothing is checked (failurePolicy: Ignore)";
      return area.Fault(
          subject, StrCat("nobody is ready behind service ", key, ": ", consequence),
          StrCat("kubectl -n ", ns, " get deployments,statefulsets,pods,endpointslices"));
    }
  }
  if (authority.level != PointLevel::kOk) return;
  area.Ok(subject, StrCat(authority.found, fails ? ""
                                                 : "; failurePolicy Ignore: without it bad "
                                                   "objects come in"));
}

}  // namespace

std::vector<std::string> WebhookNamespaces(const WebhookFacts& facts) {
  std::set<std::string> names;
  EachWebhook(facts, [&names](const Json&, const Json& webhook) {
    const std::string_view ns = webhook.At({"clientConfig", "service", "namespace"}).AsString();
    if (!ns.empty()) names.emplace(ns);
  });
  return {names.begin(), names.end()};
}

void CheckWebhooks(const WebhookFacts& facts, std::vector<Point>* points) {
  const PointsOf area("webhooks", points);
  if (!facts.mutating.is_read()) area.NotChecked("mutating ones", facts.mutating.unread);
  if (!facts.validating.is_read()) area.NotChecked("validating ones", facts.validating.unread);
  EachWebhook(facts, [&facts, &area](const Json&, const Json& webhook) {
    CheckWebhook(facts, webhook, area);
  });
}

Json BadJob() {
  // Two tasks of one name: the definition allows it, the rules do not.
  const auto job = Json::Parse(R"({"metadata": {"generateName": "vcctl-doctor-"},
    "spec": {"minAvailable": 1, "schedulerName": "volcano", "queue": "default", "tasks": [
      {"name": "same", "replicas": 1, "template": {"spec": {"restartPolicy": "Never",
        "containers": [{"name": "c", "image": "none"}]}}},
      {"name": "same", "replicas": 1, "template": {"spec": {"restartPolicy": "Never",
        "containers": [{"name": "c", "image": "none"}]}}}]}})");
  return job.ok() ? *job : Json();
}

void CheckTrial(const absl::Status& answer, bool has_webhooks, std::vector<Point>* points) {
  const PointsOf area("webhooks", points);
  static constexpr char kSubject[] = "trial of a bad job";
  const std::string message(answer.message());
  const bool is_refused = absl::StrContains(message, "denied the request") ||
                          absl::StrContains(message, "ValidatingAdmissionPolicy");
  if (answer.ok() && has_webhooks) {
    area.Fault(kSubject, "it was taken: no webhook looked at it",
               "see whether a configuration with validatejob.volcano.sh is there, and its "
               "namespaceSelector");
  } else if (answer.ok()) {
    area.Warning(kSubject, "it was taken: no webhooks and no policies are installed",
                 "install deploy/admission or deploy/policies, so that bad objects are refused");
  } else if (is_refused) {
    area.Ok(kSubject, "refused, as it must be");
  } else if (absl::StrContains(message, "failed calling webhook") ||
             absl::StrContains(message, "failed to call webhook")) {
    area.Fault(kSubject, message,
               "see whether the webhooks run, and whether the API server reaches them "
               "(NetworkPolicy, port, certificate)");
  } else {
    area.NotChecked(kSubject, message);
  }
}

}  // namespace bth::cli
