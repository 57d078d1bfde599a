// Lists and watches in protobuf: what is asked for, taken apart and applied.

#include <algorithm>

#include "absl/strings/str_join.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "base/strings.h"
#include "client/informer.h"
#include "client/protobuf_list_splitter.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"
#include "tests/support/protobuf_bytes.h"

namespace bth::client {
namespace {

using bth::test::Bytes;
using bth::test::Envelope;
using bth::test::EventMessage;
using bth::test::Frame;
using bth::test::Number;
using testing::Answer;
using testing::Await;
using testing::FakeServer;

std::string PodMessage(const std::string& name, int version) {
  return Bytes(1,
               Bytes(1, name) + Bytes(3, "ns") + Bytes(5, "u-" + name) + Bytes(6, StrCat(version)));
}
std::string PodListDocument(int version, const std::vector<std::string>& pods) {
  std::string message = Bytes(1, Bytes(1, "") + Bytes(2, StrCat(version)) + Number(4, 0));
  for (const std::string& pod : pods) message += Bytes(2, pod);
  return Envelope("v1", "PodList", message);
}
std::string PodFrame(const std::string& type, const std::string& message) {
  return Frame(EventMessage(type, Envelope("v1", "Pod", message)));
}

// Feeds `text` in pieces of `step` bytes; what came out, items apart from what is around them.
struct Pieces {
  std::string items;
  std::string around;
  absl::Status status;
};
Pieces SplitFrames(std::string_view text, size_t step, size_t item_bytes_max = 1000) {
  ProtobufListSplitter splitter(item_bytes_max);
  Pieces out;
  for (size_t at = 0; at < text.size() && out.status.ok(); at += step) {
    out.status = splitter.Feed(text.substr(at, step));
    out.items += splitter.TakeItems();
  }
  if (out.status.ok()) out.status = splitter.End(&out.around);
  return out;
}

template <typename T>
class Notes final : public InformerHandler<T> {
 public:
  void OnAdd(T&& object) override { log_.push_back("+" + object.meta.name); }
  void OnUpdate(T&& object) override { log_.push_back("~" + object.meta.name); }
  void OnDelete(const ObjectKey& key) override { log_.push_back("-" + key.name); }
  void OnBatchEnd() override { log_.push_back("|"); }
  std::string Take() { return absl::StrJoin(std::exchange(log_, {}), " "); }

 private:
  std::vector<std::string> log_;
};

// A server with one list answer, asked again and again, and watches that the test feeds.
template <typename T>
struct ProtobufBed {
  net::VirtualExecutor executor{testing::StartTime()};
  FakeServer server{executor};
  Rng rng{1};
  Notes<T> notes;
  std::function<net::Response(const net::Request&)> list;
  std::function<net::Response(const net::Request&)> watch;
  std::shared_ptr<testing::Feed> feed;
  ApiClientOptions client;
  std::unique_ptr<ApiClient> api;
  std::unique_ptr<Informer<T>> informer;

