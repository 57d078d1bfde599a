// HAMi's virtual NPUs: Ascend cards in parts, by templates or, where a node can, by software.
#pragma once

#include <string_view>
#include <vector>

#include "devices/family.h"

namespace bth::devices::hami_ascend {

inline constexpr std::string_view kHamiCore = "hami-core";  // Of annotation huawei.com/vnpu-mode.

// Which of `refusals`; both have one text.
inline constexpr size_t kNoRoom = 0;
inline constexpr size_t kNever = 1;  // Whoever leaves.

// Each chip of the settings is a kind of its own.
const Family& TheFamily();

// The cards of annotation hami.io/node-register-<word>; none when it cannot be read.
std::vector<model::Device> ReadRegister(std::string_view json);
// What a request for memory comes to on a chip that is parted by templates.
int64_t RoundedMemory(const model::AscendChip& chip, int64_t memory);
// Null: a part of another size.
const model::AscendTemplate* TemplateOf(const model::AscendChip& chip, int64_t memory);

// selection.cc
bool ChooseCards(const Question& question, Choice* out);
bool IsSoft(const model::PodDeviceRequest& request);
bool FitsCard(const model::DevicePool& pool, const model::Device& card, const DeviceUse& used,
              const model::ContainerDeviceRequest& ask, bool soft);
double ScoreOfCard(Policy policy, const model::Device& card, const DeviceUse& used);

}  // namespace bth::devices::hami_ascend
