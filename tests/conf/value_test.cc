#include "conf/value.h"

#include <cmath>

#include "tests/support/catch.h"

namespace bth::conf {
namespace {

Value Read(const std::string& text) {
  const auto document = ParseYaml(text);
  INFO(document.status().ToString());
  REQUIRE(document.ok());
  return document->root;
}

std::string Refusal(const std::string& text, const YamlLimits& limits = {}) {
  return std::string(ParseYaml(text, limits).status().message());
}

TEST_CASE("yaml: plain scalars have YAML 1.1 types", "[conf]") {
  struct Case {
    std::string text, kind;
  };
  const Case c = GENERATE(values<Case>({
      {"true", "boolean"},
      {"on", "boolean"},
      {"Yes", "boolean"},
      {"y", "boolean"},
      {"N", "boolean"},
      {"OFF", "boolean"},
      {"yES", "string"},
      {"tRue", "string"},
      {"~", "null"},
      {"null", "null"},
      {"", "null"},
      {"Null", "null"},
      {"nULL", "string"},
      {"5", "integer"},
      {"-5", "integer"},
      {"+5", "integer"},
      {"0", "integer"},
      {"1_000", "integer"},
      {"0x1F", "integer"},
      {"0b11", "integer"},
      {"0o17", "integer"},
      {"017", "integer"},
      {"08", "decimal number"},
      {"1.0", "decimal number"},
      {".5", "decimal number"},
      {"5.", "decimal number"},
      {"1e3", "decimal number"},
      {"-1.5E-3", "decimal number"},
      {".inf", "decimal number"},
      {"-.Inf", "decimal number"},
      {".nan", "decimal number"},
      {"1e999", "string"},
      {"9223372036854775807", "integer"},
      {"-9223372036854775808", "integer"},
      {"9223372036854775808", "decimal number"},
      {"-9223372036854775809", "decimal number"},
      {"99999999999999999999999", "decimal number"},
      {"0x", "string"},
      {"-", "string"},
      {"1.2.3", "string"},
      {"2020-01-02", "string"},
      {"10:00-21:00", "string"},
      {"12s", "string"},
      {"1e", "string"},
      {"+", "string"},
      {".", "string"},
  }));
  CAPTURE(c.text);
  CHECK(ResolvePlainScalar(c.text).KindName() == c.kind);
}

TEST_CASE("yaml: numbers have their values", "[conf]") {
  CHECK(ResolvePlainScalar("0x1F").AsInt() == 31);
  CHECK(ResolvePlainScalar("-0b11").AsInt() == -3);
  CHECK(ResolvePlainScalar("010").AsInt() == 8);
  CHECK(ResolvePlainScalar("0o10").AsInt() == 8);
  CHECK(ResolvePlainScalar("1_000_000").AsInt() == 1000000);
  CHECK(ResolvePlainScalar("-9223372036854775808").AsInt() == INT64_MIN);
  CHECK(ResolvePlainScalar("9223372036854775808").AsDouble() == 9223372036854775808.0);
  CHECK(ResolvePlainScalar("08").AsDouble() == 8);
  CHECK(ResolvePlainScalar("-1.5e3").AsDouble() == -1500);
  CHECK(std::isnan(ResolvePlainScalar(".NaN").AsDouble()));
}

TEST_CASE("yaml: quotes and tags decide the type", "[conf]") {
  const Value root =
      Read("{a: \"5\", b: 'true', c: !!str 5, d: !!float 5, e: !!int \"7\", f: !x 1}");
  CHECK(root.Find("a")->is_string());
  CHECK(root.Find("b")->is_string());
  CHECK(root.Find("c")->is_string());
  CHECK(root.Find("d")->AsDouble() == 5);
  CHECK(root.Find("d")->is_double());
  CHECK(root.Find("e")->AsInt() == 7);
  CHECK(root.Find("f")->is_string());
}

TEST_CASE("yaml: values and keys remember their lines", "[conf]") {
  const Value root = Read("a: 1\nb:\n  - x\n  - c: 2\n");
  CHECK(root.Find("a")->line() == 1);
  const Value* list = root.Find("b");
  CHECK(list->items()[0].line() == 3);
  CHECK(list->items()[1].line() == 4);
  CHECK(list->items()[1].members()[0].line == 4);
}

TEST_CASE("yaml: aliases copy, merge keys fill gaps only", "[conf]") {
  const Value root = Read(
      "base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\n"
      "one: {y: 9, <<: *b}\nboth:\n  <<: [*b, *o]\nquoted: {\"<<\": 1}\n");
  CHECK(root.Find("one")->Find("y")->AsInt() == 9);
  CHECK(root.Find("one")->Find("x")->AsInt() == 1);
  CHECK(root.Find("both")->Find("y")->AsInt() == 2);
  CHECK(root.Find("both")->Find("z")->AsInt() == 4);
  CHECK(root.Find("quoted")->Find("<<")->AsInt() == 1);
}

TEST_CASE("yaml: keys that are no strings are told apart", "[conf]") {
  CHECK(Read("{80: 1}").has_non_string_key());
  CHECK(Read("{on: 1}").has_non_string_key());
  CHECK(!Read("{\"80\": 1, on_: 2}").has_non_string_key());
}

TEST_CASE("yaml: fields are found in any case, their own spelling first", "[conf]") {
  struct Case {
    std::string text, key;
  };
  const Case c = GENERATE(values<Case>({
      {"{weight: 1}", "weight"},
      {"{WEIGHT: 1, other: 2}", "WEIGHT"},
      {"{Weight: 1, weight: 2}", "weight"},
      {"{WEIGHT: 1, Weight: 2}", "WEIGHT"},
      {"{weights: 1}", ""},
      {"5", ""},
  }));
  CAPTURE(c.text);
  const Value value = Read(c.text);
  const Value::Member* member = value.FindField("weight");
  CHECK((member == nullptr ? "" : member->key) == c.key);
}

TEST_CASE("yaml: the last of two equal keys counts and is reported with its path", "[conf]") {
  const auto document = ParseYaml("a:\n- x: 1\n- b: 1\n  c: {d: 1}\n  b: 2\n");
  REQUIRE(document.ok());
  CHECK(document->root.Find("a")->items()[1].Find("b")->AsInt() == 2);
  REQUIRE(document->duplicates.size() == 1);
  CHECK(document->duplicates[0].path == "a[1].b");
  CHECK(document->duplicates[0].line == 5);
  CHECK(document->duplicates[0].first_line == 3);
}

TEST_CASE("yaml: what is refused is named with its line", "[conf]") {
  struct Case {
    std::string text, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"a: 1\n---\nb: 2\n", "line 3: a second document begins; one file holds one document"},
      {"a: 1\n--- x\n", "line 2: a second document begins; one file holds one document"},
      {"a: &x [*x]\n", "line 1: an alias may not stand inside the value it names"},
      {"\n? [a]\n: b\n", "line 2: a key must be a scalar, not a list or map"},
      {"a: 1\n<<: 5\n", "line 2: `<<` needs a map or a list of maps"},
      {", a\n", "line 1: not valid YAML: a value cannot begin here"},
      {"a: !!int x\n", "line 1: the value does not fit its tag !!int"},
      {"a: 1\nb: \xff\n", "line 2: a control character, or bytes that are not UTF-8"},
      {"a: \x01\n", "line 1: a control character, or bytes that are not UTF-8"},
      {"a: \xed\xa0\x80\n", "line 1: a control character, or bytes that are not UTF-8"},
      {"a: \xc0\x80\n", "line 1: a control character, or bytes that are not UTF-8"},
  }));
  CAPTURE(c.text);
  CHECK(Refusal(c.text) == c.expect);
}

