#include "cli/explain/scheduler_page.h"

#include "api/types/api_status.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/http.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr char kTokenField[] = "Batholith-Authorization";
constexpr absl::Duration kSchedulerPatience = absl::Seconds(5);
// The proxy takes any of the replicas, and all but one stand by.
constexpr int kReplicaTries = 8;

// "volcano-explain" of the Service "volcano-scheduler-explain": both have the installation's name
// in front.
std::string AccountOf(const std::string& service) {
  constexpr std::string_view kEnding = "-scheduler-explain";
  if (!service.ends_with(kEnding)) return service;
  return StrCat(service.substr(0, service.size() - kEnding.size()), "-explain");
}

// One question, with the time that is left for it.
class Question final {
 public:
  Question(Cluster& cluster, std::string ns, std::string name)
      : cluster_(cluster),
        ns_(std::move(ns)),
        name_(std::move(name)),
        end_(cluster.monotonic() + kSchedulerPatience) {}

  absl::StatusOr<Json> Ask(const std::string& page,
                           const std::pair<std::string, std::string>& query) {
    const absl::StatusOr<std::string> token = Token();
    const std::string name = net::PercentEncode(name_);
    if (token.ok()) return AskReplicas(StrCat("https:", name, ":443"), page, query, *token);
    absl::StatusOr<Json> open = AskReplicas(StrCat("http:", name, ":80"), page, query, "");
    const int refusal = types::HttpCodeOf(token.status());
    const bool has_no_account = refusal == 404 || refusal == 405;
    // Where there is an account, what keeps one from its token says more.
    if (open.ok() || has_no_account || IsOfScheduler(open.status())) return open;
    return token.status();
  }

  // Its pages say a message and no reason, the API server both.
  static bool IsOfScheduler(const absl::Status& status) {
    return types::HttpCodeOf(status) != 0 && types::ReasonOf(status).empty();
  }

 private:
  absl::StatusOr<std::string> Token() {
    RawCall call;
    call.method = "POST";
    call.path = StrCat("/api/v1/namespaces/", net::PercentEncode(ns_), "/serviceaccounts/",
                       net::PercentEncode(AccountOf(name_)), "/token");
    call.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",)"
                R"("spec":{"expirationSeconds":600}})";
    call.timeout = end_ - cluster_.monotonic();
    BTH_ASSIGN_OR_RETURN(const Json answer, cluster_.CallRaw(call));
    return std::string(answer.At({"status", "token"}).AsString());
  }

  absl::StatusOr<Json> AskReplicas(const std::string& service, const std::string& page,
                                   const std::pair<std::string, std::string>& query,
                                   const std::string& token) {
    RawCall call;
    call.path = StrCat("/api/v1/namespaces/", net::PercentEncode(ns_), "/services/", service,
                       "/proxy/debug/", page);
    if (!query.first.empty()) call.query.push_back(query);
    if (!token.empty()) call.headers.emplace_back(kTokenField, StrCat("Bearer ", token));
    for (int tries = 1;; ++tries) {
      call.timeout = end_ - cluster_.monotonic();
      if (call.timeout <= absl::ZeroDuration()) return absl::DeadlineExceededError("");
      absl::StatusOr<Json> answer = cluster_.CallRaw(call);
      const bool stands_by = types::HttpCodeOf(answer.status()) == 503;
      if (answer.ok() || !stands_by || !IsOfScheduler(answer.status())) return answer;
      if (tries == kReplicaTries) return answer;
    }
  }

  Cluster& cluster_;
  const std::string ns_;
  const std::string name_;
  const absl::Duration end_;
};

std::string WhyNoPage(const absl::Status& status) {
  const std::string_view words = ToStd(status.message());
  const int code = types::HttpCodeOf(status);
  if (absl::IsDeadlineExceeded(status) && code == 0) {
    return StrCat("it did not answer within ", absl::FormatDuration(kSchedulerPatience));
  }
  if (Question::IsOfScheduler(status) && code == 404) return StrCat("it does not know it: ", words);
  if (code == 401) return "it does not know who asks";
  if (code == 403) return StrCat("one may not ask it: ", words);
  if (code == 404 || code == 405) return StrCat("it is not there to be asked: ", words);
  return std::string(words);
}

}  // namespace

void AddSchedulerFlags(SchedulerFlags* target, FlagSet* flags) {
  flags->Text(&target->service, {"scheduler-service"},
              "the Service, as NAMESPACE/NAME, behind which the scheduler is asked; empty: it is "
              "not asked");
}

SchedulerAnswer AskScheduler(Cluster& cluster, const SchedulerFlags& flags, const std::string& page,
                             const std::pair<std::string, std::string>& query) {
  if (flags.service.empty()) return {};
  const size_t slash = flags.service.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == flags.service.size()) {
    return {std::nullopt,
            StrCat("--scheduler-service: \"", flags.service, "\" is no NAMESPACE/NAME")};
  }
  Question question(cluster, flags.service.substr(0, slash), flags.service.substr(slash + 1));
  absl::StatusOr<Json> answer = question.Ask(page, query);
  if (answer.ok()) return {*std::move(answer), ""};
  return {std::nullopt, WhyNoPage(answer.status())};
}

}  // namespace bth::cli
