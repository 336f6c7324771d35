import CommandLineKit
import Format
import SampleTrips
import SwiftData

extension Trips {
  static let widget = Command(
    "widget",
    summary: "Acts as the widget on the home screen, with its author name.",
    subcommands: [
      Command(
        "confirm",
        summary: "Confirms a trip's accommodation.",
        examples: [
          "trips widget confirm trips.store Norway": "Confirm the booking after the hotel called."
        ],
        parameters: [store, name],
        exitCodes: [.unreadable, .missing, .locked, .schemaMismatch]
      ) { call in
        let context = try openStore(call, as: .widget)
        let trip = try find(call.arguments[name], in: context)
        guard let place = trip.livingAccommodation else {
          throw CommandError(.missing) {
            "The trip \(quotedValue(trip.name)) does not have a place to stay."
              + "\nBook a place with “trips book”."
          }
        }
        place.isConfirmed = true
        try context.save()
        return .success
      }
    ]
  )
}
