// Kubernetes' own kinds but those of storage.
#include <utility>

#include "base/strings.h"
#include "tests/hostile/kinds.h"

namespace bth::hostile {
namespace {

Json Container(Dice& dice, size_t number) {
  Json out = Json::MakeObject();
  out["name"] = StrCat("c", number);
  out["image"] = dice.OneOf({"i", "busybox", "nginx:1.25", "repo.example.com/x@sha256:0"});
  if (dice.Chance(0.85)) out["resources"]["requests"] = dice.Resources();
  if (dice.Chance(0.2)) out["resources"]["limits"] = dice.Resources();
  if (dice.Chance(0.15)) AskForCards(dice, &out);
  if (dice.Chance(0.4)) {
    out["command"] = Json::MakeArray(
        {"sh", "-c",
         dice.OneOf({"sleep 1", "sleep 5; exit 1", "exit 0", "exit 137", "sleep 99999999999d",
                     "sleep -1", "true", "false", "sleep 0.0001s", "exit 99999999999"})});
  }
  if (dice.Chance(0.1)) {
    Json port = Json::MakeObject();
    port["containerPort"] = dice.Count(1, 9000);
    if (dice.Chance(0.6)) port["hostPort"] = dice.Count(8080, 8083);
    if (dice.Chance(0.3)) port["hostIP"] = dice.Word({"0.0.0.0", "127.0.0.1", "::", "10.0.0.1"});
    if (dice.Chance(0.4)) port["protocol"] = dice.Word({"TCP", "UDP", "SCTP"});
    out["ports"] = Json::MakeArray({port});
  }
  if (dice.Chance(0.05)) {
    out["env"] = Json::MakeArray({Json::MakeObject({{"name", "A"}, {"value", dice.Text()}})});
  }
  return out;
}

Json NodeTerm(Dice& dice) {
  Json expression = Json::MakeObject();
  expression["key"] = dice.LabelKey();
  const bool number = dice.Chance(0.2);
  expression["operator"] =
      number ? dice.Word({"Gt", "Lt"}) : dice.Word({"In", "NotIn", "Exists", "DoesNotExist"});
  const std::string_view op = expression["operator"].AsString();
  if (number) {
    expression["values"] = Json::MakeArray({dice.Word({"1", "-9223372036854775808", "3"})});
  } else if (op != "Exists" && op != "DoesNotExist") {
    expression["values"] = Json::MakeArray({dice.LabelValue(), dice.LabelValue()});
  }
  Json term = Json::MakeObject();
  if (dice.Chance(0.15)) {
    expression["key"] = "metadata.name";
    expression["operator"] = "In";
    expression["values"] = Json::MakeArray({dice.NameOf("n", 10)});
    term["matchFields"] = Json::MakeArray({expression});
  } else if (!dice.Evil()) {
    term["matchExpressions"] = Json::MakeArray({expression});
  }
  return term;
}

Json PeerTerm(Dice& dice) {
  Json term = Json::MakeObject();
  term["topologyKey"] = dice.Word(
      {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "tier", "nowhere.example.com/x"});
  if (dice.Chance(0.9)) term["labelSelector"] = dice.LabelSelector();
  if (dice.Chance(0.2)) term["namespaces"] = Json::MakeArray({DrawNamespace(dice)});
  if (dice.Chance(0.2)) term["namespaceSelector"] = dice.LabelSelector();
  if (dice.Chance(0.1)) term["matchLabelKeys"] = Json::MakeArray({dice.LabelKey()});
  return term;
}

Json Affinity(Dice& dice) {
  Json out = Json::MakeObject();
  const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
  const char* preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  if (dice.Chance(0.4)) {
    out["nodeAffinity"][required]["nodeSelectorTerms"] =
        dice.Evil() ? Json::MakeArray() : Json::MakeArray({NodeTerm(dice), NodeTerm(dice)});
  }
  if (dice.Chance(0.3)) {
    out["nodeAffinity"][preferred] = Json::MakeArray(
        {Json::MakeObject({{"weight", dice.Count(1, 100)}, {"preference", NodeTerm(dice)}})});
  }
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    if (dice.Chance(0.3)) out[kind][required] = Json::MakeArray({PeerTerm(dice)});
    if (dice.Chance(0.3)) {
      out[kind][preferred] = Json::MakeArray({Json::MakeObject(
          {{"weight", dice.Count(1, 100)}, {"podAffinityTerm", PeerTerm(dice)}})});
    }
  }
  return out;
}

Json Spread(Dice& dice) {
  Json out = Json::MakeObject();
  out["maxSkew"] = dice.Count(1, 3);
  out["topologyKey"] = dice.Word({"kubernetes.io/hostname", "topology.kubernetes.io/zone", "tier"});
  out["whenUnsatisfiable"] = dice.Word({"DoNotSchedule", "ScheduleAnyway"});
  if (dice.Chance(0.9)) out["labelSelector"] = dice.LabelSelector();
  if (dice.Chance(0.2) && out["whenUnsatisfiable"].AsString() == "DoNotSchedule") {
    out["minDomains"] = dice.Count(1, 4);
  }
  if (dice.Chance(0.2)) out["nodeAffinityPolicy"] = dice.Word({"Honor", "Ignore"});
  if (dice.Chance(0.2)) out["nodeTaintsPolicy"] = dice.Word({"Honor", "Ignore"});
  if (dice.Chance(0.1)) out["matchLabelKeys"] = Json::MakeArray({dice.LabelKey()});
  return out;
}

Json PodVolumes(Dice& dice) {
  Json::Array out;
  for (size_t i = 1 + dice.Below(2); i > 0; --i) {
    Json volume = Json::MakeObject();
    volume["name"] = StrCat("v", i);
    switch (dice.Below(8)) {
      case 0:
        volume["ephemeral"]["volumeClaimTemplate"]["spec"] = ClaimSpec(dice);
        break;
      case 1:
        volume["csi"]["driver"] = dice.NameOf("driver", 3);
        break;
      case 2:
        volume["gcePersistentDisk"]["pdName"] = dice.NameOf("disk", 2);
        break;
      case 3:
        volume["emptyDir"] = Json::MakeObject();
        break;
      default:
        volume["persistentVolumeClaim"]["claimName"] = dice.NameOf("pvc", 6);
    }
    out.push_back(std::move(volume));
  }
  return out;
}

Json Tolerations(Dice& dice) {
  Json out = Json::MakeObject();
  if (dice.Chance(0.8)) out["key"] = dice.LabelKey();
  out["operator"] = dice.Chance(0.8) && out.Find("key") != nullptr ? dice.Word({"Equal", "Exists"})
                                                                   : Json("Exists");
  if (out["operator"].AsString() == "Equal") out["value"] = dice.LabelValue();
  if (dice.Chance(0.7)) out["effect"] = dice.Word({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  if (dice.Chance(0.1)) out["tolerationSeconds"] = dice.Count(0, 60);
  return Json::MakeArray({out});
}

Json PodSpec(Dice& dice) {
  Json spec = Json::MakeObject();
  Json::Array containers;
  for (size_t i = 0, count = 1 + dice.Below(2); i < count; ++i) {
    containers.push_back(Container(dice, i));
  }
  spec["containers"] = std::move(containers);
  if (dice.Chance(0.1)) {
    Json init = Container(dice, 9);
    if (dice.Chance(0.5)) init["restartPolicy"] = dice.Word({"Always"});
    spec["initContainers"] = Json::MakeArray({init});
  }
  if (dice.Chance(0.9))
    spec["schedulerName"] = dice.Word({"volcano", "volcano", "volcano", "other"});
  if (dice.Chance(0.05)) spec["overhead"] = dice.Resources();
  if (dice.Chance(0.08)) spec["nodeName"] = dice.NameOf("n", 12);
  if (dice.Chance(0.1)) spec["nodeSelector"] = dice.Labels();
  if (dice.Chance(0.2)) spec["affinity"] = Affinity(dice);
  if (dice.Chance(0.1)) spec["topologySpreadConstraints"] = Json::MakeArray({Spread(dice)});
  if (dice.Chance(0.2)) spec["tolerations"] = Tolerations(dice);
  if (dice.Chance(0.3)) spec["priorityClassName"] = dice.NameOf("prio", 7);
  if (dice.Chance(0.15)) spec["volumes"] = PodVolumes(dice);
  if (dice.Chance(0.05)) {
    spec["schedulingGates"] = Json::MakeArray({Json::MakeObject(
        {{"name", dice.Word({"scheduling.volcano.sh/queue-allocation-gate", "example.com/g"})}})});
  }
  if (dice.Chance(0.5)) spec["restartPolicy"] = dice.Word({"Never", "OnFailure", "Always"});
  if (dice.Chance(0.2)) spec["terminationGracePeriodSeconds"] = dice.Count(0, 40);
  if (dice.Chance(0.1)) spec["preemptionPolicy"] = dice.Word({"Never", "PreemptLowerPriority"});
  if (dice.Chance(0.05)) spec["activeDeadlineSeconds"] = dice.Count(1, 100);
  if (dice.Chance(0.15)) spec["resourceClaims"] = PodClaims(dice);
  return spec;
}

void Annotate(Dice& dice, Json* meta) {
  // First, since what is added here moves the annotations.
  if (dice.Chance(0.1)) {
    (*meta)["labels"]["ring-controller.atlas"] = "ascend-310P";
    (*meta)["labels"]["vnpu-dvpp"] = dice.Word({"yes", "no", "null", "Yes"});
  }
  Json& notes = (*meta)["annotations"];
  notes = Json::MakeObject();
  if (dice.Chance(0.85)) notes["scheduling.k8s.io/group-name"] = dice.NameOf("g", 9);
  if (dice.Chance(0.15)) TellOfCards(dice, &notes);
  if (dice.Chance(0.1)) {
    notes["volcano.sh/numa-topology-policy"] =
        dice.Word({"none", "best-effort", "restricted", "single-numa-node"});
  }
  if (dice.Chance(0.2)) notes["volcano.sh/task-spec"] = dice.Word({"t0", "t1", "t2"});
  if (dice.Chance(0.1)) notes["volcano.sh/preemptable"] = dice.Word({"true", "false"});
  if (dice.Chance(0.05)) notes["volcano.sh/cooldown-time"] = dice.Word({"30s", "1h"});
  if (dice.Chance(0.05)) notes["volcano.sh/revocable-zone"] = dice.Word({"*", "rz"});
  if (dice.Chance(0.05)) notes["volcano.sh/task-index"] = dice.Word({"0", "1"});
  if (dice.Chance(0.05)) notes["volcano.sh/task-priority"] = dice.Word({"0", "100"});
  if (dice.Chance(0.05)) notes["scheduling.volcano.sh/queue-name"] = dice.NameOf("q", 10);
  if (dice.Chance(0.05)) notes["volcano.sh/jdb-min-available"] = dice.Word({"1", "50%"});
  if (dice.Chance(0.05)) notes["scheduling.volcano.sh/group-min-member"] = dice.Word({"2"});
  if (dice.Chance(0.05)) notes["volcano.sh/sla-waiting-time"] = dice.Word({"1m", "10s"});
  if (dice.Chance(0.05)) notes["volcano.sh/numa-topology-policy"] = dice.Word({"restricted"});
  if (dice.Chance(0.03)) {
    notes["volcano.sh/resource-strategy-scoring-type"] = dice.Word({"LeastAllocated"});
    notes["volcano.sh/resource-strategy-weight"] = dice.Word({R"({"cpu":1})", R"({"":-1})"});
  }
}

Json PodStatus(Dice& dice) {
  Json status = Json::MakeObject();
  status["phase"] = dice.Word({"Pending", "Running", "Succeeded", "Failed", "Unknown"});
  if (dice.Chance(0.2)) status["nominatedNodeName"] = dice.NameOf("n", 12);
  if (dice.Chance(0.3)) status["startTime"] = dice.Time();
  if (dice.Chance(0.3)) {
    status["conditions"] = Json::MakeArray(
        {Json::MakeObject({{"type", dice.Word({"Ready", "PodScheduled", "DisruptionTarget"})},
                           {"status", dice.Word({"True", "False", "Unknown"})},
                           {"lastTransitionTime", dice.Time()}})});
  }
  if (dice.Chance(0.3)) {
    Json container = Json::MakeObject({{"name", "c0"}, {"image", "i"}, {"imageID", ""}});
    container["ready"] = dice.Chance(0.5);
    container["restartCount"] = dice.Count(0, 5);
    container["state"]["terminated"]["exitCode"] = dice.Count(0, 255);
    container["state"]["terminated"]["finishedAt"] = dice.Time();
    status["containerStatuses"] = Json::MakeArray({container});
  }
  return status;
}

}  // namespace

Json PodTemplate(Dice& dice) {
  Json out = Json::MakeObject();
  Annotate(dice, &out["metadata"]);
  if (dice.Chance(0.3)) out["metadata"]["labels"] = dice.Labels();
  out["spec"] = PodSpec(dice);
  // The controllers' pods are scheduled by whom their job says.
  if (dice.Chance(0.9)) out["spec"].Erase("schedulerName");
  if (dice.Chance(0.9)) out["spec"].Erase("nodeName");
  return out;
}

void FillPod(Dice& dice, Json* object) {
  Json& meta = (*object)["metadata"];
  Annotate(dice, &meta);
  if (dice.Chance(0.3)) meta["labels"] = dice.Labels();
  (*object)["spec"] = PodSpec(dice);
  (*object)["status"] = PodStatus(dice);
}

void FillNode(Dice& dice, Json* object) {
  Json& meta = (*object)["metadata"];
  const std::string name(meta["name"].AsString());
  if (dice.Chance(0.8)) meta["labels"]["kubernetes.io/hostname"] = name;
  if (dice.Chance(0.6)) meta["labels"]["topology.kubernetes.io/zone"] = dice.LabelValue();
  if (dice.Chance(0.2)) meta["labels"]["volcano.sh/nodegroup-name"] = dice.LabelValue();
  if (dice.Chance(0.1)) meta["labels"]["volcano.sh/revocable-zone"] = dice.Word({"rz"});
  if (dice.Chance(0.1)) meta["labels"]["volcano.sh/oversubscription"] = dice.Word({"true"});
  if (dice.Chance(0.1)) meta["labels"]["node.volcano.sh/warmup"] = dice.Word({"true"});
  if (dice.Chance(0.1)) {
    meta["annotations"]["volcano.sh/oversubscription-cpu"] = dice.Amount({"1000", "2"});
    meta["annotations"]["volcano.sh/oversubscription-memory"] = dice.Amount({"1Gi"});
  }
  if (dice.Chance(0.05)) meta["annotations"]["batholith.io/simulated-down"] = dice.Word({"true"});
  Json& spec = (*object)["spec"];
  spec = Json::MakeObject();
  if (dice.Chance(0.05)) spec["unschedulable"] = true;
  if (dice.Chance(0.15)) {
    Json taint = Json::MakeObject();
    taint["key"] = dice.LabelKey();
    taint["effect"] = dice.Word({"NoSchedule", "PreferNoSchedule", "NoExecute"});
    if (dice.Chance(0.5)) taint["value"] = dice.LabelValue();
    spec["taints"] = Json::MakeArray({taint});
  }
  Json amounts = Json::MakeObject();
  amounts["cpu"] = dice.Amount({"4", "8", "16", "3900m"});
  amounts["memory"] = dice.Amount({"8Gi", "16Gi", "32Gi"});
  amounts["pods"] = dice.Amount({"110", "10", "3"});
  if (dice.Chance(0.3)) amounts["nvidia.com/gpu"] = dice.Amount({"8", "1"});
  if (dice.Chance(0.3)) amounts["ephemeral-storage"] = dice.Amount({"100Gi"});
  if (dice.Chance(0.1)) amounts[dice.NameOf("example.com/r", 30)] = dice.Amount({"5"});
  if (dice.Chance(0.1)) amounts["attachable-volumes-gce-pd"] = dice.Amount({"2", "16"});
  // `meta` is outdated by now: what was added to the object may have moved it.
  if (dice.Chance(0.4)) AddCards(dice, &(*object)["metadata"], &amounts);
  Json& status = (*object)["status"];
  status["allocatable"] = amounts;
  status["capacity"] = dice.Chance(0.8) ? amounts : dice.Resources();
  if (dice.Chance(0.9)) {
    status["conditions"] = Json::MakeArray({Json::MakeObject(
        {{"type", "Ready"}, {"status", dice.Word({"True", "True", "True", "False", "Unknown"})}})});
  }
  if (dice.Chance(0.1)) {
    Json image = Json::MakeObject({{"names", Json::MakeArray({"busybox", "i"})}});
    image["sizeBytes"] = dice.Count(1000, 1'000'000'000);
    status["images"] = Json::MakeArray({image});
  }
}

void FillNamespace(Dice& dice, Json* object) {
  if (dice.Chance(0.6)) {
    (*object)["metadata"]["annotations"]["scheduling.volcano.sh/queue-name"] = dice.NameOf("q", 10);
  }
}

void FillPriorityClass(Dice& dice, Json* object) {
  (*object)["value"] = dice.Count(-100, 1000);
  if (dice.Chance(0.1)) (*object)["globalDefault"] = true;
  if (dice.Chance(0.2)) {
    (*object)["preemptionPolicy"] = dice.Word({"Never", "PreemptLowerPriority"});
  }
}

void FillBudget(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["selector"] = dice.LabelSelector();
  const Json amount =
      dice.Chance(0.5) ? dice.Count(0, 3) : dice.Word({"50%", "0%", "100%", "33%", "1000000000%"});
  spec[dice.Chance(0.5) ? "minAvailable" : "maxUnavailable"] = amount;
  if (dice.Chance(0.5)) {
    Json& status = (*object)["status"];
    status["disruptionsAllowed"] = dice.Count(0, 3);
    status["currentHealthy"] = dice.Count(0, 3);
    status["desiredHealthy"] = dice.Count(0, 3);
    status["expectedPods"] = dice.Count(0, 3);
    if (dice.Chance(0.3)) status["disruptedPods"][dice.NameOf("p", 40)] = dice.Time();
  }
}

void FillQuota(Dice& dice, Json* object) {
  Json hard = Json::MakeObject();
  hard["requests.cpu"] = dice.Amount({"4", "100"});
  hard["pods"] = dice.Amount({"5", "100"});
  if (dice.Chance(0.3)) hard["limits.memory"] = dice.Amount({"4Gi"});
  if (dice.Evil()) hard[dice.LabelKey()] = dice.Amount({"1"});
  (*object)["spec"]["hard"] = hard;
  if (dice.Chance(0.2)) (*object)["spec"]["scopes"] = Json::MakeArray({dice.Word({"BestEffort"})});
  (*object)["status"]["hard"] = hard;
  (*object)["status"]["used"] = dice.Resources();
}

void FillService(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  if (dice.Chance(0.9)) spec["selector"] = dice.Labels();
  if (dice.Chance(0.7)) spec["clusterIP"] = "None";
  spec["ports"] = Json::MakeArray({Json::MakeObject({{"port", dice.Count(1, 100)}})});
}

void FillWorkload(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  const Json labels = Json::MakeObject({{"app", dice.OneOf({"a", "b"})}});
  spec["replicas"] = dice.Count(0, 3);
  if ((*object)["kind"].AsString() == "ReplicationController") {
    spec["selector"] = labels;
  } else {
    spec["selector"]["matchLabels"] = labels;
  }
  spec["template"] = PodTemplate(dice);
  spec["template"]["metadata"]["labels"] = labels;
  if ((*object)["kind"].AsString() == "StatefulSet") spec["serviceName"] = dice.NameOf("svc", 4);
}

void FillConfigMap(Dice& dice, Json* object) {
  (*object)["data"]["k"] = dice.Text();
}

}  // namespace bth::hostile
