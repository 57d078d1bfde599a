#include "net/detail/readiness.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstring>

#include "base/strings.h"
#include "net/detail/asio_executor.h"

namespace bth::net::detail {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

absl::StatusOr<AsioExecutor*> RequireAsio(Executor& executor) {
  if (auto* asio_executor = dynamic_cast<AsioExecutor*>(&executor)) return asio_executor;
  return absl::InvalidArgumentError("sockets need an executor made by IoContext::Create");
}

// Shared with the waits in flight, which may end after the owner is gone.
struct Readiness::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& context, int fd, Listener& l) : descriptor(context, fd), listener(&l) {}

  void Wait(asio::posix::stream_descriptor::wait_type type, bool& armed) {
    if (armed || listener == nullptr) return;
    armed = true;
    const bool reads = type == asio::posix::stream_descriptor::wait_read;
    descriptor.async_wait(type, [self = shared_from_this(), reads](const ErrorCode&) {
      // An error is found by the read or write that follows.
      (reads ? self->read_armed : self->write_armed) = false;
      if (self->listener == nullptr) return;
      reads ? self->listener->OnReadable() : self->listener->OnWritable();
    });
  }

  asio::posix::stream_descriptor descriptor;
  Listener* listener;
  bool read_armed = false;
  bool write_armed = false;
};

Readiness::Readiness(AsioExecutor& executor, int fd, Listener& listener)
    : impl_(std::make_shared<Impl>(executor.context(), fd, listener)), fd_(fd) {}

Readiness::~Readiness() {
  Close();
}

void Readiness::WaitReadable() {
  impl_->Wait(asio::posix::stream_descriptor::wait_read, impl_->read_armed);
}

void Readiness::WaitWritable() {
  impl_->Wait(asio::posix::stream_descriptor::wait_write, impl_->write_armed);
}

void Readiness::Close() {
  if (fd_ < 0) return;
  fd_ = -1;
  impl_->listener = nullptr;
  ErrorCode ignored;
  impl_->descriptor.close(ignored);
}

int SocketAddress::family() const {
  return reinterpret_cast<const sockaddr*>(bytes)->sa_family;
}

std::optional<SocketAddress> NumericAddress(const std::string& host, uint16_t port) {
  SocketAddress out;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(out.bytes, &v4, sizeof(v4));
    out.length = sizeof(v4);
    return out;
  }
  if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(out.bytes, &v6, sizeof(v6));
    out.length = sizeof(v6);
    return out;
  }
  return std::nullopt;
}

Promised<Addresses> Resolve(AsioExecutor& executor, const std::string& host, uint16_t port) {
  Promised<Addresses> found(executor);
  if (const std::optional<SocketAddress> numeric = NumericAddress(host, port)) {
    found.Set(std::vector<SocketAddress>{*numeric});
    return found;
  }
  // Asio asks the system's resolver on a thread of its own. The resolver object lives in the
  // handler, because destroying it earlier would cancel the question.
  auto resolver = std::make_shared<asio::ip::tcp::resolver>(executor.context());
  auto handler = [resolver, found, host](const ErrorCode& error,
                                         const asio::ip::tcp::resolver::results_type& results) {
    std::vector<SocketAddress> addresses;
    for (const auto& entry : results) {
      SocketAddress address;
      address.length = static_cast<unsigned>(entry.endpoint().size());
      std::memcpy(address.bytes, entry.endpoint().data(), address.length);
      addresses.push_back(address);
    }
    if (error || addresses.empty()) {
      found.Set(absl::UnavailableError(
          StrCat("cannot resolve host \"", host, "\": ", error ? error.message() : "no address")));
    } else {
      found.Set(std::move(addresses));
    }
  };
  resolver->async_resolve(host, std::to_string(port), std::move(handler));
  return found;
}

std::string ToText(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.bytes);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
    return StrCat(text, ":", ntohs(v4->sin_port));
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.bytes);
  inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
  return StrCat("[", text, "]:", ntohs(v6->sin6_port));
}

}  // namespace bth::net::detail
