#include "cli/doctor/webhooks.h"

#include "net/pem.h"
#include "tests/cli/doctor/points_text.h"

namespace bth::cli {
namespace {

using test::ListingOf;
using test::PointsText;

const absl::Time kAskedAt = absl::FromUnixSeconds(1'767'225'600);

// Of authorities that end so long after `kAskedAt`.
std::string Bundle(const std::vector<absl::Duration>& ends) {
  std::string pem;
  for (const absl::Duration end : ends) {
    const auto made =
        net::GenerateSelfSigned({"a.svc"}, kAskedAt - absl::Hours(1000), absl::Hours(1000) + end);
    REQUIRE(made.ok());
    pem += made->ca_pem;
  }
  return net::Base64Encode(pem);
}

std::string Bundle(absl::Duration end) {
  return Bundle(std::vector<absl::Duration>{end});
}

std::string Configuration(const std::string& bundle, const std::string& policy = "Fail") {
  return StrCat(R"({"metadata": {"name": "c"}, "webhooks": [
    {"name": "validatejob.volcano.sh", "failurePolicy": ")",
                policy, R"(", "clientConfig": {"caBundle": ")", bundle, R"(",
     "service": {"namespace": "n", "name": "s"}},
     "rules": [{"apiGroups": ["batch.volcano.sh"]}]},
    {"name": "of.somebody.else", "clientConfig": {}, "rules": [{"apiGroups": ["apps"]}]}]})");
}

constexpr char kSlice[] = R"({"metadata": {"labels": {"kubernetes.io/service-name": "s"}},
  "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": true}}]})";
constexpr char kSliceUnready[] = R"({"metadata": {"labels": {"kubernetes.io/service-name": "s"}},
  "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": false}}]})";
constexpr char kSliceElsewhere[] = R"({"metadata": {"labels": {"kubernetes.io/service-name": "t"}},
  "endpoints": [{"addresses": ["10.0.0.1"]}]})";

std::string Told(const std::string& configuration, const std::vector<std::string>& slices) {
  WebhookFacts facts;
  facts.now = kAskedAt;
  facts.validating = ListingOf({configuration});
  CHECK(WebhookNamespaces(facts) == std::vector<std::string>{"n"});
  facts.slices["n"] = ListingOf(slices);
  std::vector<Point> points;
  CheckWebhooks(facts, &points);
  CHECK(test::HaveRemedies(points));
  return PointsText(points);
}

TEST_CASE("doctor: a webhook's authority is there and valid", "[cli][doctor]") {
  const std::string at = "validatejob.volcano.sh: its caBundle ";
  CHECK(Told(Configuration(Bundle(absl::Hours(24 * 100))), {kSlice}) ==
        "ok: " + at + "expires in 100d\n");
  CHECK(Told(Configuration(Bundle(absl::Hours(48))), {kSlice}) ==
        "warning: " + at + "expires in 2d\n");
  CHECK(Told(Configuration(Bundle(absl::Hours(-3))), {kSlice}) ==
        "fault: " + at + "expired 3h ago\n");
  CHECK(Told(Configuration(""), {kSlice}) ==
        "fault: " + at + "is empty: the API server trusts no answer\n");
  CHECK(Told(Configuration("***"), {kSlice}) == "fault: " + at + "is no base64\n");
  CHECK(Told(Configuration("YWJj"), {kSlice}).starts_with("fault: validatejob.volcano.sh: its "));
}

