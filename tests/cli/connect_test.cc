// Where commands look for the API server, and what they say when it is not there.
#include "cli/session/connect.h"

#include <filesystem>
#include <map>

#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::cli {
namespace {

// Nobody listens on these: they are below those that the system hands out, and for root only.
std::string KubeconfigFor(int port) {
  return absl::StrCat("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: c\n",
                      "  cluster: {server: \"http://127.0.0.1:", port, "\"}\n", "contexts:\n",
                      "- name: c\n  context: {cluster: c, user: \"\", namespace: elsewhere}\n");
}

struct Place {
  test::TempFolder folder;
  std::map<std::string, std::string> environment;
  bool is_watched = false;

  Place() { environment["HOME"] = folder.path(); }

  // What `vcctl queue list` says with these flags.
  std::string List(std::vector<std::string> flags) {
    test::Console console;
    console.environment = environment;
    console.connect = [this](const ClusterFlags& wanted) {
      ConnectOptions options;
      options.variable = [this](std::string_view name) -> std::optional<std::string> {
        const auto found = environment.find(std::string(name));
        if (found == environment.end()) return std::nullopt;
        return found->second;
      };
      options.user_agent = "test";
      options.is_watched = is_watched;
      options.service_account_folder = folder.Sub("account");
      return ConnectToCluster(wanted, options);
    };
    flags.insert(flags.begin(), {"vcctl", "queue", "list"});
    const test::Ran ran = console.Run(flags);
    CHECK(ran.code == 255);
    return ran.out;
  }
};

std::string Refused(const std::string& server, const std::string& dialled) {
  return "Failed to list queue: Get \"" + server +
         "/apis/scheduling.volcano.sh/v1beta1/queues\": dial tcp " + dialled +
         ": connect: connection refused\n";
}

TEST_CASE("connect: the sources come in order", "[cli][session]") {
  Place place;
  CHECK(place.List({"--master", "http://127.0.0.1:9"}) ==
        Refused("http://127.0.0.1:9", "127.0.0.1:9"));
  place.environment["KUBERNETES_MASTER"] = "127.0.0.1:11";
  CHECK(place.List({}) == Refused("http://127.0.0.1:11", "127.0.0.1:11"));
  place.folder.Write(".kube/config", KubeconfigFor(13));
  CHECK(place.List({}) == Refused("http://127.0.0.1:13", "127.0.0.1:13"));
  const std::string second = place.folder.Write("second", KubeconfigFor(15));
  place.environment["KUBECONFIG"] = place.folder.Sub("missing") + ":" + second;
  CHECK(place.List({}) == Refused("http://127.0.0.1:15", "127.0.0.1:15"));
  const std::string third = place.folder.Write("third", KubeconfigFor(17));
  CHECK(place.List({"-k", third}) == Refused("http://127.0.0.1:17", "127.0.0.1:17"));
  CHECK(place.List({"-k", third, "-s", "http://127.0.0.1:19/prefix"}) ==
        Refused("http://127.0.0.1:19/prefix", "127.0.0.1:19"));
}

TEST_CASE("connect: a pod's service account is the last but one", "[cli][session]") {
  Place place;
  place.environment["KUBERNETES_SERVICE_HOST"] = "127.0.0.1";
  place.environment["KUBERNETES_SERVICE_PORT"] = "21";
  place.environment["KUBERNETES_MASTER"] = "127.0.0.1:11";
  place.folder.Write("account/token", "secret");
  place.folder.Write("account/ca.crt", "");
  CHECK(place.List({}) == Refused("https://127.0.0.1:21", "127.0.0.1:21"));
}

TEST_CASE("connect: a usual port is not shown", "[cli][session]") {
  Place place;
  CHECK(place.List({"-s", "http://127.0.0.2"}) == Refused("http://127.0.0.2", "127.0.0.2:80"));
}

TEST_CASE("connect: a file that was asked for must be there", "[cli][session]") {
  Place place;
  CHECK(place.List({"--kubeconfig", "/no/such/file"}) ==
        "Failed to list queue: stat /no/such/file: no such file or directory\n");
}

TEST_CASE("connect: a proxy that would be asked elsewhere is named", "[cli][session]") {
  Place place;
  const auto refused = [](const std::string& server, const std::string& hint) {
    std::string text = Refused(server, server.substr(server.rfind('/') + 1));
    return text.insert(text.size() - 1, hint);
  };
  CHECK(place.List({"-s", "https://0.0.0.0:9"}) == refused("https://0.0.0.0:9", ""));
  for (const char* name : {"https_proxy", "HTTPS_PROXY"}) {
    place.environment[name] = "http://proxy:3128";
    CHECK(place.List({"-s", "https://0.0.0.0:9"}) ==
          refused("https://0.0.0.0:9", absl::StrCat(" ($", name,
                                                    " is set, and proxies are not used here: the "
                                                    "API server must be reachable directly)")));
  }
  // Nobody would go through it to these.
  CHECK(place.List({"-s", "http://0.0.0.0:9"}) == refused("http://0.0.0.0:9", ""));
  CHECK(place.List({"-s", "https://127.0.0.1:9"}) == refused("https://127.0.0.1:9", ""));
}

TEST_CASE("connect: a missing file of the context is told, and no other server asked",
          "[cli][session]") {
  Place place;
  place.folder.Write(".kube/config",
                     "current-context: x\n"
                     "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:9', "
                     "certificate-authority: missing}}]\n"
                     "users: [{name: u, user: {exec: {command: x, provideClusterInfo: true, "
                     "apiVersion: client.authentication.k8s.io/v1}}}]\n"
                     "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
  const std::string said = place.List({});
  INFO(said);
  CHECK(said.find(place.folder.Sub(".kube/missing")) != std::string::npos);
  CHECK(said.find("localhost") == std::string::npos);
}

TEST_CASE("connect: a credential program speaks to the person who watches", "[cli][session]") {
  Place place;
  const std::string seen = place.folder.Sub("seen");
  place.folder.Write(".kube/config",
                     "current-context: x\n"
                     "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:9'}}]\n"
                     "users: [{name: u, user: {exec: {command: sh, args: [-c, "
                     "'readlink /proc/$$/fd/2 > \"$SEEN\"; exit 1'], "
                     "env: [{name: SEEN, value: " +
                         seen + "}], apiVersion: client.authentication.k8s.io/v1}}}]\n" +
                         "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
  const std::string ours = std::filesystem::read_symlink("/proc/self/fd/2").string() + "\n";
  for (const bool is_watched : {false, true}) {
    place.is_watched = is_watched;
    place.List({});
    CHECK((test::ReadFile(seen) == ours) == is_watched);
  }
}

TEST_CASE("connect: a broken file is told before a missing name", "[cli][session]") {
  Place place;
  const std::string broken = place.folder.Write("broken", "clusters: {");
  const std::string said = place.List({"--kubeconfig", broken});
  INFO(said);
  CHECK(said.find(broken) != std::string::npos);
  test::Console console;
  console.connect = [](const ClusterFlags&) { return absl::InvalidArgumentError("broken"); };
  CHECK(console.Run({"vcctl", "job", "delete"}).out == "Failed to delete job: broken\n");
}

}  // namespace
}  // namespace bth::cli
