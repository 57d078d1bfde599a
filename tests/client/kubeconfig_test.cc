#include "client/kubeconfig.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::client {
namespace {

using test::TempFolder;

ConfigSources Sources(std::vector<std::pair<std::string, std::string>> environment) {
  ConfigSources out;
  out.environment =
      [environment = std::move(environment)](std::string_view name) -> std::optional<std::string> {
    for (const auto& [key, value] : environment) {
      if (key == name) return value;
    }
    return std::nullopt;
  };
  return out;
}

constexpr char kPlain[] = R"(
apiVersion: v1
kind: Config
current-context: main
clusters:
- name: c1
  cluster: {server: "https://api.example:6443/base/", certificate-authority-data: Q0E=, tls-server-name: inner}
users:
- name: u1
  user: {client-certificate: cert.pem, client-key: /abs/key.pem, token: secret}
contexts:
- name: main
  context: {cluster: c1, user: u1, namespace: team}
)";

TEST_CASE("kubeconfig: a context becomes a configuration", "[client]") {
  const auto parsed = ParseKubeconfig(kPlain, "/home/me/.kube/config");
  REQUIRE(parsed.ok());
  const auto config = SelectContext(*parsed, "");
  REQUIRE(config.ok());
  CHECK(config->server.host == "api.example");
  CHECK(config->server.port == 6443);
  CHECK(config->server.tls);
  CHECK(config->server.path_prefix == "/base");
  CHECK(config->ca.text == "CA");
  CHECK(config->tls_server_name == "inner");
  CHECK(config->certificate.file == "/home/me/.kube/cert.pem");
  CHECK(config->key.file == "/abs/key.pem");
  CHECK(config->credentials.token.text == "secret");
  CHECK(config->default_namespace == "team");
}

TEST_CASE("kubeconfig: bad input names file, path and reason", "[client]") {
  struct Case {
    std::string name, text, expect;
  };
  const auto c = GENERATE(values<Case>({
      {"not YAML", "a: [", "f: line 1"},
      {"a list", "- x", "the document must be a map"},
      {"kind", "kind: Pod", "kind must be Config"},
      {"clusters no list", "clusters: 3", "clusters must be a list"},
      {"server no text", "clusters: [{name: a, cluster: {server: [1]}}]",
       "clusters[0].cluster.server must be a text"},
      {"base64", "clusters: [{name: a, cluster: {certificate-authority-data: '@@'}}]",
       "clusters[0].cluster.certificate-authority-data is not valid base64"},
      {"bool", "clusters: [{name: a, cluster: {insecure-skip-tls-verify: maybe}}]",
       "insecure-skip-tls-verify must be true or false"},
      {"twice", "users: [{name: a}, {name: a}]", "users[1].name is \"a\", as in users[0]"},
      {"extra", "users: [{name: a, user: {as-user-extra: {k: v}}}]",
       "users[0].user.as-user-extra.k must be a list"},
      {"env", "users: [{name: a, user: {exec: {env: [{name: 'x=y'}]}}}]",
       "users[0].user.exec.env[0].name must be"},
  }));
  INFO(c.name);
  const auto parsed = ParseKubeconfig(c.text, "f");
  CHECK(parsed.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(parsed.status().message()), Catch::Contains(c.expect));
}

TEST_CASE("kubeconfig: what cannot be used fails only when chosen, with the remedy", "[client]") {
  struct Case {
    std::string name, cluster, user, expect;
  };
  const std::string good = "server: 'https://a'";
  const auto c = GENERATE_COPY(values<Case>({
      {"proxy", "server: 'https://a', proxy-url: 'http://p'", "", "proxies are not supported"},
      {"no server", "", "", "clusters[0].cluster.server is missing"},
      {"bad server", "server: 'ftp://x'", "", "the scheme must be https or http"},
      {"both", "server: 'https://a', certificate-authority: x, insecure-skip-tls-verify: true", "",
       "exclude each other"},
      {"key alone", good, "client-key-data: QQ==", "must be given together"},
      {"provider", good, "auth-provider: {name: gcp}", "no longer supported by Kubernetes"},
      {"oidc", good, "auth-provider: {name: oidc}",
       "users[0].user.auth-provider: oidc is not supported here; use exec"},
      {"exec version", good,
       "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
       "apiVersion must be"},
      {"exec asks", good,
       "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}",
       "nobody can answer"},
      {"exec command", good, "exec: {apiVersion: client.authentication.k8s.io/v1}",
       "command is missing"},
  }));
  INFO(c.name);
  const std::string text = "clusters: [{name: c, cluster: {" + c.cluster +
                           "}}]\nusers: [{name: u, user: {" + c.user +
                           "}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n";
  const auto parsed = ParseKubeconfig(text, "f");
  REQUIRE(parsed.ok());
  const auto config = SelectContext(*parsed, "x");
  CHECK(config.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(config.status().message()), Catch::Contains(c.expect));
}

