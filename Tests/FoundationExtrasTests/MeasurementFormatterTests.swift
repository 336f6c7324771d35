import Foundation
import FoundationExtras
import Testing

@Suite("MeasurementFormatter")
struct MeasurementFormatterTests {
  private func formatter(
    _ options: MeasurementFormatter.UnitOptions = [],
    language: String = "en_US"
  ) -> MeasurementFormatter {
    let formatter = MeasurementFormatter()
    formatter.unitOptions = options
    formatter.locale = Locale(identifier: language)
    return formatter
  }

  @Test("Each unit style has a different width.")
  func styles() {
    let formatter = formatter(.providedUnit)
    let gravity = Measurement(value: 9.8, unit: UnitAcceleration.gravity)
    #expect(formatter.string(from: gravity) == "9.8 G")
    formatter.unitStyle = .short
    #expect(formatter.string(from: gravity) == "9.8Gs")
    formatter.unitStyle = .long
    #expect(formatter.string(from: gravity) == "9.8 g-force")
    #expect(formatter.string(from: Measurement(value: 1, unit: UnitMass.pounds)) == "1 pound")
  }

  @Test("Without options a measurement is written in the locale's unit.")
  func preferredUnit() {
    let speed = Measurement(value: 100, unit: UnitSpeed.kilometersPerHour)
    #expect(formatter().string(from: speed) == "62.137 mph")
    #expect(formatter(language: "en_GB").string(from: speed) == "62.137 mph")
    #expect(formatter(language: "de_DE").string(from: speed) == "100 km/h")
    #expect(formatter(.providedUnit).string(from: speed) == "100 km/h")
    let length = Measurement(value: 1_500, unit: UnitLength.meters)
    #expect(formatter().string(from: length) == "0.932 mi")
    #expect(formatter(language: "ja_JP").string(from: length) == "1.5 km")
    let warmth = Measurement(value: 293, unit: UnitTemperature.kelvin)
    #expect(formatter().string(from: warmth) == "67.73°F")
    #expect(formatter(language: "en_GB").string(from: warmth) == "19.85°C")
    #expect(formatter(.temperatureWithoutUnit).string(from: warmth) == "67.73°")
  }

  @Test("The natural scale selects a unit of a suitable size.")
  func naturalScale() {
    let german = formatter(.naturalScale, language: "de_DE")
    german.unitStyle = .long
    let length = Measurement(value: 12_000, unit: UnitLength.meters)
    #expect(german.string(from: length) == "12 Kilometer")
    #expect(formatter(.naturalScale).string(from: length) == "7.456 mi")
    let mass = Measurement(value: 0.25, unit: UnitMass.kilograms)
    #expect(german.string(from: mass) == "250 Gramm")
  }

  @Test("Digits, grouping and rounding are those of the number formatter.")
  func numbers() {
    let formatter = formatter(.providedUnit)
    let length = Measurement(value: 1234.5, unit: UnitLength.kilometers)
    #expect(formatter.string(from: length) == "1,234.5 km")
    formatter.numberFormatter.maximumFractionDigits = 0
    #expect(formatter.string(from: length) == "1,234 km")
    formatter.numberFormatter.roundingMode = .halfUp
    #expect(formatter.string(from: length) == "1,235 km")
    formatter.numberFormatter.usesGroupingSeparator = false
    formatter.numberFormatter.minimumFractionDigits = 2
    formatter.numberFormatter.maximumFractionDigits = 2
    #expect(formatter.string(from: length) == "1234.50 km")
  }

  @Test("A unit that an app defines is written with its symbol.")
  func ownUnit() {
    let pages = Measurement(value: 1_200, unit: Unit(symbol: "pages"))
    #expect(formatter().string(from: pages) == "1,200 pages")
    let sails = Dimension(symbol: "sails", converter: UnitConverterLinear(coefficient: 2))
    #expect(formatter().string(from: Measurement(value: 3, unit: sails)) == "3 sails")
    let measured: Any = Measurement(value: 20, unit: UnitTemperature.celsius)
    #expect(formatter(.providedUnit).string(for: measured) == "20°C")
    #expect(formatter().string(for: 3) == nil)
  }
}
