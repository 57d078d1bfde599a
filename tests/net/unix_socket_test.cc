// A server on a Unix socket.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/net/loopback.h"
#include "tests/support/temp_folder.h"

namespace bth::net {
namespace {

using bth::test::TempFolder;
using test::RawSocket;

Awaitable<Response> Hello(Request request) {
  Response response;
  response.body = StrCat("hello from ", request.target, " to ", request.peer.address);
  co_return response;
}

RawSocket Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BTH_CHECK(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  return RawSocket::Adopt(fd);
}

ServerOptions At(const std::string& path) {
  ServerOptions options;
  options.unix_path = path;
  return options;
}

TEST_CASE("unix socket: served to its owner alone, and gone with the server", "[net]") {
  const TempFolder folder;
  const std::string path = folder.Sub("s.sock");
  test::Loopback loopback;
  auto server = StartServer(*loopback.io, At(path), Hello);
  REQUIRE(server.ok());
  CHECK((*server)->port() == 0);
  struct stat info {};
  REQUIRE(lstat(path.c_str(), &info) == 0);
  CHECK(S_ISSOCK(info.st_mode));
  CHECK((info.st_mode & 0777) == 0700);
  std::string answer;
  auto work = [&]() -> Awaitable<void> {
    std::function<std::string()> ask = [&path] {
      RawSocket socket = Connect(path);
      socket.Send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      return socket.ReadAll();
    };
    answer = co_await test::OnThread(*loopback.io, ask);
  };
  loopback.Run(work());
  CHECK(absl::StartsWith(answer, "HTTP/1.1 200"));
  CHECK(absl::EndsWith(answer, "hello from /x to unix"));
  server->reset();
  CHECK(lstat(path.c_str(), &info) != 0);
}

TEST_CASE("unix socket: one that was left over is replaced, other files are not", "[net]") {
  const TempFolder folder;
  const std::string path = folder.Sub("s.sock");
  const std::unique_ptr<IoContext> io = IoContext::Create();
  auto first = StartServer(*io, At(path), Hello);
  REQUIRE(first.ok());
  auto second = StartServer(*io, At(path), Hello);
  REQUIRE(second.ok());
  first->reset();  // Must not take its successor's socket away.
  struct stat info {};
  CHECK(lstat(path.c_str(), &info) == 0);
  const std::string file = folder.Write("file", "kept");
  const auto refused = StartServer(*io, At(file), Hello);
  CHECK(absl::StrContains(refused.status().message(), "exists, and is no socket"));
  CHECK(std::ifstream(file).good());
  CHECK_FALSE(StartServer(*io, At(folder.Sub("no/such")), Hello).ok());
  CHECK(absl::IsInvalidArgument(
      StartServer(*io, At(folder.path() + std::string(200, 'x')), Hello).status()));
}

}  // namespace
}  // namespace bth::net
