import Foundation

/// A text whose translation is looked up later, perhaps in another process.
///
/// Nothing is looked up until `String(localized:)` is called.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The key of the text in the tables.
  ///
  /// A value in the text is a placeholder in the key, such as `%lld`.
  public let key: String
  /// The text that is used if no table has the key.
  public let defaultValue: String.LocalizationValue
  /// The table to search; nil for the bundle's main table.
  public let table: String?
  /// The locale in which numbers in the text are written.
  ///
  /// The locale does not select the table.
  public var locale: Locale

  /// Creates a resource whose key is the text itself.
  ///
  /// The comment is for translators and is not stored.
  public init(
    _ keyAndValue: String.LocalizationValue,
    table: String? = nil,
    locale: Locale = .current,
    comment: StaticString? = nil
  ) {
    key = keyAndValue.key
    defaultValue = keyAndValue
    self.table = table
    self.locale = locale
  }

  /// Creates a resource from a text without values.
  public init(stringLiteral value: String) {
    self.init(String.LocalizationValue(stringLiteral: value))
  }

  /// Creates a resource from a text with values, such as `"\(count) trips"`.
  public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
    self.init(String.LocalizationValue(stringInterpolation: stringInterpolation))
  }
}

extension String {
  /// Looks up a text in a bundle's tables; the text itself is used if the tables do not have it.
  public init(
    localized keyAndValue: String.LocalizationValue,
    table: String? = nil,
    bundle: Bundle? = nil,
    locale: Locale = .current,
    comment: StaticString? = nil
  ) {
    self = keyAndValue.text(table: table, bundle: bundle ?? .main, locale: locale)
  }

  /// Looks up a text by a separate key; the default is used if the tables do not have the key.
  public init(
    localized key: StaticString,
    defaultValue: String.LocalizationValue,
    table: String? = nil,
    bundle: Bundle? = nil,
    locale: Locale = .current,
    comment: StaticString? = nil
  ) {
    let format = (bundle ?? .main)
      .localizedString(forKey: key.description, value: defaultValue.key, table: table)
    self = defaultValue.values.isEmpty ? format : defaultValue.filled(format, locale: locale)
  }

  /// Looks up a text in the main bundle's tables.
  ///
  /// If no table has the text, the text itself is used.
  @_disfavoredOverload
  public init(localized resource: LocalizedStringResource) {
    self = resource.defaultValue.text(
      table: resource.table,
      bundle: .main,
      locale: resource.locale
    )
  }
}
