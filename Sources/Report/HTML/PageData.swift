import Audit
import ChangeLog
import Changes
import Pipeline

/// The lines of a page, compressed in blocks that a browser can read one by one.
final class PageData {
  /// The size of all blocks: 8 MB in base64.
  static let limit = 6_000_000
  /// The maximum size of the uncompressed lines, because a browser keeps the lines in memory.
  private static let lineLimit = 96 << 20
  private static let blockSize = 1 << 20

  private(set) var blocks: [[UInt8]] = []
  private var lines: [UInt8] = []
  private var size = 0
  private var lineSize = 0
  /// The share of the limits that the histories up to the current one may use.
  private var share = 1.0

  init() {}

  /// Starts a history.
  ///
  /// Each history leaves room in the page for the histories after it.
  func begin(_ number: Int, of histories: Int) throws {
    try finish()
    let used = max(
      Double(size) / Double(Self.limit),
      Double(lineSize) / Double(Self.lineLimit)
    )
    share = used + (1 - used) / Double(max(1, histories - number))
  }

  var isFull: Bool {
    Double(size) >= share * Double(Self.limit)
      || Double(lineSize + lines.count) >= share * Double(Self.lineLimit)
  }

  /// Adds bytes of a line.
  ///
  /// A block ends at the end of a line.
  func append(_ bytes: [UInt8]) throws {
    lines += bytes
    if lines.count >= Self.blockSize, bytes.last == UInt8(ascii: "\n") { try finish() }
  }

  /// Closes the block.
  func finish() throws {
    guard !lines.isEmpty else { return }
    let bytes = try gzipMember(of: lines, path: "the page")
    size += bytes.count
    lineSize += lines.count
    blocks.append(bytes)
    lines = []
  }

  /// Removes the oldest blocks until the remaining blocks, in base64, fit into a size.
  func trim(to size: Int) {
    var total = blocks.reduce(0) { $0 + encodedSize($1) }
    while total > size, let last = blocks.popLast() { total -= encodedSize(last) }
  }

  private func encodedSize(_ block: [UInt8]) -> Int {
    Self.opening.utf8.count + (block.count + 2) / 3 * 4 + "</script>\n".utf8.count
  }

  func write(to output: ([UInt8]) throws -> Void) throws {
    for block in blocks {
      try output(Array("\(Self.opening)\(Page.base64(block))</script>\n".utf8))
    }
  }

  private static let opening = "<script type=\"text/plain\" class=\"block\">"
}

extension PageData {
  /// Adds the newest transactions of histories, and asks for the names of their objects.
  func read(
    _ histories: [ReadableHistory],
    objects: ObjectTally,
    tick: Tick
  ) throws {
    for (number, history) in histories.reversed().enumerated() {
      let index = history.index
      try begin(number, of: histories.count)
      var form = TimelineForm(
        head: { summary in PageLine.facts(summary, history: index) },
        change: { difference, isFirst in
          objects.want(difference, history: index)
          return PageLine.change(difference, isFirst: isFirst)
        },
        foot: PageLine.end
      )
      form.changeLimit = PageLine.changeLimit
      try writeTimeline(
        of: history.history,
        filter: history.filter,
        form: form,
        isFull: { isFull },
        tick: tick,
        to: append
      )
    }
    try finish()
  }
}

extension ObjectTally {
  /// Asks for the names of an object and of the objects that its values refer to.
  fileprivate func want(_ difference: ObjectDifference, history: Int) {
    want(difference.entity, id: difference.id, history: history)
    for property in difference.properties {
      for value in [property.before, property.after] {
        for link in value?.links.prefix(50) ?? [] {
          want(link.entity, id: ObjectID(link.id), history: history)
        }
      }
    }
  }
}