TEST_CASE("yaml: syntax errors carry the line", "[conf]") {
  for (const char* text :
       {"a: 1\nb: [1\n", "a: 1\n b: 2\n", "a: 1\nb: \"x\n", "a: 'x", "a: 'x\n\n", "a: *nobody\n"}) {
    CAPTURE(text);
    const std::string message = Refusal(text);
    CAPTURE(message);
    CHECK(message.rfind("line ", 0) == 0);
    CHECK(message.find("not valid YAML: ") != std::string::npos);
  }
}

TEST_CASE("yaml: an open quote is an error wherever the text ends", "[conf]") {
  CHECK(Refusal("a: \"x\nb: 1\n") ==
        "line 3: not valid YAML: a quoted text further up is not closed");
  CHECK(Read("a: \"x\n  y\"\n").Find("a")->text() == "x y");
}

TEST_CASE("yaml: one document may be followed by empty ones", "[conf]") {
  CHECK(Read("a: 1\n---\n...\n").Find("a")->AsInt() == 1);
  CHECK(Read("").is_null());
  CHECK(Read("# only a comment\n").is_null());
}

TEST_CASE("yaml: limits of size, depth, values and text hold", "[conf]") {
  YamlLimits limits;
  limits.bytes_max = 100;
  limits.depth_max = 3;
  limits.values_max = 10;
  limits.text_bytes_max = 20;
  CHECK(Refusal(std::string(101, 'a'), limits) == "the text has 101 bytes; at most 100 are read");
  CHECK(Refusal("[[[1]]]", limits) == "");
  CHECK(Refusal("[[[[1]]]]", limits) == "line 1: nested deeper than 3 levels");
  CHECK(Refusal("[1,2,3,4,5,6,7,8,9]", limits) == "");
  CHECK(Refusal("[1,2,3,4,5,6,7,8,9,10]", limits) ==
        "line 1: more than 10 values after aliases are expanded");
  CHECK(Refusal("aaaaaaaaaaaaaaaaaaaaa", limits) ==
        "line 1: more than 20 bytes of text after aliases are expanded");
}

