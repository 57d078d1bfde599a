// What MindCluster's daemons tell of the chips of nodes: a JSON text in the data of a ConfigMap.
#include <utility>

#include "base/strings.h"
#include "tests/hostile/kinds.h"

namespace bth::hostile {
namespace {

constexpr size_t kNodes = 10;

std::string Chips(Dice& dice) {
  std::string out;
  for (size_t left = dice.Below(6); left > 0; --left) {
    StrAppend(&out, out.empty() ? "" : ",", "Ascend310P-", dice.Count(0, 7).AsInt());
    if (dice.Chance(0.2)) StrAppend(&out, dice.Word({"-2c-100-1", "-vir02", "-", ""}).AsString());
  }
  return out;
}

Json DeviceList(Dice& dice) {
  Json out = Json::MakeObject();
  Json& list = out["DeviceList"] = Json::MakeObject();
  if (dice.Chance(0.9)) list["huawei.com/Ascend310P"] = Chips(dice);
  if (dice.Chance(0.3)) list["huawei.com/Ascend310P-Unhealthy"] = Chips(dice);
  out["UpdateTime"] = dice.Count(1'767'225'000, 1'767'226'000);
  if (dice.Evil()) dice.Spoil(&out);
  return out;
}

Json NodeStatus(Dice& dice) {
  Json out = Json::MakeObject({{"FaultDevList", Json::MakeArray({})}});
  out["NodeStatus"] = dice.Word({"Healthy", "PreSeparate", "UnHealthy"});
  if (dice.Evil()) dice.Spoil(&out);
  return out;
}

// Cut off somewhere, now and then.
void SetData(Dice& dice, std::string_view key, const Json& told, Json* object) {
  std::string text = told.Dump();
  if (dice.Evil()) text.resize(dice.Below(text.size()));
  (*object)["data"][key] = dice.Evil() ? dice.Text() : Json(text);
}

void SetReader(Dice& dice, std::string_view reader, Json* object) {
  if (dice.Chance(0.95)) (*object)["metadata"]["labels"][reader] = "true";
}

// Of some nodes, by the names of their own ConfigMaps.
void SetCluster(Dice& dice, std::string_view prefix, Json (*tell)(Dice&), Json* object) {
  Json all = Json::MakeObject();
  for (size_t left = dice.Below(8); left > 0; --left) {
    all[StrCat(prefix, dice.NameOf("n", kNodes))] = tell(dice);
  }
  if (dice.Evil()) all[prefix] = dice.Anything(2);
  SetReader(dice, "mx-consumer-volcano", object);
  SetData(dice, std::string((*object)["metadata"]["name"].AsString()), all, object);
}

void SetNode(Dice& dice, std::string_view key, std::string_view member, Json told, Json* object) {
  Json data = Json::MakeObject();
  data[member] = std::move(told);
  SetReader(dice, "mx-consumer-cim", object);
  SetData(dice, key, data, object);
}

}  // namespace

void FillChipsOfNode(Dice& dice, Json* object) {
  SetNode(dice, "DeviceInfoCfg", "DeviceInfo", DeviceList(dice), object);
}

void FillStatusOfNode(Dice& dice, Json* object) {
  SetNode(dice, "NodeInfo", "NodeInfo", NodeStatus(dice), object);
}

void FillChipsOfCluster(Dice& dice, Json* object) {
  SetCluster(dice, "mindx-dl-deviceinfo-", DeviceList, object);
}

void FillStatusOfCluster(Dice& dice, Json* object) {
  SetCluster(dice, "mindx-dl-nodeinfo-", NodeStatus, object);
}

}  // namespace bth::hostile
