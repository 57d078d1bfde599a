#include "client/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <exception>

#include "absl/strings/escaping.h"
#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::client {
namespace {

constexpr size_t kFileBytesMax = 1 << 20;
constexpr size_t kEntriesMax = 1000;   // clusters, users, contexts: each
constexpr size_t kExecItemsMax = 256;  // args, env, groups: each
constexpr int kExtensionDepthMax = 16;
constexpr int kExtensionNodesMax = 4096;

// Reads the fields of one YAML map and keeps the first error, which names file and path. Quotes no
// values: they may be secrets.
class Fields {
 public:
  Fields(const YAML::Node& node, std::string file, std::string where, absl::Status* status)
      : node_(node), file_(std::move(file)), where_(std::move(where)), status_(status) {
    if (!Empty() && !node_.IsMap()) Fail("", "must be a map of fields");
  }

  bool Empty() const { return !node_.IsDefined() || node_.IsNull(); }
  bool Has(const char* key) const { return !Get(key).IsNull(); }

  std::string Text(const char* key) {
    const YAML::Node value = Get(key);
    if (value.IsNull()) return "";
    if (value.IsScalar()) return value.Scalar();
    Fail(key, "must be a text");
    return "";
  }
  bool Bool(const char* key) {
    const YAML::Node value = Get(key);
    if (value.IsNull()) return false;
    bool out = false;
    if (!value.IsScalar() || !YAML::convert<bool>::decode(value, out)) {
      Fail(key, "must be true or false");
    }
    return out;
  }
  // Base64 text, decoded.
  std::string Decoded(const char* key) {
    std::string packed = Text(key);
    std::string out;
    if (!absl::Base64Unescape(packed, &out)) Fail(key, "is not valid base64");
    return out;
  }
  // A path, relative ones starting from the folder of the file.
  std::string Path(const char* key) { return Resolve(Text(key)); }
  std::string Resolve(std::string path) const {
    if (path.empty() || path.front() == '/') return path;
    const size_t slash = file_.rfind('/');
    return slash == std::string::npos ? path : StrCat(file_.substr(0, slash + 1), path);
  }
  Fields Map(const char* key) { return {Get(key), file_, At(key), status_}; }
  YAML::Node Get(const char* key) const {
    if (Empty() || !node_.IsMap()) return YAML::Node();
    YAML::Node value = node_[key];
    return value.IsDefined() ? value : YAML::Node();
  }
  std::vector<Fields> List(const char* key, size_t items_max) {
    std::vector<Fields> out;
    EachItem(key, items_max, [&](const YAML::Node& item, std::string where) {
      out.emplace_back(item, file_, std::move(where), status_);
    });
    return out;
  }
  std::vector<std::string> Texts(const char* key, size_t items_max) {
    std::vector<std::string> out;
    EachItem(key, items_max, [&](const YAML::Node& item, const std::string& where) {
      if (item.IsScalar()) {
        out.push_back(item.Scalar());
      } else {
        SetError(where, "must be a text");
      }
    });
    return out;
  }

  std::vector<std::string> Keys(size_t items_max) {
    std::vector<std::string> out;
    if (Empty() || !node_.IsMap()) return out;
    if (node_.size() > items_max) {
      Fail("", StrCat("has more than ", items_max, " entries"));
      return out;
    }
    for (const auto& member : node_) {
      if (member.first.IsScalar() && !member.first.Scalar().empty()) {
        out.push_back(member.first.Scalar());
      } else {
        Fail("", "has a key that is empty or no text");
      }
    }
    return out;
  }

  void Fail(std::string_view key, std::string_view reason) { SetError(At(key), reason); }
  std::string At(std::string_view key) const {
    if (where_.empty()) return std::string(key);
    return key.empty() ? where_ : StrCat(where_, ".", key);
  }
  const std::string& where() const { return where_; }
  const std::string& file() const { return file_; }

 private:
  template <typename Visit>
  void EachItem(const char* key, size_t items_max, const Visit& visit) {
    const YAML::Node list = Get(key);
    if (list.IsNull()) return;
    if (!list.IsSequence()) return Fail(key, "must be a list");
    if (list.size() > items_max) {
      return Fail(key, StrCat("has more than ", items_max, " entries"));
    }
    size_t index = 0;
    for (const YAML::Node& item : list) visit(item, StrCat(At(key), "[", index++, "]"));
  }
  void SetError(std::string_view where, std::string_view reason) {
    if (!status_->ok()) return;
    *status_ = absl::InvalidArgumentError(
        StrCat(file_, ": ", where.empty() ? "the document" : where, " ", reason));
  }

