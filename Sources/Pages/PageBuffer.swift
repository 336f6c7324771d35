import Glibc

/// Room for a page, and for the header of a frame before the page, so that a frame of a log is read
/// at once.
package final class PageBuffer {
  static let frameHeaderSize = 24

  /// The room for the header of a frame and for a page.
  let frame: UnsafeMutableRawBufferPointer

  package convenience init(_ layout: PageLayout) { self.init(count: layout.pageSize) }

  init(count: Int) {
    frame = .allocate(byteCount: Self.frameHeaderSize + count, alignment: 8)
  }

  deinit { frame.deallocate() }

  var page: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: frame[Self.frameHeaderSize...])
  }

  /// The bytes of the page that was read last.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(page) }

  var start: UnsafeRawPointer {
    UnsafeRawPointer(frame.baseAddress.unsafelyUnwrapped + Self.frameHeaderSize)
  }

  func isEqual(to other: PageBuffer) -> Bool {
    page.count == other.page.count && memcmp(start, other.start, page.count) == 0
  }
}
