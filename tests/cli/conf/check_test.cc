#include "cli/conf/check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace {

using bth::cli::CheckConf;
using bth::cli::ConfCheckOptions;
using bth::cli::ConfFinding;
using bth::cli::ConfFindingKind;
using bth::cli::ConfReport;
using bth::cli::ConfReportText;

ConfCheckOptions AllKnown() {
  ConfCheckOptions options;
  options.known = bth::conf::BuiltinNames();
  return options;
}

const ConfFinding* FindKind(const ConfReport& report, ConfFindingKind kind) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [kind](const ConfFinding& f) { return f.kind == kind; });
  return found == report.findings.end() ? nullptr : &*found;
}

constexpr const char* kPolicy =
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: tdm\n"
    "    enabledJobOrder: true\n";

TEST_CASE("conf check: findings have lines, paths and remedies", "[cli][unit]") {
  const ConfReport report = CheckConf(kPolicy, AllKnown());
  CHECK(report.is_accepted());
  CHECK(ConfReportText(report, "s.conf") ==
        "s.conf: accepted, 1 warning, 1 difference\n"
        "s.conf:5: differs: tiers[0].plugins[1]: tdm: a window past midnight is open until its "
        "end\n"
        "    because it is what was written; nothing need be changed; see docs/plugins/tdm.md\n"
        "s.conf:6: warning: tiers[0].plugins[1].enabledJobOrder: unknown key, ignored: the switch "
        "is spelled enableJobOrder\n"
        "    write enableJobOrder\n");
}

TEST_CASE("conf check: a policy without anything to say is only accepted", "[cli][unit]") {
  const ConfReport report =
      CheckConf("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: priority\n", AllKnown());
  CHECK(ConfReportText(report, "s.conf") == "s.conf: accepted\n");
}

TEST_CASE("conf check: every mistake is an error of its own, and warnings are told too",
          "[cli][unit]") {
  const ConfReport report = CheckConf(
      "actions: \"enqueue, alocate\"\n"
      "tiers:\n"
      "- plugins:\n"
      "  - name: gagn\n"
      "    enabledJobOrder: true\n",
      AllKnown());
  CHECK_FALSE(report.is_accepted());
  REQUIRE(report.findings.size() == 3);
  CHECK(report.findings[0].kind == ConfFindingKind::kError);
  CHECK(report.findings[1].kind == ConfFindingKind::kError);
  CHECK(report.findings[0].line == 1);
  CHECK(report.findings[1].line == 4);
  CHECK(report.findings[1].text.find("did you mean \"gang\"?") != std::string::npos);
  CHECK(report.findings[2].kind == ConfFindingKind::kWarning);
}

TEST_CASE("conf check: what this version lacks is refused by name", "[cli][unit]") {
  ConfCheckOptions options;
  options.known = {{"allocate"}, {"gang"}};
  const ConfReport report = CheckConf(
      "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: numaaware\n", options);
  REQUIRE(FindKind(report, ConfFindingKind::kError) != nullptr);
  CHECK(FindKind(report, ConfFindingKind::kError)
            ->text.find("this version does not have this plugin yet; remove it") !=
        std::string::npos);
}

TEST_CASE("conf check: differences depend on what the policy uses", "[cli][unit]") {
  const std::string drf =
      "actions: \"preempt\"\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: ";
  const auto told = [](const ConfReport& report, const char* text) {
    return std::any_of(
        report.findings.begin(), report.findings.end(),
        [text](const ConfFinding& f) { return f.text.find(text) != std::string::npos; });
  };
  CHECK(told(CheckConf(drf + "true\n", AllKnown()), "shorter path"));
  CHECK_FALSE(told(CheckConf(drf + "false\n", AllKnown()), "shorter path"));
  CHECK(told(CheckConf(drf + "false\n", AllKnown()), "preempt: what needs no eviction"));
  CHECK(told(CheckConf(drf + "true\nconfigurations:\n- name: session\n  arguments: {victimVeto: "
                             "strict}\n",
                       AllKnown()),
             "Volcano does not know this entry"));
}

TEST_CASE("conf check: what plugins say of their arguments is among the findings", "[cli][unit]") {
  ConfCheckOptions options = AllKnown();
  options.review_arguments = [](const bth::conf::Policy& policy) {
    bth::cli::ArgumentReview review;
    review.findings.push_back(
        {bth::conf::Severity::kNote, policy.tiers[0].plugins[0].line, "p", "odd", ""});
    return review;
  };
  const ConfReport report = CheckConf(kPolicy, options);
  CHECK(report.is_accepted());
  REQUIRE(FindKind(report, ConfFindingKind::kNote) != nullptr);
  CHECK(FindKind(report, ConfFindingKind::kNote)->line == 4);
}

TEST_CASE("conf check: a ConfigMap is looked into, with the lines of the file", "[cli][unit]") {
  const std::string config_map =
      "apiVersion: v1\n"
      "kind: ConfigMap\n"
      "metadata:\n"
      "  name: volcano-scheduler-configmap\n"
      "data:\n"
      "  volcano-scheduler.conf: |\n"
      "    actions: \"allocate\"\n"
      "    tiers:\n"
      "    - plugins:\n"
      "      - name: priority\n"
      "        enabledJobOrder: true\n";
  const ConfReport report = CheckConf(config_map, AllKnown());
  CHECK(report.is_accepted());
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].line == 11);
}

TEST_CASE("conf check: in a quoted entry lines are not those of the file", "[cli][unit]") {
  const ConfReport report = CheckConf(
      "kind: ConfigMap\n"
      "data:\n"
      "  my.conf: \"actions: allocate\\ntiers:\\n- plugins:\\n  - name: gagn\\n\"\n",
      AllKnown());
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].line == 0);
  CHECK(report.findings[0].path == "data.my.conf");
  CHECK(report.findings[0].text.find("line 4") != std::string::npos);
}

TEST_CASE("conf check: text that is no YAML is one error", "[cli][unit]") {
  const ConfReport report = CheckConf("actions: [\n", AllKnown());
  CHECK_FALSE(report.is_accepted());
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].line > 0);
}

TEST_CASE("conf check: the example of this repository is accepted without a warning",
          "[cli][unit]") {
  const ConfReport report = CheckConf(
      bth::test::ReadFile(bth::test::SourceRoot() / "examples" / "scheduler.conf"), AllKnown());
  CHECK(report.is_accepted());
  CHECK(FindKind(report, ConfFindingKind::kWarning) == nullptr);
}

}  // namespace
