#include "api/rules/pod_defaults.h"

#include <tuple>
#include <utility>

namespace bth::rules {
namespace {

using types::Json;

// Older images are pulled only when missing; "latest" and untagged ones always.
std::string_view PullPolicy(std::string_view image) {
  const size_t slash = image.rfind('/');
  const std::string_view last = slash == image.npos ? image : image.substr(slash + 1);
  if (last.find('@') != last.npos) return "IfNotPresent";
  const size_t colon = last.rfind(':');
  return colon == last.npos || last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

Json* ObjectAt(Json& holder, std::string_view key) {
  Json* member = holder.Find(key);
  return member != nullptr && member->is_object() ? member : nullptr;
}

template <typename Function>
void ForEachItem(Json& object, std::string_view key, Function function) {
  Json* list = object.Find(key);
  if (list == nullptr || !list->is_array()) return;
  for (Json& item : list->MutableItems()) {
    if (item.is_object()) function(item);
  }
}

// A member that is not there yet.
void AddMember(Json& object, std::string_view key, Json value) {
  object.MutableMembers().emplace_back(std::piecewise_construct, std::forward_as_tuple(key),
                                       std::forward_as_tuple(std::move(value)));
}

// The same where an empty text means that nothing was said.
void SetIfEmpty(Json& object, std::string_view key, std::string_view text) {
  Json* present = object.Find(key);
  if (present == nullptr) {
    AddMember(object, key, text);
  } else if (present->is_null() || (present->is_string() && present->AsString().empty())) {
    *present = text;
  }
}

void DefaultHttpGet(Json& handler) {
  Json* http = ObjectAt(handler, "httpGet");
  if (http == nullptr) return;
  SetIfEmpty(*http, "path", "/");
  SetIfEmpty(*http, "scheme", "HTTP");
}

// A number that is 0 counts as not given.
void SetIfZero(Json& object, std::string_view key, int64_t value) {
  Json* present = object.Find(key);
  if (present == nullptr) {
    AddMember(object, key, value);
  } else if (present->is_null() || (present->is_int() && present->AsInt() == 0)) {
    *present = value;
  }
}

void DefaultProbe(Json& container, std::string_view key) {
  Json* probe = ObjectAt(container, key);
  if (probe == nullptr) return;
  SetIfZero(*probe, "timeoutSeconds", 1);
  SetIfZero(*probe, "periodSeconds", 10);
  SetIfZero(*probe, "successThreshold", 1);
  SetIfZero(*probe, "failureThreshold", 3);
  DefaultHttpGet(*probe);
}

void DefaultFieldRef(Json& holder) {
  if (Json* ref = ObjectAt(holder, "fieldRef")) SetIfEmpty(*ref, "apiVersion", "v1");
}

void DefaultContainer(Json& container) {
  SetIfEmpty(container, "terminationMessagePath", "/dev/termination-log");
  SetIfEmpty(container, "terminationMessagePolicy", "File");
  SetIfEmpty(container, "imagePullPolicy",
             PullPolicy(std::as_const(container)["image"].AsString()));
  SetIfAbsent(container, "resources", Json::MakeObject());
  ForEachItem(container, "ports", [](Json& port) { SetIfEmpty(port, "protocol", "TCP"); });
  ForEachItem(container, "env", [](Json& variable) {
    if (Json* from = ObjectAt(variable, "valueFrom")) DefaultFieldRef(*from);
  });
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(container, probe);
  }
  if (Json* lifecycle = ObjectAt(container, "lifecycle")) {
    for (const char* key : {"postStart", "preStop"}) {
      if (Json* handler = ObjectAt(*lifecycle, key)) DefaultHttpGet(*handler);
    }
  }
}

void DefaultProjected(Json& projected) {
  ForEachItem(projected, "sources", [](Json& source) {
    if (Json* token = ObjectAt(source, "serviceAccountToken")) {
      SetIfAbsent(*token, "expirationSeconds", 3600);
    }
    if (Json* files = ObjectAt(source, "downwardAPI")) {
      ForEachItem(*files, "items", DefaultFieldRef);
    }
  });
}

// A volume with a name alone is an empty folder.
bool HasSource(const Json& volume) {
  for (const auto& [key, value] : volume.members()) {
    if (key != "name" && !value.is_null()) return true;
  }
  return false;
}

void DefaultVolume(Json& volume) {
  for (const char* kind : {"configMap", "secret", "projected", "downwardAPI"}) {
    if (Json* source = ObjectAt(volume, kind)) SetIfAbsent(*source, "defaultMode", 420);
  }
  if (Json* path = ObjectAt(volume, "hostPath")) SetIfAbsent(*path, "type", "");
  if (Json* files = ObjectAt(volume, "downwardAPI")) ForEachItem(*files, "items", DefaultFieldRef);
  if (Json* projected = ObjectAt(volume, "projected")) DefaultProjected(*projected);
  if (Json* image = ObjectAt(volume, "image")) {
    SetIfEmpty(*image, "pullPolicy", PullPolicy(std::as_const(*image)["reference"].AsString()));
  }
  if (Json* ephemeral = ObjectAt(volume, "ephemeral")) {
    if (Json* claim = ObjectAt(*ephemeral, "volumeClaimTemplate")) {
      if (Json* spec = ObjectAt(*claim, "spec")) SetIfAbsent(*spec, "volumeMode", "Filesystem");
    }
  }
  if (!HasSource(volume)) volume.Set("emptyDir", Json::MakeObject());
}

}  // namespace

void SetIfAbsent(Json& object, std::string_view key, Json value) {
  Json* present = object.Find(key);
  if (present == nullptr) {
    AddMember(object, key, std::move(value));
  } else if (present->is_null()) {
    *present = std::move(value);
  }
}

void DefaultPodSpec(Json& spec) {
  if (!spec.is_object()) return;
  SetIfEmpty(spec, "restartPolicy", "Always");
  SetIfAbsent(spec, "terminationGracePeriodSeconds", 30);
  SetIfEmpty(spec, "dnsPolicy", "ClusterFirst");
  SetIfAbsent(spec, "securityContext", Json::MakeObject());
  SetIfEmpty(spec, "schedulerName", "default-scheduler");
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    ForEachItem(spec, list, DefaultContainer);
  }
  ForEachItem(spec, "volumes", DefaultVolume);
  if (const Json* account = std::as_const(spec).Find("serviceAccountName")) {
    SetIfAbsent(spec, "serviceAccount", *account);
  }
}

void DefaultPodOnly(Json& spec) {
  if (!spec.is_object()) return;
  const bool host_network = std::as_const(spec)["hostNetwork"].AsBool();
  for (const char* list : {"containers", "initContainers"}) {
    ForEachItem(spec, list, [&](Json& container) {
      const Json limits = std::as_const(container)["resources"]["limits"];
      for (const auto& [name, value] : limits.members()) {
        SetIfAbsent(container["resources"]["requests"], name, value);
      }
      if (!host_network) return;
      ForEachItem(container, "ports", [](Json& port) {
        const Json& own = std::as_const(port)["containerPort"];
        if (own.is_int()) SetIfZero(port, "hostPort", own.AsInt());
      });
    });
  }
}

}  // namespace bth::rules
