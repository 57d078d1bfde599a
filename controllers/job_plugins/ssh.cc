// ssh: one key for all pods of a job, and a list of where they are.
#include <utility>

#include "absl/strings/escaping.h"
#include "api/types/config_map.h"
#include "base/status.h"
#include "base/strings.h"
#include "controllers/job_plugins/builtin.h"
#include "controllers/job_plugins/flags.h"
#include "controllers/job_plugins/job_hosts.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::Json;

constexpr int32_t kDefaultPort = 22;
constexpr const char* kRootFolder = "/root/.ssh";
constexpr int32_t kOwnerOnly = 0600;
constexpr int32_t kReadableByAll = 0644;

struct SshOptions {
  std::string folder = kRootFolder;
  std::string private_key;
  std::string public_key;
  int32_t port = kDefaultPort;
};

std::string SecretName(const BatchJob& job) {
  return job.meta.name + "-ssh";
}

// What ssh reads as ~/.ssh/config.
std::string ClientConfig(const BatchJob& job, int32_t port) {
  std::string text = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n";
  for (const BatchTask& task : job.spec.tasks) {
    const std::vector<std::string> names = HostNamesOf(job, task);
    const std::vector<std::string> hosts = HostsOf(job, task);
    for (size_t i = 0; i < names.size(); ++i) {
      StrAppend(&text, "Host ", names[i], "\n  HostName ", hosts[i], "\n  Port ", port, "\n");
    }
  }
  return text;
}

class Ssh final : public JobPlugin {
 public:
  Ssh(SshOptions options, const JobPluginTools& tools)
      : options_(std::move(options)), tools_(tools) {}
  std::string_view name() const override { return "ssh"; }

  absl::Status OnPodCreate(const BatchJob& job, PodDraft& pod) const override {
    const std::string secret = SecretName(job);
    Json items = Json::MakeArray();
    for (const std::string key : {"id_rsa", "id_rsa.pub", "authorized_keys", "config"}) {
      items.MutableItems().push_back(Json::MakeObject({{"key", key}, {"path", ".ssh/" + key}}));
    }
    Json source = Json::MakeObject({{"secretName", secret}, {"items", std::move(items)}});
    // Other users than root could not read what only the owner may.
    source.Set("defaultMode", options_.folder == kRootFolder ? kOwnerOnly : kReadableByAll);
    pod.AddVolume(Json::MakeObject({{"name", secret}, {"secret", std::move(source)}}));
    for (Json* container : pod.AllContainers()) {
      PodDraft::AddMount(
          *container, Json::MakeObject(
                          {{"name", secret}, {"mountPath", options_.folder}, {"subPath", ".ssh"}}));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<WantedObject>> OnJobAdd(const BatchJob& job) const override {
    WantedObject wanted;
    wanted.type = types::ResourceTraits<types::Secret>::type();
    wanted.object.MutableAt({"metadata", "name"}) = SecretName(job);
    wanted.object.MutableAt({"data", "config"}) =
        absl::Base64Escape(ClientConfig(job, options_.port));
    wanted.compared = {"data", "config"};
    wanted.complete = [options = options_, &tools = tools_](Json& object) -> absl::Status {
      SshKeys keys = {options.private_key, options.public_key};
      if (keys.private_pem.empty() || keys.public_line.empty()) {
        BTH_ASSIGN_OR_RETURN(const SshKeys made, tools.make_ssh_keys());
        if (keys.private_pem.empty()) keys.private_pem = made.private_pem;
        if (keys.public_line.empty()) keys.public_line = made.public_line;
      }
      Json& data = object["data"];
      data.Set("id_rsa", absl::Base64Escape(keys.private_pem));
      data.Set("id_rsa.pub", absl::Base64Escape(keys.public_line));
      data.Set("authorized_keys", absl::Base64Escape(keys.public_line));
      return absl::OkStatus();
    };
    return std::vector<WantedObject>{std::move(wanted)};
  }
  std::vector<ObjectName> OnJobDelete(const BatchJob& job) const override {
    return {{types::ResourceTraits<types::Secret>::type(), SecretName(job)}};
  }

 private:
  const SshOptions options_;
  const JobPluginTools& tools_;
};

}  // namespace

MadePlugin MakeSshPlugin(const PluginArguments& args, const JobPluginTools& tools) {
  SshOptions options;
  PluginFlags flags;
  flags.Add("ssh-key-file-path", &options.folder);
  flags.Add("ssh-private-key", &options.private_key);
  flags.Add("ssh-public-key", &options.public_key);
  flags.Add("ssh-port", &options.port);
  std::string complaint = flags.Parse(args);
  std::string note = WrongPortText("ssh-port", options.port);
  if (!note.empty()) {
    options.port = kDefaultPort;
    StrAppend(&note, "; until then it is ", kDefaultPort);
  }
  return {std::make_unique<Ssh>(std::move(options), tools), std::move(complaint), std::move(note)};
}

}  // namespace bth::controllers
