// Bodies of typed Go clients.

#include <initializer_list>

#include "apiserver/protobuf/decode.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"
#include "tests/support/protobuf_bytes.h"

namespace bth::apiserver::testing {
namespace {

using test::Bytes;
using test::Envelope;
using test::Number;

const net::Headers kHeaders = {{"content-type", "application/vnd.kubernetes.protobuf"}};

}  // namespace

TEST_CASE("protobuf: objects are read field by field") {
  const std::string meta =
      Bytes(1, "web") + Bytes(3, "") + Bytes(8, "") + Bytes(11, Bytes(1, "app") + Bytes(2, "web"));
  const std::string quantity = Bytes(1, "500m");
  const std::string container =
      Bytes(1, "c") + Bytes(2, "img") + Bytes(3, "run") + Bytes(3, "it") + Bytes(5, "") +
      Bytes(6, Bytes(1, "") + Number(2, 0) + Number(3, 80) + Bytes(4, "TCP")) +
      Bytes(8, Bytes(1, Bytes(1, "cpu") + Bytes(2, quantity))) + Number(18, 0);
  // A volume's source stands in the volume itself; an emptyDir is there though it is empty.
  const std::string volume = Bytes(1, "v") + Bytes(2, Bytes(2, ""));
  const std::string pod_spec = Bytes(1, volume) + Bytes(2, container);
  const std::string spec = Number(1, 0) + Bytes(2, Bytes(1, Bytes(1, "app") + Bytes(2, "web"))) +
                           Bytes(3, Bytes(2, pod_spec)) + Bytes(4, Bytes(1, ""));
  const auto read = DecodeProtobuf(
      Envelope("apps/v1", "Deployment", Bytes(1, meta) + Bytes(2, spec) + Bytes(3, "")));
  REQUIRE(read.ok());
  CHECK(read->Pretty() == Parse(R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"web","labels":{"app":"web"}},
    "spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},"template":{"spec":{
      "volumes":[{"name":"v","emptyDir":{}}],
      "containers":[{"name":"c","image":"img","command":["run","it"],
        "ports":[{"containerPort":80,"protocol":"TCP"}],
        "resources":{"limits":{"cpu":"500m"}}}]}}}})")
                              .Pretty());
}

TEST_CASE("protobuf: times, bytes, and counts or percentages") {
  const auto secret = DecodeProtobuf(
      Envelope("v1", "Secret", Bytes(2, Bytes(1, "k") + Bytes(2, std::string("\x00\xff", 2)))));
  REQUIRE(secret.ok());
  CHECK(secret->At({"data", "k"}).AsString() == "AP8=");
  const auto budget =
      DecodeProtobuf(Envelope("policy/v1", "PodDisruptionBudget",
                              Bytes(2, Bytes(1, Number(1, 1) + Number(2, 0) + Bytes(3, "50%")) +
                                           Bytes(3, Number(1, 0) + Number(2, 2) + Bytes(3, "")))));
  REQUIRE(budget.ok());
  CHECK(budget->At({"spec", "minAvailable"}).AsString() == "50%");
  CHECK(budget->At({"spec", "maxUnavailable"}).AsInt() == 2);
  const auto lease =
      DecodeProtobuf(Envelope("coordination.k8s.io/v1", "Lease",
                              Bytes(2, Bytes(1, "me") + Number(2, 15) +
                                           Bytes(4, Number(1, 1767225600) + Number(2, 5000)))));
  REQUIRE(lease.ok());
  CHECK(lease->At({"spec", "renewTime"}).AsString() == "2026-01-01T00:00:00.000005Z");
  CHECK(lease->At({"spec", "leaseDurationSeconds"}).AsInt() == 15);
}

TEST_CASE("protobuf: broken bodies are refused, never read past their end") {
  const std::string good = Envelope(
      "v1", "ConfigMap", Bytes(1, Bytes(1, "a")) + Bytes(2, Bytes(1, "k") + Bytes(2, "v")));
  REQUIRE(DecodeProtobuf(good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    INFO(size);
    const auto cut = DecodeProtobuf(good.substr(0, size));
    CHECK((!cut.ok() || cut->At({"data", "k"}).AsString() != "v"));
  }
  CHECK_FALSE(DecodeProtobuf(Envelope("v1", "Frog", "")).ok());
  CHECK_FALSE(DecodeProtobuf(Envelope("batch.volcano.sh/v1alpha1", "Job", "")).ok());
  // Texts become UTF-8 whatever they were.
  const auto odd =
      DecodeProtobuf(Envelope("v1", "ConfigMap", Bytes(2, Bytes(1, "\xff") + Bytes(2, "v"))));
  REQUIRE(odd.ok());
  CHECK(odd->At({"data", "\xEF\xBF\xBD"}).AsString() == "v");
  CHECK_FALSE(DecodeProtobuf(Envelope("v1", "ConfigMap", std::string(12, '\xff'))).ok());
}

TEST_CASE("protobuf: a typed client creates and deletes, and is answered in JSON") {
  Bed bed;
  const std::string body = Envelope(
      "v1", "ConfigMap", Bytes(1, Bytes(1, "a")) + Bytes(2, Bytes(1, "k") + Bytes(2, "v")));
  const Answer made = bed.Call("POST", kConfigs, body, kHeaders);
  REQUIRE(made.code == 201);
  CHECK(made.at({"data", "k"}) == "v");
  CHECK(made.headers.Get("content-type") == "application/json");
  const std::string wrong = Envelope("v1", "DeleteOptions", Bytes(2, Bytes(1, "other")));
  CHECK(bed.Call("DELETE", StrCat(kConfigs, "/a"), wrong, kHeaders).code == 409);
  CHECK(bed.Call("DELETE", StrCat(kConfigs, "/a"), Envelope("v1", "DeleteOptions", ""), kHeaders)
            .code == 200);
  CHECK(bed.Call("POST", kConfigs, "k8s", kHeaders).code == 415);
}

}  // namespace bth::apiserver::testing
