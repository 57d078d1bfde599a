// Devices: those that drivers publish and pods claim, and cards that annotations tell of.
#include <utility>

#include "base/strings.h"
#include "tests/hostile/kinds.h"

namespace bth::hostile {
namespace {

Json Driver(Dice& dice) {
  return dice.Word({"x.io", "x.io", "y.io"});
}

// Some loop as long as they are allowed to, some err, some are no expressions.
Json Selectors(Dice& dice) {
  Json selector = Json::MakeObject();
  selector["cel"]["expression"] =
      dice.Word({"true", "device.driver == 'x.io'", "device.attributes['x.io'].numa == 1",
                 "device.attributes['nobody.io'].numa == 1", "1 / 0 == 0",
                 "device.capacity['x.io'].memory.compareTo(quantity('1Gi')) >= 0",
                 "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, "
                 "[0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, a+b+c+d >= 0))))",
                 "device.attributes['x.io'].model.matches('(a*)*b')", "device", "((((", ""});
  return Json::MakeArray({selector});
}

Json Attribute(Dice& dice) {
  Json out = Json::MakeObject();
  if (dice.Chance(0.4)) out["int"] = dice.Count(0, 2);
  if (out.empty() && dice.Chance(0.4)) out["string"] = dice.Word({"a", "b"});
  if (out.empty() && dice.Chance(0.5)) out["version"] = dice.Word({"1.0.0", "2.10.3", "1"});
  if (out.empty()) out["bool"] = dice.Chance(0.5);
  if (dice.Evil()) out["ints"] = Json::MakeArray({dice.Count(0, 2), dice.Count(0, 2)});
  return out;
}

Json DeviceTaint(Dice& dice) {
  Json taint = Json::MakeObject({{"key", dice.LabelKey()}});
  taint["effect"] = dice.Word({"NoSchedule", "NoExecute", "None"});
  if (dice.Chance(0.5)) taint["value"] = dice.LabelValue();
  return taint;
}

void AddSharing(Dice& dice, Json* device) {
  if (dice.Chance(0.3)) {
    Json use = Json::MakeObject({{"counterSet", dice.NameOf("set", 3)}});
    use["counters"]["units"]["value"] = dice.Amount({"1", "2"});
    (*device)["consumesCounters"] = Json::MakeArray({use});
  }
  if (dice.Chance(0.15)) {
    (*device)["allowMultipleAllocations"] = true;
    Json& policy = (*device)["capacity"]["memory"]["requestPolicy"];
    policy["default"] = dice.Amount({"1Gi"});
    if (dice.Chance(0.5)) {
      policy["validRange"]["min"] = dice.Amount({"1Gi"});
      if (dice.Chance(0.5)) policy["validRange"]["step"] = dice.Amount({"1Gi", "3"});
    } else {
      policy["validValues"] = Json::MakeArray({dice.Amount({"1Gi"}), dice.Amount({"2Gi"})});
    }
  }
  if (dice.Chance(0.1)) {
    (*device)["bindsToNode"] = dice.Chance(0.5);
    (*device)["bindingConditions"] = Json::MakeArray({dice.Word({"Ready"})});
    (*device)["bindingFailureConditions"] = Json::MakeArray({dice.Word({"Broken"})});
  }
}

Json Device(Dice& dice, size_t number) {
  Json out = Json::MakeObject();
  out["name"] = dice.Evil() ? dice.NameOf("d", 2) : StrCat("d", number);
  for (const char* name : {"numa", "model", "x.io/numa", "y.io/model"}) {
    if (dice.Chance(0.5)) out["attributes"][name] = Attribute(dice);
  }
  if (dice.Chance(0.6)) out["capacity"]["memory"]["value"] = dice.Amount({"8Gi", "16Gi"});
  if (dice.Chance(0.1)) out["taints"] = Json::MakeArray({DeviceTaint(dice), DeviceTaint(dice)});
  AddSharing(dice, &out);
  return out;
}

Json NodesByLabel(Dice& dice) {
  Json expression = Json::MakeObject({{"key", dice.LabelKey()}});
  expression["operator"] = dice.Word({"In", "NotIn"});
  expression["values"] = Json::MakeArray({dice.LabelValue()});
  Json term = Json::MakeObject();
  term["matchExpressions"] = Json::MakeArray({expression});
  Json out = Json::MakeObject();
  out["nodeSelectorTerms"] = Json::MakeArray({term});
  return out;
}

void SetReach(Dice& dice, Json* target) {
  if (dice.Chance(0.7)) {
    (*target)["nodeName"] = dice.NameOf("n", 10);
  } else if (dice.Chance(0.5)) {
    (*target)["allNodes"] = true;
  } else {
    (*target)["nodeSelector"] = NodesByLabel(dice);
  }
}

Json Demand(Dice& dice) {
  Json out = Json::MakeObject({{"deviceClassName", dice.NameOf("class", 4)}});
  if (dice.Chance(0.4)) out["selectors"] = Selectors(dice);
  if (dice.Chance(0.1)) {
    out["allocationMode"] = dice.Word({"All"});
  } else if (dice.Chance(0.3)) {
    out["allocationMode"] = "ExactCount";
    out["count"] = dice.Count(1, 3);
  }
  if (dice.Chance(0.05)) out["adminAccess"] = true;
  if (dice.Chance(0.1)) {
    Json toleration = Json::MakeObject({{"operator", "Exists"}});
    if (dice.Chance(0.5)) toleration["effect"] = dice.Word({"NoSchedule", "NoExecute"});
    out["tolerations"] = Json::MakeArray({toleration});
  }
  if (dice.Chance(0.1)) out["capacity"]["requests"]["memory"] = dice.Amount({"1Gi", "3Gi"});
  return out;
}

Json Request(Dice& dice, size_t number) {
  Json out = Json::MakeObject({{"name", StrCat("r", number)}});
  if (dice.Chance(0.8)) {
    out["exactly"] = Demand(dice);
    return out;
  }
  Json::Array some;
  for (size_t i = 0, count = 1 + dice.Below(3); i < count; ++i) {
    Json demand = Demand(dice);
    demand["name"] = StrCat("s", i);
    some.push_back(std::move(demand));
  }
  out["firstAvailable"] = std::move(some);
  return out;
}

Json ClaimedDevices(Dice& dice) {
  Json out = Json::MakeObject();
  Json::Array requests;
  for (size_t i = 0, count = 1 + dice.Below(2); i < count; ++i) {
    requests.push_back(Request(dice, i));
  }
  out["requests"] = std::move(requests);
  if (dice.Chance(0.2)) {
    Json constraint = Json::MakeObject();
    constraint[dice.Chance(0.7) ? "matchAttribute" : "distinctAttribute"] =
        dice.Word({"x.io/numa", "x.io/model", "y.io/model"});
    if (dice.Chance(0.4)) constraint["requests"] = Json::MakeArray({dice.Word({"r0", "r1"})});
    out["constraints"] = Json::MakeArray({constraint});
  }
  if (dice.Chance(0.1)) {
    Json config = Json::MakeObject();
    config["opaque"]["driver"] = Driver(dice);
    config["opaque"]["parameters"] = dice.Anything(2);
    out["config"] = Json::MakeArray({config});
  }
  return out;
}

// As if some scheduler had allocated it.
Json Allocated(Dice& dice) {
  Json out = Json::MakeObject();
  Json result = Json::MakeObject({{"request", dice.Word({"r0", "r1", "r0/s0"})}});
  result["driver"] = Driver(dice);
  result["pool"] = dice.NameOf("n", 10);
  result["device"] = dice.NameOf("d", 4);
  if (dice.Chance(0.1)) result["shareID"] = "2f1e8c3a-0000-4000-8000-000000000001";
  if (dice.Chance(0.1)) result["consumedCapacity"]["memory"] = dice.Amount({"1Gi"});
  out["allocation"]["devices"]["results"] = Json::MakeArray({result, result});
  if (dice.Chance(0.3)) out["allocation"]["nodeSelector"] = NodesByLabel(dice);
  if (dice.Chance(0.7)) {
    Json user = Json::MakeObject({{"resource", "pods"}});
    user["name"] = dice.NameOf("p", 40);
    user["uid"] = dice.Word({"u-0", "u-1"});
    out["reservedFor"] = Json::MakeArray({user});
  }
  Json told = Json::MakeObject({{"driver", result["driver"]}, {"pool", result["pool"]}});
  told["device"] = result["device"];
  Json condition = Json::MakeObject({{"type", dice.Word({"Ready", "Broken"})}});
  condition["status"] = dice.Word({"True", "False"});
  told["conditions"] = Json::MakeArray({condition});
  if (dice.Chance(0.3)) out["devices"] = Json::MakeArray({told});
  return out;
}

// "uuid,count,memory,type,health,mode:…"
std::string Cards(Dice& dice) {
  std::string out;
  for (size_t i = 1 + dice.Below(3); i > 0; --i) {
    const std::string id = dice.NameOf("GPU-", 3);
    const Json count = dice.Count(1, 10);
    StrAppend(&out, id, ",", count.AsInt(), ",", dice.Count(1000, 30'000).AsInt(), ",NVIDIA-A30,");
    StrAppend(&out, dice.Chance(0.9) ? "true" : "false", ",");
    StrAppend(&out, dice.Chance(0.3) ? "mig" : "hami-core", dice.Evil() ? "" : ":");
  }
  // Torn somewhere.
  if (dice.Evil()) out.resize(dice.Below(out.size()));
  return out;
}

std::string Held(Dice& dice) {
  std::string out;
  for (size_t i = 1 + dice.Below(2); i > 0; --i) {
    StrAppend(&out, dice.NameOf("GPU-", 3), dice.Chance(0.2) ? "[group1-0]" : "", ",NVIDIA,",
              dice.Count(0, 30'000).AsInt(), ",", dice.Count(0, 100).AsInt());
    StrAppend(&out, dice.Chance(0.3) ? ":;" : ":");
  }
  if (dice.Evil()) out.resize(dice.Below(out.size()));
  return out;
}

}  // namespace

void FillSlice(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["driver"] = Driver(dice);
  spec["pool"]["name"] = dice.NameOf("n", 10);
  spec["pool"]["generation"] = dice.Count(1, 2);
  spec["pool"]["resourceSliceCount"] = dice.Count(1, 2);
  const bool by_device = dice.Chance(0.1);
  if (by_device) {
    spec["perDeviceNodeSelection"] = true;
  } else {
    SetReach(dice, &spec);
  }
  if (dice.Chance(0.2)) {
    Json set = Json::MakeObject({{"name", dice.NameOf("set", 3)}});
    set["counters"]["units"]["value"] = dice.Amount({"4"});
    spec["sharedCounters"] = Json::MakeArray({set});
    if (dice.Chance(0.8)) return;
  }
  Json::Array devices;
  for (size_t i = 0, count = dice.Below(5); i < count; ++i) {
    devices.push_back(Device(dice, i));
    if (by_device) SetReach(dice, &devices.back());
  }
  spec["devices"] = std::move(devices);
}

void FillDeviceClass(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec = Json::MakeObject();
  if (dice.Chance(0.6)) spec["selectors"] = Selectors(dice);
  if (dice.Chance(0.1)) spec["extendedResourceName"] = dice.Word({"nvidia.com/gpu", "x.io/gpu"});
}

void FillTaintRule(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  spec["taint"] = DeviceTaint(dice);
  if (dice.Chance(0.1)) spec["taint"]["timeAdded"] = dice.Time();
  if (dice.Chance(0.15)) return;  // Of no devices.
  Json& selector = spec["deviceSelector"] = Json::MakeObject();
  if (dice.Chance(0.5)) selector["driver"] = Driver(dice);
  if (dice.Chance(0.4)) selector["pool"] = dice.NameOf("n", 10);
  if (dice.Chance(0.4)) selector["device"] = dice.NameOf("d", 4);
}

void FillDeviceClaim(Dice& dice, Json* object) {
  (*object)["spec"]["devices"] = ClaimedDevices(dice);
  if (dice.Chance(0.15)) (*object)["status"] = Allocated(dice);
}

void FillDeviceClaimTemplate(Dice& dice, Json* object) {
  Json& spec = (*object)["spec"];
  if (dice.Chance(0.2)) spec["metadata"]["labels"] = dice.Labels();
  spec["spec"]["devices"] = ClaimedDevices(dice);
}

Json PodClaims(Dice& dice) {
  Json::Array out;
  for (size_t i = 0, count = 1 + dice.Below(2); i < count; ++i) {
    Json entry = Json::MakeObject({{"name", StrCat("c", i)}});
    if (dice.Chance(0.6)) {
      entry["resourceClaimName"] = dice.NameOf("claim", 7);
    } else {
      entry["resourceClaimTemplateName"] = dice.NameOf("claimt", 4);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

void AddCards(Dice& dice, Json* meta, Json* amounts) {
  // Of a chip of which parts are lent; first, since what is added here moves the annotations.
  if (dice.Chance(0.3)) {
    Json& labels = (*meta)["labels"];
    labels["accelerator"] = dice.Word({"huawei-Ascend310P", "huawei", "-Ascend310P-"});
    labels["servertype"] = dice.Word({"Ascend310P-8", "Ascend310P-10-dual", "Ascend310P--1", "-"});
    labels["node.kubernetes.io/npu.chip.name"] = "310P3";
    (*amounts)["huawei.com/npu-core"] = dice.Amount({"16", "20", "8"});
  }
  Json& notes = (*meta)["annotations"];
  if (dice.Chance(0.5)) {
    notes["volcano.sh/node-vgpu-register"] = dice.Evil() ? dice.Text() : Json(Cards(dice));
    (*amounts)["volcano.sh/vgpu-number"] = dice.Amount({"10"});
    (*amounts)["volcano.sh/vgpu-memory"] = dice.Amount({"60000"});
    (*amounts)["volcano.sh/vgpu-cores"] = dice.Amount({"200"});
  }
  if (dice.Chance(0.4)) {
    (*amounts)["volcano.sh/gpu-memory"] = dice.Amount({"2000"});
    (*amounts)["volcano.sh/gpu-number"] = dice.Amount({"2", "4"});
    if (dice.Chance(0.3)) notes["volcano.sh/gpu-unhealthy-ids"] = dice.Word({"0", "1,x,-3", ",,"});
  }
  if (dice.Chance(0.4)) {
    Json card = Json::MakeObject({{"id", dice.NameOf("npu-", 2)}, {"type", "Ascend310P"}});
    for (const char* number : {"index", "count", "numa"}) card[number] = dice.Count(0, 7);
    card["devmem"] = dice.Count(1000, 21'527);
    card["devcore"] = dice.Count(1, 8);
    card["health"] = true;
    if (dice.Evil()) dice.Spoil(&card);
    std::string text = Json::MakeArray({card, card}).Dump();
    if (dice.Evil()) text.resize(dice.Below(text.size()));
    notes["hami.io/node-register-Ascend310P"] = text;
    (*amounts)["huawei.com/Ascend310P"] = dice.Amount({"7"});
  }
  for (const char* lock : {"gpu", "hamivgpu", "hami.io/mutex.lock"}) {
    if (dice.Chance(0.05)) notes[lock] = dice.Time();
  }
}

void AskForCards(Dice& dice, Json* container) {
  Json& limits = (*container)["resources"]["limits"];
  switch (dice.Below(4)) {
    case 0:
      limits["volcano.sh/vgpu-number"] = dice.Amount({"1", "2"});
      if (dice.Chance(0.7)) limits["volcano.sh/vgpu-memory"] = dice.Amount({"1000", "6000"});
      if (dice.Chance(0.3)) limits["volcano.sh/vgpu-cores"] = dice.Amount({"30", "100"});
      break;
    case 1:
      limits["volcano.sh/gpu-memory"] = dice.Amount({"600"});
      if (dice.Chance(0.3)) limits["volcano.sh/gpu-number"] = dice.Amount({"1"});
      break;
    case 2:
      limits["huawei.com/npu-core"] = dice.Amount({"1", "2", "4", "8", "3"});
      break;
    default:
      limits["huawei.com/Ascend310P"] = dice.Amount({"1", "2"});
      if (dice.Chance(0.7)) limits["huawei.com/Ascend310P-memory"] = dice.Amount({"3000", "9000"});
      if (dice.Chance(0.2)) limits["huawei.com/Ascend310P-core"] = dice.Amount({"1"});
  }
}

void TellOfCards(Dice& dice, Json* notes) {
  if (dice.Chance(0.3)) (*notes)["volcano.sh/vgpu-ids-new"] = Held(dice);
  if (dice.Chance(0.3)) (*notes)["volcano.sh/gpu-index"] = dice.Word({"0", "1,0", "-1", "9"});
  if (dice.Chance(0.2)) (*notes)["hami.io/Ascend310P-devices-allocated"] = Held(dice);
  for (const char* phase : {"volcano.sh/bind-phase", "hami.io/bind-phase"}) {
    if (dice.Chance(0.3)) (*notes)[phase] = dice.Word({"allocating", "success", "failed"});
  }
  if (dice.Chance(0.2)) (*notes)["volcano.sh/vgpu-mode"] = dice.Word({"mig", "hami-core"});
  if (dice.Chance(0.2)) (*notes)["volcano.sh/vgpu-use-gpuuuid"] = dice.Word({"GPU-0", ",, "});
  if (dice.Chance(0.1)) (*notes)["volcano.sh/vgpu-nouse-gpuuuid"] = dice.Word({"GPU-1"});
  if (dice.Chance(0.1)) (*notes)["nvidia.com/use-gputype"] = dice.Word({"a30,amd", ""});
  if (dice.Chance(0.2)) (*notes)["volcano.sh/vgpu-podgroup-policy"] = dice.Word({"spread"});
  if (dice.Chance(0.1)) (*notes)["huawei.com/vnpu-mode"] = dice.Word({"hami-core"});
  if (dice.Chance(0.2)) {
    (*notes)["huawei.com/npu-core"] = dice.Word({"0-vir02", "0,1", "-1", "9-vir99", "0-", ","});
  }
  if (dice.Chance(0.1)) (*notes)["huawei.com/AscendReal"] = dice.Word({"Ascend310P-1c-1-0_9", "_"});
}

}  // namespace bth::hostile
