// The part of a view that reads two kinds. Private to this folder.
#pragma once

#include <memory>
#include <utility>

#include "cli/top/view.h"
#include "client/informer.h"

namespace bth::cli {

inline client::InformerOptions TopInformerOptions(const TopEars& ears) {
  client::InformerOptions options;
  // What is shown once must be what is so.
  options.reflector.list_from_cache = false;
  options.reflector.on_error = ears.on_error;
  return options;
}

// `A` and `B` are kinds. A subclass makes the handlers, which outlive the informers.
template <typename A, typename B>
class InformedView : public TopView {
 public:
  void Start() final {
    a_->Start();
    b_->Start();
  }
  bool HasSynced() const final { return a_->HasSynced() && b_->HasSynced(); }
  absl::Status last_error() const final {
    return a_->last_error().ok() ? b_->last_error() : a_->last_error();
  }

 protected:
  void Inform(const TopSources& sources, const TopEars& ears, client::InformerHandler<A>& a,
              client::InformerHandler<B>& b) {
    a_ = std::make_unique<client::Informer<A>>(sources.api, sources.rng, a,
                                               TopInformerOptions(ears));
    b_ = std::make_unique<client::Informer<B>>(sources.api, sources.rng, b,
                                               TopInformerOptions(ears));
    const auto told = [this, ears] {
      if (HasSynced()) ears.on_synced();
    };
    a_->SetOnSynced(told);
    b_->SetOnSynced(told);
  }
  // To be called by the destructor of the subclass, before its handlers go.
  void EndInforming() {
    a_.reset();
    b_.reset();
  }

 private:
  std::unique_ptr<client::Informer<A>> a_;
  std::unique_ptr<client::Informer<B>> b_;
};

}  // namespace bth::cli
