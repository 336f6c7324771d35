import Changes
import CommandLineKit
import Foundation
import SampleTrips
import Store
import SwiftData

/// The exit code that fits an error; nil for a general failure.
func describe(_ error: any Error) -> CommandError? {
  if let error = error as? any ShownError { return error.shown }
  // A failure after a signal is caused by the signal.
  if let stopped = Interruption.requested { return stopped }
  switch error {
  case let error as SwiftDataError:
    if let store = error.cause as? StoreError { return describe(store) }
    // SwiftData's hints are not shown, because they are written for programmers and mention
    // functions.
    return CommandError(.failure, message: error.message)
  case let error as StoreError:
    return CommandError(codes[error.code] ?? .failure, wording: error.wording)
  case let error as SeedingError:
    return CommandError(.failure, message: error.description)
  default: return nil
  }
}

private let codes: [StoreError.Code: ExitCode] = [
  .missing: .missing, .missingBlob: .missing, .locked: .locked, .schemaMismatch: .schemaMismatch,
  .newerSchema: .schemaMismatch, .migrationRefused: .schemaMismatch, .notADatabase: .unreadable,
  .notAStore: .unreadable, .damaged: .unreadable, .newerFormat: .unreadable,
  .unreadableValue: .unreadable,
]

/// The reason why a command of `trips` failed.
enum TripsError: ShownError, Worded {
  case noStore(String)
  case noTrip(String, similar: [String]), nameIsTaken(String), noPlace(String)
  case nothingToChange, endsBeforeItBegins(Date, Date)
  case badgesNotKept(String, any Error)

  var shown: CommandError {
    let code: ExitCode =
      switch self {
      case .noStore, .noTrip, .noPlace: .missing
      case .nameIsTaken, .badgesNotKept: .failure
      case .nothingToChange, .endsBeforeItBegins: .usage
      }
    return CommandError(code, wording: wording)
  }

  var wording: Wording {
    switch self {
    case .noStore(let path):
      "There is no store \(path)."
        + "\nCreate a store with “trips add \(path) …” or “trips seed \(path)”."
    case .noTrip(let name, []): "There is no trip with the name \(quotedValue(name))."
    case .noTrip(let name, let similar):
      "There is no trip with the name \(quotedValue(name))."
        + "\nSimilar \(similar.count == 1 ? "name" : "names"):"
        + " \(similar.map(quotedValue).joined(separator: ", "))."
    case .nameIsTaken(let name):
      "There is already a trip with the name \(quotedValue(name))."
        + "\nGive another name, or change the existing trip with “trips edit”."
    case .noPlace(let name):
      "The trip \(quotedValue(name)) does not have a place to stay."
        + "\nBook a place with “trips book”."
    case .nothingToChange: "No change was given.\nSee “trips edit --help”."
    case .endsBeforeItBegins(let start, let end):
      "The trip would end on \(day(end)), before it begins on \(day(start))."
    case .badgesNotKept(let path, let error):
      "The badges in \(path) can't be read or written: \(reason(of: error))"
        + "\nRemove this file, or make its folder writable; the next “trips list” creates a new"
        + " file."
    }
  }
}

extension CommandError {
  fileprivate init(_ code: ExitCode, wording: Wording) {
    self.init(code, message: wording.message, hint: wording.hint.isEmpty ? nil : wording.hint)
  }
}
