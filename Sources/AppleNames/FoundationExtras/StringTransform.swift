import Foundation

extension StringProtocol {
  /// The text after a transform, such as a transliteration; nil if there is no such transform.
  public func applyingTransform(_ transform: StringTransform, reverse: Bool) -> String? {
    NSString(string: String(self)).applyingTransform(transform, reverse: reverse)
  }
}

extension StringTransform {
  /// Transliterates Latin letters to Greek ones; Foundation on Linux has misspelt this name.
  public static var latinToGreek: StringTransform { latinToGreen }
}
