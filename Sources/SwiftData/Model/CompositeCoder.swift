/// The one way of `Codable` values to canonical JSON text and back.
///
/// Keys are sorted and nothing is padded, so that equal values have equal texts and predicates
/// can compare and look into them. Dates are seconds since 2001, bytes base64, and numbers that
/// JSON lacks are the texts `NaN`, `inf` and `-inf`.
enum CompositeCoder {
  /// The text of a value.
  static func encode<T: Encodable>(_ value: T) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .deferredToDate
    encoder.dataEncodingStrategy = .base64
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: notANumber
    )
    let data = try encoder.encode(value)
    return String(decoding: data, as: UTF8.self)
  }

  /// The value of a text.
  static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .deferredToDate
    decoder.dataDecodingStrategy = .base64
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: notANumber
    )
    return try decoder.decode(type, from: Data(text.utf8))
  }
}
