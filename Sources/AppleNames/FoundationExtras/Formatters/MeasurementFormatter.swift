import Foundation

/// A formatter that writes measurements in a locale's units and words.
///
/// ```swift
/// let formatter = MeasurementFormatter()
/// formatter.unitOptions = .providedUnit
/// formatter.string(from: Measurement(value: 3.5, unit: UnitLength.kilometers))  // "3.5 km"
/// ```
public final class MeasurementFormatter: Formatter, @unchecked Sendable {
  // The class is Sendable, like Apple's formatters: threads may share a formatter that no code
  // changes any more.

  /// The choice of the unit; without an option, the unit that the locale prefers.
  public struct UnitOptions: OptionSet, Sendable {
    /// The bits of the options.
    ///
    /// The bits have the same values as on Apple's systems.
    public let rawValue: UInt

    /// Creates a set of options from its bits.
    ///
    /// Unknown bits are ignored.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The measurement's own unit, even if the locale prefers another unit.
    public static let providedUnit = UnitOptions(rawValue: 1)
    /// A unit of a suitable size, such as 12 kilometers for 12,000 meters.
    public static let naturalScale = UnitOptions(rawValue: 2)
    /// Degrees without their scale: "20°".
    public static let temperatureWithoutUnit = UnitOptions(rawValue: 4)
  }

  /// The choice of the unit in which a measurement is written.
  ///
  /// The default is the unit that the locale prefers, such as miles in the United States.
  public var unitOptions: UnitOptions = []
  /// The length of a unit's name, such as "km" (medium) or "kilometers" (long).
  public var unitStyle = Formatter.UnitStyle.medium
  /// The locale, which determines the language and the preferred units.
  ///
  /// The default is the locale of the process.
  public var locale = Locale.autoupdatingCurrent
  /// The format of the number; only its digits, grouping and rounding are used.
  public var numberFormatter: NumberFormatter = {
    let numbers = NumberFormatter()
    numbers.numberStyle = .decimal
    return numbers
  }()

  /// Writes a measurement, such as "3.5 km".
  ///
  /// If a unit has no translation, its symbol is used.
  public func string<UnitType: Unit>(from measurement: Measurement<UnitType>) -> String {
    guard let dimension = measurement.unit as? Dimension else {
      return number(measurement.value, symbol: measurement.unit.symbol)
    }
    let unit = unitOptions.contains(.providedUnit) ? dimension : preferredUnit(for: dimension)
    let base = dimension.converter.baseUnitValue(fromValue: measurement.value)
    let value =
      unit === dimension ? measurement.value : unit.converter.value(fromBaseUnitValue: base)
    guard let name = unit.unicodeName else { return number(value, symbol: unit.symbol) }
    if unitOptions.contains(.temperatureWithoutUnit), unit is UnitTemperature {
      return text(value, unit: "measure-unit/temperature-generic") ?? number(value, symbol: "°")
    }
    if unitOptions.contains(.naturalScale), !unitOptions.contains(.providedUnit), unit.hasScales,
      let text = text(value, unit: "usage/default unit/\(name)")
    {
      return text
    }
    return text(value, unit: "unit/\(name)") ?? number(value, symbol: unit.symbol)
  }

  /// Writes a measurement of any kind; returns nil for any other object.
  public override func string(for obj: Any?) -> String? {
    (obj as? any FormattableMeasurement)?.text(by: self)
  }

  private func text(_ value: Double, unit: String) -> String? {
    let width =
      switch unitStyle {
      case .short: "unit-width-narrow"
      case .medium: "unit-width-short"
      case .long: "unit-width-full-name"
      }
    return unicodeText(
      of: value,
      skeleton: "\(unit) \(width) \(numberFormatter.skeleton)",
      locale: locale
    )
  }

  /// The number and a symbol, for units that ICU does not know.
  private func number(_ value: Double, symbol: String) -> String {
    let text = unicodeText(
      of: value,
      skeleton: numberFormatter.skeleton,
      locale: locale
    )
    return "\(text ?? String(value)) \(symbol)"
  }

  private func preferredUnit(for unit: Dimension) -> Dimension {
    let system = locale.measurementSystem
    let isMetric = system == .metric
    return switch unit {
    case is UnitLength: isMetric ? UnitLength.kilometers : UnitLength.miles
    case is UnitSpeed: isMetric ? UnitSpeed.kilometersPerHour : UnitSpeed.milesPerHour
    case is UnitTemperature: system == .us ? UnitTemperature.fahrenheit : UnitTemperature.celsius
    case is UnitMass: isMetric ? UnitMass.kilograms : UnitMass.pounds
    case is UnitArea: isMetric ? UnitArea.squareMeters : UnitArea.squareFeet
    case is UnitVolume:
      isMetric ? UnitVolume.liters : system == .us ? UnitVolume.gallons : UnitVolume.imperialGallons
    default: unit
    }
  }
}

/// A measurement of any kind of unit.
private protocol FormattableMeasurement {
  func text(by formatter: MeasurementFormatter) -> String
}

extension Measurement: FormattableMeasurement {
  fileprivate func text(by formatter: MeasurementFormatter) -> String {
    formatter.string(from: self)
  }
}

extension NumberFormatter {
  /// The formatter's digits, grouping and rounding as an ICU number skeleton.
  fileprivate var skeleton: String {
    var words: [String] = []
    if usesSignificantDigits {
      let minimum = max(1, minimumSignificantDigits)
      let rest = max(0, maximumSignificantDigits - minimum)
      words.append(String(repeating: "@", count: minimum) + String(repeating: "#", count: rest))
    } else {
      let rest = max(0, maximumFractionDigits - minimumFractionDigits)
      let zeros = String(repeating: "0", count: max(0, minimumFractionDigits))
      let fraction = zeros + String(repeating: "#", count: rest)
      words.append(fraction.isEmpty ? "precision-integer" : ".\(fraction)")
    }
    if minimumIntegerDigits > 1 {
      words.append("integer-width/+" + String(repeating: "0", count: minimumIntegerDigits))
    }
    if !usesGroupingSeparator { words.append("group-off") }
    let rounding =
      switch roundingMode {
      case .ceiling: "ceiling"
      case .floor: "floor"
      case .down: "down"
      case .up: "up"
      case .halfDown: "half-down"
      case .halfUp: "half-up"
      default: "half-even"
      }
    words.append("rounding-mode-\(rounding)")
    return words.joined(separator: " ")
  }
}
