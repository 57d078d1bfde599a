#include "api/rules/windows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/rules/each_container.h"
#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr size_t kSpecMaxKib = 64;
constexpr size_t kDomainMax = 256;
constexpr size_t kUserMax = 104;

bool IsAlnumOrHyphen(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

// One label of a name in DNS, or what NetBIOS calls a domain.
bool IsDomain(std::string_view domain) {
  constexpr std::string_view kNotInNetBios = "\\/:*?\"<>|";
  const bool net_bios = !domain.empty() && domain.size() <= 15 && domain[0] != '.' &&
                        domain.find_first_of(kNotInNetBios) == domain.npos;
  if (net_bios) return true;
  for (size_t begin = 0;;) {
    const size_t dot = domain.find('.', begin);
    const std::string_view label = domain.substr(begin, dot - begin);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-' ||
        !std::all_of(label.begin(), label.end(), IsAlnumOrHyphen)) {
      return false;
    }
    if (dot == domain.npos) return true;
    begin = dot + 1;
  }
}

void CheckUserParts(const Part& options, std::string_view name) {
  const auto wrong = [&](std::string_view why) {
    options.Invalid("runAsUserName", Json(name), why);
  };
  const size_t slash = name.find('\\');
  const std::string_view domain = slash == name.npos ? "" : name.substr(0, slash);
  const std::string_view user = slash == name.npos ? name : name.substr(slash + 1);
  if (domain.size() >= kDomainMax) {
    wrong(StrCat("runAsUserName's Domain length must be under ", kDomainMax, " characters"));
  }
  if (slash != name.npos && !IsDomain(domain)) {
    wrong("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user.empty()) {
    wrong("runAsUserName's User cannot be empty");
  } else if (user.size() > kUserMax) {
    wrong(StrCat("runAsUserName's User length must not be longer than ", kUserMax, " characters"));
  }
  if (!user.empty() && user.find_first_not_of(". ") == user.npos) {
    wrong("runAsUserName's User cannot contain only periods or spaces");
  }
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != user.npos) {
    wrong("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}

void CheckUserName(const Part& options) {
  if (!options.Has("runAsUserName")) return;
  const std::string_view name = options.Text("runAsUserName");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (name.empty()) {
    options.Invalid("runAsUserName", Json(name), "runAsUserName cannot be an empty string");
  } else if (std::any_of(name.begin(), name.end(), is_control)) {
    options.Invalid("runAsUserName", Json(name), "runAsUserName cannot contain control characters");
  } else if (std::count(name.begin(), name.end(), '\\') > 1) {
    options.Invalid("runAsUserName", Json(name),
                    "runAsUserName cannot contain more than one backslash");
  } else {
    CheckUserParts(options, name);
  }
}

// Fields of a pod's security context, then of a container's, that Linux alone has.
constexpr std::string_view kOfLinuxPods[] = {"appArmorProfile",     "seLinuxOptions",
                                             "seccompProfile",      "fsGroup",
                                             "fsGroupChangePolicy", "sysctls",
                                             "runAsUser",           "runAsGroup",
                                             "supplementalGroups",  "supplementalGroupsPolicy",
                                             "seLinuxChangePolicy"};
constexpr std::string_view kOfLinuxContainers[] = {"appArmorProfile",
                                                   "seLinuxOptions",
                                                   "seccompProfile",
                                                   "capabilities",
                                                   "readOnlyRootFilesystem",
                                                   "privileged",
                                                   "allowPrivilegeEscalation",
                                                   "procMount",
                                                   "runAsUser",
                                                   "runAsGroup"};

bool IsSet(const Json& value) {
  return !value.is_null() && !(value.is_array() && value.empty());
}

template <size_t n>
void Forbid(const Part& holder, const std::string_view (&fields)[n]) {
  holder.Within("securityContext", [&](const Part& context) {
    for (const std::string_view field : fields) {
      if (IsSet(context[field])) {
        context.Forbidden(field, "cannot be set for a windows pod");
      }
    }
  });
}

void CheckWindowsPod(const Part& spec) {
  Forbid(spec, kOfLinuxPods);
  for (const std::string_view field : {"hostUsers", "shareProcessNamespace"}) {
    if (spec.Has(field)) spec.Forbidden(field, "cannot be set for a windows pod");
  }
  for (const std::string_view field : {"hostPID", "hostIPC"}) {
    if (spec.Flag(field)) spec.Forbidden(field, "cannot be set for a windows pod");
  }
  ForEachContainer(spec, [](const Part& container) { Forbid(container, kOfLinuxContainers); });
}

void ForbidWindowsOptions(const Part& holder) {
  holder.Within("securityContext", [](const Part& context) {
    if (context.Has("windowsOptions")) {
      context.Forbidden("windowsOptions", "windows options cannot be set for a linux pod");
    }
  });
}

std::optional<bool> HostProcessOf(const Json& holder) {
  const Json& flag = holder["securityContext"]["windowsOptions"]["hostProcess"];
  if (!flag.is_bool()) return std::nullopt;
  return flag.AsBool();
}

}  // namespace

void CheckWindowsOptions(const Part& context) {
  context.Within("windowsOptions", [](const Part& options) {
    if (options.Has("gmsaCredentialSpecName")) {
      const std::string_view name = options.Text("gmsaCredentialSpecName");
      options.Invalid("gmsaCredentialSpecName", name, CheckDnsSubdomain(name));
    }
    if (options.Has("gmsaCredentialSpec")) {
      const std::string_view spec = options.Text("gmsaCredentialSpec");
      if (spec.empty()) {
        options.Invalid("gmsaCredentialSpec", Json(spec),
                        "gmsaCredentialSpec cannot be an empty string");
      } else if (spec.size() > kSpecMaxKib * 1024) {
        options.Invalid("gmsaCredentialSpec", Json(spec),
                        StrCat("gmsaCredentialSpec size must be under ", kSpecMaxKib, " KiB"));
      }
    }
    CheckUserName(options);
  });
}

void CheckHostProcesses(const Part& spec) {
  const std::optional<bool> of_pod = HostProcessOf(spec.value());
  size_t all = 0;
  size_t host = 0;
  ForEachContainer(spec, [&](const Part& container) {
    ++all;
    const std::optional<bool> own = HostProcessOf(container.value());
    if (of_pod && own && *of_pod != *own) {
      container.Add(Invalid(
          StrCat(container.at().Text(), ".securityContext.windowsOptions.hostProcess"), Json(*own),
          StrCat("pod hostProcess value must be identical if both are specified, was ",
                 *of_pod ? "true" : "false")));
    }
    if (own.value_or(of_pod.value_or(false))) ++host;
  });
  if (host == 0) return;
  if (host != all) {
    spec.Invalid("", Json(""),
                 "If pod contains any hostProcess containers then all containers must be "
                 "HostProcess containers");
  }
  if (!spec.Flag("hostNetwork")) {
    spec.Invalid("hostNetwork", Json(false),
                 "hostNetwork must be true if pod contains any hostProcess containers");
  }
}

void CheckOperatingSystem(const Part& spec) {
  spec.Within("os", [&spec](const Part& os) {
    const std::string_view name = os.Text("name");
    if (name.empty()) return os.Required("name", "cannot be empty");
    if (name == "linux") {
      ForbidWindowsOptions(spec);
      ForEachContainer(spec, ForbidWindowsOptions);
    } else if (name == "windows") {
      CheckWindowsPod(spec);
    } else {
      os.OneOf("", name, {"linux", "windows"});
    }
  });
}

}  // namespace bth::rules
