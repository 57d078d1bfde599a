#include "cmd/common/log_level_server.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "base/log.h"
#include "base/strings.h"
#include "cmd/common/daemon_flags.h"
#include "conf/arguments.h"
#include "net/text_response.h"

namespace bth::cmd {
namespace {

constexpr char kDefaultFolder[] = "/tmp/klog-socks";
constexpr char kSocket[] = "klog-klog.sock";

net::Response Text(int status, std::string text) {
  net::Response response = net::TextResponse(status, std::move(text));
  response.headers.Set("X-Content-Type-Options", "nosniff");
  return response;
}

net::Response Usage(std::string_view wrong) {
  return Text(400, StrCat(wrong, "\nUsage: curl --unix-socket ", kDefaultFolder, "/", kSocket,
                          " \"http://localhost/setlevel?level=8&duration=60s\"\n",
                          "level: a whole number from 1; duration: 1ms or more\n"));
}

}  // namespace

LogLevelServer::LogLevelServer(net::Executor& executor, const LogFlags& log)
    : executor_(executor), at_start_(log), verbosity_(log.verbosity) {}

LogLevelServer::~LogLevelServer() {
  if (recover_ != 0) executor_.CancelTimer(recover_);
}

std::unique_ptr<LogLevelServer> LogLevelServer::Start(net::Executor& executor,
                                                      const LogFlags& log) {
  auto made = std::make_unique<LogLevelServer>(executor, log);
  const std::string folder = Environment("DEBUG_SOCKET_DIR", kDefaultFolder);
  mkdir(folder.c_str(), 0750);  // What is wrong with it shows when the socket is made.
  net::ServerOptions options;
  options.unix_path = StrCat(folder, "/", kSocket);
  options.connections_max = 16;
  options.body_bytes_max = 64 << 10;
  LogLevelServer* self = made.get();
  net::Handler handler = [self](net::Request request) { return self->Serve(std::move(request)); };
  auto server = net::StartServer(executor, options, std::move(handler));
  if (!server.ok()) {
    Log(LogLevel::kWarning, "log_level.not_served",
        {{"status", server.status()}, {"effect", "the log level is that of -v until the end"}});
    return nullptr;
  }
  made->server_ = *std::move(server);
  return made;
}

net::Awaitable<net::Response> LogLevelServer::Serve(net::Request request) {
  co_return Answer(request.target);
}

net::Response LogLevelServer::Answer(const std::string& target) {
  const absl::StatusOr<net::Target> parsed = net::ParseTarget(target);
  if (!parsed.ok()) return Usage("unreadable address");
  if (parsed->path == "/getlevel") {
    return Text(200, StrCat("Current klog log level: ", verbosity_, "\n"));
  }
  if (parsed->path == "/setlevel") return Set(*parsed);
  return Text(404, "pages: /getlevel /setlevel\n");
}

net::Response LogLevelServer::Set(const net::Target& target) {
  int32_t level = 0;
  if (!SimpleAtoi(target.Query("level"), &level) || level < 1) {
    return Usage("level is missing, or no whole number from 1");
  }
  const absl::StatusOr<absl::Duration> duration = conf::ParseGoDuration(target.Query("duration"));
  if (!duration.ok() || *duration < absl::Milliseconds(1)) {
    return Usage("duration is missing, or shorter than 1ms");
  }
  LogFlags wanted = at_start_;
  wanted.verbosity = verbosity_ = level;
  SetLogLevel(wanted.level());
  if (recover_ != 0) executor_.CancelTimer(recover_);
  recover_ = executor_.RunAfter(*duration, [this] { Recover(); });
  Log(LogLevel::kInfo, "log_level.changed", {{"level", level}, {"duration", *duration}});
  return Text(200, StrCat("Change klog log level to ", level, " successfully and  for ",
                          GoDurationText(*duration), "\n"));
}

void LogLevelServer::Recover() {
  recover_ = 0;
  verbosity_ = at_start_.verbosity;
  SetLogLevel(at_start_.level());
  Log(LogLevel::kInfo, "log_level.recovered", {{"level", verbosity_}});
}

}  // namespace bth::cmd
