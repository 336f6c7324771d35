import Changes

/// The reason why the write-ahead log of an adopted file can't be read.
enum LogFailure: StoreReason {
  /// A system call failed.
  case file(verb: String, Int32)

  var code: StoreError.Code { .inputOutput }

  func wording(_ path: String) -> Wording {
    switch self {
    case .file(let verb, let number):
      "Can't \(verb) the write-ahead log \(path): \(systemText(number))."
        + "\nCheck the disk, and the permissions of the file."
    }
  }
}
