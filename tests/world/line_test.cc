#include "sim/world/line.h"

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/background.h"
#include "tests/support/catch.h"

namespace bth::sim {
namespace {

// A server that counts what it is asked, and streams numbers.
class Ticks final : public net::ByteStream {
 public:
  explicit Ticks(net::Executor& executor) : executor_(executor) {}
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
    co_await net::Sleep(executor_, absl::Seconds(1));
    co_return std::optional<std::string>("tick " + std::to_string(++number_) + "\n");
  }

 private:
  net::Executor& executor_;
  int number_ = 0;
};

struct LineBed {
  LineBed() {
    harbour.process = std::make_shared<Process>(timeline, "server");
    harbour.weather = &weather;
    harbour.server = net::MakeInProcessTransport(
        *harbour.process, [this](net::Request request) { return Answer(std::move(request)); });
    client = std::make_shared<Process>(timeline, "client");
    line = std::make_unique<Line>(client, harbour);
  }
  ~LineBed() {
    ClientDies();
    harbour.server.reset();
    timeline.RunUntilIdle();
    harbour.process->Die();
  }
  net::Awaitable<net::Response> Answer(net::Request request) {
    ++asked;
    net::Response response;
    response.body = "done";
    if (request.target.starts_with("/slow"))
      co_await net::Sleep(*harbour.process, absl::Minutes(1));
    if (request.target.starts_with("/list")) response.body = "list " + std::to_string(asked);
    if (request.target == "/watch") {
      response.body.clear();
      response.stream = std::make_unique<Ticks>(*harbour.process);
    }
    co_return response;
  }
  void Begin(Fault fault, absl::Duration most = absl::Seconds(1)) {
    Front front;
    front.fault = fault;
    front.rate = 1;
    front.most = most;
    front.until = absl::InfiniteDuration();
    weather.Begin(front);
  }
  // What came of a request, once `time` has passed.
  std::string Ask(absl::Duration time, const std::string& method = "PUT",
                  const std::string& target = "/") {
    const std::shared_ptr<std::string> heard = Send(method, target);
    REQUIRE(timeline.RunUntil(timeline.Elapsed() + time));
    return *heard;
  }
  std::shared_ptr<std::string> Send(const std::string& method, const std::string& target) {
    auto heard = std::make_shared<std::string>("nothing");
    net::Request request;
    request.method = method;
    request.target = target;
    request.timeout = absl::Seconds(10);
    Run(AskOnce(line.get(), std::move(request), heard));
    return heard;
  }
  // On the client, whose work it is: what waits for ever ends with it.
  void Run(net::Awaitable<void> work) { works.emplace_back().Start(*client, std::move(work)); }
  void ClientDies() {
    client->Die();
    works.clear();
  }
  static net::Awaitable<void> AskOnce(Line* line, net::Request request,
                                      std::shared_ptr<std::string> heard) {
    absl::StatusOr<net::Response> response = co_await line->Fetch(std::move(request));
    *heard = response.ok() ? std::to_string(response->status) + " " + response->body.substr(0, 6)
                           : std::string(response.status().message());
  }
  static net::Awaitable<void> Watch(Line* line, std::shared_ptr<std::string> heard) {
    net::Request request;
    request.target = "/watch";
    absl::StatusOr<net::Response> response = co_await line->Open(std::move(request));
    if (!response.ok()) co_return;
    for (;;) {
      auto piece = co_await response->stream->Next();
      if (!piece.ok()) {
        *heard += std::string(piece.status().message());
        co_return;
      }
      *heard += **piece;
    }
  }

