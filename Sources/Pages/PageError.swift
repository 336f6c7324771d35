/// An error of reading a database or its write-ahead log.
package struct PageError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The first bytes are not those of a SQLite database.
    case notADatabase
    /// The first bytes are encrypted; the bytes that some extensions leave readable are not.
    case encrypted
    /// A newer version of SQLite, or an extension, wrote the file.
    case newerFormat
    /// A page or a part of it is not in the file.
    case truncated
    /// The bytes do not follow the file format.
    case corrupt
    /// A value, or a log, is too large to be kept in memory.
    case tooLarge
    /// Another program replaced the log while it was read.
    case changedMeanwhile
    case inputOutput
  }

  package let code: Code
  /// The page that the error is about; zero if the error is not about a page.
  package let page: UInt32
  /// The frame of the log, from one, that the error is about; zero if the error is not about a frame.
  package let frame: UInt32
  /// The number of the system's error if the file could not be read; otherwise zero.
  package let systemError: Int32
  private let detail: String

  init(
    _ code: Code,
    page: UInt32 = 0,
    frame: UInt32 = 0,
    systemError: Int32 = 0,
    _ detail: String
  ) {
    self.code = code
    self.page = page
    self.frame = frame
    self.systemError = systemError
    self.detail = detail
  }

  /// An error about the bytes of a page.
  ///
  /// Errors are created outside of the functions that read rows, so that those remain small.
  @inline(never)
  static func corrupt(page: UInt32, _ detail: String) -> PageError {
    PageError(.corrupt, page: page, detail)
  }

  /// What happened, where, and what to do.
  package var message: String { "\(place)\(detail). \(remedy)" }

  private var place: String {
    switch (page, frame) {
    case (0, 0): ""
    case (_, 0): "Page \(page): "
    case (0, _): "Frame \(frame) of the write-ahead log: "
    default: "Page \(page) in frame \(frame) of the write-ahead log: "
    }
  }

  private var remedy: String {
    switch code {
    case .notADatabase: "Check the path."
    case .encrypted: "Decrypt the database first."
    case .newerFormat: "Read the database with the program that wrote it."
    case .truncated, .corrupt:
      "Run PRAGMA integrity_check. If it reports errors, restore the database from a backup."
    case .tooLarge: "Read the value in parts, or let SQLite checkpoint the log."
    case .changedMeanwhile: "Try again."
    case .inputOutput: "Check the disk and the permissions of the file."
    }
  }
}
