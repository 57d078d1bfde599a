// kubernetes/faults.jsonl holds what Kubernetes' own environment says of expressions that it does
// not accept, to the letter, and the types of those that it does.
#include <memory>
#include <string>
#include <utility>

#include "api/types/json.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"
#include "cel/types/checker.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cel {
namespace {

// Names that Kubernetes prints types of results with, and we those of messages.
std::string AsInMessages(std::string type) {
  for (const auto& [from, to] :
       {std::pair("null_type", "null"), std::pair("google.protobuf.Duration", "duration"),
        std::pair("google.protobuf.Timestamp", "timestamp")}) {
    for (size_t at = type.find(from); at != std::string::npos; at = type.find(from)) {
      type.replace(at, std::string(from).size(), to);
    }
  }
  return type;
}

// The faults, or "type: T".
std::string AnswerTo(const std::string& source) {
  const std::shared_ptr<const Environment> environment = KubernetesEnvironment();
  absl::StatusOr<Ast> ast = Parse(source, environment->parse_options);
  if (!ast.ok()) return std::string(ast.status().message());
  const absl::StatusOr<CheckedAst> checked = Check(*std::move(ast), *environment);
  if (!checked.ok()) return std::string(checked.status().message());
  return "type: " + checked->result()->ToString();
}

TEST_CASE("kubernetes faults: texts and types are those of Kubernetes", "[cel][kubernetes]") {
  const std::string path = (test::SourceRoot() / "tests/cel/kubernetes/faults.jsonl").string();
  const std::string text = test::ReadFile(path);
  int cases = 0;
  for (const absl::string_view line : SplitText(text, '\n')) {
    if (line.empty()) continue;
    const absl::StatusOr<types::Json> parsed = types::Json::Parse(ToStd(line));
    REQUIRE(parsed.ok());
    const types::Json* fault = parsed->Find("fault");
    const std::string source(parsed->Find("expr")->AsString());
    CAPTURE(source);
    const std::string want =
        fault != nullptr ? std::string(fault->AsString())
                         : "type: " + AsInMessages(std::string(parsed->Find("type")->AsString()));
    CHECK(AnswerTo(source) == want);
    ++cases;
  }
  CHECK(cases > 980);
}

}  // namespace
}  // namespace bth::cel
