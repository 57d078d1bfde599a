#include "cli/session/go_errors.h"

#include "api/types/api_status.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

CallText ListCall() {
  return {"GET", "https://host:6443", "/api/v1/pods", "?labelSelector=a%3Db", "pods", ""};
}

std::string Told(const absl::Status& status) {
  return std::string(AsGoTells(status, ListCall()).message());
}

TEST_CASE("go errors: what no connection came of", "[cli][session]") {
  struct Case {
    std::string net;
    std::string told;
  };
  const std::vector<Case> cases = {
      {"connect to 127.0.0.1:6443: connect: Connection refused; not sent",
       "dial tcp 127.0.0.1:6443: connect: connection refused"},
      {"connect to ::1:6443: connect: No route to host; not sent",
       "dial tcp [::1]:6443: connect: no route to host"},
      {"connect to nowhere.invalid:6443: cannot resolve host \"nowhere.invalid\": Host not found; "
       "not sent",
       "dial tcp: lookup nowhere.invalid: no such host"},
      {"connect to 127.0.0.1:6443: no connection within 10s; not sent",
       "dial tcp 127.0.0.1:6443: i/o timeout"},
      {"connect to 127.0.0.1:6443: TLS handshake: certificate refused: self-signed certificate; "
       "not sent",
       "tls: failed to verify certificate: x509: certificate signed by unknown authority"},
      {"connect to 127.0.0.1:6443: TLS handshake: certificate refused: hostname mismatch; not sent",
       "tls: failed to verify certificate: hostname mismatch"},
      {"connection closed", "EOF"},
      {"no answer within 30s", "context deadline exceeded"},
      {"read: Connection reset by peer", "read: Connection reset by peer"},
  };
  for (const Case& c : cases) {
    INFO(c.net);
    const absl::Status status = absl::UnavailableError("GET /api/v1/pods: " + c.net);
    CHECK(Told(status) == "Get \"https://host:6443/api/v1/pods?labelSelector=a%3Db\": " + c.told);
  }
}

TEST_CASE("go errors: a refusal is the server's sentence", "[cli][session]") {
  const absl::Status refused = types::StatusFromResponse(
      404, R"({"kind":"Status","reason":"NotFound","code":404,"message":"pods \"a\" not found"})");
  CHECK(Told(refused) == "pods \"a\" not found");
  const absl::Status denied = types::StatusFromResponse(
      400, R"({"kind":"Status","code":400,"message":"admission webhook \"w\" denied it"})");
  CHECK(Told(denied) == "admission webhook \"w\" denied it");
}

TEST_CASE("go errors: an answer without a sentence gets one", "[cli][session]") {
  struct Case {
    int code;
    std::string body;
    std::string told;
  };
  const std::vector<Case> cases = {
      {404, "404 page not found", "the server could not find the requested resource (get pods)"},
      {400, "Client sent an HTTP request to an HTTPS server.",
       "the server rejected our request for an unknown reason (get pods)"},
      {503, "", "the server is currently unable to handle the request (get pods)"},
      {500, "oops",
       "an error on the server (\"oops\") has prevented the request from succeeding (get pods)"},
      {403, "not you", "not you (get pods)"},
  };
  for (const Case& c : cases) {
    INFO(c.code);
    CHECK(Told(types::StatusFromResponse(c.code, c.body)) == c.told);
  }
  CallText named = ListCall();
  named.name = "a";
  CHECK(AsGoTells(types::StatusFromResponse(404, ""), named).message() ==
        "the server could not find the requested resource (get pods a)");
}

TEST_CASE("go errors: codes survive", "[cli][session]") {
  const absl::Status refused = types::StatusFromResponse(410, R"({"reason":"Expired"})");
  CHECK(AsGoTells(refused, ListCall()).code() == refused.code());
  CHECK(types::HttpCodeOf(AsGoTells(types::StatusFromResponse(404, "x"), ListCall())) == 404);
}

TEST_CASE("go errors: queries leave the pages of lists out", "[cli][session]") {
  CHECK(QueryText({}).empty());
  CHECK(QueryText({{"limit", "500"}, {"continue", "x"}}).empty());
  CHECK(QueryText({{"labelSelector", "a in (b)"}, {"limit", "1"}}) ==
        "?labelSelector=a+in+%28b%29");
}

TEST_CASE("go errors: names that would lead elsewhere are not sent", "[cli][session]") {
  CHECK(CheckTarget("default", "a").ok());
  CHECK(CheckTarget("", "").ok());
  CHECK(CheckTarget("a", "b/c").message() ==
        "invalid resource name \"b/c\": [may not contain '/']");
  CHECK(CheckTarget("a", "..").message() == "invalid resource name \"..\": [may not be '..']");
  CHECK(CheckTarget("%2e", "a").message() == "invalid namespace \"%2e\": [may not contain '%']");
}

}  // namespace
}  // namespace bth::cli
