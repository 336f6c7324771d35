import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Writing the rows of replayed changes")
struct ReplayRowsTests {
  private struct TakenBack: Error {}

  /// A change of a sample object, with the rows before and after it.
  private struct Step {
    var kind: ChangeKind
    var before: String?
    var after: String?
  }

  /// Every change of a name that is "a" or "b".
  private let steps = [
    Step(kind: .insert, before: nil, after: "a"), Step(kind: .insert, before: nil, after: "b"),
    Step(kind: .update, before: "a", after: "b"), Step(kind: .update, before: "b", after: "a"),
    Step(kind: .delete, before: "a", after: nil), Step(kind: .delete, before: "b", after: nil),
  ]
  private let states = [nil, "a", "b"]

  /// Calls `body` inside a write that is rolled back afterwards.
  private func withWorld(_ body: (SampleWriter, ChangeFormat) throws -> Void) throws {
    let store = try Store.open(.memory("replay"), schema: sampleSchema)
    #expect(throws: TakenBack.self) {
      try store.save { world in
        let writer = world.writer
        try body(world, ChangeFormat(writer.layouts))
        throw TakenBack()
      }
    }
  }

  private func prepared(
    _ format: ChangeFormat,
    _ kind: ChangeKind,
    _ entity: String,
    id: Int64,
    changed: String = "",
    before: String = "",
    after: String = "",
    isRefused: Bool = false
  ) throws -> PreparedChanges {
    let texts = [entity, changed, before, after].map { Array($0.utf8) }
    let changes = PreparedChanges()
    try texts.flatMap(\.self).withUnsafeBytes { all in
      var start = 0
      let parts = texts.map { text in
        defer { start += text.count }
        return UnsafeRawBufferPointer(rebasing: all[start..<start + text.count])
      }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      try changes.append(
        Change(
          kind: kind,
          sequence: 0,
          entity: parts[0],
          object: id,
          changed: parts[1],
          before: parts[2],
          after: parts[3],
          special: none,
          large: none
        ),
        format: format
      )
    }
    let refusals = changes.refusals
    #expect(refusals.isEmpty != isRefused)
    return changes
  }

  private func prepared(_ format: ChangeFormat, _ step: Step, id: Int64) throws -> PreparedChanges {
    func side(_ name: String?) -> String { name.map { #"{"name":"\#($0)"}"# } ?? "" }
    return try prepared(
      format,
      step.kind,
      "Person",
      id: id,
      changed: step.kind == .update ? #"["name"]"# : "",
      before: side(step.before),
      after: side(step.after)
    )
  }

  @Test("An update is refused if its sides do not have the same properties.")
  func sides() throws {
    try withWorld { _, format in
      let sides = [
        (#"{"name":"a"}"#, #"{"rating":1}"#), (#"{"name":"a"}"#, #"{"name":"b","rating":1}"#),
        ("{}", "{}"),
      ]
      for (before, after) in sides {
        for changed in [#"["name"]"#, #"["rating"]"#, #"["name","rating"]"#, "[]"] {
          _ = try prepared(
            format,
            .update,
            "Trip",
            id: 1,
            changed: changed,
            before: before,
            after: after,
            isRefused: true
          )
        }
      }
    }
  }

  @Test("A link that ends before its id is refused.", arguments: 16...24)
  func shortLinks(_ count: Int) throws {
    let whole = #"{"entity":"Trip","id":"1"}"#
    let link = whole.prefix(count - 2) + #""}"#
    try withWorld { _, format in
      let after = #"{"title":"a","trip":\#(link)}"#
      _ = try prepared(format, .insert, "Item", id: 1, after: after, isRefused: true)
    }
  }

  @Test("Every change is written if the row is as it expects, and is a difference if it is not.")
  func rows() throws {
    try withWorld { world, format in
      let rows = ReplayRows(world.writer, decoders: format.decoders)
      var id: Int64 = 0
      for state in states {
        for step in steps {
          id += 1
          if let state { try world.person(id).insert(name: state) }
          let changes = try prepared(format, step, id: id)
          try rows.write(changes.parts[0], changes: changes)
          let isExpected = state == step.before
          let found = try world.person(id).name()
          #expect(found == (isExpected ? step.after : state), "\(step) of \(state ?? "nothing")")
          #expect(rows.differences.count == (isExpected ? 0 : 1))
          if let difference = rows.differences.first {
            #expect(difference.entity == "Person" && difference.object == ObjectID(id))
            let isValue = state != nil && step.kind != .insert
            #expect(difference.property == (isValue ? "name" : nil))
          }
          rows.forgetDifferences()
        }
      }
    }
  }

  @Test(
    "After a difference nothing more is written, so all differences are of one state."
  )
  func afterDifference() throws {
    try withWorld { world, format in
      let rows = ReplayRows(world.writer, decoders: format.decoders)
      for (id, step) in [(1, steps[4]), (2, steps[0])] {
        let changes = try prepared(format, step, id: Int64(id))
        try rows.write(changes.parts[0], changes: changes)
      }
      #expect(rows.differences.count == 1)
      let found = try world.person(2).name()
      #expect(found == nil)
    }
  }

  @Test("A snapshot has only insertions, and a migration only updates.")
  func purposes() throws {
    try withWorld { world, format in
      let rows = ReplayRows(world.writer, decoders: format.decoders)
      for (purpose, kind) in [
        (ReplayRows.Purpose.snapshot, ChangeKind.insert), (.comparison, .update),
      ] {
        rows.purpose = purpose
        for step in steps where step.kind != kind {
          let changes = try prepared(format, step, id: 1)
          #expect(throws: CanonicalEncodingError.self) {
            try rows.write(changes.parts[0], changes: changes)
          }
        }
      }
    }
  }

  @Test("After a migration the rows are compared with the values of its updates, and not written.")
  func comparison() throws {
    try withWorld { world, format in
      let rows = ReplayRows(world.writer, decoders: format.decoders)
      rows.purpose = .comparison
      var id: Int64 = 0
      for state in states {
        for step in steps where step.kind == .update {
          id += 1
          if let state { try world.person(id).insert(name: state) }
          let changes = try prepared(format, step, id: id)
          try rows.write(changes.parts[0], changes: changes)
          #expect(rows.differences.count == (state == step.after ? 0 : 1))
          let found = try world.person(id).name()
          #expect(found == state)
          rows.forgetDifferences()
        }
      }
    }
  }

  @Test("Links are added and removed as listed, and unexpected ones are reported.")
  func links() throws {
    func targets(_ bits: Int) -> Set<Int64> { Set([1, 2].filter { bits >> ($0 - 1) & 1 == 1 }) }
    func list(_ targets: Set<Int64>) -> String {
      let links = targets.sorted().map { #"{"entity":"Trip","id":"\#($0)"}"# }
      return #"{"trips":[\#(links.joined(separator: ","))]}"#
    }
    try withWorld { world, format in
      for id: Int64 in 1...2 {
        try world.trip(id).insert(name: "trip \(id)")
      }
      let rows = ReplayRows(world.writer, decoders: format.decoders)
      for code in 0..<64 {
        let id = Int64(code) + 1
        let (there, before, after) = (targets(code), targets(code >> 2), targets(code >> 4))
        try world.tag(id).insert(word: "tag")
        for target in there.sorted() {
          try world.tag(id).link(trip: target)
        }
        let changes = try prepared(
          format,
          .update,
          "Tag",
          id: id,
          changed: #"["trips"]"#,
          before: list(before),
          after: list(after)
        )
        guard before != after, before.isDisjoint(with: after) else {
          #expect(throws: CanonicalEncodingError.self) {
            try rows.write(changes.parts[0], changes: changes)
          }
          rows.forgetDifferences()
          continue
        }
        try rows.write(changes.parts[0], changes: changes)
        let missing = before.subtracting(there).count
        let present = after.intersection(there).count
        #expect(rows.differences.count == missing + present, "\(there), \(before), \(after)")
        let found = try world.writer.joins[format.decoders[tag].joins[0]].targets(of: id)
        #expect(Set(found) == there.subtracting(before).union(after))
        rows.forgetDifferences()
      }
    }
  }
}
