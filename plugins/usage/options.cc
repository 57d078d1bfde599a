#include "plugins/usage/options.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::usage {
namespace {

absl::StatusOr<int64_t> IntIn(const conf::Arguments& args, std::string_view key, int64_t fallback,
                              int64_t max) {
  BTH_ASSIGN_OR_RETURN(const int64_t value, args.Int(key, fallback));
  if (value >= 0 && value <= max) return value;
  args.Report(key, StrCat("is out of range; ", fallback, " is used instead"));
  return fallback;
}

absl::StatusOr<double> RatioIn(const conf::Arguments& args, std::string_view key, double fallback,
                               double min, double max) {
  BTH_ASSIGN_OR_RETURN(const double value, args.Double(key, fallback));
  if (value >= min && value <= max) return value;
  args.Report(key, StrCat("is out of range; ", fallback, " is used instead"));
  return fallback;
}

// A nested map; anything else is left out as a whole.
absl::StatusOr<conf::Arguments> SectionOf(const conf::Arguments& args, std::string_view key) {
  const conf::Value* value = args.Find(key);
  if (value == nullptr || value->is_null()) return conf::Arguments();
  if (!value->is_map() || value->has_non_string_key()) {
    args.Report(key, "is no map with texts as keys; its defaults are used");
    return conf::Arguments();
  }
  return args.Section(key);
}

// A number counts `scale` units each.
absl::StatusOr<int64_t> AmountOf(const conf::Arguments& args, std::string_view key,
                                 int64_t fallback, int64_t scale, int64_t per_unit) {
  constexpr int64_t kNumberMax = int64_t{1} << 30;
  const conf::Value* value = args.Find(key);
  if (value == nullptr || value->is_null()) return fallback;
  std::optional<int64_t> amount;
  if (value->is_int() && value->AsInt() >= 0 && value->AsInt() <= kNumberMax) {
    amount = value->AsInt() * scale;
  } else if (value->is_string()) {
    amount = ReadQuantity(value->text(), per_unit);
  }
  if (amount) return *amount;
  args.Report(key, "is no amount such as 250 or \"500m\"; the default is used instead");
  return fallback;
}

absl::Status ReadEstimator(const conf::Arguments& args, Estimator* out) {
  constexpr double kFactorMax = 1e6;
  BTH_ASSIGN_OR_RETURN(out->request_ratio, RatioIn(args, "request_ratio", 0.7, 0, 1));
  BTH_ASSIGN_OR_RETURN(out->burst_ratio, RatioIn(args, "burst_ratio", 0, 0, 1));
  BTH_ASSIGN_OR_RETURN(out->risk_threshold, RatioIn(args, "risk_threshold", 0.6, 0, 1));
  BTH_ASSIGN_OR_RETURN(out->risk_factor, RatioIn(args, "risk_factor", 1.2, 1, kFactorMax));
  BTH_ASSIGN_OR_RETURN(out->be_cpu_milli, AmountOf(args, "be_cpu", out->be_cpu_milli, 1, 1000));
  BTH_ASSIGN_OR_RETURN(out->be_memory_bytes,
                       AmountOf(args, "be_mem", out->be_memory_bytes, int64_t{1} << 20, 1));
  return absl::OkStatus();
}

// The factor of a suffix; nothing for an unknown one.
std::optional<double> FactorOf(std::string_view suffix) {
  static constexpr std::pair<std::string_view, double> kFactors[] = {
      {"", 1},        {"n", 1e-9},    {"u", 1e-6},    {"m", 1e-3},
      {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
      {"P", 1e15},    {"E", 1e18},    {"Ki", 0x1p10}, {"Mi", 0x1p20},
      {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60},
  };
  for (const auto& [name, factor] : kFactors) {
    if (name == suffix) return factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> ReadQuantity(std::string_view text, int64_t per_unit) {
  constexpr double kAmountMax = 0x1p48;
  constexpr size_t kTextMax = 32;
  if (text.empty() || text.size() > kTextMax) return std::nullopt;
  // "1e3" is an exponent, "1E" a suffix.
  size_t digits = text.find_first_not_of("0123456789.");
  if (digits != std::string_view::npos && (text[digits] == 'e' || text[digits] == 'E') &&
      digits + 1 < text.size()) {
    digits = std::string_view::npos;
  }
  const std::string_view number = text.substr(0, digits);
  const std::string_view suffix =
      digits == std::string_view::npos ? std::string_view() : text.substr(digits);
  if (number.find_first_of("0123456789") != 0 && number.find('.') != 0) return std::nullopt;
  double value = 0;
  const std::optional<double> factor = FactorOf(suffix);
  if (!factor || !SimpleAtod(number, &value)) return std::nullopt;
  const double amount = std::ceil(value * *factor * static_cast<double>(per_unit));
  if (!(amount >= 0) || amount > kAmountMax) return std::nullopt;
  return static_cast<int64_t>(amount);
}

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args) {
  constexpr int64_t kWeightMax = 1'000'000;
  Options out;
  BTH_ASSIGN_OR_RETURN(out.weight, IntIn(args, "usage.weight", out.weight, kWeightMax));
  BTH_ASSIGN_OR_RETURN(out.weights.cpu, IntIn(args, "cpu.weight", 1, kWeightMax));
  BTH_ASSIGN_OR_RETURN(out.weights.memory, IntIn(args, "memory.weight", 1, kWeightMax));
  BTH_ASSIGN_OR_RETURN(const conf::Arguments thresholds, SectionOf(args, "thresholds"));
  BTH_ASSIGN_OR_RETURN(out.cpu_threshold, IntIn(thresholds, "cpu", out.cpu_threshold, 100));
  BTH_ASSIGN_OR_RETURN(out.memory_threshold, IntIn(thresholds, "mem", out.memory_threshold, 100));
  BTH_ASSIGN_OR_RETURN(const conf::Arguments estimator, SectionOf(args, "estimator"));
  BTH_RETURN_IF_ERROR(ReadEstimator(estimator, &out.estimator));
  return out;
}

}  // namespace bth::plugins::usage
