// When objects that were never readable are gone.
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "api/types/priority_class.h"
#include "base/strings.h"
#include "client/informer.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using types::PriorityClass;
using Names = std::vector<std::string>;

class DeletionRecorder final : public InformerHandler<PriorityClass> {
 public:
  void OnAdd(PriorityClass&&) override {}
  void OnUpdate(PriorityClass&&) override {}
  void OnDelete(const ObjectKey& key) override { deleted.push_back(key.name); }
  Names deleted;
};

std::string ClassOfValue(const std::string& name, const std::string& value) {
  return StrCat(R"({"kind":"PriorityClass","metadata":{"name":")", name,
                R"(","uid":"u","resourceVersion":"1"},"value":)", value, "}");
}
std::string Readable(const std::string& name) {
  return ClassOfValue(name, "1");
}
std::string Unreadable(const std::string& name) {
  return ClassOfValue(name, "\"many\"");
}
std::string ClassList(const std::string& items, const std::string& next = "") {
  return StrCat(R"({"kind":"PriorityClassList","metadata":{"resourceVersion":"5","continue":")",
                next, R"("},"items":[)", items, "]}");
}
std::string ClassEvent(const std::string& type, const std::string& object) {
  return StrCat(R"({"type":")", type, R"(","object":)", object, "}\n");
}

struct UnreadableBed {
  UnreadableBed() {
    server.script = [this](const net::Request& request) {
      if (absl::StrContains(request.target, "watch=true")) {
        feed = std::make_shared<testing::Feed>(executor);
        return testing::Stream(feed);
      }
      if (lists.empty()) return testing::Answer(500, "");
      std::string list = std::move(lists.front());
      lists.pop_front();
      return testing::Answer(200, std::move(list));
    };
    options.on_malformed_gone = [this](const ObjectKey& key) { gone.push_back(key.name); };
  }
  void Start() {
    informer = std::make_unique<Informer<PriorityClass>>(api, rng, recorder, options);
    informer->Start();
    executor.RunUntilIdle();
  }
  void Push(const std::string& text) {
    feed->Push(text);
    executor.RunUntilIdle();
  }
  void ListAgain() {
    Push(ClassEvent("ERROR", R"({"kind":"Status","code":410,"reason":"Expired","message":"m"})"));
    executor.Advance(absl::Minutes(1));
  }
  static ApiClientOptions Unlimited() {
    ApiClientOptions client;
    client.qps = 0;
    return client;
  }

  net::VirtualExecutor executor{testing::StartTime()};
  testing::FakeServer server{executor};
  std::deque<std::string> lists;
  std::shared_ptr<testing::Feed> feed;
  Rng rng{1};
  Names gone;
  DeletionRecorder recorder;
  InformerOptions options;
  ApiClient api{executor, server.Transport(), Unlimited()};
  std::unique_ptr<Informer<PriorityClass>> informer;
};

TEST_CASE("informer: the end of what was never readable is told by events", "[client]") {
  UnreadableBed bed;
  bed.lists = {ClassList(StrCat(Unreadable("a"), ",", Unreadable("b"), ",", Readable("c")))};
  bed.Start();
  bed.Push(ClassEvent("MODIFIED", Readable("b")) + ClassEvent("MODIFIED", Unreadable("c")) +
           ClassEvent("ADDED", Unreadable("d")));
  CHECK(bed.gone.empty());
  bed.Push(ClassEvent("DELETED", Unreadable("a")) + ClassEvent("DELETED", Readable("b")) +
           ClassEvent("DELETED", Unreadable("c")) + ClassEvent("DELETED", Readable("d")) +
           ClassEvent("DELETED", Unreadable("stranger")));
  CHECK(bed.gone == Names{"a", "d"});
  CHECK(bed.recorder.deleted == Names{"b", "c"});
  bed.Push(ClassEvent("DELETED", Unreadable("a")));
  CHECK(bed.gone == Names{"a", "d"});
}

TEST_CASE("informer: the end of what was never readable is told by lists", "[client]") {
  UnreadableBed bed;
  bed.lists = {ClassList(
      StrCat(Unreadable("b"), ",", Unreadable("a"), ",", Unreadable("stays"), ",", Readable("c")))};
  bed.Start();
  bed.Push(ClassEvent("MODIFIED", Unreadable("c")));
  SECTION("whole") {
    bed.lists = {ClassList(Unreadable("stays"))};
    bed.ListAgain();
    CHECK(bed.gone == Names{"a", "b"});
    CHECK(bed.recorder.deleted == Names{"c"});
  }
  SECTION("one that breaks off tells nothing, and the next one all") {
    bed.lists = {ClassList(Unreadable("stays"), "next")};
    bed.Push(ClassEvent("ERROR", R"({"kind":"Status","code":410,"reason":"Expired"})"));
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.gone.empty());
    bed.lists = {ClassList(StrCat(Unreadable("a"), ",", Readable("stays")))};
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.gone == Names{"b"});
    CHECK(bed.recorder.deleted == Names{"c"});
  }
}

}  // namespace
}  // namespace bth::client
