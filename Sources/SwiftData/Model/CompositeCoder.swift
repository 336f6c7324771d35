import Format
import Store

/// Converts `Codable` values to canonical JSON text and back; all code uses this conversion.
///
/// The JSON has sorted keys and no spaces, so that equal values have equal texts and predicates can
/// compare and search the texts. Dates are seconds since 2001, bytes are base64. Numbers that JSON
/// can't represent are the texts `NaN`, `inf` and `-inf`.
enum CompositeCoder {
  // Creating a coder takes as long as encoding a short value, so one encoder is reused. Calls of
  // the encoder do not share state.
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .deferredToDate
    encoder.dataEncodingStrategy = .base64
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: notANumber
    )
    return encoder
  }()

  private static let decoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .deferredToDate
    decoder.dataDecodingStrategy = .base64
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: notANumber
    )
    return decoder
  }()

  static func encode<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try decoder.decode(type, from: Data(text.utf8))
  }

  static let emptyList = "[]"

  /// The JSON of a list of texts; the same text that ``encode(_:)`` returns.
  static func encode(texts: [String]) -> String {
    var json: [UInt8] = []
    for text in texts {
      json.append(json.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      appendJSONString(text, to: &json)
    }
    json.append(UInt8(ascii: "]"))
    return String(decoding: json, as: UTF8.self)
  }
}