  Timeline timeline{absl::UnixEpoch(), 1};
  Weather weather{1};
  Harbour harbour;
  int asked = 0;
  std::shared_ptr<Process> client;
  std::unique_ptr<Line> line;
  std::list<client::Background> works;
};

TEST_CASE("line: each fault does to a request what its name says", "[world]") {
  struct Case {
    Fault fault;
    absl::Duration most;
    std::string heard;
    int asked;
  };
  const std::vector<Case> cases = {
      {Fault::kRefused, absl::Seconds(1), "not sent: connection refused", 0},
      {Fault::kLost, absl::Seconds(1), "no answer within 10s", 0},
      {Fault::kLateRequest, absl::Seconds(2), "200 done", 1},
      {Fault::kAnswerLost, absl::Seconds(1), "connection reset by peer", 1},
      {Fault::kConflict, absl::Seconds(1), "200 done", 2},
      {Fault::kBusy, absl::Seconds(1), "429 {\"kind", 0},
      {Fault::kError, absl::Seconds(1), "500 {\"kind", 0},
      {Fault::kUnavailable, absl::Seconds(1), "503 {\"kind", 0},
      {Fault::kCut, absl::Seconds(1), "200 done", 1},
  };
  for (const Case& c : cases) {
    INFO(NameOf(c.fault));
    LineBed bed;
    CHECK(bed.Ask(absl::Seconds(1)) == "200 done");
    bed.asked = 0;
    bed.Begin(c.fault, c.most);
    CHECK(bed.Ask(absl::Seconds(60)) == c.heard);
    CHECK(bed.asked == c.asked);
    CHECK(bed.weather.hits()[static_cast<size_t>(c.fault)] == (c.fault == Fault::kCut ? 0 : 1));
  }
}

TEST_CASE("line: the server does what it was asked, also when the caller gave up", "[world]") {
  for (const Fault fault : {Fault::kLateRequest, Fault::kLateAnswer}) {
    LineBed bed;
    bed.Begin(fault, absl::Hours(1000));
    CHECK(bed.Ask(absl::Seconds(11)) == "no answer within 10s");
    const int at_once = fault == Fault::kLateAnswer ? 1 : 0;
    CHECK(bed.asked == at_once);
    REQUIRE(bed.timeline.RunUntil(absl::Hours(1001)));
    CHECK(bed.asked == 1);
  }
}

TEST_CASE("line: what dies leaves its requests to the server", "[world]") {
  LineBed bed;
  bed.Begin(Fault::kLateRequest, absl::Hours(1));
  CHECK(bed.Ask(absl::Milliseconds(1)) == "nothing");
  bed.ClientDies();
  REQUIRE(bed.timeline.RunUntil(absl::Hours(2)));
  CHECK(bed.asked == 1);
}

TEST_CASE("line: streams come late, in bursts, and break in the middle", "[world]") {
  LineBed bed;
  const auto heard = std::make_shared<std::string>();
  bed.Run(LineBed::Watch(bed.line.get(), heard));
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(2500)));
  CHECK(*heard == "tick 1\ntick 2\n");
  Front late;
  late.fault = Fault::kLateStream;
  late.rate = 1;
  late.most = absl::InfiniteDuration();
  late.until = absl::Seconds(5);
  bed.weather.Begin(late);
  CHECK(bed.weather.held_back_until() == absl::ZeroDuration());
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(4000)));
  bed.weather.Clear();
  // What it has held back comes in its time all the same.
  CHECK(bed.weather.held_back_until() >= late.until);
  CHECK(bed.weather.held_back_until() < late.until + absl::Milliseconds(3));
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(4900)));
  CHECK(*heard == "tick 1\ntick 2\n");
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(5500)));
  CHECK(*heard == "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\n");
  bed.line->CutStreams();
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(9000)));
  CHECK(*heard == "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\nconnection reset by peer");
}

TEST_CASE("line: when its server dies, whoever waits hears of it at once", "[world]") {
  LineBed bed;
  const auto asks = bed.Send("PUT", "/slow");
  const auto watches = std::make_shared<std::string>();
  bed.Run(LineBed::Watch(bed.line.get(), watches));
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(1500)));
  const auto on_its_way = bed.Send("PUT", "/");
  REQUIRE(bed.timeline.RunUntilIdle());
  Sink(&bed.harbour);
  bed.harbour.process->Die();
  REQUIRE(bed.timeline.RunUntil(absl::Milliseconds(1600)));
  CHECK(*asks == "connection reset by peer");
  CHECK(*watches == "tick 1\nconnection reset by peer");
  CHECK(*on_its_way == "connection reset by peer");
  CHECK(bed.asked == 2);
  CHECK(bed.Ask(absl::Seconds(1)) == "not sent: connection refused");
  // Another one takes its place.
  bed.harbour.process = std::make_shared<Process>(bed.timeline, "server");
  bed.harbour.server = net::MakeInProcessTransport(
      *bed.harbour.process,
      [&bed](net::Request request) { return bed.Answer(std::move(request)); });
  CHECK(bed.Ask(absl::Seconds(1)) == "200 done");
}

TEST_CASE("line: lists that may be old are those of a while ago", "[world]") {
  constexpr char kMayBeOld[] = "/list?resourceVersion=0&limit=500";
  LineBed bed;
  bed.harbour.remembers = true;
  CHECK(bed.Ask(absl::Seconds(10), "GET", kMayBeOld) == "200 list 1");
  CHECK(bed.Ask(absl::Seconds(10), "GET", kMayBeOld) == "200 list 2");
  bed.Begin(Fault::kStaleList, absl::Milliseconds(2));
  CHECK(bed.Ask(absl::Seconds(1), "GET", kMayBeOld) == "200 list 3");
  bed.weather.Clear();
  bed.Begin(Fault::kStaleList, absl::Hours(1));
  // How old is drawn.
  CHECK(bed.Ask(absl::Seconds(1), "GET", kMayBeOld) != "200 list 4");
  CHECK(bed.Ask(absl::Seconds(1), "GET", "/list") == "200 list 5");
  CHECK(bed.weather.hits()[static_cast<size_t>(Fault::kStaleList)] == 2);
}

}  // namespace
}  // namespace bth::sim
