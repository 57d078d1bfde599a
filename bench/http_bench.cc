// What HTTP costs beside the sockets: reading and writing heads, and taking chunked bodies apart,
// in the shapes of a scheduler's traffic; and a whole exchange over loopback with both of its
// sides.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "base/check.h"
#include "base/strings.h"
#include "net/client.h"
#include "net/detail/http_format.h"
#include "net/detail/http_parser.h"
#include "net/io_context.h"
#include "net/server.h"

namespace bth::net {
namespace {

constexpr size_t kReadBytes = 16 << 10;  // What one read of a record of TLS brings.
constexpr std::string_view kDate = "Mon, 01 Jan 2024 00:00:00 GMT";

Request BindingPost() {
  Request request;
  request.method = "POST";
  request.target = "/api/v1/namespaces/default/pods/train-worker-17/binding";
  request.headers.Add("Accept", "application/json");
  request.headers.Add("User-Agent", "vc-scheduler/v1.0.0 (linux/amd64)");
  request.headers.Add("Content-Type", "application/json");
  request.headers.Add("Authorization", "Bearer " + std::string(900, 'x'));
  request.body = R"({"kind":"Binding","apiVersion":"v1","metadata":{"name":"train-worker-17",)"
                 R"("namespace":"default"},"target":{"kind":"Node","name":"node-0421"}})";
  return request;
}

Response BindingAnswer() {
  Response response;
  response.status = 201;
  response.headers.Add("Audit-Id", "6a4f6fbe-18c1-4bd8-8f3e-1f0d2f1c66d1");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("X-Kubernetes-Pf-Flowschema-Uid", "0f0e4b9c-7a31-4f25-a3c5-0a5f0b0c4d11");
  response.headers.Add("X-Kubernetes-Pf-Prioritylevel-Uid", "8a1f6b5e-44aa-4f0f-b6fd-3b3c0a8d7e22");
  response.body =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";
  return response;
}

detail::ResponseFraming Framed(bool chunked) {
  detail::ResponseFraming framing;
  framing.chunked = chunked;
  framing.with_length = !chunked;
  framing.date = kDate;
  return framing;
}

void WriteRequest(benchmark::State& state) {
  const Request request = BindingPost();
  size_t bytes = 0;
  for (auto _ : state) {
    const absl::StatusOr<std::string> head = detail::FormatRequestHead(request, "10.0.0.1:6443");
    BTH_CHECK(head.ok());
    bytes += head->size();
  }
  BTH_CHECK(bytes / static_cast<size_t>(state.iterations()) > 1000);
}
BENCHMARK(WriteRequest);

void ReadRequest(benchmark::State& state) {
  const Request request = BindingPost();
  const std::string bytes = *detail::FormatRequestHead(request, "10.0.0.1:6443");
  for (auto _ : state) {
    const std::optional<size_t> end = detail::FindHeadEnd(bytes, 0);
    BTH_CHECK(end == bytes.size());
    const absl::StatusOr<detail::RequestHead> head = detail::ParseRequestHead(bytes);
    BTH_CHECK(head.ok() && head->content_length == request.body.size());
  }
}
BENCHMARK(ReadRequest);

void WriteAnswer(benchmark::State& state) {
  const Response response = BindingAnswer();
  for (auto _ : state) {
    const absl::StatusOr<std::string> head = detail::FormatResponseHead(response, Framed(false));
    BTH_CHECK(head.ok());
    benchmark::DoNotOptimize(head->data());
  }
}
BENCHMARK(WriteAnswer);

void ReadAnswer(benchmark::State& state) {
  const Response response = BindingAnswer();
  const std::string bytes = *detail::FormatResponseHead(response, Framed(false));
  for (auto _ : state) {
    const std::optional<size_t> end = detail::FindHeadEnd(bytes, 0);
    BTH_CHECK(end == bytes.size());
    const absl::StatusOr<detail::ResponseHead> head = detail::ParseResponseHead(bytes, false);
    BTH_CHECK(head.ok() && head->content_length == response.body.size());
  }
}
BENCHMARK(ReadAnswer);

std::string Chunk(size_t bytes) {
  return StrCat(absl::Hex(bytes), "\r\n", std::string(bytes, 'x'), "\r\n");
}

// A LIST of 4 MB in chunks of `range(0)`, as it comes in reads; every answer has its own decoder.
void ReadList(benchmark::State& state) {
  const auto chunk = static_cast<size_t>(state.range(0));
  const size_t chunks = (4 << 20) / chunk;
  std::string wire;
  for (size_t i = 0; i < chunks; ++i) wire += Chunk(chunk);
  wire += "0\r\n\r\n";
  std::string body;
  body.reserve(chunk * chunks);
  for (auto _ : state) {
    body.clear();
    detail::ChunkDecoder decoder;
    std::string_view rest = wire;
    while (!decoder.done()) {
      const auto used = decoder.Decode(rest.substr(0, kReadBytes), SIZE_MAX, body);
      BTH_CHECK(used.ok() && *used > 0);
      rest.remove_prefix(*used);
    }
    BTH_CHECK(body.size() == chunk * chunks);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(wire.size()));
}
BENCHMARK(ReadList)->Arg(2 << 10)->Arg(32 << 10);

// Events of a watch, each a chunk that comes alone.
void ReadWatchEvent(benchmark::State& state) {
  const auto event = static_cast<size_t>(state.range(0));
  const std::string wire = Chunk(event);
  detail::ChunkDecoder decoder;
  for (auto _ : state) {
    std::string piece;
    const auto used = decoder.Decode(wire, 256 << 10, piece);
    BTH_CHECK(used.ok() && *used == wire.size() && piece.size() == event);
  }
}
BENCHMARK(ReadWatchEvent)->Arg(300)->Arg(1500);

Awaitable<Response> Bound(Request) {
  Response response = BindingAnswer();
  co_return response;
}

Awaitable<void> PostAll(IoContext& io, Transport& client, int requests, int& done) {
  for (int i = 0; i < requests; ++i) {
    const absl::StatusOr<Response> response = co_await client.Fetch(BindingPost());
    if (response.ok() && response->status == 201) ++done;
  }
  io.Stop();
}

// Bindings posted one after another over a kept connection; CPU of client, server and kernel.
void LoopbackBindings(benchmark::State& state) {
  constexpr int kRequests = 2000;
  for (auto _ : state) {
    const std::unique_ptr<IoContext> io = IoContext::Create();
    ServerOptions server_options;
    server_options.address = "127.0.0.1";
    server_options.port = 0;
    absl::StatusOr<std::unique_ptr<Server>> server = StartServer(*io, server_options, Bound);
    BTH_CHECK(server.ok());
    ClientOptions client_options;
    client_options.host = "127.0.0.1";
    client_options.port = (*server)->port();
    absl::StatusOr<std::unique_ptr<Transport>> client = MakeHttpClient(*io, client_options);
    BTH_CHECK(client.ok());
    int done = 0;
    Spawn(*io, PostAll(*io, **client, kRequests, done));
    io->Run();
    BTH_CHECK(done == kRequests);
  }
  state.SetItemsProcessed(state.iterations() * kRequests);
}
BENCHMARK(LoopbackBindings)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bth::net

BENCHMARK_MAIN();
