#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/detail/asio_executor.h"
#include "net/detail/connection.h"
#include "net/server.h"

namespace bth::net {

namespace {

using detail::Connection;
using detail::SocketAddress;

constexpr int kAcceptedPerTurn = 64;
constexpr int kRefusedMax =
    64;  // Connections that are being told so; further ones are just closed.
constexpr int64_t kBodyBytesMax = int64_t{512} << 20;  // Of bodies being read, all together.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);
constexpr absl::Duration kRefusalLogPeriod = absl::Seconds(10);

class HttpServer final : public Server,
                         public detail::ServerSide,
                         public detail::Readiness::Listener {
 public:
  HttpServer(detail::AsioExecutor& executor, ServerOptions options, Handler handler)
      : asio_executor_(executor),
        executor_(executor),
        options_(std::move(options)),
        handler_(std::move(handler)),
        self_(std::make_shared<HttpServer*>(this)) {}
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() override;

  absl::Status Listen();
  absl::Status ListenUnix();
  uint16_t port() const override { return port_; }
  absl::Status ReplaceCertificates(const ServerTls& certificates) override;
  Awaitable<bool> Drain(absl::Duration limit) override;

 private:
  Executor& executor() override { return executor_; }
  const ServerOptions& options() const override { return options_; }
  const Handler& handler() const override { return handler_; }
  std::string_view date() override;
  void Drop(uint64_t id) override;
  bool AddBodyBytes(int64_t bytes) override;
  bool draining() const override { return drained_.has_value(); }
  void StopListening();
  void OnReadable() override;
  void OnWritable() override {}
  void Admit(int fd, const SocketAddress& address);
  void LogRefusal();

  detail::AsioExecutor& asio_executor_;
  Executor& executor_;
  const ServerOptions options_;
  const Handler handler_;
  uint16_t port_ = 0;
  ino_t unix_inode_ = 0;  // Of the socket's file.
  detail::SslContextPtr tls_;
  std::unique_ptr<detail::Readiness> listener_;
  Executor::TimerId accept_again_ = 0;
  std::map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t next_id_ = 1;
  int refused_ = 0;  // Of `connections_`.
  int64_t body_bytes_ = 0;
  std::optional<Promised<bool>> drained_;  // There once the end has begun.
  int64_t date_second_ = 0;
  std::string date_;
  absl::Duration refusal_logged_ = -absl::InfiniteDuration();
  std::shared_ptr<HttpServer*> self_;  // Posted functions look here whether the server lives.
};

void HttpServer::StopListening() {
  if (accept_again_ != 0) executor_.CancelTimer(std::exchange(accept_again_, 0));
  struct stat found {};
  const bool ours = unix_inode_ != 0 && lstat(options_.unix_path.c_str(), &found) == 0 &&
                    found.st_ino == unix_inode_;
  if (ours) unlink(options_.unix_path.c_str());  // Not that of a successor.
  listener_.reset();
}

HttpServer::~HttpServer() {
  *self_ = nullptr;
  StopListening();
  // One by one, because a handler's locals may end while the map is looked at.
  while (!connections_.empty()) auto dropped = connections_.extract(connections_.begin());
}

absl::Status HttpServer::Listen() {
  if (!options_.unix_path.empty()) return ListenUnix();
  const std::optional<SocketAddress> numeric =
      detail::NumericAddress(options_.address, options_.port);
  if (!numeric.has_value()) {
    return absl::InvalidArgumentError(
        StrCat("address \"", options_.address, "\": must be an IP address"));
  }
  const SocketAddress& address = *numeric;
  const std::string text = ToText(address);
  const auto failed = [&text](std::string_view doing) {
    return absl::UnavailableError(
        StrCat("listen on ", text, ": ", doing, ": ", std::strerror(errno)));
  };
  const int fd = socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed("socket");
  listener_ = std::make_unique<detail::Readiness>(asio_executor_, fd, *this);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, reinterpret_cast<const sockaddr*>(address.bytes), address.length) != 0) {
    return failed("bind");
  }
  if (listen(fd, SOMAXCONN) != 0) return failed("listen");
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return failed("getsockname");
  }
  port_ = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                            : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  listener_->WaitReadable();
  return absl::OkStatus();
}

absl::Status HttpServer::ListenUnix() {
  const std::string& path = options_.unix_path;
  const auto failed = [&path](std::string_view doing) {
    return absl::UnavailableError(
        StrCat("listen on ", path, ": ", doing, ": ", std::strerror(errno)));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        StrCat("socket path \"", path, "\": longer than ", sizeof(address.sun_path) - 1, " bytes"));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) {
      return absl::InvalidArgumentError(StrCat(path, ": exists, and is no socket"));
    }
    if (unlink(path.c_str()) != 0) return failed("unlink");
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed("socket");
  listener_ = std::make_unique<detail::Readiness>(asio_executor_, fd, *this);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return failed("bind");
  }
  if (lstat(path.c_str(), &found) == 0) unix_inode_ = found.st_ino;
  // Nobody can connect before listen(), so nobody gets in while the mode is still the default.
  if (chmod(path.c_str(), S_IRWXU) != 0) return failed("chmod");
  if (listen(fd, SOMAXCONN) != 0) return failed("listen");
  listener_->WaitReadable();
  return absl::OkStatus();
}