  void Start() {
    server.script = [this](const net::Request& request) {
      const bool is_watch = request.target.find("watch=true") != std::string::npos;
      return is_watch ? watch(request) : list(request);
    };
    client.qps = 0;
    api = std::make_unique<ApiClient>(executor, server.Transport(), client);
    informer = std::make_unique<Informer<T>>(*api, rng, notes, InformerOptions());
    informer->Start();
    executor.RunUntilIdle();
  }
  net::Response FeedOf(const char* content_type) {
    feed = std::make_shared<testing::Feed>(executor);
    net::Response out = testing::Stream(feed);
    out.headers.Add("Content-Type", content_type);
    return out;
  }
  std::vector<std::string> Accepted() const {
    std::vector<std::string> out;
    for (const net::Request& request : server.requests) {
      out.emplace_back(request.headers.Get("Accept"));
    }
    return out;
  }
};

net::Response Typed(int status, std::string body, const char* content_type) {
  net::Response out = Answer(status, std::move(body));
  out.headers.Add("Content-Type", content_type);
  return out;
}

constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";
constexpr char kProtobufWatch[] = "application/vnd.kubernetes.protobuf;stream=watch";
constexpr char kJsonList[] =
    R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"j",)"
    R"("namespace":"ns","uid":"1","resourceVersion":"3"}}]})";

TEST_CASE("protobuf list: items come apart wherever the pieces end", "[client][protobuf]") {
  const std::string a = PodMessage("a", 1);
  const std::string b = PodMessage(std::string(300, 'b'), 2);
  const std::string text = PodListDocument(7, {a, b}) + Bytes(3, "") + Bytes(4, "");
  const std::string around = Bytes(1, Bytes(1, "") + Bytes(2, "7") + Number(4, 0));
  for (size_t step = 1; step <= text.size(); ++step) {
    CAPTURE(step);
    const Pieces out = SplitFrames(text, step);
    REQUIRE(out.status.ok());
    CHECK(out.items == Bytes(2, a) + Bytes(2, b));
    CHECK(out.around == around);
  }
}

TEST_CASE("protobuf list: a list that breaks off is told", "[client][protobuf]") {
  const std::string text = PodListDocument(7, {PodMessage("a", 1)});
  for (size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK(absl::IsUnavailable(SplitFrames(text.substr(0, size), 10).status));
  }
}

TEST_CASE("protobuf list: what is no list is told apart", "[client][protobuf]") {
  struct Case {
    std::string text;
    const char* message;
  };
  const std::string magic("k8s\0", 4);
  const Case c = GENERATE_COPY(values<Case>({
      {"{\"items\":[]}", "no envelope"},
      {magic + Bytes(2, "") + Bytes(2, ""), "not one list"},
      {magic + Number(2, 5), "not one list"},
      {magic + "\x0b", "unknown wire type"},
      {magic + std::string(11, '\xff'), "a number is too long"},
      {magic + "\x12\x03\x12\x05zzzzzz", "an item is too long"},
  }));
  const absl::Status status = SplitFrames(c.text, 100000).status;
  CHECK(absl::IsDataLoss(status));
  CHECK_THAT(std::string(status.message()), Catch::EndsWith(c.message));
}

TEST_CASE("protobuf list: an item beyond the limit is refused before it has arrived",
          "[client][protobuf]") {
  const std::string start = std::string("k8s\0", 4) + "\x12" + bth::test::Varint(1 << 30) + "\x12" +
                            bth::test::Varint(1001);
  CHECK(absl::IsResourceExhausted(SplitFrames(start, 3).status));
  std::string many;
  for (int i = 0; i < 300; ++i) many += Bytes(1, "12345");
  CHECK(absl::IsResourceExhausted(SplitFrames(Envelope("v1", "PodList", many), 50).status));
}

TEST_CASE("informer: core kinds are listed and watched as protobuf", "[client][protobuf]") {
  ProtobufBed<types::Pod> bed;
  bed.list = [](const net::Request&) {
    return Typed(200, PodListDocument(5, {PodMessage("a", 1), PodMessage("b", 2)}), kProtobuf);
  };
  bed.watch = [&bed](const net::Request&) { return bed.FeedOf(kProtobufWatch); };
  bed.Start();
  CHECK(bed.notes.Take() == "+a +b |");
  CHECK(bed.informer->HasSynced());
  CHECK(bed.Accepted() ==
        std::vector<std::string>(2, "application/vnd.kubernetes.protobuf,application/json"));
  CHECK(bed.server.requests[1].target.find("resourceVersion=5") != std::string::npos);
  const std::string frames = PodFrame("ADDED", PodMessage("c", 6)) +
                             PodFrame("MODIFIED", PodMessage("a", 7)) +
                             PodFrame("DELETED", PodMessage("b", 8));
  SECTION("frames of one read are one batch") {
    bed.feed->Push(frames);
    bed.executor.RunUntilIdle();
    CHECK(bed.notes.Take() == "+c ~a -b |");
  }
  SECTION("frames may come in any pieces") {
    for (const char byte : frames) {
      bed.feed->Push(std::string(1, byte));
      bed.executor.RunUntilIdle();
    }
    CHECK(bed.notes.Take() == "+c | ~a | -b |");
  }
  SECTION("an ended watch resumes from the last version") {
    bed.feed->Push(frames + PodFrame("BOOKMARK", Bytes(1, Bytes(6, "30"))));
    bed.executor.RunUntilIdle();
    bed.feed->End();
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.server.requests.back().target.find("resourceVersion=30") != std::string::npos);
  }
  SECTION("an error that says so lists anew") {
    const std::string status =
        Envelope("v1", "Status", Bytes(3, "too old") + Bytes(4, "Expired") + Number(6, 410));
    bed.feed->Push(Frame(EventMessage("ERROR", status)));
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.informer->counters().expired == 1);
    CHECK(bed.informer->counters().lists == 2);
  }
  SECTION("a frame beyond the limit ends the watch, which begins anew") {
    bed.feed->Push(std::string("\x7f\xff\xff\xff", 4));
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.informer->counters().watches == 2);
    CHECK(bed.informer->counters().failures == 1);
  }
  SECTION("a watch that ends inside of a frame is a failure") {
    bed.feed->Push(frames.substr(0, 20));
    bed.feed->End();
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.informer->counters().failures == 1);
    CHECK(bed.notes.Take() == "");
  }
}

