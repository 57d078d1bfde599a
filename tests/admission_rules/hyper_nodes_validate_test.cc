#include <string>

#include "admission/rules/member_pattern.h"
#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

std::string MembersOf(std::string_view members, std::string operation = "CREATE") {
  return test::Told(test::Ask({.path = "/hypernodes/validate",
                               .operation = std::move(operation),
                               .object = StrCat(R"({"spec":{"tier":1,"members":)", members, "}}")},
                              test::PlainKnown()));
}

std::string Pattern(std::string_view pattern) {
  return StrCat(R"({"type":"Node","selector":{"regexMatch":{"pattern":)",
                types::Json(pattern).Dump(), "}}}");
}

TEST_CASE("hyper nodes validate: members", "[admission_rules][hyper_nodes]") {
  const std::string must = ": member must have at least one member";
  CHECK(MembersOf("null") == "[].spec.members: Invalid value: null" + must);
  CHECK(MembersOf("[]") == "[].spec.members: Invalid value: []" + must);
  CHECK(MembersOf("[]", "UPDATE") == "[].spec.members: Invalid value: []" + must);
  CHECK(MembersOf("[]", "DELETE") == "allowed");
  CHECK(MembersOf(R"([{"type":"Node","selector":{"exactMatch":{"name":"node-1"}}}])") == "allowed");
  CHECK(MembersOf(R"([{"type":"Node","selector":{"labelMatch":{"matchLabels":{"a":"b"}}}}])") ==
        "allowed");
  CHECK(MembersOf(StrCat("[", Pattern("^node-[0-9]+$"), "]")) == "allowed");
  CHECK(MembersOf(StrCat("[", Pattern(""), "]")) == "allowed");
  CHECK(test::Told(test::Ask({.path = "/hypernodes/validate", .object = "{}"},
                             test::PlainKnown())) == "[].spec.members: Invalid value: null" + must);
}

TEST_CASE("hyper nodes validate: patterns", "[admission_rules][hyper_nodes]") {
  const std::string field = "[].spec.members.selector.regexMatch.pattern: Invalid value: ";
  const std::string invalid = ": member regexMatch pattern is invalid: error parsing regexp: ";
  CHECK(MembersOf(StrCat("[", Pattern("a(b"), "]")) ==
        StrCat(field, "\"a(b\"", invalid, "missing closing ): `a(b`"));
  CHECK(MembersOf(StrCat("[", Pattern("a(b"), ",", Pattern("ok"), ",", Pattern("a(b"), ",",
                         Pattern("[z"), "]")) ==
        StrCat("[", field, "\"a(b\"", invalid, "missing closing ): `a(b`, ", field, "\"[z\"",
               invalid, "missing closing ]: `[z`]"));
}

TEST_CASE("member pattern: hostile ones are refused, and soon", "[admission_rules][hyper_nodes]") {
  CHECK(CompilePattern("((a{100}){100}){100}").status().message().find("error parsing regexp: ") ==
        0);
  CHECK_FALSE(CompilePattern("(\\pL{30}){30}").ok());
  CHECK_FALSE(CompilePattern(std::string(100'000, '(')).ok());
  CHECK(CompilePattern("(a|b)*c{1,50}(x+x+)+y").ok());
  // Thousands of patterns that take their time.
  std::string members;
  for (int i = 0; i < 20'000; ++i) {
    StrAppend(&members, members.empty() ? "" : ",", Pattern(StrCat("x{900}", i)));
  }
  CHECK(MembersOf(StrCat("[", members, "]")) ==
        "[].spec.members: Forbidden: the patterns of all members together are too large");
}

}  // namespace
}  // namespace bth::admission
