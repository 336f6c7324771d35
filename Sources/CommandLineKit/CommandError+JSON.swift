import FoundationEssentials

extension CommandError {
  /// The error as a line of JSON, for those who asked for that.
  var json: String {
    struct Line: Encodable {
      let type = "error"
      let schema = 1
      let code: Int32
      let name: String
      let message: String
      let hint: String?
    }
    let line = Line(code: code.number, name: code.name, message: message, hint: hint)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(line), as: UTF8.self) + "\n"
    } catch {
      // Numbers and strings can always be encoded; if not, the message itself must not be lost.
      return "\(self)\n"
    }
  }
}
