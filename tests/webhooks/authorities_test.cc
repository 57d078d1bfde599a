#include "admission/webhooks/authorities.h"

#include <map>

#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/webhooks/fresh_certificates.h"

namespace bth::admission {
namespace {

using testing::Fresh;
using testing::kDay;
using testing::kNow;

// Authorities by letter, the same in all cases; "z" has expired, "!" is a block that is none.
const std::string& AuthorityOf(char letter) {
  static std::map<char, std::string> made = {
      {'z', Fresh(kNow - kDay * 4000).serving.authorities_pem},
      {'!', "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"}};
  const auto [at, is_new] = made.try_emplace(letter);
  if (is_new) at->second = Fresh().serving.authorities_pem;
  return at->second;
}

std::string PemOf(const std::string& letters) {
  std::string pem;
  for (const char letter : letters) pem += AuthorityOf(letter);
  return pem;
}

TEST_CASE("authorities: a bundle has ours, and of the others those that are of use",
          "[webhooks][certificates]") {
  struct Case {
    std::string name, ours;
    std::vector<std::string> others;
    std::string bundle;
  };
  const Case c = GENERATE(values<Case>({
      {"nobody else", "a", {""}, "a"},
      {"ours come first", "a", {"bc"}, "abc"},
      {"each comes once", "aba", {"bac", "cd"}, "abcd"},
      {"others that have expired go", "a", {"zb"}, "ab"},
      {"ours stay whatever their age", "z", {"a"}, "za"},
      {"of the others, what cannot be read goes alone", "a", {"b!c"}, "abc"},
      {"of ours too", "a!b", {"c"}, "abc"},
      {"where none of ours can be read, they are taken as they stand", "!", {"a"}, "!"},
      {"none of ours", "", {"a"}, ""},
      {"of the others the first fifteen", "a", {"bcdefghijklmnopqr"}, "abcdefghijklmnop"},
      {"ours are all taken", "abcdefghijklmnopqr", {"st"}, "abcdefghijklmnopqrst"},
  }));
  CAPTURE(c.name);
  std::vector<std::string> others;
  for (const std::string& other : c.others) others.push_back(PemOf(other));
  CHECK(Bundle(PemOf(c.ours), others, kNow) == PemOf(c.bundle));
}

TEST_CASE("authorities: a bundle has all of them, or not", "[webhooks][certificates]") {
  struct Case {
    std::string name, bundle, wanted;
    bool has_all;
  };
  const Case c = GENERATE(values<Case>({
      {"the same", "ab", "ab", true},
      {"in another order, beside others", "cba", "ab", true},
      {"what has expired counts too", "az", "z", true},
      {"one is missing", "ac", "ab", false},
      {"an empty bundle", "", "a", false},
      {"a bundle that cannot be read", "!", "a", false},
      {"none can be read: the same text", "!", "!", true},
      {"none can be read: another text", "a", "!", false},
      {"nothing is wanted, and nothing there", "", "", true},
      {"nothing is wanted, and something there", "a", "", false},
  }));
  CAPTURE(c.name);
  CHECK(HasAll(PemOf(c.bundle), PemOf(c.wanted)) == c.has_all);
}

TEST_CASE("authorities: words between certificates and unfinished blocks are left out",
          "[webhooks][certificates]") {
  const std::string& a = AuthorityOf('a');
  const std::string& b = AuthorityOf('b');
  const std::string text = StrCat("# first\n", a, "-----BEGIN CERTIFICATE-----\ncut off\n", b,
                                  "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\n");
  const std::vector<net::CertificateFacts> found = CertificatesIn(text);
  REQUIRE(found.size() == 2);
  CHECK(found[0].pem == a);
  CHECK(found[1].pem == b);
  CHECK(CertificatesIn("").empty());
}

}  // namespace
}  // namespace bth::admission
