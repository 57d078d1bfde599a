// The tables in schema/ hold what a real API server answered; this one must answer the same.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::apiserver::testing {
namespace {

Json Table(const char* name) {
  return Parse(test::ReadFile(test::SourceRoot() / "tests/apiserver/schema" / name));
}

// The causes as lines, in order of text. Without `messages` only reason and field.
std::vector<std::string> CausesOf(const Json& causes, const Json& wanted) {
  std::vector<std::string> lines;
  for (const Json& cause : causes.items()) {
    const std::string head = StrCat(std::string(cause["reason"].AsString()), " ",
                                    std::string(cause["field"].AsString()));
    const bool told =
        std::none_of(wanted.items().begin(), wanted.items().end(), [&](const Json& row) {
          return row[2].is_null() && row[1].AsString() == cause["field"].AsString();
        });
    lines.push_back(told ? StrCat(head, " ", std::string(cause["message"].AsString())) : head);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> Wanted(const Json& causes) {
  std::vector<std::string> lines;
  for (const Json& row : causes.items()) {
    std::string line =
        StrCat(std::string(row[size_t{0}].AsString()), " ", std::string(row[1].AsString()));
    if (!row[2].is_null()) StrAppend(&line, " ", std::string(row[2].AsString()));
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> Warnings(const Answer& answer) {
  std::vector<std::string> found;
  for (const auto& [name, value] : answer.headers.fields()) {
    if (absl::EqualsIgnoreCase(name, "warning")) found.push_back(value.substr(6));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("schema: values are kept, completed and refused as the real server does it") {
  const Json table = Table("values.json");
  Options options;
  options.crds = {Parse(R"({"metadata":{"name":"things.probe.example.com"},
    "spec":{"group":"probe.example.com","scope":"Namespaced",
      "names":{"plural":"things","kind":"Thing"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{}}]}})")};
  options.crds[0]["spec"]["versions"].MutableItems()[0]["schema"].Set("openAPIV3Schema",
                                                                      table["schema"]);
  Bed bed(std::move(options));
  const std::string things = "/apis/probe.example.com/v1/namespaces/default/things";
  REQUIRE(table["cases"].size() > 150);
  size_t number = 0;
  for (const Json& c : table["cases"].items()) {
    INFO(c["spec"].Dump());
    Json object = Json::MakeObject(
        {{"metadata", Json::MakeObject({{"name", StrCat("t", number++)}})}, {"spec", c["spec"]}});
    const Answer answer = bed.Post(things, object.Dump());
    INFO(answer.text);
    CHECK(answer.code == c["code"].AsInt());
    if (answer.code == 201) CHECK(answer.body["spec"] == c["kept"]);
    if (answer.code == 422) {
      CHECK(CausesOf(answer.body["details"]["causes"], {}) == Wanted(c["causes"]));
    }
    std::vector<std::string> warnings;
    for (const Json& text : c["warnings"].items()) warnings.emplace_back(text.AsString());
    // Warnings about what is refused all the same are not sent.
    if (answer.code == 201) CHECK(Warnings(answer) == warnings);
  }
}

TEST_CASE("schema: definitions are accepted and refused as the real server does it") {
  const Json table = Table("definitions.json");
  REQUIRE(table["cases"].size() > 100);
  // Here and there this server is more careful, or has less: what it answers then.
  const std::map<std::string, int> differs = {{"conversion webhook", 422}};
  for (const Json& c : table["cases"].items()) {
    Bed bed;
    const std::string name(c["name"].AsString());
    INFO(name);
    const Answer answer = bed.Post(kDefinitions, c["definition"].Dump());
    INFO(answer.text);
    if (auto other = differs.find(name); other != differs.end()) {
      CHECK(answer.code == other->second);
      continue;
    }
    CHECK(answer.code == c["code"].AsInt());
    if (answer.code == 422) {
      CHECK(CausesOf(answer.body["details"]["causes"], c["causes"]) == Wanted(c["causes"]));
    }
  }
}

}  // namespace bth::apiserver::testing
