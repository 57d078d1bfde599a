#include "api/rules/network.h"

#include <arpa/inet.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr size_t kNameserversMax = 3;
constexpr size_t kSearchesMax = 32;
constexpr size_t kSearchBytesMax = 2048;
constexpr int64_t kPortMax = 65535;
constexpr std::string_view kPortRange = "must be between 1 and 65535, inclusive";

bool IsAddress(std::string_view text) {
  const std::string ended(text);
  if (ended.find('\0') != ended.npos) return false;
  std::array<unsigned char, 16> bytes;
  return inet_pton(AF_INET, ended.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, ended.c_str(), bytes.data()) == 1;
}

void CheckAddress(const Part& holder, const Place& at, std::string_view text) {
  if (IsAddress(text)) return;
  holder.Add(Invalid(at.Text(), Json(text),
                     "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
}

void CheckSearches(const Part& config, bool relaxed) {
  const std::vector<std::string_view> searches = config.Texts("searches");
  if (searches.size() > kSearchesMax) {
    config.Invalid("searches", config["searches"],
                   StrCat("must not have more than ", kSearchesMax, " search paths"));
  }
  size_t bytes = searches.empty() ? 0 : searches.size() - 1;  // A blank between any two.
  for (const std::string_view search : searches) bytes += search.size();
  if (bytes > kSearchBytesMax) {
    config.Invalid("searches", config["searches"],
                   StrCat("must not have more than ", kSearchBytesMax,
                          " characters (including spaces) in the search list"));
  }
  const Place list = config.at().Field("searches");
  for (size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = searches[i];
    if (relaxed && search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    for (const std::string& fault :
         relaxed ? CheckDnsSubdomainWithUnderscore(search) : CheckDnsSubdomain(search)) {
      config.Add(Invalid(list.Item(i).Text(), Json(search), fault));
    }
  }
}

// "protocol/address/port" of a port of the node; empty: it asks for none.
std::string HostPortText(const Json& port) {
  const int64_t number = port["hostPort"].AsInt();
  if (number == 0) return "";
  return StrCat(port["protocol"].AsString(), "/", port["hostIP"].AsString(), "/", number);
}

void CheckTaken(const Part& container, const Place& at, std::set<std::string>* taken) {
  const Json& ports = container["ports"];
  const Place list = at.Field("ports");
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string text = HostPortText(ports[i]);
    if (text.empty() || taken->insert(text).second) continue;
    container.Add(Duplicate(list.Item(i).Field("hostPort").Text(), Json(text)));
  }
}

}  // namespace

void CheckDnsConfig(const Part& spec, bool relaxed) {
  const bool none = spec["dnsPolicy"].AsString() == "None";
  if (none && !spec.Has("dnsConfig")) {
    return spec.Required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
  }
  spec.Within("dnsConfig", [&](const Part& config) {
    const std::vector<std::string_view> servers = config.Texts("nameservers");
    if (none && servers.empty()) {
      return config.Required("nameservers",
                             "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
    if (servers.size() > kNameserversMax) {
      config.Invalid("nameservers", config["nameservers"],
                     StrCat("must not have more than ", kNameserversMax, " nameservers"));
    }
    const Place list = config.at().Field("nameservers");
    for (size_t i = 0; i < servers.size(); ++i) CheckAddress(config, list.Item(i), servers[i]);
    CheckSearches(config, relaxed);
    config.ForEach("options", [](const Part& option, size_t) {
      if (option.Text("name").empty()) option.Required("", "must not be empty");
    });
  });
}

void CheckHostAliases(const Part& spec) {
  spec.ForEach("hostAliases", [](const Part& alias, size_t) {
    CheckAddress(alias, alias.at().Field("ip"), alias.Text("ip"));
    const std::vector<std::string_view> names = alias.Texts("hostnames");
    const Place list = alias.at().Field("hostnames");
    for (size_t i = 0; i < names.size(); ++i) {
      for (const std::string& fault : CheckDnsSubdomain(names[i])) {
        alias.Add(Invalid(list.Item(i).Text(), Json(names[i]), fault));
      }
    }
  });
}

void CheckHostNetworkPorts(const Part& spec, bool is_pod) {
  if (!spec["hostNetwork"].AsBool()) return;
  const Json& containers = spec["containers"];
  const Place list = spec.at().Field("containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const Json& ports = containers[i]["ports"];
    const Place container = list.Item(i);
    const Place of_container = container.Field("ports");
    for (size_t j = 0; j < ports.size(); ++j) {
      const int64_t host = ports[j]["hostPort"].AsInt();
      if ((!is_pod && host == 0) || host == ports[j]["containerPort"].AsInt()) continue;
      const Place port = of_container.Item(j);
      spec.Add(Invalid(port.Field("hostPort").Text(), Json(host),
                       "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void CheckHostPortConflicts(const Part& holder, std::string_view list) {
  std::set<std::string> taken;
  holder.ForEachAgain(list, [&taken](const Part& container, size_t) {
    CheckTaken(container, container.at(), &taken);
  });
}

void CheckOwnHostPorts(const Part& container, const Place& list) {
  std::set<std::string> taken;
  // Kubernetes looks at a list of this one container, whose index is 0.
  CheckTaken(container, list.Item(0), &taken);
}

void CheckContainerPorts(const Part& container) {
  std::set<std::string_view> names;
  container.ForEach("ports", [&names](const Part& port, size_t) {
    const std::string_view name = port.Text("name");
    if (!name.empty()) {
      const std::vector<std::string> faults = CheckPortName(name);
      port.Invalid("name", name, faults);
      if (faults.empty() && !names.insert(name).second) port.Duplicate("name", Json(name));
    }
    const int64_t own = port.Number("containerPort").value_or(0);
    if (own == 0) port.Required("containerPort");
    if (own != 0 && (own < 1 || own > kPortMax)) {
      port.Invalid("containerPort", Json(own), kPortRange);
    }
    const int64_t host = port.Number("hostPort").value_or(0);
    if (host != 0 && (host < 1 || host > kPortMax)) {
      port.Invalid("hostPort", Json(host), kPortRange);
    }
    const std::string_view protocol = port.Text("protocol");
    if (protocol.empty()) return port.Required("protocol");
    port.OneOf("protocol", protocol, {"SCTP", "TCP", "UDP"});
  });
}

}  // namespace bth::rules
