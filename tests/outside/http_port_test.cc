// The line from the scheduling thread to servers that hang, lie, flood and break off.
#include "scheduler/http_port.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/outside/http_bed.h"
#include "tests/support/catch.h"

namespace bth::scheduler {
namespace {

using Request = framework::HttpPort::Request;
using Answer = framework::HttpPort::Answer;

// Sends a piece, then breaks off.
class BrokenStream final : public net::ByteStream {
 public:
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
    if (sent_) co_return absl::UnavailableError("gone");
    sent_ = true;
    co_return std::optional<std::string>(R"({"status":)");
  }

 private:
  bool sent_ = false;
};

// A server whose path says how it behaves.
struct PortBed {
  Answer Ask(const std::string& path, absl::Duration timeout = absl::Seconds(5),
             size_t bytes_max = 1000) {
    Request request;
    request.url = line.url + path;
    request.body = "hello";
    request.timeout = timeout;
    request.response_max_bytes = bytes_max;
    return line.http->Exchange(absl::MakeConstSpan(&request, 1)).front();
  }

  net::Awaitable<net::Response> Serve(net::Request request) {
    ++served;
    const int now = ++under_way;
    int most = side_by_side;
    while (now > most && !side_by_side.compare_exchange_weak(most, now)) {
    }
    net::Response response;
    if (request.target == "/echo") {
      response.body = StrCat(request.method, " ", request.body, " ",
                             std::string(request.headers.Get("content-type")));
    } else if (request.target == "/slow") {
      co_await net::Sleep(*line.io, absl::Milliseconds(30));
      response.body = "slow";
    } else if (request.target == "/hang") {
      co_await net::Sleep(*line.io, absl::Seconds(30));
    } else if (request.target == "/flood") {
      response.body = std::string(100'000, 'x');
    } else if (request.target == "/break") {
      response.stream = std::make_unique<BrokenStream>();
    } else {
      response.status = 503;
      response.body = "closed\non Sundays";
    }
    --under_way;
    co_return response;
  }

  std::atomic<int> served = 0;
  std::atomic<int> under_way = 0;
  std::atomic<int> side_by_side = 0;
  testing::HttpBed line{[this](net::Request request) { return Serve(std::move(request)); }};
};

TEST_CASE("http port: a good answer is its body", "[scheduler][http]") {
  PortBed bed;
  const Answer answer = bed.Ask("/echo");
  REQUIRE(answer.status().ToString() == "OK");
  CHECK(*answer == "POST hello application/json");
  CHECK(*bed.Ask("/echo") == *answer);
}

TEST_CASE("http port: a server that hangs costs its timeout", "[scheduler][http]") {
  PortBed bed;
  const auto start = std::chrono::steady_clock::now();
  CHECK(absl::IsDeadlineExceeded(bed.Ask("/hang", absl::Milliseconds(50)).status()));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("http port: bad answers have their codes", "[scheduler][http]") {
  PortBed bed;
  CHECK(absl::IsResourceExhausted(bed.Ask("/flood").status()));
  CHECK(bed.Ask("/flood", absl::Seconds(5), 100'000).ok());
  CHECK(absl::IsUnavailable(bed.Ask("/break").status()));
  const absl::Status closed = bed.Ask("/else").status();
  CHECK(absl::IsFailedPrecondition(closed));
  CHECK(closed.message() == "HTTP 503: closed on Sundays");
  CHECK(*bed.Ask("/echo") == "POST hello application/json");
}

TEST_CASE("http port: nobody there, or no URL", "[scheduler][http]") {
  PortBed bed;
  Request request;
  request.url = "http://127.0.0.1:1/x";
  CHECK(absl::IsUnavailable(
      bed.line.http->Exchange(absl::MakeConstSpan(&request, 1)).front().status()));
  request.url = "ftp://example.com/x";
  CHECK(absl::IsInvalidArgument(
      bed.line.http->Exchange(absl::MakeConstSpan(&request, 1)).front().status()));
  CHECK(bed.line.http->Exchange({}).empty());
}

TEST_CASE("http port: requests go side by side, answers keep their order", "[scheduler][http]") {
  PortBed bed;
  std::vector<Request> requests(40);
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].url = bed.line.url + (i % 3 == 0 ? "/slow" : "/echo");
    requests[i].body = StrCat(i);
    requests[i].timeout = absl::Seconds(20);
  }
  const std::vector<Answer> answers = bed.line.http->Exchange(requests);
  REQUIRE(answers.size() == requests.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    REQUIRE(answers[i].ok());
    CHECK(*answers[i] == (i % 3 == 0 ? "slow" : StrCat("POST ", i, " application/json")));
  }
  CHECK(bed.side_by_side > 1);
  CHECK(bed.side_by_side <= BlockingHttp::kSideBySide);
}

TEST_CASE("http port: after silence the rest is not sent", "[scheduler][http]") {
  PortBed bed;
  std::vector<Request> requests(100);
  for (Request& request : requests) {
    request.url = bed.line.url + "/hang";
    request.timeout = absl::Milliseconds(50);
  }
  const std::vector<Answer> answers = bed.line.http->Exchange(requests);
  REQUIRE(answers.size() == requests.size());
  for (const Answer& answer : answers) CHECK(absl::IsDeadlineExceeded(answer.status()));
  CHECK(bed.served <= BlockingHttp::kSideBySide);
}

TEST_CASE("http port: who waits is let go when the scheduler stops", "[scheduler][http]") {
  PortBed bed;
  std::thread stopper([&bed] {
    while (bed.served == 0) std::this_thread::yield();
    bed.line.http->Interrupt();
  });
  CHECK(absl::IsCancelled(bed.Ask("/hang", absl::Seconds(20)).status()));
  stopper.join();
}

TEST_CASE("http port: the network thread cannot wait for itself", "[scheduler][http]") {
  PortBed bed;
  std::atomic<bool> done = false;
  absl::Status status;
  bed.line.io->Post([&] {
    status = bed.Ask("/echo").status();
    done = true;
  });
  while (!done) std::this_thread::yield();
  CHECK(absl::IsUnavailable(status));
  CHECK(bed.served == 0);
}

}  // namespace
}  // namespace bth::scheduler
