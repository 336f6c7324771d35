import Foundation
internal import _FoundationICU

// ICU writes numbers with their units in every language. Foundation on Linux contains ICU, but its format
// styles offer neither measurements nor years and months. Apple's formatters use the same library.

/// The text that a function of ICU writes; nil if the function fails.
func unicodeText(
  _ write: (UnsafeMutablePointer<UChar>, Int32, UnsafeMutablePointer<UErrorCode>) -> Int32
) -> String? {
  var buffer = [UChar](repeating: 0, count: 256)
  while true {
    var status = U_ZERO_ERROR
    let length = Int(
      buffer.withUnsafeMutableBufferPointer { text in
        text.baseAddress.map { write($0, Int32(text.count), &status) } ?? 0
      }
    )
    if status == U_BUFFER_OVERFLOW_ERROR, length > buffer.count {
      buffer = [UChar](repeating: 0, count: length)
      continue
    }
    // Negative codes are warnings, for example if a locale has no such words.
    guard status.rawValue <= U_ZERO_ERROR.rawValue else { return nil }
    return String(decoding: buffer[..<length], as: UTF16.self)
  }
}

/// A number in the form that one of ICU's number skeletons describes, such as
/// `unit/kilometer unit-width-short .##`; nil if ICU doesn't know the unit.
func unicodeText(of number: Double, skeleton: String, locale: Locale) -> String? {
  var status = U_ZERO_ERROR
  let skeleton = Array(skeleton.utf16)
  let formatter = swift_unumf_openForSkeletonAndLocale(
    skeleton,
    Int32(skeleton.count),
    locale.identifier,
    &status
  )
  defer { swift_unumf_close(formatter) }
  let result = swift_unumf_openResult(&status)
  defer { swift_unumf_closeResult(result) }
  swift_unumf_formatDouble(formatter, number, result, &status)
  guard status.rawValue <= U_ZERO_ERROR.rawValue else { return nil }
  return unicodeText { swift_unumf_resultToString(result, $0, $1, $2) }
}
