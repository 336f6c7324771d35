import CReportPage
import ChangeLog
import Format

/// Writes an HTML page in one file.
///
/// The page loads nothing and runs only its own script.
enum Page {
  /// A text in HTML, without control characters and of a limited length.
  static func escaped(_ text: String, limit: Int = 300) -> String {
    var result: [UInt8] = []
    for byte in visible(shortened(text, limit: limit)).utf8 {
      switch byte {
      case UInt8(ascii: "&"): result += "&amp;".utf8
      case UInt8(ascii: "<"): result += "&lt;".utf8
      case UInt8(ascii: ">"): result += "&gt;".utf8
      case UInt8(ascii: "\""): result += "&quot;".utf8
      case UInt8(ascii: "'"): result += "&#39;".utf8
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Writes the page.
  ///
  /// Each placeholder of the markup is replaced by its content.
  ///
  /// The markup is a file of this package. A placeholder in it looks like `<!--name-->`.
  static func write(
    _ places: [String: (_ output: ([UInt8]) throws -> Void) throws -> Void],
    to output: ([UInt8]) throws -> Void
  ) throws {
    let style = bytes(travelog_report_style())
    let script = bytes(travelog_report_script())
    var rest = bytes(travelog_report_markup())[...]
    while let start = rest.firstRange(of: Array("<!--".utf8)),
      let end = rest[start.upperBound...].firstRange(of: Array("-->".utf8))
    {
      try output(Array(rest[..<start.lowerBound]))
      let name = String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)
      switch name {
      case "style": try output(style)
      case "script": try output(script)
      case "change-limit": try output(Array("\(PageLine.changeLimit)".utf8))
      case "policy": try output(Array(policy(style: style, script: script).utf8))
      default: try places[name]?(output)
      }
      rest = rest[end.upperBound...]
    }
    try output(Array(rest))
  }

  private static func bytes(_ file: ReportPageFile) -> [UInt8] {
    Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  /// The content security policy permits one script and one style sheet, each by its digest.
  ///
  /// After parsing the page, the browser refuses to parse any text as markup.
  private static func policy(style: [UInt8], script: [UInt8]) -> String {
    "default-src 'none'; script-src '\(source(script))'; style-src '\(source(style))';"
      + " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
      + " trusted-types 'none'"
  }

  private static func source(_ content: [UInt8]) -> String {
    "sha256-" + base64(Array(SHA256.digest(of: content).bytes))
  }

  /// Compresses JSON and encodes it in base64, for an element of the page.
  static func compressed(_ json: [UInt8]) throws -> [UInt8] {
    Array(base64(try gzipMember(of: json, level: 9, path: "the page")).utf8)
  }

  static func base64(_ bytes: [UInt8]) -> String {
    var base64: [UInt8] = []
    bytes.withUnsafeBytes { appendBase64($0, to: &base64) }
    return String(decoding: base64, as: UTF8.self)
  }

  /// A table with a caption; its cells are HTML.
  static func table(_ caption: String, heads: [String], rows: [[String]]) -> String {
    var html = "<div class=\"wide\"><table>\n<caption>\(escaped(caption))</caption>\n<thead><tr>"
    html += heads.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
    html += "</tr></thead>\n<tbody>\n"
    for row in rows {
      html += "<tr><th scope=\"row\">\(row.first ?? "")</th>"
      html += row.dropFirst().map { "<td>\($0)</td>" }.joined() + "</tr>\n"
    }
    return html + "</tbody>\n</table></div>\n"
  }
}
