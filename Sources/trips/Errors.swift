import Changes
import CommandLineKit
import SampleTrips
import Store
import SwiftData

/// The exit code of an error, by what it is; nil for one that is just a failure.
func describe(_ error: any Error) -> CommandError? {
  // What fails after a signal fails because of it.
  if let stopped = Interruption.requested { return stopped }
  switch error {
  case let error as SwiftDataError:
    guard let store = error.cause as? StoreError else { return nil }
    return describe(store)
  case let error as StoreError:
    return CommandError(codes[error.code] ?? .failure, error.message)
  case let error as SeedingError:
    return CommandError(.failure, error.description)
  default: return nil
  }
}

private let codes: [StoreError.Code: ExitCode] = [
  .missing: .missing, .missingBlob: .missing, .locked: .locked, .schemaMismatch: .schemaMismatch,
  .newerSchema: .schemaMismatch, .migrationRefused: .schemaMismatch, .notADatabase: .unreadable,
  .notAStore: .unreadable, .damaged: .unreadable, .newerFormat: .unreadable,
  .unreadableValue: .unreadable,
]