TEST_CASE("informer: a server that answers JSON all the same is read", "[client][protobuf]") {
  ProtobufBed<types::Pod> bed;
  bed.list = [](const net::Request&) { return Typed(200, kJsonList, "application/json"); };
  bed.watch = [&bed](const net::Request&) { return bed.FeedOf("application/json"); };
  bed.Start();
  bed.feed->Push(
      "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\","
      "\"uid\":\"1\",\"resourceVersion\":\"6\"}}}\n");
  bed.executor.RunUntilIdle();
  CHECK(bed.notes.Take() == "+j | -j |");
}

TEST_CASE("informer: a server that refuses protobuf is asked for JSON from then on",
          "[client][protobuf]") {
  ProtobufBed<types::Pod> bed;
  bed.list = [](const net::Request& request) {
    const bool json = request.headers.Get("Accept") == "application/json";
    return json ? Typed(200, kJsonList, "application/json") : Answer(406, "only JSON");
  };
  bed.watch = [&bed](const net::Request&) { return bed.FeedOf("application/json"); };
  bed.Start();
  CHECK(bed.notes.Take() == "+j |");
  CHECK(bed.informer->counters().failures == 0);
  CHECK(bed.Accepted() ==
        std::vector<std::string>{"application/vnd.kubernetes.protobuf,application/json",
                                 "application/json", "application/json"});
}

TEST_CASE("informer: custom kinds are asked for as JSON", "[client][protobuf]") {
  ProtobufBed<types::PodGroup> bed;
  bed.list = [](const net::Request&) { return Answer(200, kJsonList); };
  bed.watch = [&bed](const net::Request&) { return bed.FeedOf("application/json"); };
  bed.Start();
  CHECK(bed.Accepted() == std::vector<std::string>(2, "application/json"));
}

TEST_CASE("informer: a client that is told so asks for JSON alone", "[client][protobuf]") {
  ProtobufBed<types::Pod> bed;
  bed.client.protobuf = false;
  bed.list = [](const net::Request&) { return Answer(200, kJsonList); };
  bed.watch = [&bed](const net::Request&) { return bed.FeedOf("application/json"); };
  bed.Start();
  CHECK(bed.Accepted() == std::vector<std::string>(2, "application/json"));
}

}  // namespace
}  // namespace bth::client
