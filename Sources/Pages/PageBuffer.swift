import Glibc

/// Room for a page, and for the header of a frame before the page.
///
/// So a frame of a log can be read at once, and its header checked.
package final class PageBuffer {
  static let frameHeaderSize = 24

  private let memory: UnsafeMutableRawBufferPointer

  package init(_ layout: PageLayout) {
    memory = .allocate(byteCount: Self.frameHeaderSize + layout.pageSize, alignment: 8)
  }

  deinit { memory.deallocate() }

  /// The header of a frame and its page.
  var frame: UnsafeMutableRawBufferPointer { memory }

  var page: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[Self.frameHeaderSize...])
  }

  /// The bytes of the page that was read last.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(page) }

  func isEqual(to other: PageBuffer) -> Bool {
    page.count == other.page.count && memcmp(start, other.start, page.count) == 0
  }

  var start: UnsafeRawPointer {
    UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped + Self.frameHeaderSize)
  }
}
