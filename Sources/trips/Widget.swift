import CommandLineKit
import SampleTrips
import SwiftData

extension Trips {
  static let widget = Command(
    "widget",
    summary: "Does what the widget on the home screen does, in its name.",
    subcommands: [
      Command(
        "confirm",
        summary: "Confirms the place to stay of a trip.",
        examples: [
          .init("trips widget confirm trips.store Norway", meaning: "The hotel has called.")
        ],
        parameters: [store, name],
        exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
      ) { call in
        let context = try openStore(call, as: .widget)
        let trip = try find(call.arguments[name], in: context)
        guard let place = trip.livingAccommodation else {
          throw TripsError.noPlace(trip.name)
        }
        place.isConfirmed = true
        try context.save()
        return .success
      }
    ]
  )
}