TEST_CASE("kubeconfig: who somebody acts as is carried whole", "[client]") {
  const auto parsed = ParseKubeconfig(
      "clusters: [{name: c, cluster: {server: 'https://a'}}]\n"
      "users: [{name: u, user: {as: me, as-user-extra: {scopes: [a, b], 'x.io/y': [z]}}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]",
      "f");
  const auto config = SelectContext(*parsed, "x");
  REQUIRE(config.ok());
  CHECK(config->credentials.impersonate_user == "me");
  using Extra = std::vector<std::pair<std::string, std::string>>;
  CHECK(config->credentials.impersonate_extra ==
        Extra{{"scopes", "a"}, {"scopes", "b"}, {"x.io/y", "z"}});
}

TEST_CASE("kubeconfig: an unknown name is answered with the nearest one", "[client]") {
  const auto parsed = ParseKubeconfig(kPlain, "f");
  const auto config = SelectContext(*parsed, "mian");
  CHECK_THAT(std::string(config.status().message()), Catch::Contains("did you mean \"main\"?"));
}

TEST_CASE("kubeconfig: secrets do not go over plain HTTP nor into messages", "[client]") {
  const auto parsed = ParseKubeconfig(
      "clusters: [{name: c, cluster: {server: 'http://a'}}]\n"
      "users: [{name: u, user: {token: secret}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]",
      "f");
  const auto config = SelectContext(*parsed, "x");
  REQUIRE(config.ok());
  CHECK(config->credentials.token.empty());
  const auto bad =
      ParseKubeconfig("users: [{name: u, user: {client-key-data: 'pass word!'}}]", "f");
  CHECK_FALSE(absl::StrContains(bad.status().message(), "pass"));
}

TEST_CASE("kubeconfig: exec entries carry command, environment and cluster", "[client]") {
  const auto parsed = ParseKubeconfig(R"(
clusters:
- name: c
  cluster:
    server: https://a
    extensions:
    - {name: client.authentication.k8s.io/exec, extension: {audience: x, n: 3, quoted: "3", deep: [true]}}
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [a, b]
      env: [{name: K, value: V}]
      provideClusterInfo: true
contexts: [{name: x, context: {cluster: c, user: u}}]
)",
                                      "/etc/k/config");
  REQUIRE(parsed.ok());
  const auto config = SelectContext(*parsed, "x");
  REQUIRE(config.ok());
  const ExecCommand& exec = *config->credentials.exec;
  CHECK(exec.command == "/etc/k/./bin/login");
  CHECK(exec.args == std::vector<std::string>{"a", "b"});
  CHECK(exec.env == std::vector<std::pair<std::string, std::string>>{{"K", "V"}});
  CHECK(exec.cluster_json ==
        R"({"server":"https://a","config":{"audience":"x","n":3,"quoted":"3","deep":[true]}})");
}

