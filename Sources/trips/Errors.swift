import CommandLineKit
import Format
import Foundation
import SampleTrips
import Store
import SwiftData

/// The exit code that fits an error; nil for a general failure.
func describe(_ error: any Error) -> CommandError? {
  if let error = error as? CommandError { return error }
  // A failure after a signal is caused by the signal.
  if let stopped = Interruption.requested { return stopped }
  switch error {
  case let error as SwiftDataError:
    if let store = error.cause as? StoreError { return describe(store) }
    // SwiftData's hints are not shown, because they are written for programmers and mention
    // functions.
    return CommandError(.failure, message: error.message)
  case let error as StoreError:
    return CommandError(codes[error.code] ?? .failure) { error.wording }
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

extension CommandError {
  init(_ code: ExitCode, _ wording: () -> Wording) {
    let wording = wording()
    self.init(code, message: wording.message, hint: wording.hint.isEmpty ? nil : wording.hint)
  }
}
