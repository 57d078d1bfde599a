// Follows one object of which only the name is known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "api/types/resource.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/informer.h"
#include "controllers/core/controller.h"

namespace bth::controllers {

// Watches nothing but that object, so that a role need not allow more (resourceNames). A role that
// does not allow it at all makes the object absent, and the log says so once.
// Lifetime: shorter than the context's parts. Thread: the executor's.
template <typename T>
class NamedWatch final : private client::InformerHandler<T> {
 public:
  // `on_news` is called when it is first known whether the object exists, and at every change.
  NamedWatch(const ControllerContext& context, std::string ns, std::string name,
             std::function<void()> on_news)
      : name_(std::move(name)),
        on_news_(std::move(on_news)),
        informer_(context.api, context.rng, *this, OptionsOf(std::move(ns), name_)) {
    informer_.SetOnSynced([this] { on_news_(); });
  }

  void Start() { informer_.Start(); }
  bool known() const { return informer_.HasSynced(); }
  // Null: it does not exist, or nothing is known yet.
  const T* object() const { return object_.has_value() ? &*object_ : nullptr; }

 private:
  static client::InformerOptions OptionsOf(std::string ns, const std::string& name) {
    client::InformerOptions options;
    const std::string what = StrCat(types::ResourceTraits<T>::type().plural, " ", ns, "/", name);
    options.namespace_name = std::move(ns);
    options.reflector.field_selector = StrCat("metadata.name=", name);
    options.reflector.forbidden_is_empty = true;
    options.reflector.on_forbidden = [what](const absl::Status& status) {
      Log(LogLevel::kError, "watch.forbidden",
          {{"object", what},
           {"status", status},
           {"remedy", "allow get, list and watch of it; until then it counts as absent"}});
    };
    options.on_malformed = [what](const client::ObjectKey&, const absl::Status& status) {
      Log(LogLevel::kError, "object.malformed", {{"object", what}, {"status", status}});
    };
    return options;
  }

  // Servers that do not know the selector may tell of others.
  void OnAdd(T&& object) override {
    if (object.meta.name != name_) return;
    object_ = std::move(object);
    has_news_ = true;
  }
  void OnUpdate(T&& object) override { OnAdd(std::move(object)); }
  void OnDelete(const client::ObjectKey& key) override {
    if (key.name != name_) return;
    object_.reset();
    has_news_ = true;
  }
  void OnBatchEnd() override {
    if (std::exchange(has_news_, false) && known()) on_news_();
  }

  const std::string name_;
  const std::function<void()> on_news_;
  std::optional<T> object_;
  bool has_news_ = false;
  client::Informer<T> informer_;
};

}  // namespace bth::controllers
