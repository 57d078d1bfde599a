// Hands the settings of ColocationConfigurations to the pods that they select.
#pragma once

#include <string>
#include <string_view>

#include "api/types/colocation.h"
#include "api/types/pod.h"
#include "controllers/colocation/pod_mark.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"

namespace bth::controllers {

// Writes two annotations of a pod, and nothing when they say the same already. A pod is looked at a
// second after the change that concerns it, so that changes in a row cost one write.
class ColocationController final : public Controller,
                                   private StoreListener<types::ColocationConfiguration>,
                                   private StoreListener<types::Pod> {
 public:
  explicit ColocationController(const ControllerContext& context);

  std::string_view name() const override { return "colocation-config-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  using Configuration = types::ColocationConfiguration;

  void OnAdd(const Configuration& configuration) override;
  void OnUpdate(const Configuration& before, const Configuration& after) override;
  void OnDelete(const Configuration& configuration) override;
  void OnAdd(const types::Pod& pod) override;
  void OnUpdate(const types::Pod& before, const types::Pod& after) override;

  void QueueSelected(const Configuration& configuration);
  void Queue(const types::Pod& pod);
  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  net::Awaitable<absl::Status> Mark(ObjectStore<types::Pod>::Pointer pod, PodMark mark);

  const ControllerContext context_;
  ObjectStore<Configuration>& configurations_;
  ObjectStore<types::Pod>& pods_;
  Lanes lanes_;
};

}  // namespace bth::controllers