TEST_CASE("server URL: parts and refusals", "[client]") {
  const auto v6 = ParseServerUrl("https://[::1]:8443/x");
  REQUIRE(v6.ok());
  CHECK(v6->host == "::1");
  CHECK(v6->port == 8443);
  const auto bare = ParseServerUrl("localhost:8080");
  REQUIRE(bare.ok());
  CHECK_FALSE(bare->tls);
  CHECK(bare->port == 8080);
  CHECK(ParseServerUrl("https://h")->port == 443);
  const auto bad = GENERATE(values<std::string>({"", "https://", "https://h:0", "https://h:99999",
                                                 "https://h:1x", "https://u:p@h", "https://h?q",
                                                 "https://[::1", "https://h /x", "https://h/a b"}));
  CHECK(ParseServerUrl(bad).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(absl::StrContains(ParseServerUrl(bad).status().message(), "u:p"));
}

TEST_CASE("configuration: $KUBECONFIG files are merged, the first one wins", "[client]") {
  const TempFolder folder;
  const std::string first = folder.Write("a",
                                         "current-context: x\nclusters: [{name: c, cluster: "
                                         "{server: 'https://first'}}]");
  const std::string second = folder.Write(
      "b",
      "current-context: y\nclusters: [{name: c, cluster: {server: 'https://second'}}]\n"
      "users: [{name: u, user: {tokenFile: tok}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]");
  const auto config =
      LoadClientConfig(Sources({{"KUBECONFIG", first + ":/nowhere/else:" + second}}));
  REQUIRE(config.ok());
  CHECK(config->server.host == "first");
  CHECK(config->credentials.token.file == folder.Sub("tok"));
  CHECK(config->origin == "$KUBECONFIG: " + second + " (context \"x\")");
}

TEST_CASE("configuration: a pod's files are used inside a cluster", "[client]") {
  const TempFolder folder;
  folder.Write("token", "abc\n");
  folder.Write("ca.crt", "CA");
  folder.Write("namespace", "here");
  ConfigSources sources =
      Sources({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}});
  sources.service_account_folder = folder.path();
  const auto config = LoadClientConfig(sources);
  REQUIRE(config.ok());
  CHECK(config->server.host == "fd00::1");
  CHECK(config->credentials.token.file == folder.Sub("token"));
  CHECK(config->default_namespace == "here");
}

TEST_CASE("configuration: daemons prefer their pod, command lines the home folder", "[client]") {
  const TempFolder folder;
  folder.Write("token", "abc");
  folder.Write(".kube/config", kPlain);
  ConfigSources sources = Sources({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                   {"KUBERNETES_SERVICE_PORT", "443"},
                                   {"HOME", folder.path()}});
  sources.service_account_folder = folder.path();
  CHECK(LoadClientConfig(sources)->server.host == "api.example");
  sources.in_cluster_first = true;
  CHECK(LoadClientConfig(sources)->server.host == "10.0.0.1");
}

TEST_CASE("configuration: a daemon's order, and what it says of its choice", "[client]") {
  const TempFolder folder;
  folder.Write("token", "abc");
  folder.Write(".kube/config", kPlain);
  const std::string given = folder.Write("given", kPlain);
  const std::string listed = folder.Write("listed", kPlain);
  using Variable = std::pair<std::string, std::string>;
  const Variable list = {"KUBECONFIG", listed};
  const Variable home = {"HOME", folder.path()};
  const Variable host = {"KUBERNETES_SERVICE_HOST", "10.0.0.1"};
  const Variable port = {"KUBERNETES_SERVICE_PORT", "443"};
  struct Case {
    std::vector<Variable> environment;
    std::string kubeconfig, master;
    std::string origin, server;
  };
  const std::string context = " (context \"main\")";
  const std::string there = "https://api.example:6443/base";
  const Case cases[] = {
      {{list, home, host, port}, given, "", "--kubeconfig: " + given + context, there},
      {{list, home, host, port}, "", "", "$KUBECONFIG: " + listed + context, there},
      {{home, host, port}, "", "", "the service account of the pod", "https://10.0.0.1:443"},
      {{home}, "", "", "~/.kube/config: " + folder.Sub(".kube/config") + context, there},
      {{host, port},
       "",
       "https://other:7",
       "--master, beside the service account of the pod",
       "https://other:7"},
      {{}, "", "[::1]:7", "--master", "http://[::1]:7"},
  };
  for (const Case& c : cases) {
    ConfigSources sources = Sources(c.environment);
    sources.in_cluster_first = true;
    sources.service_account_folder = folder.path();
    sources.kubeconfig = c.kubeconfig;
    sources.master = c.master;
    const auto config = LoadClientConfig(sources);
    INFO(c.origin);
    REQUIRE(config.ok());
    CHECK(config->origin == c.origin);
    CHECK(ToText(config->server) == c.server);
  }
}

