import Glibc
import Pages
import SQLite

/// A state of a database as a file of SQLite, whose bytes are those of the pages at a commit.
///
/// The state can be replaced between two transactions of the connection.
final class StateFile: VirtualFile {
  private var view: DatabaseView
  private var buffer: PageBuffer
  /// The page in the buffer; zero if there is none.
  private var page: UInt32 = 0
  private var version: UInt32 = 1
  /// Why SQLite could not read a page.
  private(set) var error: PageError?

  init(_ view: DatabaseView) {
    self.view = view
    buffer = PageBuffer(view.layout)
  }

  /// Shows another state from the next transaction on.
  func show(_ view: DatabaseView) {
    if view.layout != self.view.layout { buffer = PageBuffer(view.layout) }
    self.view = view
    page = 0
    version &+= 1
  }

  var size: Int64 { Int64(view.pageCount) * Int64(view.layout.pageSize) }

  func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
    let pageSize = Int64(view.layout.pageSize)
    var filled = 0
    while filled < room.count {
      let place = offset + Int64(filled)
      let start = Int(place % pageSize)
      let rest = UnsafeMutableRawBufferPointer(
        rebasing: room[filled...].prefix(Int(pageSize) - start)
      )
      guard load(UInt32(clamping: place / pageSize + 1)) else { return false }
      rest.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + rest.count])
      )
      if place / pageSize == 0 { adaptHeader(rest, from: start) }
      filled += rest.count
    }
    return true
  }

  private func load(_ wanted: UInt32) -> Bool {
    guard wanted != page else { return true }
    page = 0
    do {
      try view.read(wanted, into: buffer)
      page = wanted
      return true
    } catch {
      self.error = error
      return false
    }
  }

  /// Makes the header that of a database without a write-ahead log, whose number of pages is valid.
  private func adaptHeader(_ bytes: UnsafeMutableRawBufferPointer, from start: Int) {
    func set(_ value: UInt32, at offset: Int) {
      for index in 0..<4 where bytes.indices.contains(offset + index - start) {
        bytes[offset + index - start] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
      }
    }
    for offset in 18...19 where bytes.indices.contains(offset - start) { bytes[offset - start] = 1 }
    // SQLite reads its pages again if this counter changes.
    set(version, at: 24)
    set(view.pageCount, at: 28)
    set(version, at: 92)
  }
}
