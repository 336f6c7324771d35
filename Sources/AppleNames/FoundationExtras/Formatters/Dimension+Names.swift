import Foundation

extension Dimension {
  /// The unit's name in ICU; nil for units that ICU does not have, such as units that an app
  /// defines.
  var unicodeName: String? { Self.unicodeNames[ObjectIdentifier(type(of: self))]?[symbol] }

  /// Whether people choose a larger or smaller unit for large and small values.
  var hasScales: Bool { self is UnitLength || self is UnitMass || self is UnitDuration }

  /// A key consists of class and symbol, because Foundation creates a new object for each use of a
  /// unit.
  static let unicodeNames: [ObjectIdentifier: [String: String]] = [
    ObjectIdentifier(UnitAcceleration.self): ["m/s²": "meter-per-square-second", "g": "g-force"],
    ObjectIdentifier(UnitAngle.self): [
      "°": "degree", "ʹ": "arc-minute", "ʹʹ": "arc-second", "rad": "radian", "rev": "revolution",
    ],
    ObjectIdentifier(UnitArea.self): [
      "Mm²": "square-megameter", "km²": "square-kilometer", "m²": "square-meter",
      "cm²": "square-centimeter", "mm²": "square-millimeter", "µm²": "square-micrometer",
      "nm²": "square-nanometer", "in²": "square-inch", "ft²": "square-foot", "yd²": "square-yard",
      "mi²": "square-mile", "ac": "acre", "ha": "hectare",
    ],
    ObjectIdentifier(UnitDispersion.self): ["ppm": "permillion"],
    ObjectIdentifier(UnitDuration.self): [
      "s": "second", "m": "minute", "h": "hour", "ms": "millisecond", "µs": "microsecond",
      "ns": "nanosecond",
    ],
    ObjectIdentifier(UnitElectricCurrent.self): ["A": "ampere", "mA": "milliampere"],
    ObjectIdentifier(UnitElectricPotentialDifference.self): ["V": "volt"],
    ObjectIdentifier(UnitElectricResistance.self): ["Ω": "ohm"],
    ObjectIdentifier(UnitEnergy.self): [
      "kJ": "kilojoule", "J": "joule", "kCal": "kilocalorie", "cal": "calorie",
      "kWh": "kilowatt-hour",
    ],
    ObjectIdentifier(UnitFrequency.self): [
      "THz": "terahertz", "GHz": "gigahertz", "MHz": "megahertz", "kHz": "kilohertz", "Hz": "hertz",
    ],
    ObjectIdentifier(UnitIlluminance.self): ["lx": "lux"],
    ObjectIdentifier(UnitInformationStorage.self): [
      "bit": "bit", "kb": "kilobit", "Mb": "megabit", "Gb": "gigabit", "B": "byte",
      "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "PB": "petabyte",
      "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte",
    ],
    ObjectIdentifier(UnitLength.self): [
      "Mm": "megameter", "km": "kilometer", "hm": "hectometer", "dam": "dekameter", "m": "meter",
      "dm": "decimeter", "cm": "centimeter", "mm": "millimeter", "µm": "micrometer",
      "nm": "nanometer", "pm": "picometer", "in": "inch", "ft": "foot", "yd": "yard", "mi": "mile",
      "smi": "mile-scandinavian", "ly": "light-year", "NM": "nautical-mile", "ftm": "fathom",
      "fur": "furlong", "ua": "astronomical-unit", "pc": "parsec",
    ],
    ObjectIdentifier(UnitMass.self): [
      "kg": "kilogram", "g": "gram", "dg": "decigram", "cg": "centigram", "mg": "milligram",
      "µg": "microgram", "ng": "nanogram", "pg": "picogram", "oz": "ounce", "lb": "pound",
      "st": "stone", "t": "tonne", "ton": "ton", "ct": "carat", "oz t": "ounce-troy",
    ],
    ObjectIdentifier(UnitPower.self): [
      "TW": "terawatt", "GW": "gigawatt", "MW": "megawatt", "kW": "kilowatt", "W": "watt",
      "mW": "milliwatt", "µW": "microwatt", "nW": "nanowatt", "hp": "horsepower",
    ],
    ObjectIdentifier(UnitPressure.self): [
      "GPa": "gigapascal", "MPa": "megapascal", "kPa": "kilopascal", "hPa": "hectopascal",
      "inHg": "inch-ofhg", "bar": "bar", "mbar": "millibar", "mmHg": "millimeter-ofhg",
      "psi": "pound-force-per-square-inch",
    ],
    ObjectIdentifier(UnitSpeed.self): [
      "m/s": "meter-per-second", "km/h": "kilometer-per-hour", "mph": "mile-per-hour", "kn": "knot",
    ],
    ObjectIdentifier(UnitTemperature.self): ["K": "kelvin", "°C": "celsius", "°F": "fahrenheit"],
    ObjectIdentifier(UnitVolume.self): [
      "ML": "megaliter", "kL": "kiloliter", "L": "liter", "dl": "deciliter", "cL": "centiliter",
      "mL": "milliliter", "km³": "cubic-kilometer", "m³": "cubic-meter", "dm³": "cubic-decimeter",
      "cm³": "cubic-centimeter", "mm³": "cubic-millimeter", "in³": "cubic-inch",
      "ft³": "cubic-foot", "yd³": "cubic-yard", "mi³": "cubic-mile", "af": "acre-foot",
      "bsh": "bushel", "tsp": "teaspoon", "tbsp": "tablespoon", "fl oz": "fluid-ounce",
      "cup": "cup", "pt": "pint", "qt": "quart", "gal": "gallon",
      "fl oz Imperial": "fluid-ounce-imperial", "qt Imperial": "quart-imperial",
      "gal Imperial": "gallon-imperial",
    ],
  ]
}
