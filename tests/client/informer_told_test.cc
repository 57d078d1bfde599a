// How far a handler has been told everything.
#include <deque>
#include <memory>
#include <string>

#include "api/types/priority_class.h"
#include "base/strings.h"
#include "client/informer.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using types::PriorityClass;

class ToldRecorder final : public InformerHandler<PriorityClass> {
 public:
  void OnAdd(PriorityClass&&) override {}
  void OnUpdate(PriorityClass&&) override {}
  void OnDelete(const ObjectKey&) override {}
  void OnTold(const std::string& version, bool whole) override {
    told = StrCat(whole ? "list " : "events ", version);
  }
  std::string told;
};

std::string ClassText(const std::string& name, int version) {
  return StrCat(R"({"kind":"PriorityClass","metadata":{"name":")", name,
                R"(","uid":"u","resourceVersion":")", version, R"("},"value":1})");
}
std::string ListText(int version, const std::string& items, const std::string& next = "") {
  return StrCat(R"({"kind":"PriorityClassList","metadata":{"resourceVersion":")", version,
                R"(","continue":")", next, R"("},"items":[)", items, "]}");
}
std::string EventText(const std::string& type, const std::string& object) {
  return StrCat(R"({"type":")", type, R"(","object":)", object, "}\n");
}

TEST_CASE("informer: its handler hears how far it has been told everything", "[client]") {
  net::VirtualExecutor executor(testing::StartTime());
  testing::FakeServer server(executor);
  std::deque<std::string> lists = {ListText(5, ClassText("a", 1), "next"),
                                   ListText(5, ClassText("b", 2))};
  std::shared_ptr<testing::Feed> feed;
  server.script = [&](const net::Request& request) {
    if (request.target.find("watch=true") == std::string::npos) {
      std::string list = std::move(lists.front());
      lists.pop_front();
      return testing::Answer(200, std::move(list));
    }
    feed = std::make_shared<testing::Feed>(executor);
    return testing::Stream(feed);
  };
  const auto push = [&](const std::string& text) {
    feed->Push(text);
    executor.RunUntilIdle();
  };
  ApiClientOptions options;
  options.qps = 0;
  ApiClient api(executor, server.Transport(), options);
  Rng rng(1);
  ToldRecorder recorder;
  Informer<PriorityClass> informer(api, rng, recorder, {});
  informer.Start();
  executor.RunUntilIdle();
  CHECK(recorder.told == "list 5");
  push(EventText("MODIFIED", ClassText("a", 7)) + EventText("DELETED", ClassText("b", 8)));
  CHECK(recorder.told == "events 8");
  push(EventText("BOOKMARK", ClassText("", 12)));
  CHECK(recorder.told == "events 12");
  // While it lists again, what was told before stays true.
  lists.push_back(ListText(20, ""));
  push(EventText("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"m"})"));
  CHECK(recorder.told == "events 12");
  executor.Advance(absl::Seconds(1));
  CHECK(recorder.told == "list 20");
}

}  // namespace
}  // namespace bth::client
