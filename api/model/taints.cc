#include "api/model/taints.h"

#include <algorithm>

namespace bth::model {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.never) return false;
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (toleration.key.valid() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

const Taint* FirstUntolerated(const PodConstraints& pod, const NodeFacts& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect == TaintEffect::kPreferNoSchedule) continue;
    const bool tolerated =
        std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                    [&taint](const Toleration& t) { return Tolerates(t, taint); });
    if (!tolerated) return &taint;
  }
  return nullptr;
}

int CountUntoleratedPreferences(const PodConstraints& pod, const NodeFacts& node) {
  int count = 0;
  for (const Taint& taint : node.taints) {
    if (taint.effect != TaintEffect::kPreferNoSchedule) continue;
    const bool tolerated =
        std::any_of(pod.tolerations.begin(), pod.tolerations.end(), [&taint](const Toleration& t) {
          const bool relevant = !t.effect || *t.effect == TaintEffect::kPreferNoSchedule;
          return relevant && Tolerates(t, taint);
        });
    if (!tolerated) ++count;
  }
  return count;
}

}  // namespace bth::model