absl::Status HttpServer::ReplaceCertificates(const ServerTls& certificates) {
  auto context = detail::MakeServerContext(certificates);
  if (!context.ok()) return Annotate(context.status(), "certificates of the server");
  tls_ = *std::move(context);  // Connections hold the context they were made from.
  return absl::OkStatus();
}

Awaitable<bool> HttpServer::Drain(absl::Duration limit) {
  BTH_CHECK(!drained_.has_value());
  StopListening();
  drained_.emplace(executor_);
  const Promised<bool> drained = *drained_;
  for (const auto& [id, connection] : connections_) {
    if (connection->idle()) Drop(id);
  }
  if (connections_.empty()) co_return true;
  const Executor::TimerId timer = executor_.RunAfter(limit, [drained] { drained.Set(false); });
  const bool all = co_await drained.Wait();
  executor_.CancelTimer(timer);
  co_return all;
}

std::string_view HttpServer::date() {
  const absl::Time now = executor_.Now();
  const int64_t second = absl::ToUnixSeconds(now);
  if (second != date_second_ || date_.empty()) {
    date_second_ = second;
    date_ = absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", now, absl::UTCTimeZone());
  }
  return date_;
}

void HttpServer::Drop(uint64_t id) {
  executor_.Post([self = self_, id] {
    if (*self == nullptr) return;
    const auto found = (*self)->connections_.find(id);
    if (found == (*self)->connections_.end()) return;  // Dropped twice.
    if (found->second->refused()) --(*self)->refused_;
    auto dropped = (*self)->connections_.extract(found);
    HttpServer& server = **self;
    if (server.draining() && server.connections_.empty()) server.drained_->Set(true);
  });
}

bool HttpServer::AddBodyBytes(int64_t bytes) {
  body_bytes_ += bytes;
  return body_bytes_ <= kBodyBytesMax;
}

void HttpServer::OnReadable() {
  for (int accepted = 0; accepted < kAcceptedPerTurn; ++accepted) {
    SocketAddress address;
    socklen_t length = sizeof(address.bytes);
    const int fd = accept4(listener_->fd(), reinterpret_cast<sockaddr*>(address.bytes), &length,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      address.length = length;
      Admit(fd, address);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    // Out of descriptors or memory: the connection stays in the kernel's queue for now.
    Log(LogLevel::kWarning, "http.accept_failed", {{"error", std::strerror(errno)}});
    accept_again_ = executor_.RunAfter(kAcceptPause, [this] {
      accept_again_ = 0;
      listener_->WaitReadable();
    });
    return;
  }
  listener_->WaitReadable();
}

void HttpServer::Admit(int fd, const SocketAddress& address) {
  const bool refused = static_cast<int>(connections_.size()) - refused_ >= options_.connections_max;
  if (refused) LogRefusal();
  if (refused && refused_ >= kRefusedMax) {
    close(fd);
    return;
  }
  Connection::Accepted accepted;
  accepted.fd = fd;
  accepted.address = options_.unix_path.empty() ? ToText(address) : "unix";
  accepted.id = next_id_++;
  accepted.refused = refused;
  if (tls_ != nullptr) {
    accepted.ssl.reset(SSL_new(tls_.get()));
    BTH_CHECK(accepted.ssl != nullptr);
    SSL_set_accept_state(accepted.ssl.get());
  }
  if (refused) ++refused_;
  const uint64_t id = accepted.id;
  auto connection = std::make_unique<Connection>(*this, asio_executor_, std::move(accepted));
  Connection& started = *connection;
  connections_.emplace(id, std::move(connection));
  started.Start();
}

void HttpServer::LogRefusal() {
  const absl::Duration now = executor_.Monotonic();
  if (now - refusal_logged_ < kRefusalLogPeriod) return;
  refusal_logged_ = now;
  Log(LogLevel::kWarning, "http.connections_refused",
      {{"port", port_}, {"connections_max", options_.connections_max}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> StartServer(Executor& executor, ServerOptions options,
                                                    Handler handler) {
  BTH_ASSIGN_OR_RETURN(detail::AsioExecutor * asio_executor, detail::RequireAsio(executor));
  if (options.connections_max < 1) {
    return absl::InvalidArgumentError("connections_max: must be >= 1");
  }
  const bool tls = options.tls;
  const ServerTls certificates = options.certificates;
  auto server =
      std::make_unique<HttpServer>(*asio_executor, std::move(options), std::move(handler));
  if (tls) BTH_RETURN_IF_ERROR(server->ReplaceCertificates(certificates));
  BTH_RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace bth::net
