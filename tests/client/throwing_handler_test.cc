#include <stdexcept>

#include "absl/strings/match.h"
#include "api/types/priority_class.h"
#include "client/informer.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using types::PriorityClass;

// Throws at the object "b".
class Thrower final : public InformerHandler<PriorityClass> {
 public:
  void OnAdd(PriorityClass&& object) override {
    if (object.meta.name == "b") throw std::out_of_range("no such key");
    seen.push_back(object.meta.name);
  }
  void OnUpdate(PriorityClass&& object) override { seen.push_back(object.meta.name); }
  void OnDelete(const ObjectKey&) override {}
  void OnBatchEnd() override {}
  std::vector<std::string> seen;
};

TEST_CASE("informer: an object at which the handler throws hides no other", "[client]") {
  net::VirtualExecutor executor(testing::StartTime());
  std::vector<net::Escape> escapes;
  const auto listener = executor.barrier().Listen(
      [&escapes](const net::Escape& escape) { escapes.push_back(escape); });
  testing::FakeServer server(executor);
  const auto watch = std::make_shared<testing::Feed>(executor);
  server.script = [&watch](const net::Request& request) {
    if (absl::StrContains(request.target, "watch=true")) return testing::Stream(watch);
    return testing::Answer(200, R"({"kind":"PriorityClassList","metadata":{"resourceVersion":"5"},
      "items":[{"metadata":{"name":"a","uid":"1"},"value":1},
               {"metadata":{"name":"b","uid":"2"},"value":1},
               {"metadata":{"name":"c","uid":"3"},"value":1}]})");
  };
  ApiClientOptions unlimited;
  unlimited.qps = 0;
  ApiClient api(executor, server.Transport(), unlimited);
  Rng rng(1);
  Thrower handler;
  std::vector<std::string> malformed;
  InformerOptions options;
  options.on_malformed = [&malformed](const ObjectKey& key, const absl::Status&) {
    malformed.push_back(key.name);
  };
  Informer<PriorityClass> informer(api, rng, handler, options);
  informer.Start();
  executor.RunUntilIdle();
  CHECK(handler.seen == std::vector<std::string>{"a", "c"});
  CHECK(informer.HasSynced());
  CHECK(malformed == std::vector<std::string>{"b"});
  REQUIRE(escapes.size() == 1);
  CHECK(escapes[0].place == "informer.handler");
  CHECK(escapes[0].consequence == net::Consequence::kLost);
}

}  // namespace
}  // namespace bth::client
