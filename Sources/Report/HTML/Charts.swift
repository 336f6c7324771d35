import Audit

/// Charts as inline SVG; a table beside each has its numbers.
enum Chart {
  /// Bars for periods.
  static func activity(_ bars: [Period]) -> String {
    let most = max(bars.map(\.changes).max() ?? 0, 1)
    let width = 960.0
    let height = 160.0
    let step = width / Double(max(bars.count, 1))
    // The text is outside of the image, with which it would shrink.
    var html = "<p class=\"axis\">up to \(many(most, one: "change"))</p>\n"
    html +=
      "<svg class=\"days\" viewBox=\"0 0 \(Int(width)) \(Int(height))\""
      + " preserveAspectRatio=\"none\" role=\"img\" "
      + "aria-label=\"Changes over time, \(most) at most in one bar\">\n"
    html +=
      "<line x1=\"0\" y1=\"\(Int(height))\" x2=\"\(Int(width))\" y2=\"\(Int(height))\"/>\n"
    for (index, bar) in bars.enumerated() {
      let size = bar.changes == 0 ? 0 : max(2, Double(bar.changes) / Double(most) * (height - 4))
      html +=
        "<rect x=\"\(tenths(Double(index) * step + step * 0.1))\" "
        + "y=\"\(tenths(height - size))\" width=\"\(tenths(min(step * 0.8, 60)))\" "
        + "height=\"\(tenths(size))\"><title>\(Page.escaped(bar.name)): "
        + "\(many(bar.changes, one: "change"))</title></rect>\n"
    }
    html += "</svg>\n"
    guard let first = bars.first, let last = bars.last else { return html }
    html += "<p class=\"axis\"><span>\(Page.escaped(first.from))</span>"
    if bars.count > 1 { html += "<span>\(Page.escaped(last.to))</span>" }
    return html + "</p>\n"
  }

  /// A bar beside a number, with parts for insertions, updates and deletions.
  static func bar(_ counts: ChangeCounts, of most: Int64) -> String {
    let width = 240.0
    var x = 0.0
    var svg = "<svg width=\"240\" height=\"14\" viewBox=\"0 0 240 14\" aria-hidden=\"true\">"
    for (name, count) in [
      ("add", counts.inserted), ("change", counts.updated), ("gone", counts.deleted),
    ] where count > 0 {
      let size = max(1, Double(count) / Double(max(most, 1)) * (width - 3))
      svg +=
        "<rect class=\"\(name)\" x=\"\(tenths(x))\" y=\"1\" width=\"\(tenths(size))\" "
        + "height=\"12\"/>"
      x += size
    }
    return svg + "</svg>"
  }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
