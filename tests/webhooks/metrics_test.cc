// What the webhooks publish.
#include <filesystem>
#include <regex>
#include <set>

#include "metrics/known_names.h"
#include "tests/support/files.h"
#include "tests/webhooks/handler_bed.h"

namespace bth::admission {
namespace {

using testing::HandlerBed;

TEST_CASE("admission metrics: every family moves, and is in the manual", "[webhooks][metrics]") {
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics(registry, {"/jobs/validate"});
  const std::string before = registry.RenderText();
  metrics.Answered("/jobs/validate", 200);
  metrics.Reviewed("/jobs/validate", metrics::ReviewOutcome::kRefused, "why", absl::Seconds(1));
  metrics.SetInFlight(2);
  metrics.SetKnown(3, 4);
  metrics.LimitReached("review_bytes");
  metrics.FileReloaded(true);
  metrics.Registered(false);
  metrics.CertificateServed(absl::FromUnixSeconds(1'767'225'600));
  metrics.AccessAsked(true);
  const std::string text = registry.RenderText();
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  for (const std::string& family : registry.FamilyNames()) {
    INFO(family);
    CHECK(manual.find(StrCat("`", family, "`")) != std::string::npos);
    if (family.find("batholith_admission") == std::string::npos) continue;
    const std::regex series(StrCat("\n", family, "(_count)?(\\{[^}]*\\})? [1-9]"));
    CHECK(std::regex_search(text, series));
    CHECK_FALSE(std::regex_search(before, series));
  }
}

TEST_CASE("admission metrics: label sets are bounded", "[webhooks][metrics]") {
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics(registry, {"/jobs/validate"});
  for (int i = 0; i < 1000; ++i) {
    metrics.Answered(StrCat("/guess/", i), 404);
    metrics.Reviewed("/jobs/validate", metrics::ReviewOutcome::kRefused, StrCat("reason", i),
                     absl::ZeroDuration());
  }
  const std::string text = registry.RenderText();
  CHECK(text.find(R"(batholith_admission_requests_total{code="404",path="other"} 1000)") !=
        std::string::npos);
  CHECK(text.find(StrCat(R"(batholith_admission_refusals_total{path="/jobs/validate",)",
                         R"(reason="other"} )", 1000 - metrics::AdmissionMetrics::kReasonsMax)) !=
        std::string::npos);
}

TEST_CASE("admission metrics: limits that can be reached are there with 0", "[webhooks][metrics]") {
  const std::regex call(R"re(LimitReached\("(\w+)")re");
  std::set<std::string> named;
  const auto root = test::SourceRoot() / "admission";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = test::ReadFile(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
      named.insert((*it)[1]);
    }
  }
  CHECK(named == std::set<std::string>(metrics::kAdmissionLimitNames.begin(),
                                       metrics::kAdmissionLimitNames.end()));
  HandlerBed bed;
  for (const std::string& name : named) {
    CHECK(bed.Counts(StrCat(R"(batholith_limit_reached_total{limit=")", name, "\"} 0")));
  }
}

}  // namespace
}  // namespace bth::admission