TEST_CASE("configuration: --master replaces the address or stands alone", "[client]") {
  ConfigSources sources = Sources({});
  sources.master = "http://127.0.0.1:8080";
  const auto alone = LoadClientConfig(sources);
  REQUIRE(alone.ok());
  CHECK(alone->server.port == 8080);
  const TempFolder folder;
  sources.kubeconfig = folder.Write("k", kPlain);
  CHECK(LoadClientConfig(sources)->credentials.token.empty());
  sources.master = "https://other";
  CHECK(LoadClientConfig(sources)->server.host == "other");
  CHECK(LoadClientConfig(sources)->credentials.token.text == "secret");
}

TEST_CASE("configuration: --master needs no current context, but what is named must be there",
          "[client]") {
  const TempFolder folder;
  const std::string clusters =
      "clusters: [{name: c, cluster: {server: 'https://a'}}]\n"
      "users: [{name: u, user: {token: secret}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]\n";
  struct Case {
    std::string current, context, master;
    std::string server, error;
  };
  const auto c = GENERATE(values<Case>({
      {"", "", "https://b", "https://b:443", ""},
      {"", "", "b:1", "http://b:1", ""},
      {"", "x", "https://b", "https://b:443", ""},
      {"", "", "", "", "current-context is not set"},
      {"", "y", "https://b", "", "there is no context \"y\""},
      {"current-context: y\n", "", "https://b", "", "there is no context \"y\""},
  }));
  CAPTURE(c.current, c.context, c.master);
  ConfigSources sources = Sources({});
  sources.kubeconfig = folder.Write("k", c.current + clusters);
  sources.context = c.context;
  sources.master = c.master;
  const auto config = LoadClientConfig(sources);
  REQUIRE(config.ok() == c.error.empty());
  if (!config.ok()) {
    CHECK_THAT(std::string(config.status().message()), Catch::Contains(c.error));
    return;
  }
  CHECK(ToText(config->server) == c.server);
  CHECK(config->credentials.token.text == (c.context.empty() ? "" : "secret"));
  if (c.context.empty()) CHECK(config->origin == "--master");
}

TEST_CASE("configuration: --master without a scheme is https where the context means TLS",
          "[client]") {
  struct Case {
    std::string cluster, user, server;
  };
  const auto c = GENERATE(values<Case>({
      {"server: 'https://a'", "", "http://other:6443"},
      {"server: 'https://a', certificate-authority-data: Q0E=", "", "https://other:6443"},
      {"server: 'https://a', insecure-skip-tls-verify: true", "", "https://other:6443"},
      {"server: 'https://a'",
       "client-certificate-data: QQ==, client-key-data: QQ==", "https://other:6443"},
  }));
  CAPTURE(c.cluster, c.user);
  const TempFolder folder;
  ConfigSources sources = Sources({});
  sources.kubeconfig =
      folder.Write("k", "current-context: x\nclusters: [{name: c, cluster: {" + c.cluster +
                            "}}]\nusers: [{name: u, user: {" + c.user +
                            "}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n");
  sources.master = "other:6443";
  const auto config = LoadClientConfig(sources);
  REQUIRE(config.ok());
  CHECK(ToText(config->server) == c.server);
}

TEST_CASE("configuration: a file that the context names and that is missing is told", "[client]") {
  const TempFolder folder;
  folder.Write(".kube/config",
               "current-context: x\n"
               "clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: no}}]\n"
               "users: [{name: u, user: {exec: {command: x, provideClusterInfo: true, apiVersion: "
               "client.authentication.k8s.io/v1}}}]\n"
               "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
  ConfigSources sources = Sources({{"HOME", folder.path()}});
  for (const char* master : {"", "https://other"}) {
    sources.master = master;
    const absl::Status status = LoadClientConfig(sources).status();
    CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(status.message()),
               Catch::StartsWith("~/.kube/config: " + folder.Sub(".kube/config") +
                                 ": clusters[0].cluster.certificate-authority: ") &&
                   Catch::Contains(folder.Sub(".kube/no")));
  }
}

TEST_CASE("configuration: nothing configured says what to do", "[client]") {
  const auto config = LoadClientConfig(Sources({{"HOME", "/nonexistent"}}));
  CHECK(config.status().code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(config.status().message()), Catch::Contains("--kubeconfig"));
  ConfigSources missing = Sources({});
  missing.kubeconfig = "/nonexistent/config";
  CHECK_THAT(std::string(LoadClientConfig(missing).status().message()),
             Catch::Contains("--kubeconfig: /nonexistent/config"));
}

}  // namespace
}  // namespace bth::client
