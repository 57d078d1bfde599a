#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "sim/trace/report.h"

namespace bth::trace {
namespace {

constexpr const char* kPalette[] = {"#1f6fb4", "#d9730d", "#2b9348", "#b3364a",
                                    "#7551a8", "#8a6d3b", "#2a9d8f", "#6b7280"};
constexpr size_t kLinesMax = std::size(kPalette);
constexpr int kPlotWidth = 560;
constexpr int kPlotHeight = 180;
constexpr int kLeft = 64;
constexpr int kTop = 64;
constexpr int kColumn = kPlotWidth + kLeft + 24;
constexpr int kRow = kPlotHeight + 88;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out.push_back(c >= ' ' && c != '\x7f' ? c : '?');
    }
  }
  return out;
}

struct Line {
  std::string name;
  std::vector<double> values;  // One for each bin.
};

struct Plot {
  std::string title;
  std::vector<Line> lines;
  double top = 1;  // The value at the upper edge.
  bool percent = false;
};

// The least of 1, 2 and 5 times a power of ten that is not below.
double RoundUp(double value) {
  if (value <= 1) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10 * power;
}

class Picture {
 public:
  void Text(double x, double y, std::string_view text, std::string_view more) {
    StrAppend(&body_, "<text x=\"", Place(x), "\" y=\"", Place(y), "\" ", more, ">", Escaped(text),
              "</text>\n");
  }
  void Rule(double x1, double y1, double x2, double y2, std::string_view colour) {
    StrAppend(&body_, "<path d=\"M", Place(x1), " ", Place(y1), "L", Place(x2), " ", Place(y2),
              "\" stroke=\"", colour, "\" fill=\"none\"/>\n");
  }
  void Path(const std::string& points, std::string_view colour) {
    StrAppend(&body_, "<path d=\"", points, "\" stroke=\"", colour,
              "\" stroke-width=\"1.5\" fill=\"none\"/>\n");
  }
  void Swatch(double x, double y, std::string_view colour) {
    StrAppend(&body_, "<rect x=\"", Place(x), "\" y=\"", Place(y),
              "\" width=\"10\" height=\"10\" fill=\"", colour, "\"/>\n");
  }
  std::string Finish(int width, int height) const {
    return StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"",
                  height, "\" viewBox=\"0 0 ", width, " ", height,
                  "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"", width,
                  "\" height=\"", height, "\" fill=\"#ffffff\"/>\n", body_, "</svg>\n");
  }
  static std::string Place(double value) { return absl::StrFormat("%.1f", value); }

 private:
  std::string body_;
};

void DrawAxes(const Plot& plot, double end_s, double left, double top, Picture* picture) {
  constexpr int kSteps = 4;
  for (int i = 0; i <= kSteps; ++i) {
    const double y = top + kPlotHeight - kPlotHeight * static_cast<double>(i) / kSteps;
    picture->Rule(left, y, left + kPlotWidth, y, i == 0 ? "#333333" : "#dddddd");
    const double value = plot.top * i / kSteps;
    picture->Text(
        left - 6, y + 4,
        plot.percent ? absl::StrFormat("%.0f%%", value * 100) : absl::StrFormat("%g", value),
        "text-anchor=\"end\" fill=\"#555555\"");
    const double x = left + kPlotWidth * static_cast<double>(i) / kSteps;
    picture->Text(x, top + kPlotHeight + 16, DurationText(end_s * i / kSteps),
                  "text-anchor=\"middle\" fill=\"#555555\"");
  }
}

