// What a byte costs between two ends of a TLS connection over loopback: by our own channel and by
// Asio's stream over the same OpenSSL, in the shapes of a scheduler's traffic. Both ends are
// counted. docs/decisions/0018 draws the conclusion.
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "net/detail/asio_executor.h"
#include "net/detail/channel.h"
#include "net/detail/readiness.h"
#include "net/detail/tls.h"

namespace bth::net {
namespace {

namespace asio = boost::asio;
using AsioStream = asio::ssl::stream<asio::ip::tcp::socket>;

constexpr size_t kRequestBytes = 1300;  // A binding with its token.
constexpr size_t kAnswerBytes = 500;
constexpr size_t kListBytes = 4 << 20;
constexpr size_t kPieceBytes = 32 << 10;  // What an API server writes of a list at a time.
constexpr int kExchanges = 1000;

detail::SslContextPtr Context(const SSL_METHOD* method) {
  detail::SslContextPtr context(SSL_CTX_new(method));
  BTH_CHECK(context != nullptr);
  return context;
}

// With a certificate that it signed itself.
detail::SslContextPtr ServerContext() {
  const detail::KeyPtr key(EVP_EC_gen("P-256"));
  const detail::X509Ptr certificate(X509_new());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  BTH_CHECK(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  detail::SslContextPtr context = Context(TLS_server_method());
  BTH_CHECK(SSL_CTX_use_certificate(context.get(), certificate.get()) == 1);
  BTH_CHECK(SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1);
  return context;
}

// The two ends of a TCP connection over loopback.
std::pair<int, int> TcpPair() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  BTH_CHECK(bind(listener, raw, length) == 0 && listen(listener, 1) == 0);
  BTH_CHECK(getsockname(listener, raw, &length) == 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BTH_CHECK(connect(client, raw, length) == 0);
  const int server = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  BTH_CHECK(server >= 0);
  close(listener);
  return {client, server};
}

int NonBlocking(int fd) {
  const int nonblocking = 1;
  BTH_CHECK(ioctl(fd, FIONBIO, &nonblocking) == 0);
  return fd;
}

class ChannelPair {
 public:
  ChannelPair() : io_(IoContext::Create()) {
    const auto [client, server] = TcpPair();
    auto executor = detail::RequireAsio(*io_);
    BTH_CHECK(executor.ok());
    detail::SslPtr client_ssl(SSL_new(client_context_.get()));
    SSL_set_connect_state(client_ssl.get());
    detail::SslPtr server_ssl(SSL_new(server_context_.get()));
    SSL_set_accept_state(server_ssl.get());
    client_ =
        std::make_unique<detail::Channel>(**executor, NonBlocking(client), std::move(client_ssl));
    server_ =
        std::make_unique<detail::Channel>(**executor, NonBlocking(server), std::move(server_ssl));
    Both(Shake(*client_), Shake(*server_));
  }

  void Exchange(int times) { Both(Ask(times), Answer(times)); }
  void List() { Both(TakeList(), GiveList()); }

 private:
  void Both(Awaitable<void> first, Awaitable<void> second) {
    running_ = 2;
    Spawn(*io_, Part(std::move(first)));
    Spawn(*io_, Part(std::move(second)));
    io_->Run();
  }
  Awaitable<void> Part(Awaitable<void> work) {
    co_await std::move(work);
    if (--running_ == 0) io_->Stop();
  }
  static Awaitable<void> Shake(detail::Channel& channel) {
    const absl::Status done = co_await channel.Handshake();
    BTH_CHECK(done.ok());
  }
  static Awaitable<void> Send(detail::Channel& channel, std::string_view bytes) {
    const detail::Channel::Parts parts{bytes, {}, {}};
    const absl::Status sent = co_await channel.Write(parts);
    BTH_CHECK(sent.ok());
  }
  static Awaitable<void> Take(detail::Channel& channel, size_t bytes) {
    while (bytes > 0) {
      if (channel.input().empty()) {
        const absl::StatusOr<bool> more = co_await channel.Fill();
        BTH_CHECK(more.ok() && *more);
      }
      const size_t taken = std::min(bytes, channel.input().size());
      channel.Consume(taken);
      bytes -= taken;
    }
  }
  Awaitable<void> Ask(int times) {
    for (int i = 0; i < times; ++i) {
      co_await Send(*client_, request_);
      co_await Take(*client_, kAnswerBytes);
    }
  }
  Awaitable<void> Answer(int times) {
    for (int i = 0; i < times; ++i) {
      co_await Take(*server_, kRequestBytes);
      co_await Send(*server_, answer_);
    }
  }
  Awaitable<void> TakeList() { co_await Take(*client_, kListBytes); }
  Awaitable<void> GiveList() {
    for (size_t sent = 0; sent < kListBytes; sent += kPieceBytes) co_await Send(*server_, piece_);
  }

  const detail::SslContextPtr client_context_ = Context(TLS_client_method());
  const detail::SslContextPtr server_context_ = ServerContext();
  const std::string request_ = std::string(kRequestBytes, 'r');
  const std::string answer_ = std::string(kAnswerBytes, 'a');
  const std::string piece_ = std::string(kPieceBytes, 'p');
  std::unique_ptr<IoContext> io_;
  std::unique_ptr<detail::Channel> client_;
  std::unique_ptr<detail::Channel> server_;
  int running_ = 0;
};

class AsioPair {
 public:
  AsioPair()
      : client_context_(Context(TLS_client_method()).release()),
        server_context_(ServerContext().release()),
        client_(io_, client_context_),
        server_(io_, server_context_) {
    const auto [client, server] = TcpPair();
    client_.next_layer().assign(asio::ip::tcp::v4(), client);
    server_.next_layer().assign(asio::ip::tcp::v4(), server);
    for (AsioStream* stream : {&client_, &server_}) {
      stream->next_layer().set_option(asio::ip::tcp::no_delay(true));
    }
    client_.async_handshake(AsioStream::client, &Good);
    server_.async_handshake(AsioStream::server, &Good);
    Run();
  }

  void Exchange(int times) {
    to_ask_ = to_answer_ = times;
    Ask();
    Answer();
    Run();
  }
  void List() {
    to_take_ = to_give_ = kListBytes;
    TakeMore();
    GiveMore();
    Run();
  }

 private:
  static void Good(const boost::system::error_code& error) { BTH_CHECK(!error); }
  void Run() {
    io_.restart();
    io_.run();
  }
  void Ask() {
    if (to_ask_-- == 0) return;
    asio::async_write(client_, asio::buffer(request_), [this](auto error, size_t) {
      Good(error);
      asio::async_read(client_, asio::buffer(client_input_, kAnswerBytes),
                       [this](auto read_error, size_t) {
                         Good(read_error);
                         Ask();
                       });
    });
  }
  void Answer() {
    if (to_answer_-- == 0) return;
    asio::async_read(
        server_, asio::buffer(server_input_, kRequestBytes), [this](auto error, size_t) {
          Good(error);
          asio::async_write(server_, asio::buffer(answer_), [this](auto write_error, size_t) {
            Good(write_error);
            Answer();
          });
        });
  }
  void TakeMore() {
    client_.async_read_some(asio::buffer(client_input_), [this](auto error, size_t bytes) {
      Good(error);
      to_take_ -= bytes;
      if (to_take_ > 0) TakeMore();
    });
  }
  void GiveMore() {
    asio::async_write(server_, asio::buffer(piece_), [this](auto error, size_t bytes) {
      Good(error);
      to_give_ -= bytes;
      if (to_give_ > 0) GiveMore();
    });
  }

  const std::string request_ = std::string(kRequestBytes, 'r');
  const std::string answer_ = std::string(kAnswerBytes, 'a');
  const std::string piece_ = std::string(kPieceBytes, 'p');
  asio::io_context io_{1};
  asio::ssl::context client_context_;
  asio::ssl::context server_context_;
  AsioStream client_;
  AsioStream server_;
  std::array<char, 16 << 10> client_input_;
  std::array<char, 16 << 10> server_input_;
  int to_ask_ = 0;
  int to_answer_ = 0;
  size_t to_take_ = 0;
  size_t to_give_ = 0;
};

template <typename Pair>
void Exchanges(benchmark::State& state) {
  Pair pair;
  for (auto _ : state) pair.Exchange(kExchanges);
  state.SetItemsProcessed(state.iterations() * kExchanges);
}
BENCHMARK_TEMPLATE(Exchanges, ChannelPair)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(Exchanges, AsioPair)->Unit(benchmark::kMillisecond);

template <typename Pair>
void List(benchmark::State& state) {
  Pair pair;
  for (auto _ : state) pair.List();
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kListBytes));
}
BENCHMARK_TEMPLATE(List, ChannelPair)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(List, AsioPair)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bth::net

BENCHMARK_MAIN();
