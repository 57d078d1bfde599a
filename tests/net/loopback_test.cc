#include "tests/net/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace bth::net::test {

namespace {

template <typename T>
T Must(absl::StatusOr<T> result) {
  INFO(result.status());
  REQUIRE(result.ok());
  return *std::move(result);
}

TestCertificates MakeCertificates() {
  TestCertificates out;
  CertificateRequest request;
  request.common_name = "test authority";
  request.now = absl::Now();
  out.authority = Must(GenerateAuthority(request));
  request.common_name = "server";
  request.hosts = {"localhost", "127.0.0.1", "::1"};
  out.server = Must(IssueCertificate(out.authority, request));
  request.common_name = "alice";
  request.organizations = {"admins", "batch users"};
  request.hosts = {};
  out.client = Must(IssueCertificate(out.authority, request));
  return out;
}

Awaitable<void> RunAndStop(IoContext& io, Awaitable<void> work, bool& ended) {
  co_await std::move(work);
  ended = true;
  io.Stop();
}

}  // namespace

const TestCertificates& Certificates() {
  static const TestCertificates certificates = MakeCertificates();
  return certificates;
}

ServerTls TlsForServer() {
  ServerTls tls;
  tls.certificate_pem = Certificates().server.certificate_pem;
  tls.key_pem = Certificates().server.key_pem;
  tls.client_ca_pem = Certificates().authority.certificate_pem;
  return tls;
}

TlsOptions TlsForClient() {
  TlsOptions tls;
  tls.enabled = true;
  tls.ca_pem = Certificates().authority.certificate_pem;
  return tls;
}

Loopback::Loopback() : io(IoContext::Create()) {}

void Loopback::Serve(ServerOptions options, Handler handler) {
  tls = options.tls;
  if (tls && options.certificates.certificate_pem.empty()) options.certificates = TlsForServer();
  server = Must(StartServer(*io, std::move(options), std::move(handler)));
  REQUIRE(server->port() != 0);
}

std::unique_ptr<Transport> Loopback::Client(ClientOptions options) {
  if (options.host.empty()) options.host = "127.0.0.1";
  options.port = server->port();
  if (tls && !options.tls.enabled) options.tls = TlsForClient();
  return Must(MakeHttpClient(*io, std::move(options)));
}

void Loopback::Run(Awaitable<void> work) {
  bool ended = false;
  Spawn(*io, RunAndStop(*io, std::move(work), ended));
  const auto guard = io->RunAfter(absl::Minutes(1), [this] { io->Stop(); });
  io->Run();
  io->CancelTimer(guard);
  REQUIRE(ended);
}

Awaitable<Response> MustFetch(Transport& transport, Request request) {
  absl::StatusOr<Response> response = co_await transport.Fetch(std::move(request));
  if (!response.ok()) FAIL(response.status());
  co_return *std::move(response);
}

Request Get(std::string target) {
  Request request;
  request.target = std::move(target);
  return request;
}

Request Post(std::string target, std::string body) {
  Request request;
  request.method = "POST";
  request.target = std::move(target);
  request.body = std::move(body);
  return request;
}

Awaitable<Drained> Drain(ByteStream& stream) {
  Drained out;
  for (;;) {
    absl::StatusOr<std::optional<std::string>> piece = co_await stream.Next();
    if (!piece.ok()) out.end = piece.status();
    if (!piece.ok() || !piece->has_value()) co_return out;
    CHECK_FALSE((*piece)->empty());
    out.bytes += **piece;
  }
}

Awaitable<std::string> OnThread(IoContext& io, std::function<std::string()> work) {
  std::string result;
  const Promised<bool> ended(io);
  std::thread thread([&io, &ended, &result, &work] {
    result = work();
    io.Post([ended] { ended.Set(true); });
  });
  co_await ended.Wait();
  thread.join();
  co_return result;
}

namespace {

sockaddr_in LoopbackAddress(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

RawSocket::RawSocket(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
  const sockaddr_in address = LoopbackAddress(port);
  BTH_CHECK(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
}

RawSocket RawSocket::Adopt(int fd) {
  RawSocket out;
  out.fd_ = fd;
  return out;
}

RawSocket::~RawSocket() {
  Close();
}

void RawSocket::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void RawSocket::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // The test looks at what came back.
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string RawSocket::ReadAll() {
  return ReadUntil(std::string_view());
}

std::string RawSocket::ReadUntil(std::string_view text) {
  const timeval limit{10, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  std::string out;
  char buffer[4096];
  for (;;) {
    const ssize_t got = recv(fd_, buffer, sizeof(buffer), 0);
    if (got <= 0) return out;
    out.append(buffer, static_cast<size_t>(got));
    if (!text.empty() && out.find(text) != std::string::npos) return out;
  }
}

RawListener::RawListener() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = LoopbackAddress(0);
  socklen_t length = sizeof(address);
  BTH_CHECK(bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  BTH_CHECK(listen(fd_, 16) == 0);
  BTH_CHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port_ = ntohs(address.sin_port);
}

RawListener::~RawListener() {
  close(fd_);
}

RawSocket RawListener::Accept() {
  return RawSocket::Adopt(accept(fd_, nullptr, nullptr));
}

}  // namespace bth::net::test
