#include "api/rules/security.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/rules/paths_in_volumes.h"
#include "api/rules/windows.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr int64_t kIdMax = 0xFFFFFFFF;
constexpr std::string_view kIdRange = "must be between 0 and 4294967295, inclusive";
constexpr size_t kSysctlMax = 253;
constexpr size_t kProfileMax = 4095;

void CheckId(const Part& context, std::string_view key) {
  const std::optional<int64_t> id = context.Number(key);
  if (id && (*id < 0 || *id > kIdMax)) context.Invalid(key, Json(*id), kIdRange);
}

void CheckGroups(const Part& context) {
  const Json& groups = context["supplementalGroups"];
  const Place list = context.at().Field("supplementalGroups");
  for (size_t i = 0; i < groups.size(); ++i) {
    const Json& group = groups[i];
    if (group.is_int() && group.AsInt() >= 0 && group.AsInt() <= kIdMax) continue;
    context.Add(Invalid(list.Item(i).Text(), group, std::string(kIdRange)));
  }
}

// Segments of [a-z0-9]([-_a-z0-9]*[a-z0-9])? between dots and slashes.
bool IsSysctlName(std::string_view name) {
  if (name.size() > kSysctlMax) return false;
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool begins = true;
  char last = '.';
  for (const char c : name) {
    const bool separator = c == '.' || c == '/';
    if (separator ? begins || !plain(last) : !plain(c) && (begins || (c != '-' && c != '_'))) {
      return false;
    }
    begins = separator;
    last = c;
  }
  return plain(last);
}

// Which of the pod's namespaces a sysctl belongs to.
bool IsOfNetwork(std::string_view name) {
  return name.starts_with("net.") || name.starts_with("net/");
}
bool IsOfIpc(std::string_view name) {
  std::string dotted(name);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return dotted.starts_with("fs.mqueue.") || dotted.starts_with("kernel.shm") ||
         dotted.starts_with("kernel.msg") || dotted == "kernel.sem";
}

void CheckSysctls(const Part& spec, const Part& context) {
  std::set<std::string_view> names;
  context.ForEach("sysctls", [&](const Part& sysctl, size_t) {
    const std::string_view name = sysctl.Text("name");
    if (name.empty()) {
      sysctl.Required("name");
    } else if (!IsSysctlName(name)) {
      sysctl.Invalid("name", Json(name),
                     StrCat("must have at most ", kSysctlMax,
                            " characters and match regex "
                            "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
                            "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"));
    } else if (names.contains(name)) {
      sysctl.Duplicate("name", Json(name));
    }
    names.insert(name);
    if (spec["hostNetwork"].AsBool() && IsOfNetwork(name)) {
      sysctl.Invalid("name", Json(name), "may not be specified when 'hostNetwork' is true");
    } else if (spec["hostIPC"].AsBool() && IsOfIpc(name)) {
      sysctl.Invalid("name", Json(name), "may not be specified when 'hostIPC' is true");
    }
  });
}

