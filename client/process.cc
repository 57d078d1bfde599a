#include "client/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX, not of C.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"

extern char** environ;

namespace bth::client {
namespace {

constexpr size_t kErrorTextBytes = 512;
constexpr int kPollMs = 20;  // How soon `stop`, the deadline and the end are noticed.

class Pipe final {
 public:
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    Close(0);
    Close(1);
  }
  bool Open() { return ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void Close(size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// posix_spawn's own structures, released in every path.
class SpawnSettings final {
 public:
  // Negative `err`: stderr and process group are ours.
  SpawnSettings(int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, 1);
    if (err >= 0) posix_spawn_file_actions_adddup2(&actions_, err, 2);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;  // NOLINT(google-runtime-int)
    if (err >= 0) {
      posix_spawnattr_setpgroup(&attributes_, 0);  // Its own group: killed with its children.
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes_, flags);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  int Spawn(const std::vector<char*>& argv, const std::vector<char*>& envp, pid_t* pid) const {
    return ::posix_spawnp(pid, argv[0], &actions_, &attributes_, argv.data(), envp.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> Environment(const ProcessRequest& request) {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : request.env) {
      replaced |= text.size() > name.size() && text.substr(0, name.size()) == name &&
                  text[name.size()] == '=';
    }
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : request.env) out.push_back(StrCat(name, "=", value));
  return out;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// A started program; killed, with its group where it has one, and reaped when this goes out of
// scope.
class Child final {
 public:
  Child(pid_t pid, bool has_group) : pid_(pid), has_group_(has_group) {}
  Child(const Child&) = delete;
  ~Child() {
    if (ended_) return;
    ::kill(has_group_ ? -pid_ : pid_, SIGKILL);
    while (::waitpid(pid_, &state_, 0) < 0 && errno == EINTR) {
    }
  }
  bool CheckEnded() {
    if (!ended_) ended_ = ::waitpid(pid_, &state_, WNOHANG) == pid_;
    return ended_;
  }
  int state() const { return state_; }

 private:
  const pid_t pid_;
  const bool has_group_;
  bool ended_ = false;
  int state_ = 0;
};

// Moves what is there into `text`; false at the end of the pipe.
bool Drain(int fd, std::string* text) {
  char buffer[8 << 10];
  const ssize_t got = ::read(fd, buffer, sizeof(buffer));
  if (got > 0) text->append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

absl::Status ExitStatus(const std::string& command, int state, std::string_view errors) {
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return absl::OkStatus();
  const std::string how = WIFEXITED(state) ? StrCat("exit code ", WEXITSTATUS(state))
                                           : StrCat("killed by signal ", WTERMSIG(state));
  const std::string_view said = StripAsciiWhitespace(errors);
  return absl::UnknownError(StrCat(command, ": ", how, said.empty() ? "" : ": ", said));
}

// Reads both pipes until the program has ended and its output is complete, or a limit is hit.
absl::StatusOr<std::string> Collect(const ProcessRequest& request, const std::atomic<bool>& stop,
                                    Child& child, std::array<int, 2> fds) {
  using Steady = std::chrono::steady_clock;
  const Steady::time_point deadline = Steady::now() + absl::ToChronoNanoseconds(request.timeout);
  std::array<std::string, 2> texts;
  while (fds[0] >= 0 || fds[1] >= 0 || !child.CheckEnded()) {
    // Asked before the poll: what an ended program wrote is then in the pipes already.
    const bool ended = child.CheckEnded();
    if (stop.load()) return absl::CancelledError(StrCat(request.command, ": stopped"));
    if (Steady::now() >= deadline) {
      return absl::DeadlineExceededError(StrCat(request.command, ": not done after ",
                                                absl::FormatDuration(request.timeout), "; killed"));
    }
    std::array<pollfd, 2> polled{pollfd{fds[0], POLLIN, 0}, pollfd{fds[1], POLLIN, 0}};
    ::poll(polled.data(), polled.size(), kPollMs);
    for (size_t i = 0; i < 2; ++i) {
      if (fds[i] >= 0 && polled[i].revents != 0 && !Drain(fds[i], &texts[i])) fds[i] = -1;
    }
    if (texts[0].size() > request.output_bytes_max) {
      return absl::ResourceExhaustedError(
          StrCat(request.command, ": printed more than ", request.output_bytes_max, " bytes"));
    }
    if (texts[1].size() > kErrorTextBytes) texts[1].erase(0, texts[1].size() - kErrorTextBytes);
    // A grandchild may hold the pipes open: the program's own end is what counts.
    if (ended && polled[0].revents == 0 && polled[1].revents == 0) break;
  }
  BTH_RETURN_IF_ERROR(ExitStatus(request.command, child.state(), texts[1]));
  return std::move(texts[0]);
}

}  // namespace

absl::StatusOr<std::string> RunProcess(const ProcessRequest& request,
                                       const std::atomic<bool>& stop) {
  Pipe out;
  Pipe err;
  if (!out.Open() || !err.Open()) {
    return absl::UnavailableError(StrCat(request.command, ": pipe: ", std::strerror(errno)));
  }
  std::vector<std::string> args = {request.command};
  args.insert(args.end(), request.args.begin(), request.args.end());
  std::vector<std::string> env = Environment(request);
  pid_t pid = 0;
  const SpawnSettings settings(out.write_end(), request.shows_errors ? -1 : err.write_end());
  if (const int error = settings.Spawn(Pointers(args), Pointers(env), &pid); error != 0) {
    const std::string text = StrCat(request.command, ": ", std::strerror(error));
    return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
  }
  out.Close(1);
  err.Close(1);
  Child child(pid, !request.shows_errors);
  return Collect(request, stop, child, {out.read_end(), err.read_end()});
}

ProcessRunner::~ProcessRunner() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

net::Awaitable<absl::StatusOr<std::string>> ProcessRunner::Run(ProcessRequest request) {
  if (thread_.joinable()) thread_.join();  // Its work is done: its result was awaited.
  const net::Promised<absl::StatusOr<std::string>> done(executor_);
  thread_ = std::thread([this, done, request = std::move(request)] {
    absl::StatusOr<std::string> result;
    try {
      result = RunProcess(request, stop_);
    } catch (...) {
      executor_.barrier().Caught("process", net::Consequence::kFailed);
      result = absl::InternalError("running the program ended with an exception");
    }
    executor_.Post([done, result = std::move(result)]() mutable { done.Set(std::move(result)); });
  });
  co_return co_await done.Wait();
}

}  // namespace bth::client