TEST_CASE("yaml: aliases count as what they stand for", "[conf]") {
  YamlLimits limits;
  limits.values_max = 26;
  limits.text_bytes_max = 40;
  limits.depth_max = 3;
  const std::string three = "a: &a [1,2,3,4,5,6,7]\n";  // 10 values with key and root.
  CHECK(Refusal(three + "b: *a\n", limits) == "");
  CHECK(Refusal(three + "b: [*a, *a]\n", limits) ==
        "line 2: more than 26 values after aliases are expanded");
  CHECK(Refusal("a: &a xxxxxxxxxxxxxxxx\nb: [*a,\n *a]\n", limits) ==
        "line 3: more than 40 bytes of text after aliases are expanded");
  CHECK(Refusal("a: &a [[1]]\nb: *a\n", limits) == "");
  CHECK(Refusal("a: &a [[1]]\nb: [*a]\n", limits) == "line 2: nested deeper than 3 levels");
}

TEST_CASE("yaml: written trees read back equal", "[conf]") {
  for (const char* text :
       {"null", "5", "'5'", "a", "[]", "{}", "[[], {}, [1, [2]]]", "{a: [{b: 1, c: [x]}, ~]}",
        "{80: x, '80': y, on: z, \"on\": w, ~: v}", "[1.0, 1e30, .inf, -.inf, .nan, 0.1, -0.0]",
        "[\"a: b\", \"- x\", \"#\", \" lead\", \"\\n\\t\\\"\\\\\\x07\\x7f\\u00e9\", \"\", \"~\"]",
        "[-9223372036854775808, 18446744073709551615, 0x10]", "{? '': {? '': 1}}"}) {
    CAPTURE(text);
    const Value value = Read(text);
    const std::string written = ToYaml(value);
    CAPTURE(written);
    CHECK(Read(written) == value);
    CHECK(ToYaml(Read(written)) == written);
  }
}

TEST_CASE("yaml: block style is what people write", "[conf]") {
  CHECK(ToYaml(Read("{a: {b: [1, {c: d, e: []}], f: 'no'}, g: x y}")) ==
        "a:\n"
        "  b:\n"
        "  - 1\n"
        "  - c: d\n"
        "    e: []\n"
        "  f: \"no\"\n"
        "g: \"x y\"\n");
}

}  // namespace
}  // namespace bth::conf
