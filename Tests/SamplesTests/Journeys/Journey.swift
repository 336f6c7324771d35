import Foundation
import SwiftData
import os.log

@Model
final class Journey {
  @Attribute(.unique) @Attribute(.spotlight) var name: String
  var kind: Kind = Journey.kind
  var departure: Date
  var duration: TimeInterval
  var meters: Double

  static let kind = Kind.train

  enum Kind: String, Codable { case train, ship, foot }

  init(name: String, departure: Date, duration: TimeInterval, meters: Double) {
    self.name = name
    self.departure = departure
    self.duration = duration
    self.meters = meters
  }
}

extension Journey {
  @Transient var distance: Measurement<UnitLength> { Measurement(value: meters, unit: .meters) }

  private static let durations: DateComponentsFormatter = {
    let formatter = DateComponentsFormatter()
    formatter.calendar?.locale = Locale(identifier: "en_US")
    formatter.allowedUnits = [.hour, .minute]
    formatter.unitsStyle = .abbreviated
    return formatter
  }()

  var durationText: String { Self.durations.string(from: duration) ?? "" }

  func distanceText(locale: Locale = .current) -> String {
    let formatter = MeasurementFormatter()
    formatter.locale = locale
    formatter.numberFormatter.maximumFractionDigits = 0
    return formatter.string(from: distance)
  }

  func departureText(now: Date, locale: Locale = .current) -> String {
    let formatter = RelativeDateTimeFormatter()
    formatter.locale = locale
    formatter.dateTimeStyle = .named
    return formatter.localizedString(for: departure, relativeTo: now)
  }
}

/// Keeps journeys on a separate queue.
actor Timetable {
  private static let log = Logger(subsystem: "com.example.journeys", category: "timetable")
  private let queue = DispatchSerialQueue(label: "timetable")
  private let container: ModelContainer
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(container: ModelContainer) { self.container = container }

  func add(_ name: String, departure: Date, duration: TimeInterval, meters: Double) throws {
    let context = ModelContext(container)
    context.insert(
      Journey(name: name, departure: departure, duration: duration, meters: meters)
    )
    try context.save()
    Self.log.debug("added \(name)")
  }

  func count() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<Journey>()) }
}
