// Volcano's own kinds.
#include <utility>

#include "base/strings.h"
#include "tests/hostile/kinds.h"

namespace bth::hostile {
namespace {

Json NetworkTopology(Dice& dice) {
  Json out = Json::MakeObject({{"mode", dice.Word({"hard", "soft"})}});
  if (dice.Chance(0.7)) out["highestTierAllowed"] = dice.Count(0, 3);
  if (dice.Chance(0.2)) out["highestTierName"] = dice.Text();
  return out;
}

Json Policies(Dice& dice) {
  Json::Array out;
  for (size_t i = 1 + dice.Below(3); i > 0; --i) {
    Json policy = Json::MakeObject();
    policy["action"] = dice.Word({"AbortJob", "RestartJob", "RestartTask", "RestartPod",
                                  "TerminateJob", "CompleteJob", "ResumeJob", "RestartPartition"});
    if (dice.Chance(0.3)) {
      policy["exitCode"] = dice.Count(1, 255);
    } else {
      policy["event"] =
          dice.Word({"*", "PodFailed", "PodEvicted", "PodPending", "PodRunning", "Unknown",
                     "TaskCompleted", "TaskFailed", "OutOfSync", "CommandIssued", "JobUpdated"});
    }
    if (dice.Chance(0.2)) policy["timeout"] = dice.Word({"1s", "30s", "0s", "-5s", "2562047h"});
    out.push_back(std::move(policy));
  }
  return out;
}

Json JobPlugins(Dice& dice) {
  Json out = Json::MakeObject();
  const auto arguments = [&dice](std::initializer_list<std::string_view> some) {
    Json list = Json::MakeArray();
    if (some.size() > 0 && dice.Chance(0.5)) list.MutableItems().push_back(dice.Word(some));
    if (dice.Evil()) list.MutableItems().push_back(dice.Text());
    return list;
  };
  if (dice.Chance(0.4)) out["svc"] = arguments({"--disable-network-policy=false", "--x=1"});
  if (dice.Chance(0.3)) out["env"] = arguments({});
  if (dice.Chance(0.2)) out["ssh"] = arguments({"--ssh-key-file-path=/root", "--no-root"});
  if (dice.Chance(0.1)) out["tensorflow"] = arguments({"--ps=t0", "--worker=t1", "--port=99999"});
  if (dice.Chance(0.1)) out["pytorch"] = arguments({"--master=t0", "--worker=t1", "--port=-1"});
  if (dice.Chance(0.1)) out["mpi"] = arguments({"--master=t0", "--worker=t1", "--port=22"});
  if (dice.Chance(0.1)) out["ray"] = arguments({"--head=t0", "--worker=t1"});
  if (dice.Chance(0.05)) out["hcclrank"] = arguments({});
  return out;
}

Json Task(Dice& dice, size_t number) {
  Json task = Json::MakeObject();
  if (dice.Chance(0.9)) task["name"] = StrCat("t", number);
  task["replicas"] = dice.Count(0, 4);
  if (dice.Chance(0.4)) task["minAvailable"] = dice.Count(0, 3);
  task["template"] = PodTemplate(dice);
  if (dice.Chance(0.2)) task["policies"] = Policies(dice);
  if (dice.Chance(0.2)) task["maxRetry"] = dice.Count(0, 3);
  if (dice.Chance(0.15)) {
    task["dependsOn"]["name"] = Json::MakeArray({dice.NameOf("t", 3), dice.NameOf("t", 3)});
    if (dice.Chance(0.5)) task["dependsOn"]["iteration"] = dice.Word({"any", "all"});
  }
  if (dice.Chance(0.1)) {
    task["topologyPolicy"] = dice.Word({"none", "best-effort", "restricted", "single-numa-node"});
  }
  if (dice.Chance(0.1)) {
    Json& parts = task["partitionPolicy"];
    parts["totalPartitions"] = dice.Count(1, 3);
    parts["partitionSize"] = dice.Count(1, 3);
    if (dice.Chance(0.5)) parts["minPartitions"] = dice.Count(0, 3);
    if (dice.Chance(0.3)) parts["networkTopology"] = NetworkTopology(dice);
  }
  return task;
}

Json JobSpec(Dice& dice) {
  Json spec = Json::MakeObject();
  Json::Array tasks;
  for (size_t i = 0, count = 1 + dice.Below(3); i < count; ++i) tasks.push_back(Task(dice, i));
  spec["tasks"] = std::move(tasks);
  if (dice.Chance(0.7)) spec["minAvailable"] = dice.Count(0, 4);
  if (dice.Chance(0.8)) spec["schedulerName"] = dice.Word({"volcano", "volcano", "other"});
  if (dice.Chance(0.6)) spec["queue"] = dice.NameOf("q", 10);
  if (dice.Chance(0.3)) spec["policies"] = Policies(dice);
  if (dice.Chance(0.4)) spec["plugins"] = JobPlugins(dice);
  if (dice.Chance(0.3)) spec["maxRetry"] = dice.Count(0, 3);
  if (dice.Chance(0.3)) spec["ttlSecondsAfterFinished"] = dice.Count(0, 20);
  if (dice.Chance(0.2)) spec["priorityClassName"] = dice.NameOf("prio", 7);
  if (dice.Chance(0.2)) spec["minSuccess"] = dice.Count(1, 3);
  if (dice.Chance(0.1)) spec["networkTopology"] = NetworkTopology(dice);
  if (dice.Chance(0.1)) spec["runningEstimate"] = dice.Word({"1h", "x"});
  if (dice.Chance(0.15)) {
    Json volume = Json::MakeObject({{"mountPath", "/data"}});
    if (dice.Chance(0.5)) volume["volumeClaimName"] = dice.NameOf("pvc", 7);
    if (dice.Chance(0.5)) volume["volumeClaim"] = ClaimSpec(dice);
    spec["volumes"] = Json::MakeArray({volume});
  }
  return spec;
}

}  // namespace

void FillPodGroup(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["minMember"] = dice.Count(0, 4);
  if (dice.Chance(0.7)) spec["queue"] = dice.NameOf("q", 10);
  if (dice.Chance(0.3)) spec["priorityClassName"] = dice.NameOf("prio", 7);
  if (dice.Chance(0.5)) spec["minResources"] = dice.Resources();
  if (dice.Chance(0.2)) {
    for (size_t i = 1 + dice.Below(3); i > 0; --i) {
      spec["minTaskMember"][dice.NameOf("t", 4)] = dice.Count(0, 3);
    }
  }
  if (dice.Chance(0.3)) spec["networkTopology"] = NetworkTopology(dice);
  if (dice.Chance(0.1)) {
    Json group = Json::MakeObject({{"name", dice.Text()}, {"subGroupSize", dice.Count(1, 3)}});
    if (dice.Chance(0.5)) group["minSubGroups"] = dice.Count(0, 3);
    if (dice.Chance(0.7)) group["labelSelector"] = dice.LabelSelector();
    if (dice.Chance(0.3)) group["networkTopology"] = NetworkTopology(dice);
    if (dice.Chance(0.5)) group["matchLabelKeys"] = Json::MakeArray({dice.LabelKey()});
    spec["subGroupPolicy"] = Json::MakeArray({group});
  }
  Json& notes = (*object)["metadata"]["annotations"];
  notes = Json::MakeObject();
  if (dice.Chance(0.1)) notes["volcano.sh/sla-waiting-time"] = dice.Word({"1m", "10s", "0s"});
  if (dice.Chance(0.1)) notes["volcano.sh/preemptable"] = dice.Word({"true", "false"});
  if (dice.Chance(0.1)) notes["volcano.sh/jdb-min-available"] = dice.Word({"1", "50%"});
  if (dice.Chance(0.1)) notes["volcano.sh/jdb-max-unavailable"] = dice.Word({"1", "50%"});
  if (dice.Chance(0.1)) notes["volcano.sh/revocable-zone"] = dice.Word({"*", "rz"});
  if (dice.Chance(0.1)) notes["volcano.sh/cooldown-time"] = dice.Word({"1m", "2562047h"});
  if (dice.Chance(0.1)) notes["volcano.sh/job-allocated-hypernode"] = dice.NameOf("h", 7);
  for (const char* what : {"affinity", "anti-affinity", "task-order"}) {
    if (!dice.Chance(0.15)) continue;
    notes[StrCat("volcano.sh/task-topology-", what)] =
        dice.Word({"t0,t1", "t0", "t0,t1;t1,t2", ";;,,;", "t0,t0", "nobody"});
  }
  if (dice.Chance(0.5)) {
    Json& status = (*object)["status"];
    status["phase"] = dice.Word({"Pending", "Inqueue", "Running", "Completed", "Unknown"});
    if (dice.Chance(0.5)) status["running"] = dice.Count(0, 3);
    if (dice.Chance(0.3)) {
      status["conditions"] =
          Json::MakeArray({Json::MakeObject({{"type", dice.Word({"Unschedulable", "Scheduled"})},
                                             {"status", dice.Word({"True"})},
                                             {"transitionID", dice.Text()},
                                             {"lastTransitionTime", dice.Time()}})});
    }
  }
}

void FillQueue(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["weight"] = dice.Count(1, 10);
  if (dice.Chance(0.3)) spec["capability"] = dice.Resources();
  if (dice.Chance(0.3)) spec["deserved"] = dice.Resources();
  if (dice.Chance(0.3)) spec["guarantee"]["resource"] = dice.Resources();
  if (dice.Chance(0.6)) spec["reclaimable"] = dice.Chance(0.8);
  if (dice.Chance(0.5)) {
    spec["parent"] = dice.Chance(0.4) ? dice.Word({"root", "default"}) : dice.NameOf("q", 10);
  }
  if (dice.Chance(0.2)) spec["priority"] = dice.Count(0, 9);
  if (dice.Chance(0.2)) spec["dequeueStrategy"] = dice.Word({"fifo", "traverse"});
  if (dice.Chance(0.1)) spec["type"] = dice.Text();
  for (const char* kind : {"nodeGroupAffinity", "nodeGroupAntiAffinity"}) {
    if (!dice.Chance(0.15)) continue;
    for (const char* how : {"requiredDuringSchedulingIgnoredDuringExecution",
                            "preferredDuringSchedulingIgnoredDuringExecution"}) {
      spec["affinity"][kind][how] = Json::MakeArray({dice.LabelValue(), dice.LabelValue()});
    }
  }
  Json& notes = (*object)["metadata"]["annotations"];
  notes = Json::MakeObject();
  if (dice.Chance(0.3)) {
    notes["volcano.sh/hierarchy"] =
        dice.Word({"root/sci", "root/sci/dev", "root/eng", "root", "sci/dev", "root//dev", "/"});
    notes["volcano.sh/hierarchy-weights"] =
        dice.Word({"1/2", "1/2/3", "1", "1/1/1/1", "a/b", "0/0", "-1/2/1e308", "1/nan", "/"});
  }
  if (dice.Chance(0.1)) {
    notes["volcano.sh/nodegroup-resource-limits"] =
        dice.Word({R"({"a":{"cpu":"4"}})", R"({"a":{"cpu":"-1"},"":{}})", "[]", "{"});
  }
  if (dice.Chance(0.3)) {
    (*object)["status"]["state"] = dice.Word({"Open", "Closed", "Closing", "Unknown"});
    if (dice.Chance(0.5)) (*object)["status"]["allocated"] = dice.Resources();
    if (dice.Chance(0.2)) {
      Json& reservation = (*object)["status"]["reservation"];
      reservation["nodes"] = Json::MakeArray({dice.NameOf("n", 10)});
    }
  }
}

void FillBatchJob(Dice& dice, Json* object) {
  (*object)["spec"] = JobSpec(dice);
  if (dice.Chance(0.15)) {
    (*object)["status"]["state"]["phase"] =
        dice.Word({"Pending", "Running", "Restarting", "Completed", "Failed", "Aborting", "Aborted",
                   "Terminating", "Terminated", "Completing"});
    (*object)["status"]["retryCount"] = dice.Count(0, 3);
    (*object)["status"]["version"] = dice.Count(0, 3);
    (*object)["status"]["minAvailable"] = dice.Count(0, 3);
  }
}

void FillCommand(Dice& dice, Json* object) {
  (*object)["action"] = dice.Word({"AbortJob", "ResumeJob", "RestartJob", "TerminateJob",
                                   "CloseQueue", "OpenQueue", "SyncJob", "SyncQueue"});
  const Kind& kind = KindNamed(dice.OneOf({"Job", "Queue"}));
  Json& target = (*object)["target"];
  target["apiVersion"] = kind.api_version;
  target["kind"] = kind.kind;
  target["name"] = dice.NameOf(kind.stem, kind.names + 1);
  target["uid"] = dice.Word({"u-0", "u-1"});
  target["controller"] = dice.Chance(0.8);
}

void FillJobFlow(Dice& dice, Json* object) {
  Json::Array flows;
  for (size_t i = 1 + dice.Below(4); i > 0; --i) {
    Json flow = Json::MakeObject({{"name", dice.NameOf("jt", 5)}});
    if (dice.Chance(0.5)) {
      flow["dependsOn"]["targets"] = Json::MakeArray({dice.NameOf("jt", 5), dice.NameOf("jt", 5)});
    }
    if (dice.Chance(0.2)) {
      Json probe = Json::MakeObject({{"taskName", "t0"}, {"phase", dice.Word({"Running"})}});
      flow["dependsOn"]["probe"]["taskStatusList"] = Json::MakeArray({probe});
    }
    if (dice.Chance(0.2)) flow["patch"]["jobSpec"] = JobSpec(dice);
    flows.push_back(std::move(flow));
  }
  (*object)["spec"]["flows"] = std::move(flows);
  if (dice.Chance(0.7)) (*object)["spec"]["jobRetainPolicy"] = dice.Word({"retain", "delete"});
}

void FillJobTemplate(Dice& dice, Json* object) {
  (*object)["spec"] = JobSpec(dice);
}

void FillCronJob(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["schedule"] = dice.Word({"* * * * *", "*/5 * * * *", "@hourly", "0 0 31 2 *", "@every 1s",
                                "59 23 29 2 6", "@every 0s", "@every -1h", "TZ=Mars/X * * * * *"});
  spec["jobTemplate"]["spec"] = JobSpec(dice);
  if (dice.Chance(0.3)) spec["timeZone"] = dice.Word({"UTC", "Europe/Berlin", "Local", "Mars/X"});
  if (dice.Chance(0.3)) spec["startingDeadlineSeconds"] = dice.Count(0, 100);
  if (dice.Chance(0.5)) spec["concurrencyPolicy"] = dice.Word({"Allow", "Forbid", "Replace"});
  if (dice.Chance(0.1)) spec["suspend"] = true;
  if (dice.Chance(0.3)) spec["successfulJobsHistoryLimit"] = dice.Count(0, 3);
  if (dice.Chance(0.3)) spec["failedJobsHistoryLimit"] = dice.Count(0, 3);
  if (dice.Chance(0.2)) (*object)["status"]["lastScheduleTime"] = dice.Time();
}

void FillHyperNode(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["tier"] = dice.Count(0, 4);
  Json::Array members;
  for (size_t i = 1 + dice.Below(3); i > 0; --i) {
    const bool node = dice.Chance(0.6);
    Json member = Json::MakeObject({{"type", node ? "Node" : "HyperNode"}});
    Json& selector = member["selector"];
    switch (dice.Below(3)) {
      case 0:
        selector["regexMatch"]["pattern"] =
            dice.Word({"n[0-3]", ".*", "^(a+)+$", "(", "[", "n{1000}", "(((((a*)*)*)*)*)*"});
        break;
      case 1:
        selector["labelMatch"] = dice.LabelSelector();
        break;
      default:
        selector["exactMatch"]["name"] = node ? dice.NameOf("n", 11) : dice.NameOf("h", 7);
    }
    members.push_back(std::move(member));
  }
  spec["members"] = std::move(members);
}

void FillNumatopology(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["policies"]["CPUManagerPolicy"] = dice.Word({"static", "static", "none"});
  spec["policies"]["TopologyManagerPolicy"] =
      dice.Word({"restricted", "none", "best-effort", "single-numa-node"});
  spec["numares"]["cpu"]["allocatable"] =
      dice.Word({"0-3", "0,2-5", "0-7", "", "9-1", "0-4294967295", "0-1023,0-1023", "-1"});
  spec["numares"]["cpu"]["capacity"] = dice.Count(0, 8);
  for (int64_t cpu = 0; cpu < 8; ++cpu) {
    if (dice.Chance(0.05)) continue;
    Json& place = spec["cpuDetail"][dice.Evil() ? StrCat("0", cpu) : StrCat(cpu)];
    place["numa"] = dice.Evil() ? dice.Count(0, 20) : Json(cpu / 4);
    place["socket"] = dice.Evil() ? dice.Count(0, 2) : Json(cpu / 4);
    place["core"] = dice.Evil() ? dice.Count(0, 2) : Json(cpu / 2);
  }
  if (dice.Chance(0.3)) spec["resReserved"]["cpu"] = dice.Amount({"1", "500m"});
  if (dice.Chance(0.4)) {
    Json pod = Json::MakeObject({{"name", dice.NameOf("p", 40)}, {"namespace", "default"}});
    if (dice.Chance(0.5)) pod["uid"] = dice.Word({"u-0"});
    spec["podAllocations"] = Json::MakeArray({pod, pod});
  }
}

void FillNodeShard(Dice& dice, Json* object) {
  Json::Array nodes;
  for (size_t i = dice.Below(6); i > 0; --i) nodes.push_back(dice.NameOf("n", 11));
  (*object)["spec"]["nodesDesired"] = std::move(nodes);
  if (dice.Chance(0.4)) {
    (*object)["status"]["nodesInUse"] =
        Json::MakeArray({dice.NameOf("n", 11), dice.NameOf("n", 11)});
  }
}

void FillColocation(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["selector"] = dice.LabelSelector();
  spec["memoryQos"]["highRatio"] = dice.Count(0, 100);
  spec["memoryQos"]["lowRatio"] = dice.Count(0, 100);
}

}  // namespace bth::hostile