void DrawPlot(const Plot& plot, double end_s, double left, double top, Picture* picture) {
  picture->Text(left, top - 10, plot.title, "font-weight=\"bold\"");
  DrawAxes(plot, end_s, left, top, picture);
  double legend = left;
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    const Line& line = plot.lines[i];
    std::string points;
    const double step = kPlotWidth / std::max<double>(1, static_cast<double>(line.values.size()));
    for (size_t k = 0; k < line.values.size(); ++k) {
      const double y = top + kPlotHeight - kPlotHeight * std::min(1.0, line.values[k] / plot.top);
      const auto at = static_cast<double>(k);
      StrAppend(&points, k == 0 ? "M" : "L", Picture::Place(left + at * step), " ",
                Picture::Place(y), "H", Picture::Place(left + (at + 1) * step));
    }
    picture->Path(points, kPalette[i]);
    picture->Swatch(legend, top + kPlotHeight + 26, kPalette[i]);
    picture->Text(legend + 14, top + kPlotHeight + 35, line.name, "fill=\"#333333\"");
    legend += 26 + 7 * static_cast<double>(line.name.size());
  }
}

Plot UsePlot(const Trace& trace, const UseOverTime& use) {
  Plot plot{"use of the cluster", {}, 1, true};
  for (const int dim : trace.asked_dims) {
    if (use.capacity()[dim] == 0 || plot.lines.size() == kLinesMax) continue;
    Line& line = plot.lines.emplace_back();
    line.name = trace.dims.name(dim);
    for (size_t i = 0; i < use.bins().size(); ++i) line.values.push_back(use.MeanUse(i, dim));
  }
  return plot;
}

// The longest queues by name, the others together.
Plot QueuePlot(const Trace& trace, const UseOverTime& use) {
  Plot plot{"jobs that wait", {}, 1, false};
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t q = 0; q < trace.queues.size(); ++q) {
    int64_t sum = 0;
    for (const UseOverTime::Bin& bin : use.bins()) sum += bin.waiting_ms[q];
    order.emplace_back(-sum, q);
  }
  std::sort(order.begin(), order.end());
  for (size_t k = 0; k < order.size(); ++k) {
    const bool others = k + 1 >= kLinesMax && order.size() > kLinesMax;
    if (!others || plot.lines.size() < kLinesMax) {
      Line& line = plot.lines.emplace_back();
      line.name = others ? "others" : trace.queues[static_cast<uint32_t>(order[k].second)];
      line.values.resize(use.bins().size());
    }
    std::vector<double>& values = plot.lines.back().values;
    for (size_t i = 0; i < use.bins().size(); ++i) {
      values[i] += use.MeanWaiting(i, order[k].second);
    }
  }
  return plot;
}

}  // namespace

std::string ReportSvg(const Report& report) {
  Picture picture;
  std::vector<std::pair<Plot, Plot>> plots;
  double end_s = 0;
  double most = 1;
  for (const Told& told : report.runs) {
    const UseOverTime& use = told.replay.use;
    plots.emplace_back(UsePlot(report.trace, use), QueuePlot(report.trace, use));
    const int64_t end_ms = static_cast<int64_t>(use.bins().size()) * use.bin_ms();
    end_s = std::max(end_s, static_cast<double>(end_ms) / 1000);
    for (const Line& line : plots.back().second.lines) {
      for (const double value : line.values) most = std::max(most, value);
    }
  }
  // Both columns have the same axes.
  for (size_t i = 0; i < plots.size(); ++i) {
    auto& [use_plot, queue_plot] = plots[i];
    queue_plot.top = RoundUp(most);
    const auto bins =
        static_cast<size_t>(std::llround(end_s * 1000) / report.runs[i].replay.use.bin_ms());
    for (Plot* const plot : {&use_plot, &queue_plot}) {
      for (Line& line : plot->lines) line.values.resize(bins);
    }
    const double left = kLeft + static_cast<double>(kColumn) * static_cast<double>(i);
    picture.Text(left, 24, StrCat(report.trace.file, ", ", report.runs[i].replay.policy),
                 "font-size=\"15\"");
    DrawPlot(use_plot, end_s, left, kTop, &picture);
    DrawPlot(queue_plot, end_s, left, kTop + kRow, &picture);
  }
  const auto columns = static_cast<int>(plots.size());
  return picture.Finish(kColumn * columns + 24, kTop + 2 * kRow);
}

}  // namespace bth::trace