  YAML::Node node_;
  std::string file_;
  std::string where_;
  absl::Status* status_;
};

// The free-form settings that a kubeconfig hands to a credential program. Aliases make a YAML
// graph larger than its text: `budget` bounds the nodes visited.
absl::StatusOr<types::Json> ToJson(const YAML::Node& node, int depth, int* budget) {
  if (depth > kExtensionDepthMax || --*budget < 0) {
    return absl::InvalidArgumentError("is nested too deeply or too large");
  }
  if (node.IsMap()) {
    types::Json out = types::Json::MakeObject();
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return absl::InvalidArgumentError("has a key that is no text");
      BTH_ASSIGN_OR_RETURN(types::Json value, ToJson(member.second, depth + 1, budget));
      out.Set(member.first.Scalar(), std::move(value));
    }
    return out;
  }
  if (node.IsSequence()) {
    types::Json::Array out;
    for (const YAML::Node& item : node) {
      BTH_ASSIGN_OR_RETURN(types::Json value, ToJson(item, depth + 1, budget));
      out.push_back(std::move(value));
    }
    return types::Json(std::move(out));
  }
  if (!node.IsScalar()) return types::Json();
  if (node.Tag() == "!") return types::Json(node.Scalar());  // Quoted: always a text.
  bool flag = false;
  if (YAML::convert<bool>::decode(node, flag)) return types::Json(flag);
  int64_t number = 0;
  if (YAML::convert<int64_t>::decode(node, number)) return types::Json(number);
  double real = 0;
  if (YAML::convert<double>::decode(node, real)) return types::Json(real);
  return types::Json(node.Scalar());
}

void ReadCluster(Fields& cluster, Named<KubeconfigCluster>* out) {
  out->value.server = cluster.Text("server");
  out->value.ca = {cluster.Decoded("certificate-authority-data"), ""};
  if (out->value.ca.text.empty()) out->value.ca.file = cluster.Path("certificate-authority");
  out->value.insecure_skip_verify = cluster.Bool("insecure-skip-tls-verify");
  out->value.tls_server_name = cluster.Text("tls-server-name");
  if (!cluster.Text("proxy-url").empty()) {
    out->usable = absl::InvalidArgumentError(
        StrCat(cluster.file(), ": ", cluster.At("proxy-url"),
               ": proxies are not supported; remove it and make the server reachable directly"));
  }
  for (Fields& extension : cluster.List("extensions", kExecItemsMax)) {
    if (extension.Text("name") != "client.authentication.k8s.io/exec") continue;
    int budget = kExtensionNodesMax;
    absl::StatusOr<types::Json> json = ToJson(extension.Get("extension"), 0, &budget);
    if (json.ok()) {
      out->value.exec_config_json = json->Dump();
    } else {
      extension.Fail("extension", ToStd(json.status().message()));
    }
  }
}