TEST_CASE("doctor: each authority of a bundle counts", "[cli][doctor]") {
  static constexpr absl::Duration kHour = absl::Hours(1);
  static constexpr absl::Duration kDay = absl::Hours(24);
  struct Case {
    std::vector<absl::Duration> ends;
    std::string level, found;
  };
  const Case c = GENERATE(values<Case>({
      {{kDay * 100, kDay * 900}, "ok", "its caBundle expires in 2y170d"},
      {{kDay * 2, kDay * 900}, "warning", "one of its authorities ends in 2d"},
      {{kDay * 900, kDay * 2}, "warning", "one of its authorities ends in 2d"},
      {{kHour * -3, kDay * 900}, "warning", "one of its authorities expired 3h ago"},
      {{kHour * -9, kDay * 900, kHour * -3}, "warning", "one of its authorities expired 3h ago"},
      {{kHour * -3, kDay * 900, kDay * 2}, "warning", "one of its authorities ends in 2d"},
      {{kHour * -3, kDay * 2}, "warning", "its caBundle expires in 2d"},
      {{kHour * -3, kHour * -9}, "fault", "its caBundle expired 3h ago"},
  }));
  CAPTURE(c.found);
  CHECK(Told(Configuration(Bundle(c.ends)), {kSlice}) ==
        c.level + ": validatejob.volcano.sh: " + c.found + "\n");
}

TEST_CASE("doctor: an authority that ends soon hides nothing else", "[cli][doctor]") {
  CHECK(Told(Configuration(Bundle(absl::Hours(48))), {}) ==
        "warning: validatejob.volcano.sh: its caBundle expires in 2d\n"
        "fault: validatejob.volcano.sh: nobody is ready behind service n/s: what it is about is "
        "refused\n");
}

TEST_CASE("doctor: somebody is behind a webhook's service", "[cli][doctor]") {
  const std::string bundle = Bundle(absl::Hours(24 * 100));
  const std::string nobody = "fault: validatejob.volcano.sh: nobody is ready behind service n/s: ";
  for (const std::vector<std::string>& slices :
       std::vector<std::vector<std::string>>{{}, {kSliceUnready}, {kSliceElsewhere}}) {
    CHECK(Told(Configuration(bundle), slices) == nobody + "what it is about is refused\n");
  }
  CHECK(Told(Configuration(bundle, "Ignore"), {}) ==
        nobody + "nothing is checked (failurePolicy: Ignore)\n");
  CHECK(Told(Configuration(bundle, "Ignore"), {kSlice})
            .ends_with("; failurePolicy Ignore: without it bad objects come in\n"));
}

TEST_CASE("doctor: what may not be read of webhooks is told", "[cli][doctor]") {
  WebhookFacts facts;
  facts.mutating.unread = "forbidden";
  facts.validating = ListingOf({Configuration(Bundle(absl::Hours(24 * 100)))});
  facts.slices["n"].unread = "no slices";
  facts.now = kAskedAt;
  std::vector<Point> points;
  CheckWebhooks(facts, &points);
  CHECK(PointsText(points) ==
        "not checked: mutating ones: forbidden\n"
        "not checked: validatejob.volcano.sh endpoints: no slices\n"
        "ok: validatejob.volcano.sh: its caBundle expires in 100d\n");
}

TEST_CASE("doctor: what the trial of a bad job says", "[cli][doctor]") {
  const auto told = [](const absl::Status& answer, bool has_webhooks = true) {
    std::vector<Point> points;
    CheckTrial(answer, has_webhooks, &points);
    CHECK(test::HaveRemedies(points));
    return PointsText(points);
  };
  CHECK(told(absl::InvalidArgumentError(
            "admission webhook \"validatejob.volcano.sh\" denied the request: duplicated task")) ==
        "ok: trial of a bad job: refused, as it must be\n");
  CHECK(told(absl::InvalidArgumentError("ValidatingAdmissionPolicy 'x' denied")) ==
        "ok: trial of a bad job: refused, as it must be\n");
  CHECK(told(absl::OkStatus()) ==
        "fault: trial of a bad job: it was taken: no webhook looked at it\n");
  CHECK(told(absl::OkStatus(), false) ==
        "warning: trial of a bad job: it was taken: no webhooks and no policies are installed\n");
  CHECK(told(absl::InternalError("failed calling webhook \"x\": refused")) ==
        "fault: trial of a bad job: failed calling webhook \"x\": refused\n");
  CHECK(told(absl::PermissionDeniedError("jobs is forbidden")) ==
        "not checked: trial of a bad job: jobs is forbidden\n");
}

}  // namespace
}  // namespace bth::cli
