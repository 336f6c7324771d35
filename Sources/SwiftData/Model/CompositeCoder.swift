import Changes
import Store

/// The only conversion between `Codable` values and canonical JSON text.
///
/// Keys are sorted and there are no spaces, so that equal values have equal texts, and predicates
/// can compare and search them. Dates are seconds since 2001, bytes base64, and numbers that JSON
/// lacks are the texts `NaN`, `inf` and `-inf`.
enum CompositeCoder {
  // Creating a coder takes as long as encoding a short value; calls do not share state.
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

  /// The text of a list of texts, equal to that of ``encode(_:)``.
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
