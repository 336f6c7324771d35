/// Room for the texts that one statement is bound to.
///
/// SQLite reads them where they lie, so that none is copied into memory of its own.
final class TextRoom {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)

  deinit { memory.deallocate() }

  /// Makes room for some bytes; what was copied before is gone.
  func reserve(_ size: Int) {
    guard size > memory.count else { return }
    memory.deallocate()
    memory = .allocate(byteCount: max(size, memory.count * 2), alignment: 1)
  }

  /// Copies a text, and tells where it is until the next ``reserve(_:)``.
  func copy(_ text: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
    let place = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + text.count])
    place.copyMemory(from: text)
    return UnsafeRawBufferPointer(place)
  }
}