void CheckSeccomp(const Part& context) {
  context.Within("seccompProfile", [](const Part& profile) {
    const std::string_view type = profile.Text("type");
    if (type.empty()) {
      profile.Required("type", "type is required when seccompProfile is set");
    } else {
      profile.OneOf("type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
    }
    const bool named = profile.Has("localhostProfile");
    if (type != "Localhost") {
      if (named) {
        profile.Invalid("localhostProfile", profile.value(),
                        "can only be set when seccomp type is Localhost");
      }
    } else if (!named) {
      profile.Required("localhostProfile", "must be set when seccomp type is Localhost");
    } else {
      CheckDescendingPath(profile, "localhostProfile", profile.Text("localhostProfile"));
    }
  });
}

void CheckAppArmor(const Part& context) {
  context.Within("appArmorProfile", [](const Part& profile) {
    const std::string_view type = profile.Text("type");
    const std::string_view name = profile.Text("localhostProfile");
    const bool named = profile.Has("localhostProfile");
    if (type == "Localhost") {
      const std::string_view bare = StripAsciiWhitespace(name);
      if (named && bare != name) {
        profile.Invalid("localhostProfile", Json(name), "must not be padded with whitespace");
      } else if (bare.empty()) {
        profile.Required("localhostProfile", "must be set when AppArmor type is Localhost");
      }
      if (name.size() > kProfileMax) {
        profile.Add(TooLong(profile.at().Field("localhostProfile").Text(),
                            static_cast<int64_t>(kProfileMax)));
      }
    } else if (type == "RuntimeDefault" || type == "Unconfined") {
      if (named) {
        profile.Invalid("localhostProfile", Json(name),
                        "can only be set when AppArmor type is Localhost");
      }
    } else if (type.empty()) {
      profile.Required("type", "type is required when appArmorProfile is set");
    } else {
      profile.OneOf("type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
    }
  });
}

void CheckEscalation(const Part& container, const Part& context) {
  if (context.MaybeFlag("allowPrivilegeEscalation").value_or(true)) return;
  if (context.Flag("privileged")) {
    container.Invalid("securityContext", context.value(),
                      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  for (const Json& capability : context["capabilities"]["add"].items()) {
    if (capability.AsString() != "CAP_SYS_ADMIN") continue;
    container.Invalid("securityContext", context.value(),
                      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                      "CAP_SYS_ADMIN");
    return;  // Once: the whole context is shown.
  }
}

}  // namespace

void CheckPodSecurity(const Part& spec) {
  spec.Within("securityContext", [&spec](const Part& context) {
    for (const std::string_view key : {"fsGroup", "runAsUser", "runAsGroup"}) CheckId(context, key);
    CheckGroups(context);
    if (spec.Flag("shareProcessNamespace") && spec.Flag("hostPID")) {
      context.Invalid("shareProcessNamespace", Json(true),
                      "ShareProcessNamespace and HostPID cannot both be enabled");
    }
    CheckSysctls(spec, context);
    if (context.Has("fsGroupChangePolicy")) {
      context.OneOf("fsGroupChangePolicy", context.Text("fsGroupChangePolicy"),
                    {"Always", "OnRootMismatch"});
    }
    CheckSeccomp(context);
    CheckWindowsOptions(context);
    CheckAppArmor(context);
    if (context.Has("supplementalGroupsPolicy")) {
      context.OneOf("supplementalGroupsPolicy", context.Text("supplementalGroupsPolicy"),
                    {"Merge", "Strict"});
    }
    if (context.Has("seLinuxChangePolicy")) {
      context.OneOf("seLinuxChangePolicy", context.Text("seLinuxChangePolicy"),
                    {"MountOption", "Recursive"});
    }
  });
}

void CheckContainerSecurity(const Part& container, bool host_users) {
  container.Within("securityContext", [&](const Part& context) {
    CheckId(context, "runAsUser");
    CheckId(context, "runAsGroup");
    if (context.Has("procMount")) {
      const std::string_view mount = context.Text("procMount");
      context.OneOf("procMount", mount, {"Default", "Unmasked"});
      if (host_users && mount == "Unmasked") {
        context.Invalid("procMount", Json(mount), "`hostUsers` must be false to use `Unmasked`");
      }
    }
    CheckSeccomp(context);
    CheckEscalation(container, context);
    CheckWindowsOptions(context);
    CheckAppArmor(context);
  });
}

void CheckHostUsers(const Part& spec) {
  if (spec.MaybeFlag("hostUsers").value_or(true)) return;
  constexpr std::string_view kWhen = "when `pod.Spec.HostUsers` is false";
  if (spec.Flag("hostNetwork")) spec.Forbidden("hostNetwork", kWhen);
  if (spec.Flag("hostPID")) spec.Forbidden("HostPID", kWhen);
  if (spec.Flag("hostIPC")) spec.Forbidden("HostIPC", kWhen);
}

}  // namespace bth::rules
