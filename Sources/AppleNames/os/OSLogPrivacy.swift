/// Whether a value may be read in the log.
///
/// As on Apple's systems, numbers and Booleans can be read unless they are marked private. All
/// other values are written as `<private>`, unless they are marked public.
public struct OSLogPrivacy: Equatable, Sendable {
  /// The word that replaces a private value: the same for all values, or a hash of the value.
  public struct Mask: Equatable, Sendable {
    let isHash: Bool

    /// A word that is the same for equal values during one run of the program.
    public static let hash = Mask(isHash: true)
    /// The same word for all values.
    public static let none = Mask(isHash: false)
  }

  enum Level: Equatable, Sendable {
    case automatic, open, hidden, sensitive
  }

  let level: Level
  let mask: Mask

  /// By default, the value is shown if it is a number or a Boolean, and hidden otherwise.
  public static let auto = OSLogPrivacy(level: .automatic, mask: .none)
  /// The value is always shown.
  public static let `public` = OSLogPrivacy(level: .open, mask: .none)
  /// The value is hidden, unless the environment asks for private values.
  public static let `private` = OSLogPrivacy(level: .hidden, mask: .none)
  /// The value is hidden, even if the environment asks for private values.
  public static let sensitive = OSLogPrivacy(level: .sensitive, mask: .none)

  /// The value is shown if it is a number or a Boolean, and masked otherwise.
  public static func auto(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(level: .automatic, mask: mask)
  }

  /// The value is masked, unless the environment asks for private values.
  public static func `private`(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(level: .hidden, mask: mask)
  }

  /// The value is masked, even if the environment asks for private values.
  public static func sensitive(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(level: .sensitive, mask: mask)
  }
}

extension OSLogPrivacy {
  /// The text that the log shows for a value: the text of the value, or a replacement.
  func shown(_ text: String, isScalar: Bool, showsPrivate: Bool) -> String {
    let isShown =
      switch level {
      case .open: true
      case .automatic: isScalar || showsPrivate
      case .hidden: showsPrivate
      case .sensitive: false
      }
    if isShown { return text }
    guard mask.isHash else { return "<private>" }
    // Hasher uses a different seed in each process, so nobody can find a value by hashing a list of
    // words.
    return "<mask.hash: '\(String(UInt(bitPattern: text.hashValue), radix: 36))'>"
  }
}
