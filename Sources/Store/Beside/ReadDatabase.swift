import Format
import FoundationEssentials
import Pages
import SQLite

/// The entry in the catalog of a history file that says which database it follows, and what was last
/// seen of it.
struct ReadDatabase: CatalogEntry {
  static let key = "database"

  /// The absolute path of the database.
  var path: String
  var stamp: FileStamp
  /// The place in the write-ahead log after the last commit that was read; nil if there was no log.
  var log: LogPlace?
  /// The salts of the logs that were read before, from the oldest to the newest, at most a hundred.
  private var earlierLogs: [UInt64]?
  /// The number in the database's header that increases with each change of its schema.
  var schemaCookie: UInt32
  /// When the database was last read.
  var time: String
  /// Whether the history file is a temporary copy, which must not read the database.
  var isCopy = false

  struct LogPlace: Codable, Hashable {
    private let salts: UInt64
    private let frame: UInt32
    private let isBigEndian: Bool
    private let checksum: UInt64

    init(_ position: LogPosition) {
      salts = position.salts
      frame = position.frame
      isBigEndian = position.checksum.isBigEndian
      checksum = UInt64(position.checksum.first) << 32 | UInt64(position.checksum.second)
    }

    var position: LogPosition {
      LogPosition(
        salts: salts,
        frame: frame,
        checksum: LogChecksum(
          isBigEndian: isBigEndian,
          first: UInt32(truncatingIfNeeded: checksum >> 32),
          second: UInt32(truncatingIfNeeded: checksum)
        )
      )
    }
  }

  /// Whether a log is one that was read before, although it does not have the last commit that was
  /// read: somebody put back a copy of it.
  func isPutBack(_ log: LogHeader) -> Bool {
    log.salts == self.log?.position.salts || earlierLogs?.contains(log.salts) == true
  }

  /// Notes the place after the last commit that was read; nil if there is no log.
  mutating func noteLog(at position: LogPosition?) {
    if let last = log?.position.salts, last != position?.salts {
      earlierLogs = Array(((earlierLogs ?? []).filter { $0 != last } + [last]).suffix(100))
    }
    log = position.map { LogPlace($0) }
  }

  /// How a transaction of the next reading is read.
  func reading(isCommit: Bool, remark: String? = nil) -> Reading {
    Reading(isCommit: isCommit, since: time, remark: remark)
  }

  init(path: String, stamp: FileStamp, log: LogPlace?, schemaCookie: UInt32, time: String) {
    self.path = path
    self.stamp = stamp
    self.log = log
    self.schemaCookie = schemaCookie
    self.time = time
  }

  static func isThere(on connection: Connection) throws -> Bool {
    try Catalog.value(key, on: connection) != .null
  }
}