std::optional<ExecCommand> ReadExec(Fields exec, Named<KubeconfigUser>* user) {
  if (exec.Empty()) return std::nullopt;
  ExecCommand out;
  out.api_version = exec.Text("apiVersion");
  out.command = exec.Text("command");
  if (out.command.find('/') != std::string::npos) out.command = exec.Resolve(out.command);
  out.args = exec.Texts("args", kExecItemsMax);
  for (Fields& variable : exec.List("env", kExecItemsMax)) {
    out.env.emplace_back(variable.Text("name"), variable.Text("value"));
    const std::string& name = out.env.back().first;
    if (name.empty() || name.find('=') != std::string::npos) {
      variable.Fail("name", "must be a non-empty name without \"=\"");
    }
  }
  out.install_hint = exec.Text("installHint");
  user->value.exec_wants_cluster = exec.Bool("provideClusterInfo");
  auto unusable = [&](std::string_view key, std::string_view reason) {
    user->usable = absl::InvalidArgumentError(StrCat(exec.file(), ": ", exec.At(key), reason));
  };
  if (out.command.empty()) unusable("command", " is missing; name the program to run");
  if (out.api_version != "client.authentication.k8s.io/v1" &&
      out.api_version != "client.authentication.k8s.io/v1beta1") {
    unusable("apiVersion",
             " must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
  }
  if (exec.Text("interactiveMode") == "Always") {
    unusable("interactiveMode",
             " is Always, but nobody can answer questions here; use a program that does not ask");
  }
  return out;
}

// Of a user that has one.
std::string AuthProviderReason(Fields provider) {
  const std::string at = StrCat(provider.file(), ": ", provider.where());
  if (provider.Text("name") == "oidc") {
    return StrCat(at, ": oidc is not supported here; use exec, with a program such as kubelogin");
  }
  return StrCat(at, " is no longer supported by Kubernetes; use exec");
}

void ReadUser(Fields& user, Named<KubeconfigUser>* out) {
  KubeconfigUser& value = out->value;
  value.certificate = {user.Decoded("client-certificate-data"), ""};
  if (value.certificate.text.empty()) value.certificate.file = user.Path("client-certificate");
  value.key = {user.Decoded("client-key-data"), ""};
  if (value.key.text.empty()) value.key.file = user.Path("client-key");
  value.credentials.token = {user.Text("token"), user.Path("tokenFile")};
  value.credentials.username = user.Text("username");
  value.credentials.password = user.Text("password");
  value.credentials.impersonate_user = user.Text("as");
  value.credentials.impersonate_uid = user.Text("as-uid");
  value.credentials.impersonate_groups = user.Texts("as-groups", kExecItemsMax);
  Fields extra = user.Map("as-user-extra");
  for (const std::string& key : extra.Keys(kExecItemsMax)) {
    for (std::string& text : extra.Texts(key.c_str(), kExecItemsMax)) {
      value.credentials.impersonate_extra.emplace_back(key, std::move(text));
    }
  }
  value.credentials.exec = ReadExec(user.Map("exec"), out);
  const std::string at = StrCat(user.file(), ": ", user.where());
  if (user.Has("auth-provider")) {
    out->usable = absl::InvalidArgumentError(AuthProviderReason(user.Map("auth-provider")));
  }
  if (value.certificate.empty() != value.key.empty()) {
    out->usable = absl::InvalidArgumentError(
        StrCat(at, ": client-certificate and client-key must be given together"));
  }
}

template <typename T, typename Read>
std::vector<Named<T>> ReadEntries(Fields& root, const char* list, const char* key,
                                  const Read& read) {
  std::vector<Named<T>> out;
  for (Fields& entry : root.List(list, kEntriesMax)) {
    Named<T> named;
    named.name = entry.Text("name");
    named.file = entry.file();
    named.where = entry.where();
    Fields body = entry.Map(key);
    read(body, &named);
    for (const Named<T>& other : out) {
      if (other.name == named.name) {
        entry.Fail("name", StrCat("is \"", named.name, "\", as in ", other.where,
                                  "; names must be unique"));
      }
    }
    out.push_back(std::move(named));
  }
  return out;
}

}  // namespace

absl::StatusOr<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& file) {
  if (text.size() > kFileBytesMax) {
    return absl::InvalidArgumentError(
        StrCat(file, ": larger than the limit of ", kFileBytesMax, " bytes"));
  }
  try {
    absl::Status status;
    Fields root(YAML::Load(std::string(text)), file, "", &status);
    Kubeconfig out;
    if (const std::string kind = root.Text("kind"); !kind.empty() && kind != "Config") {
      root.Fail("kind", "must be Config; is this a kubeconfig file?");
    }
    out.current_context = root.Text("current-context");
    out.clusters = ReadEntries<KubeconfigCluster>(root, "clusters", "cluster", ReadCluster);
    out.users = ReadEntries<KubeconfigUser>(root, "users", "user", ReadUser);
    auto read_context = [](Fields& context, Named<KubeconfigContext>* entry) {
      entry->value = {context.Text("cluster"), context.Text("user"), context.Text("namespace")};
    };
    out.contexts = ReadEntries<KubeconfigContext>(root, "contexts", "context", read_context);
    BTH_RETURN_IF_ERROR(status);
    return out;
  } catch (const YAML::Exception& e) {
    return absl::InvalidArgumentError(StrCat(file, ": line ", e.mark.line + 1, ", column ",
                                             e.mark.column + 1, ": not valid YAML: ", e.msg));
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(StrCat(file, ": not readable as YAML: ", e.what()));
  }
}

}  // namespace bth::client
