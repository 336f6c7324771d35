/// The memory for the texts that are bound to one statement.
///
/// SQLite reads the texts without another copy.
final class TextRoom {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit { memory.deallocate() }

  /// Discards the copied texts, and reserves memory for the next texts.
  func reserve(_ size: Int) {
    guard size > memory.count || memory.baseAddress == nil else { return }
    memory.deallocate()
    memory = .allocate(byteCount: max(size, memory.count * 2, 4096), alignment: 1)
  }

  /// Copies a text; the copy is valid until the next ``reserve(_:)``.
  func copy(_ text: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
    let place = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + text.count])
    place.copyMemory(from: text)
    return UnsafeRawBufferPointer(place)
  }
}
