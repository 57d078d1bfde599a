#include "api/rules/probes.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr int64_t kProbePortMax = 65535;

// A number, or the name of a port of the container.
void CheckPort(const Part& action) {
  const Json& port = action["port"];
  if (port.is_string()) {
    action.Invalid("port", port.AsString(), CheckPortName(port.AsString()));
    return;
  }
  const int64_t number = action.Number("port").value_or(0);
  if (number < 1 || number > kProbePortMax) {
    action.Invalid("port", Json(number), "must be between 1 and 65535, inclusive");
  }
}

void CheckHttpGet(const Part& action) {
  if (action.Text("path").empty()) action.Required("path");
  CheckPort(action);
  action.OneOf("scheme", action.Text("scheme"), {"HTTP", "HTTPS"});
  for (const Json& header : action["httpHeaders"].items()) {
    const std::string_view name = header["name"].AsString();
    action.Invalid("httpHeaders", name, CheckHttpHeaderName(name));
  }
}

void CheckSleep(const Part& handler, const Part& sleep, const HandlerRules& rules) {
  if (!rules.grace_seconds) return;
  const int64_t seconds = sleep.Number("seconds").value_or(0);
  const int64_t least = rules.zero_sleep ? 0 : 1;
  if (seconds >= least && seconds <= *rules.grace_seconds) return;
  const std::string within =
      StrCat(" and less than terminationGracePeriodSeconds (", *rules.grace_seconds, ")");
  handler.Invalid(
      "sleep", Json(seconds),
      rules.zero_sleep
          ? StrCat("must be non-negative", within)
          : StrCat("must be greater than 0", within,
                   ". Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."));
}

void CheckHandler(const Part& handler, std::initializer_list<std::string_view> kinds,
                  const HandlerRules& rules) {
  bool any = false;
  for (const std::string_view kind : kinds) {
    if (!handler.Has(kind)) continue;
    if (any) {
      handler.Forbidden(kind, "may not specify more than 1 handler type");
      continue;
    }
    any = true;
    handler.Within(kind, [&](const Part& action) {
      if (kind == "exec") {
        if (action.Texts("command").empty()) action.Required("command");
      } else if (kind == "httpGet") {
        CheckHttpGet(action);
      } else if (kind == "sleep") {
        CheckSleep(handler, action, rules);
      } else {
        CheckPort(action);
      }
    });
  }
  if (!any) handler.Required("", "must specify a handler type");
}

void CheckProbe(const Part& container, std::string_view key, const HandlerRules& rules) {
  container.Within(key, [&](const Part& probe) {
    CheckHandler(probe, {"exec", "httpGet", "tcpSocket", "grpc"}, rules);
    for (const std::string_view number : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                          "successThreshold", "failureThreshold"}) {
      const int64_t value = probe.Number(number).value_or(0);
      if (value < 0) {
        probe.Invalid(number, Json(value), "must be greater than or equal to 0");
      }
    }
    const std::optional<int64_t> grace = probe.Number("terminationGracePeriodSeconds");
    if (grace && *grace <= 0) {
      probe.Invalid("terminationGracePeriodSeconds", Json(*grace), "must be greater than 0");
    }
    if (key == "readinessProbe") {
      if (!grace) return;
      probe.Invalid("terminationGracePeriodSeconds", Json(*grace),
                    "must not be set for readinessProbes");
      return;
    }
    const int64_t successes = probe.Number("successThreshold").value_or(0);
    if (successes != 1) probe.Invalid("successThreshold", Json(successes), "must be 1");
  });
}

}  // namespace

void CheckLifecycle(const Part& container, const HandlerRules& rules) {
  container.Within("lifecycle", [&](const Part& lifecycle) {
    for (const std::string_view key : {"postStart", "preStop"}) {
      lifecycle.Within(key, [&](const Part& handler) {
        CheckHandler(handler, {"exec", "httpGet", "tcpSocket", "sleep"}, rules);
      });
    }
  });
}

void CheckProbes(const Part& container, const HandlerRules& rules) {
  for (const std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    CheckProbe(container, key, rules);
  }
}

}  // namespace bth::rules
