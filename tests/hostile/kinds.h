// The kinds of objects that scheduler, controllers and simulated nodes read, and how to make one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/hostile/dice.h"

namespace bth::hostile {

// PodGroups may ask for members of a task without a name.
inline constexpr bool kNamelessTasks = true;
// Nobody waits for more pods of one task.
inline constexpr int64_t kReplicasMax = 60;

struct Kind {
  std::string_view kind;
  std::string_view api_version;
  std::string_view plural;
  bool namespaced = true;
  int weight = 1;         // How often it is drawn.
  std::string_view stem;  // Of its names.
  size_t names = 6;       // In its pool; 0: `stem` is the only one.
  // Everything but apiVersion, kind, name and namespace.
  void (*fill)(Dice& dice, Json* object);
  std::string_view home;  // The only namespace of which it is; empty: any.

  // Of the collection; `ns` is ignored where there is none.
  std::string Path(std::string_view ns) const;
};

const std::vector<Kind>& Kinds();
// The first of that name, which there is.
const Kind& KindNamed(std::string_view kind);
// By weight.
const Kind& DrawKind(Dice& dice);
std::string DrawName(Dice& dice, const Kind& kind);
std::string DrawNamespace(Dice& dice);
// A whole document, spoilt now and then.
Json DrawObject(Dice& dice, const Kind& kind, std::string_view ns, std::string_view name);

// Parts that several kinds share.
Json OwnerReferences(Dice& dice);
Json PodTemplate(Dice& dice);
Json ClaimSpec(Dice& dice);

void FillPod(Dice& dice, Json* object);
void FillNode(Dice& dice, Json* object);
void FillNamespace(Dice& dice, Json* object);
void FillPriorityClass(Dice& dice, Json* object);
void FillBudget(Dice& dice, Json* object);
void FillQuota(Dice& dice, Json* object);
void FillService(Dice& dice, Json* object);
void FillWorkload(Dice& dice, Json* object);
void FillConfigMap(Dice& dice, Json* object);
// chip_reports.cc: what MindCluster's daemons tell of the chips of nodes.
void FillChipsOfNode(Dice& dice, Json* object);
void FillStatusOfNode(Dice& dice, Json* object);
void FillChipsOfCluster(Dice& dice, Json* object);
void FillStatusOfCluster(Dice& dice, Json* object);
// device_kinds.cc
void FillSlice(Dice& dice, Json* object);
void FillDeviceClass(Dice& dice, Json* object);
void FillTaintRule(Dice& dice, Json* object);
void FillDeviceClaim(Dice& dice, Json* object);
void FillDeviceClaimTemplate(Dice& dice, Json* object);
// spec.resourceClaims.
Json PodClaims(Dice& dice);
// Of a node, of a container, and what annotations of a pod say.
void AddCards(Dice& dice, Json* meta, Json* amounts);
void AskForCards(Dice& dice, Json* container);
void TellOfCards(Dice& dice, Json* notes);
// storage_kinds.cc
void FillVolume(Dice& dice, Json* object);
void FillClaim(Dice& dice, Json* object);
void FillStorageClass(Dice& dice, Json* object);
void FillCsiNode(Dice& dice, Json* object);
void FillCsiDriver(Dice& dice, Json* object);
void FillCapacity(Dice& dice, Json* object);
void FillAttachment(Dice& dice, Json* object);
// volcano_kinds.cc
void FillPodGroup(Dice& dice, Json* object);
void FillQueue(Dice& dice, Json* object);
void FillBatchJob(Dice& dice, Json* object);
void FillCommand(Dice& dice, Json* object);
void FillJobFlow(Dice& dice, Json* object);
void FillJobTemplate(Dice& dice, Json* object);
void FillCronJob(Dice& dice, Json* object);
void FillHyperNode(Dice& dice, Json* object);
void FillNumatopology(Dice& dice, Json* object);
void FillNodeShard(Dice& dice, Json* object);
void FillColocation(Dice& dice, Json* object);

}  // namespace bth::hostile
