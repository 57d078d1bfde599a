// What the libraries compute with, without expressions around it.
#include <string>
#include <vector>

#include "cel/kubernetes/ip_address.h"
#include "cel/kubernetes/name_formats.h"
#include "cel/kubernetes/semver.h"
#include "cel/kubernetes/text_functions.h"
#include "cel/kubernetes/url.h"
#include "tests/support/catch.h"

namespace bth::cel {

TEST_CASE("ip address: one text per address", "[cel]") {
  struct Row {
    const char* text;
    const char* canonical;
  };
  static constexpr Row kRows[] = {
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
      {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"},
      {"2001:DB8::ABCD", "2001:db8::abcd"},
      {"64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
  };
  for (const Row& row : kRows) {
    INFO(row.text);
    const auto address = IpAddress::Parse(row.text);
    REQUIRE(address.ok());
    CHECK(address->ToString() == row.canonical);
    CHECK(*IpAddress::Parse(row.canonical) == *address);
  }
}

TEST_CASE("ip address: IPv6 with zones and IPv4 inside is an address, though not one of ours",
          "[cel]") {
  for (const char* text : {"::1", "fe80::1%en0", "::ffff:1.2.3.4"}) CHECK(IpAddress::IsV6(text));
  for (const char* text : {"", "1.2.3.4", "fe80::1%", ":", "1:2"}) CHECK(!IpAddress::IsV6(text));
}

TEST_CASE("ip prefix: holds what begins like it", "[cel]") {
  struct Row {
    const char* prefix;
    const char* address;
    bool holds;
  };
  static constexpr Row kRows[] = {
      {"10.0.0.0/8", "10.255.0.1", true},
      {"10.0.0.0/8", "11.0.0.1", false},
      {"10.0.0.0/9", "10.128.0.0", false},
      {"0.0.0.0/0", "1.2.3.4", true},
      {"0.0.0.0/0", "::1", false},
      {"1.2.3.4/32", "1.2.3.4", true},
      {"2001:db8::/33", "2001:db8::1", true},
      {"2001:db8::/33", "2001:db8:8000::", false},
  };
  for (const Row& row : kRows) {
    INFO(row.prefix << " " << row.address);
    const auto prefix = IpPrefix::Parse(row.prefix);
    const auto address = IpAddress::Parse(row.address);
    REQUIRE((prefix.ok() && address.ok()));
    CHECK(prefix->Contains(*address) == row.holds);
  }
  CHECK(IpPrefix::Parse("10.1.2.3/12")->Masked().ToString() == "10.0.0.0/12");
}

TEST_CASE("semver: versions are ordered as semver.org says", "[cel]") {
  const std::vector<std::string> ascending = {
      "0.0.1",      "0.1.0",        "1.0.0-1",       "1.0.0-2",
      "1.0.0-11",   "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-rc.1",    "1.0.0",
      "1.0.1",      "1.1.0",        "2.0.0",         "10.0.0"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      INFO(ascending[i] << " " << ascending[j]);
      const int order = Semver::Parse(ascending[i])->Compare(*Semver::Parse(ascending[j]));
      CHECK(order == (i < j ? -1 : i > j ? 1 : 0));
    }
  }
  CHECK(Semver::Parse("1.0.0+a")->Compare(*Semver::Parse("1.0.0+b")) == 0);
  CHECK(Semver::Parse("1.0.0-a.1+b.2")->ToString() == "1.0.0-a.1+b.2");
}

TEST_CASE("url: what is read prints as it was", "[cel]") {
  for (const char* text : {"http://a", "http://a/", "http://u:p@a:1/b?c=d#e", "/a?b", "mailto:a@b",
                           "http://a?", "//h/p", "///p", "http://[::1]:80/"}) {
    INFO(text);
    const auto url = Url::Parse(text);
    REQUIRE(url.ok());
    CHECK(url->ToString() == text);
  }
}

TEST_CASE("text functions: positions count code points", "[cel]") {
  CHECK(*CharAt("aé漢😀", 3) == "😀");
  CHECK(*IndexOf("aé漢😀漢", "漢", 0) == 2);
  CHECK(*IndexOf("aé漢😀漢", "漢", 3) == 4);
  CHECK(LastIndexOf("aé漢😀漢", "漢") == 4);
  CHECK(*LastIndexOf("aé漢😀漢", "漢", 3) == 2);
  CHECK(*Substring("aé漢😀", 1, 3) == "é漢");
  CHECK(Split("é漢", "", -1) == std::vector<std::string>{"é", "漢"});
  CHECK(Replace("é漢", "", "-", -1) == "-é-漢-");
  CHECK(Quote("a\xff") == "\"a\xEF\xBF\xBD\"");
}

TEST_CASE("name formats: each is found by its name and no other", "[cel]") {
  CHECK(NamedFormats().size() == 13);
  for (const std::string_view name : NamedFormats()) CHECK(FindNamedFormat(name)->name == name);
  CHECK(FindNamedFormat("dns1123label") == nullptr);
}

}  // namespace bth::cel
