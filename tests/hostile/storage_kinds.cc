// Volumes, claims, and what describes where they can be.
#include "tests/hostile/kinds.h"

namespace bth::hostile {
namespace {

Json NodeSelectorTerms(Dice& dice) {
  Json expression = Json::MakeObject({{"key", dice.LabelKey()}, {"operator", dice.Word({"In"})}});
  expression["values"] = Json::MakeArray({dice.LabelValue()});
  Json term = Json::MakeObject({{"matchExpressions", Json::MakeArray({expression})}});
  return dice.Evil() ? Json::MakeArray() : Json::MakeArray({term});
}

Json Modes(Dice& dice) {
  return Json::MakeArray(
      {dice.Word({"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"})});
}

}  // namespace

Json ClaimSpec(Dice& dice) {
  Json spec = Json::MakeObject();
  spec["accessModes"] = Modes(dice);
  spec["resources"]["requests"]["storage"] = dice.Amount({"1Gi", "5Gi", "10"});
  if (dice.Chance(0.8)) spec["storageClassName"] = dice.NameOf("sc", 5);
  if (dice.Chance(0.2)) spec["volumeName"] = dice.NameOf("pv", 7);
  if (dice.Chance(0.1)) spec["selector"] = dice.LabelSelector();
  if (dice.Chance(0.1)) spec["volumeMode"] = dice.Word({"Block", "Filesystem"});
  return spec;
}

void FillVolume(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["capacity"]["storage"] = dice.Amount({"1Gi", "5Gi", "20Gi"});
  spec["accessModes"] = Modes(dice);
  if (dice.Chance(0.8)) spec["storageClassName"] = dice.NameOf("sc", 5);
  if (dice.Chance(0.5)) {
    spec["csi"]["driver"] = dice.NameOf("driver", 4);
    spec["csi"]["volumeHandle"] = dice.NameOf("handle", 3);
  } else {
    spec["hostPath"]["path"] = "/x";
  }
  if (dice.Chance(0.3)) {
    spec["claimRef"] = Json::MakeObject({{"namespace", DrawNamespace(dice)},
                                         {"name", dice.NameOf("pvc", 7)},
                                         {"uid", dice.Text()}});
  }
  if (dice.Chance(0.4)) {
    spec["nodeAffinity"]["required"]["nodeSelectorTerms"] = NodeSelectorTerms(dice);
  }
  if (dice.Chance(0.3)) {
    spec["persistentVolumeReclaimPolicy"] = dice.Word({"Retain", "Delete", "Recycle"});
  }
  (*object)["status"]["phase"] = dice.Word({"Available", "Bound", "Released", "Failed", "Pending"});
}

void FillClaim(Dice& dice, Json* object) {
  (*object)["spec"] = ClaimSpec(dice);
  Json& notes = (*object)["metadata"]["annotations"];
  notes = Json::MakeObject();
  if (dice.Chance(0.3)) notes["pv.kubernetes.io/bind-completed"] = dice.Word({"yes"});
  if (dice.Chance(0.2)) notes["volume.kubernetes.io/selected-node"] = dice.NameOf("n", 11);
  if (dice.Chance(0.1)) notes["volume.beta.kubernetes.io/storage-class"] = dice.NameOf("sc", 5);
  (*object)["status"]["phase"] = dice.Word({"Pending", "Bound", "Lost"});
  if (dice.Chance(0.3)) (*object)["status"]["capacity"]["storage"] = dice.Amount({"1Gi"});
}

void FillStorageClass(Dice& dice, Json* object) {
  (*object)["provisioner"] = dice.Word({"driver0", "driver1", "kubernetes.io/no-provisioner"});
  if (dice.Chance(0.8)) {
    (*object)["volumeBindingMode"] = dice.Word({"WaitForFirstConsumer", "Immediate"});
  }
  if (dice.Chance(0.2)) {
    Json expression = Json::MakeObject({{"key", "topology.kubernetes.io/zone"}});
    expression["values"] = Json::MakeArray({dice.LabelValue()});
    (*object)["allowedTopologies"] = Json::MakeArray(
        {Json::MakeObject({{"matchLabelExpressions", Json::MakeArray({expression})}})});
  }
  if (dice.Chance(0.2)) {
    (*object)["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] = "true";
  }
}

void FillCsiNode(Dice& dice, Json* object) {
  Json driver = Json::MakeObject({{"name", dice.NameOf("driver", 4)}, {"nodeID", "x"}});
  if (dice.Chance(0.6)) driver["allocatable"]["count"] = dice.Count(0, 3);
  if (dice.Chance(0.5)) driver["topologyKeys"] = Json::MakeArray({dice.LabelKey()});
  (*object)["spec"]["drivers"] = dice.Evil() ? Json::MakeArray() : Json::MakeArray({driver});
  if (dice.Chance(0.2)) {
    (*object)["metadata"]["annotations"]["storage.alpha.kubernetes.io/migrated-plugins"] =
        dice.Word({"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs,,"});
  }
}

void FillCsiDriver(Dice& dice, Json* object) {
  (*object)["spec"]["storageCapacity"] = dice.Chance(0.6);
  if (dice.Chance(0.5)) (*object)["spec"]["attachRequired"] = dice.Chance(0.5);
}

void FillCapacity(Dice& dice, Json* object) {
  (*object)["storageClassName"] = dice.NameOf("sc", 5);
  if (dice.Chance(0.8)) (*object)["capacity"] = dice.Amount({"1Gi", "100Gi", "0"});
  if (dice.Chance(0.3)) (*object)["maximumVolumeSize"] = dice.Amount({"1Gi"});
  if (dice.Chance(0.8)) (*object)["nodeTopology"] = dice.LabelSelector();
}

void FillAttachment(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["attacher"] = dice.NameOf("driver", 4);
  spec["nodeName"] = dice.NameOf("n", 11);
  spec["source"]["persistentVolumeName"] = dice.NameOf("pv", 7);
  (*object)["status"]["attached"] = dice.Chance(0.5);
}

}  // namespace bth::hostile
