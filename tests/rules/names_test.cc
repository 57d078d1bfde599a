#include "api/rules/names.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace bth::rules {
namespace {

using Messages = std::vector<std::string>;

const char* const kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const char* const kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const char* const kNamePart =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

struct NameCase {
  std::string name;
  Messages messages;
};

TEST_CASE("names: DNS labels", "[rules]") {
  const NameCase c = GENERATE(values<NameCase>({
      {"a", {}},
      {"my-name-1", {}},
      {std::string(63, 'a'), {}},
      {std::string(64, 'a'), {"must be no more than 63 characters"}},
      {"", {kLabel}},
      {"A", {kLabel}},
      {"-a", {kLabel}},
      {"a-", {kLabel}},
      {"a_b", {kLabel}},
      {"a.b", {"must not contain dots"}},
      {"a..b", {kLabel}},
      {std::string(64, 'A'), {"must be no more than 63 characters", kLabel}},
      {std::string("a\0b", 3), {kLabel}},
  }));
  CAPTURE(c.name);
  CHECK(CheckDnsLabel(c.name) == c.messages);
}

TEST_CASE("names: DNS subdomains", "[rules]") {
  const NameCase c = GENERATE(values<NameCase>({
      {"a", {}},
      {"a.b-c.0", {}},
      {std::string(253, 'a'), {}},
      {std::string(254, 'a'), {"must be no more than 253 characters"}},
      {"", {kSubdomain}},
      {".", {kSubdomain}},
      {"a.", {kSubdomain}},
      {"a..b", {kSubdomain}},
      {"a.-b", {kSubdomain}},
      {"a.B", {kSubdomain}},
      {"a_b", {kSubdomain}},
  }));
  CAPTURE(c.name);
  CHECK(CheckDnsSubdomain(c.name) == c.messages);
}

TEST_CASE("names: subdomains with underscores", "[rules]") {
  for (const char* name : {"_a.b_c.d", "a", "_tcp.example.com"}) {
    CHECK(CheckDnsSubdomainWithUnderscore(name).empty());
  }
  for (const char* name : {"__a", "a_", "_", "a._", ""}) {
    CAPTURE(name);
    CHECK(CheckDnsSubdomainWithUnderscore(name).size() == 1);
  }
}

TEST_CASE("names: RFC 1035 labels begin with a letter", "[rules]") {
  CHECK(CheckDns1035Label("a-1").empty());
  CHECK(CheckDns1035Label("1a") ==
        Messages{"a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
                 "start with an alphabetic character, and end with an alphanumeric character "
                 "(e.g. 'my-name',  or 'abc-123', regex used for validation is "
                 "'[a-z]([-a-z0-9]*[a-z0-9])?')"});
  CHECK(CheckDns1035Label("").size() == 1);
  CHECK(CheckDns1035Label(std::string(64, '1')).size() == 2);
}

TEST_CASE("names: qualified names count bytes", "[rules]") {
  const NameCase c = GENERATE(values<NameCase>({
      {"MyName", {}},
      {"my.name_1", {}},
      {"example.com/MyName", {}},
      {std::string(63, 'a'), {}},
      {std::string(64, 'a'), {"name part must be no more than 63 bytes"}},
      {std::string(63, 'a') + "/" + std::string(63, 'b'), {}},
      {"", {"name part must be non-empty", kNamePart}},
      {"-a", {kNamePart}},
      {"a b", {kNamePart}},
      {"/a", {"prefix part must be non-empty"}},
      {"a/", {"name part must be non-empty", kNamePart}},
      {"A/b", {std::string("prefix part ") + kSubdomain}},
      {std::string(254, 'a') + "/b", {"prefix part must be no more than 253 bytes"}},
      {"a/b/c",
       {"a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must "
        "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
        "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with "
        "an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}},
  }));
  CAPTURE(c.name);
  CHECK(CheckQualifiedName(c.name) == c.messages);
}

TEST_CASE("names: label values", "[rules]") {
  const NameCase c = GENERATE(values<NameCase>({
      {"", {}},
      {"a", {}},
      {"A_b.c-1", {}},
      {std::string(63, 'a'), {}},
      {std::string(64, 'a'), {"must be no more than 63 bytes"}},
      {"a b",
       {"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}},
  }));
  CAPTURE(c.name);
  CHECK(CheckLabelValue(c.name) == c.messages);
}

TEST_CASE("names: ports", "[rules]") {
  const NameCase c = GENERATE(values<NameCase>({
      {"http", {}},
      {"a-1", {}},
      {"0123456789abcde", {}},
      {"0123456789abcdef", {"must be no more than 15 characters"}},
      {"",
       {"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)"}},
      {"80", {"must contain at least one letter (a-z)"}},
      {"a--b", {"must not contain consecutive hyphens"}},
      {"-a", {"must not begin or end with a hyphen"}},
      {"A",
       {"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        "must contain at least one letter (a-z)"}},
  }));
  CAPTURE(c.name);
  CHECK(CheckPortName(c.name) == c.messages);
}

TEST_CASE("names: segments of paths", "[rules]") {
  CHECK(CheckPathSegment("system:node proxier").empty());
  CHECK(CheckPathSegment("...").empty());
  CHECK(CheckPathSegment("..") == Messages{"may not be '..'"});
  CHECK(CheckPathSegment("a/%2e") == Messages{"may not contain '/'", "may not contain '%'"});
}

TEST_CASE("names: variables and keys", "[rules]") {
  CHECK(CheckEnvVarName("MY_ENV.name-1").empty());
  CHECK(CheckEnvVarName("1A") ==
        Messages{"a valid environment variable name must consist of alphabetic characters, "
                 "digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  "
                 "or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
                 "'[-._a-zA-Z][-._a-zA-Z0-9]*')"});
  CHECK(CheckEnvVarName(".") == Messages{"must not be '.'"});
  CHECK(CheckEnvVarName("..") == Messages{"must not be '..'"});
  CHECK(CheckEnvVarName("..a") == Messages{"must not start with '..'"});
  CHECK(CheckRelaxedEnvVarName("1 A?").empty());
  CHECK(CheckRelaxedEnvVarName("a=b").size() == 1);
  CHECK(CheckRelaxedEnvVarName("ä").size() == 1);
  CHECK(CheckRelaxedEnvVarName("").size() == 1);
  CHECK(CheckConfigMapKey("key.name_1-A").empty());
  CHECK(CheckConfigMapKey("a/b").size() == 1);
  CHECK(CheckConfigMapKey("..a") == Messages{"must not start with '..'"});
  CHECK(CheckConfigMapKey(std::string(254, 'a')) ==
        Messages{"must be no more than 253 characters"});
  CHECK(CheckHttpHeaderName("X-Header-Name").empty());
  CHECK(CheckHttpHeaderName("a b").size() == 1);
}

}  // namespace
}  // namespace bth::rules
