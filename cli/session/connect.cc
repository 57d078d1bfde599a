#include "cli/session/connect.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/connect.h"
#include "client/kubeconfig.h"
#include "net/io_context.h"

namespace bth::cli {
namespace {

constexpr char kServerDefault[] = "http://localhost:8080";
// Of a person, in a browser.
constexpr absl::Duration kLoginTime = absl::Minutes(10);

// The thread that calls is the one that runs the loop, while it waits.
class SocketLoop final : public Loop {
 public:
  net::Executor& executor() override { return *io_; }
  void Run() override { io_->Run(); }
  void Wake() override { io_->Stop(); }
  void OnSignals(std::vector<int> signals, std::function<void(int)> action) override {
    io_->OnSignals(std::move(signals), std::move(action));
  }
  void OnReadable(int descriptor, std::function<bool()> action) override {
    io_->OnReadable(descriptor, std::move(action));
  }

 private:
  const std::unique_ptr<net::IoContext> io_ = net::IoContext::Create();
};

absl::Status CheckFile(const std::string& path) {
  struct stat info {};
  if (path.empty() || ::stat(path.c_str(), &info) == 0) return absl::OkStatus();
  return absl::NotFoundError(
      StrCat("stat ", path, ": ", absl::AsciiStrToLower(std::strerror(errno))));
}

absl::StatusOr<client::ClientConfig> LoadConfig(const ClusterFlags& flags,
                                                const ConnectOptions& options) {
  BTH_RETURN_IF_ERROR(CheckFile(flags.kubeconfig));
  client::ConfigSources sources;
  sources.kubeconfig = flags.kubeconfig;
  sources.master = flags.master;
  sources.environment = options.variable;
  sources.service_account_folder = options.service_account_folder;
  absl::StatusOr<client::ClientConfig> config = client::LoadClientConfig(sources);
  if (!absl::IsNotFound(config.status())) return config;
  // Nothing says where the server is.
  sources.master = options.variable("KUBERNETES_MASTER").value_or("");
  if (sources.master.empty()) sources.master = kServerDefault;
  return client::LoadClientConfig(sources);
}

// As people write it: without the port that everybody takes.
std::string ShownServer(client::ServerUrl url) {
  const bool usual = url.port == (url.tls ? 443 : 80);
  std::string text = client::ToText(url);
  if (!usual) return text;
  const std::string port = StrCat(":", url.port, url.path_prefix);
  return StrCat(text.substr(0, text.size() - port.size()), url.path_prefix);
}

// Empty: nobody would go through a proxy to that server.
std::string ProxyHint(const client::ServerUrl& server, const ConnectOptions& options) {
  const bool is_here =
      server.host == "localhost" || server.host == "::1" || server.host.starts_with("127.");
  if (!server.tls || is_here) return "";
  for (const char* name : {"HTTPS_PROXY", "https_proxy"}) {
    if (options.variable(name).value_or("").empty()) continue;
    return StrCat("$", name, " is set, and proxies are not used here: the API server must be ",
                  "reachable directly");
  }
  return "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Cluster>> ConnectToCluster(const ClusterFlags& flags,
                                                          const ConnectOptions& options) {
  BTH_ASSIGN_OR_RETURN(client::ClientConfig config, LoadConfig(flags, options));
  if (options.is_watched && config.credentials.exec.has_value()) {
    config.credentials.exec->shows_errors = true;
    config.credentials.exec->timeout = kLoginTime;
  }
  auto loop = std::make_unique<SocketLoop>();
  client::ApiClientOptions client_options;
  client_options.user_agent = options.user_agent;
  client_options.qps = 0;
  const auto date = std::make_shared<std::string>();
  auto keep_date = [date](const net::Headers& headers) { *date = headers.Get("Date"); };
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<client::ApiClient> api,
                       client::Connect(loop->executor(), config, std::move(client_options), {},
                                       std::move(keep_date)));
  auto cluster =
      std::make_unique<Cluster>(std::move(loop), std::move(api), ShownServer(config.server), date);
  cluster->HintWhenUnreachable(ProxyHint(config.server, options));
  return cluster;
}

}  // namespace bth::cli
