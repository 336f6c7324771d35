/// A page of a b-tree in a buffer, with a checked header.
///
/// "B-tree Pages" in the file format describes the bytes. The page is valid as long as the buffer
/// contains it.
struct BTreePage {
  let start: UnsafeRawPointer
  let number: UInt32
  /// Whether the keys are the row IDs of a table; otherwise they are records.
  let isTable: Bool
  let isLeaf: Bool
  let cellCount: Int
  /// The offset of the array with the offsets of the cells.
  private let pointers: Int
  /// The page after the last cell; zero in a leaf.
  private let lastChild: UInt32

  init(_ buffer: PageBuffer, number: UInt32, layout: PageLayout) throws(PageError) {
    start = buffer.start
    self.number = number
    // The first page begins with the header of the database.
    let header = number == 1 ? DatabaseHeader.size : 0
    switch start.load(fromByteOffset: header, as: UInt8.self) {
    case 2: (isTable, isLeaf) = (false, false)
    case 5: (isTable, isLeaf) = (true, false)
    case 10: (isTable, isLeaf) = (false, true)
    case 13: (isTable, isLeaf) = (true, true)
    default: throw .corrupt(page: number, "the page does not belong to a b-tree")
    }
    cellCount = start.uint16(at: header + 3)
    pointers = header + (isLeaf ? 8 : 12)
    lastChild = isLeaf ? 0 : start.uint32(at: header + 8)
    guard pointers + 2 * cellCount <= layout.usable else {
      throw .corrupt(page: number, "the cells do not fit in the page")
    }
  }

  var childCount: Int { isLeaf ? 0 : cellCount + 1 }

  func child(_ index: Int, layout: PageLayout) throws(PageError) -> UInt32 {
    guard index < cellCount else { return lastChild }
    let offset = try cellOffset(index, layout: layout)
    guard offset + 4 <= layout.usable else {
      throw .corrupt(page: number, "a cell ends outside of the page")
    }
    return start.uint32(at: offset)
  }

  /// The largest row ID below a child of an interior page of a table, unless it is the last child.
  func key(_ index: Int, layout: PageLayout) throws(PageError) -> Int64 {
    let key = start.varint(at: try cellOffset(index, layout: layout) + 4, end: layout.usable)
    guard key.next > 0 else { throw .corrupt(page: number, "a cell ends outside of the page") }
    return Int64(bitPattern: key.value)
  }

  /// The index of the child of an interior page of a table that can have a row ID.
  func childIndex(of rowID: Int64, layout: PageLayout) throws(PageError) -> Int {
    var (low, high) = (0, cellCount)
    while low < high {
      let middle = (low + high) / 2
      if try key(middle, layout: layout) < rowID { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// A row ID by which a search in the table reaches the page; nil for a page without cells, or of an
  /// index.
  func someRowID(layout: PageLayout) throws(PageError) -> Int64? {
    guard isTable, cellCount > 0 else { return nil }
    return isLeaf ? try cell(0, layout: layout).rowID : try key(0, layout: layout)
  }

  @inline(__always)
  private func cellOffset(_ index: Int, layout: PageLayout) throws(PageError) -> Int {
    let offset = start.uint16(at: pointers + 2 * index)
    guard offset >= pointers + 2 * cellCount, offset < layout.usable else {
      throw .corrupt(page: number, "a cell is outside of the page's room for cells")
    }
    return offset
  }

  /// Reads a cell with a payload, which interior pages of tables do not have.
  @inline(__always)
  func cell(_ index: Int, layout: PageLayout) throws(PageError) -> Cell {
    var offset = try cellOffset(index, layout: layout)
    let end = layout.usable
    // A cell of an interior page begins with the number of its child.
    if !isLeaf { offset += 4 }
    let size = start.varint(at: offset, end: end)
    offset = size.next
    var rowID: Int64 = 0
    if isTable, offset > 0 {
      let id = start.varint(at: offset, end: end)
      (rowID, offset) = (Int64(bitPattern: id.value), id.next)
    }
    // SQLite's limit of a row is smaller than 2 GiB.
    guard offset > 0, size.value <= 0x7fff_ffff else {
      throw .corrupt(page: number, "the header of a cell is damaged")
    }
    let payload = Int(truncatingIfNeeded: size.value)
    let local = layout.localCount(of: payload, inTable: isTable)
    let isWhole = local == payload
    guard offset + local + (isWhole ? 0 : 4) <= end else {
      throw .corrupt(page: number, "a cell ends outside of the page")
    }
    let overflow = isWhole ? 0 : start.uint32(at: offset + local)
    guard isWhole || overflow > 0 else {
      throw .corrupt(page: number, "a row has no overflow page for its other bytes")
    }
    let room = layout.overflowRoom
    return Cell(
      page: number,
      rowID: rowID,
      payloadCount: payload,
      local: UnsafeRawBufferPointer(start: start + offset, count: local),
      overflow: overflow,
      overflowPageCount: isWhole ? 0 : (payload - local + room - 1) / room
    )
  }
}
