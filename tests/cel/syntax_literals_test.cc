#include <string>

#include "cel/syntax/parser.h"
#include "tests/cel/ast_text.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

struct LiteralCase {
  std::string source, value;
};

std::string LiteralOf(const std::string& source) {
  const absl::StatusOr<Ast> ast = Parse(source);
  return ast.ok() ? test::AstText(*ast) : std::string(ast.status().message());
}

TEST_CASE("literals: numbers", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {"0", "0"},
      {"042", "42"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"0x7fffFFFFffffFFFF", "9223372036854775807"},
      {"-0x8000000000000000", "-9223372036854775808"},
      {"0xF", "15"},
      {"0xFu", "15u"},
      {"23U", "23u"},
      {"18446744073709551615u", "18446744073709551615u"},
      {"23.39", "d:23.39"},
      {".5", "d:0.5"},
      {"1e3", "d:1000"},
      {"1E-2", "d:0.01"},
      {"2.5e+2", "d:250"},
      {"-1.5", "d:-1.5"},
      {"1e-999", "d:0"},
      {"true", "true"},
      {"false", "false"},
      {"null", "null"},
  }));
  CAPTURE(c.source);
  CHECK(LiteralOf(c.source) == c.value);
}

TEST_CASE("literals: numbers that do not fit are refused", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {"9223372036854775808", "1:1: invalid int literal"},
      {"-9223372036854775809", "1:1: invalid int literal"},
      {"--9223372036854775808", "1:3: invalid int literal"},
      {"0xFFFFFFFFFFFFFFFFF", "1:1: invalid int literal"},
      {"0xFFFFFFFFFFFFFFFFFu", "1:1: invalid uint literal"},
      {"18446744073709551616u", "1:1: invalid uint literal"},
      {"1.99e90000009", "1:1: invalid double literal"},
  }));
  CHECK(LiteralOf(c.source) == "ERROR: <input>:" + c.value + "\n | " + c.source + "\n | " +
                                   (c.source.starts_with("--") ? "..^" : "^"));
}

TEST_CASE("literals: strings in all their quotes", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {R"("")", ""},
      {R"('a"b')", R"(a"b)"},
      {R"("a'b")", "a'b"},
      {R"("""a"b""c""")", R"(a"b""c)"},
      {"'''a\nb'''", "a\nb"},
      {"\"\"\"a\r\nb\"\"\"", "a\r\nb"},
      {R"('''x''x''')", "x''x"},
      {R"(r"a\nb")", R"(a\nb)"},
      {R"(R'\')", R"(\)"},
      {R"(r"""a\"b""")", R"(a\"b)"},
      {"r'''\n'''", "\n"},
      {"'\xE2\x98\xBA'", "\xE2\x98\xBA"},
      {"'a\tb'", "a\tb"},
  }));
  CAPTURE(c.source);
  CHECK(LiteralOf(c.source) == "\"" + c.value + "\"");
}

TEST_CASE("literals: escapes of strings", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {R"("\a\b\f\n\r\t\v\'\"\\\?\`")", "\a\b\f\n\r\t\v'\"\\?`"},
      {R"("\x41\X4a")", "AJ"},
      {R"("\xC3\XBF")", "\xC3\x83\xC2\xBF"},  // Code points, not bytes.
      {R"("\303\277")", "\xC3\x83\xC2\xBF"},
      {R"("\101\0607")", "A07"},
      {R"("hi\u263A \u263Athere")", "hi\xE2\x98\xBA \xE2\x98\xBAthere"},
      {R"("\U000003A8\?")", "\xCE\xA8?"},
      {R"("\U0010FFFF")", "\xF4\x8F\xBF\xBF"},
  }));
  CAPTURE(c.source);
  CHECK(LiteralOf(c.source) == "\"" + c.value + "\"");
}

TEST_CASE("literals: escapes of bytes are bytes", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {R"(b"abc")", "abc"},
      {R"(B'abc')", "abc"},
      {R"(b"\303\277")", "\xC3\xBF"},
      {R"(b"\xff")", "\xFF"},
      {"b'\xC3\xBF'", "\xC3\xBF"},
      {R"(br'\x41')", R"(\x41)"},
      {R"(bR"""a"b""")", R"(a"b)"},
      {R"(b'''"Kim\t"''')", "\"Kim\t\""},
  }));
  CAPTURE(c.source);
  CHECK(LiteralOf(c.source) == "b\"" + c.value + "\"");
}

TEST_CASE("literals: code points that are none are refused", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {R"("\ud800")", "invalid unicode code point"},
      {R"("\uDFFF")", "invalid unicode code point"},
      {R"("\U0000D834")", "invalid unicode code point"},
      {R"("\U00110000")", "invalid unicode code point"},
      {R"("\UFFFFFFFF")", "invalid unicode code point"},
      {R"(b"\u00ff")", "unable to unescape string"},
      {R"(b"\U000000ff")", "unable to unescape string"},
  }));
  CHECK(LiteralOf(c.source) == "ERROR: <input>:1:1: " + c.value + "\n | " + c.source + "\n | ^");
}

// As where a string of Go is read rune by rune.
TEST_CASE("literals: bytes that are no UTF-8 are read as U+FFFD each", "[cel][syntax]") {
  const LiteralCase c = GENERATE(values<LiteralCase>({
      {"'\xFF'", "\xEF\xBF\xBD"},
      {"'\xC3'", "\xEF\xBF\xBD"},
      {"'\xC0\x80'", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"'\xED\xA0\x80'", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"'\xF5\x80'", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"'\xE2\x98'", "\xEF\xBF\xBD\xEF\xBF\xBD"},
  }));
  CHECK(LiteralOf(c.source) == "\"" + c.value + "\"");
}

TEST_CASE("literals: a text that is not closed ends the token before it", "[cel][syntax]") {
  // r"a is the name r and a text that is none.
  CHECK(LiteralOf("r\"a") ==
        "ERROR: <input>:1:2: Syntax error: token recognition error at: '\"a'\n | r\"a\n | .^");
  CHECK(LiteralOf("'a\nb'").find("token recognition error at: ''a\n'") != std::string::npos);
}

}  // namespace
}  // namespace bth::cel
