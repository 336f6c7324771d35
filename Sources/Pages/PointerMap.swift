/// What a page is used for, and the page that refers to it, as "Pointer Map" in the file format
/// defines them.
package enum PageUse: Hashable, Sendable {
  case root
  case free
  case firstOverflow(cellIn: UInt32)
  case overflow(after: UInt32)
  case child(of: UInt32)
}

extension DatabaseView {
  /// The use of a page; nil if the database has no pointer map, or the map has no entry for the
  /// page.
  package func use(of page: UInt32) throws(PageError) -> PageUse? {
    let map = layout.pointerMapPage(of: page)
    guard header?.hasPointerMap == true, page > 2, page <= pageCount, page > map,
      page != layout.lockBytePage
    else { return nil }
    let buffer = PageBuffer(layout)
    try read(map, into: buffer)
    let offset = 5 * Int(page - map - 1)
    let parent = buffer.start.uint32(at: offset + 1)
    switch buffer.bytes[offset] {
    case 1: return .root
    case 2: return .free
    case 3: return .firstOverflow(cellIn: parent)
    case 4: return .overflow(after: parent)
    case 5: return .child(of: parent)
    default: throw .corrupt(page: map, "the entry of page \(page) has an unknown type")
    }
  }
}
