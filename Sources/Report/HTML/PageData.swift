import Audit
import ChangeLog
import Dispatch
import Format
import Pipeline

/// The lines of a page, compressed in blocks that a browser can read one by one.
///
/// A block is compressed on another thread while the next block is collected.
final class PageData {
  /// The size of all blocks: 8 MB in base64.
  static let limit = 6_000_000
  /// The maximum size of the uncompressed lines, because a browser keeps the lines in memory.
  private static let lineLimit = 96 << 20
  private static let blockSize = 1 << 20

  private var blocks: [[UInt8]] = []
  private var compressing: CompressedBlock?
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
    if lines.count >= Self.blockSize, bytes.last == UInt8(ascii: "\n") { try closeBlock() }
  }

  /// Closes the last block, and waits until it is compressed.
  func finish() throws {
    if !lines.isEmpty { try closeBlock() }
    try addCompressed()
  }

  private func closeBlock() throws {
    try addCompressed()
    lineSize += lines.count
    compressing = CompressedBlock(lines)
    lines = []
  }

  /// Adds the block that is being compressed, so that at most two blocks are in memory.
  private func addCompressed() throws {
    guard let bytes = try compressing?.bytes() else { return }
    size += bytes.count
    blocks.append(bytes)
    compressing = nil
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

/// A block that another thread compresses.
private final class CompressedBlock: @unchecked Sendable {
  private static let queue = DispatchQueue(label: "travelog.page.blocks")

  private let group = DispatchGroup()
  /// Only read after the group is done.
  private var result: Result<[UInt8], any Error> = .success([])

  init(_ lines: [UInt8]) {
    Self.queue.async(group: group) { [self] in
      result = Result { try gzipMember(of: lines, path: "the page") }
    }
  }

  func bytes() throws -> [UInt8] {
    group.wait()
    return try result.get()
  }
}

extension PageData {
  /// Adds the newest transactions of histories, and asks for the names of their objects.
  ///
  /// Returns the newest of these transactions in the form `plain`.
  func read(
    _ histories: [ReadableHistory],
    objects: ObjectTally,
    plain: TimelineForm,
    tick: Tick
  ) throws -> [UInt8] {
    var rows: [UInt8] = []
    for (number, history) in histories.reversed().enumerated() {
      let index = history.index
      try begin(number, of: histories.count)
      // The ids of at least as many of the newest transactions as the plain page has. Ranges of ids are
      // read from the newest on, and each range in ascending order.
      var selected: [Int64] = []
      var form = TimelineForm(
        head: { summary in
          let id = summary.transaction.id
          if selected.count < PlainPage.transactionLimit || id > selected[0] { selected.append(id) }
          return PageLine.facts(summary, history: index, written: summary.written)
        },
        foot: PageLine.end
      )
      form.change = { change, _, vocabulary, isFirst, line in
        objects.want(change, history: index)
        PageLine.append(change, vocabulary: vocabulary, isFirst: isFirst, to: &line)
      }
      form.changeLimit = PageLine.changeLimit
      form.sizeLimit = PageLine.sizeLimit
      let room = PlainPage.rowLimit / histories.count * (number + 1)
      for (position, part) in history.parts.enumerated().reversed() {
        selected = []
        try writeTimeline(
          of: part,
          filter: history.filter,
          isDamaged: history.isDamaged,
          form: form,
          isFull: { isFull },
          tick: tick,
          to: append
        )
        // Only the transactions in the plain page are written for it, because that takes long.
        let first = selected.sorted(by: >).dropFirst(PlainPage.transactionLimit - 1).first
        try writeTimeline(
          of: History(part, after: first.map { $0 - 1 } ?? part.outline.base, through: part.last),
          filter: history.filter,
          isDamaged: history.isDamaged,
          limit: Int64(PlainPage.transactionLimit),
          form: plain,
          isFull: { rows.count > room },
          tick: tick
        ) { rows += $0 }
        if position > 0 { rows += PlainPage.row(history.unreadable[position - 1]) }
      }
    }
    try finish()
    return rows
  }
}
