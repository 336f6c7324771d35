import ChangeLog
import Format
import Store

/// The plan of an erasure: the files that contain values to erase, and the lines in each file.
struct ErasePlan {
  /// A log or snapshot that contains values to erase.
  struct File {
    let chain: LogChain
    let file: LogFolder.File
    let isSnapshot: Bool
    /// The properties that the erasure selects, under the schema of the file.
    let targets: PropertyTargets
    /// The lines that lose values, in ascending order.
    ///
    /// One object can have millions of lines, so the plan has no values of them.
    var lines: [Line] = []
  }

  struct Line {
    let transaction: Int64
    /// The sequence number of the change.
    let sequence: Int64
  }

  var files: [File] = []
  /// The end of the logs of the latest lineage.
  var end: HistoryPoint
  /// The present values of the object, with their properties as keys.
  var present: [[UInt8]: Present] = [:]
  /// Whether the object exists at the end of the logs.
  var isThere = false
  /// Whether the logs contain the object.
  var isKnown = false
  /// The entity of the object, if the request names another entity of the same family; nil if it
  /// names the right one.
  var otherEntity: String?
  /// All schemas in the logs; the present schema is last.
  var schemas: [StoreSchema] = []
  /// The number of values to erase.
  var values: Int64 = 0
  /// The number of transactions in the files that contain these values.
  var transactions: Int64 = 0
  /// The large values to erase.
  ///
  /// The file of an erased large value is removed unless other logs refer to the value.
  var largeValues: Set<String> = []

  struct Present: Hashable {
    var lineage: Int64
    var transaction: Int64
    var value: ToldValue
  }

  /// Whether a transaction contains a present value of the object.
  func isPresent(
    _ property: [UInt8],
    value: ToldValue,
    lineage: Int64,
    transaction: Int64,
    isSnapshot: Bool
  ) -> Bool {
    guard isThere, value.isAfter, let present = present[property], lineage == present.lineage else {
      return false
    }
    return isSnapshot ? transaction >= present.transaction : transaction == present.transaction
  }

  /// Whether a value in a file is erased.
  func erases(
    _ value: ToldValue,
    of change: Change,
    in transaction: Int64,
    of file: File
  ) -> Bool {
    guard !value.isErased, let property = file.targets.property(of: value, in: change) else {
      return false
    }
    return !isPresent(
      property,
      value: value,
      lineage: file.chain.lineage,
      transaction: transaction,
      isSnapshot: file.isSnapshot
    )
  }
}

extension LogChain {
  /// Adds the schemas of the logs, and of the snapshots before them, which can have an earlier one.
  func addSchemas(to schemas: inout [StoreSchema]) throws {
    let first = files.first?.range.lowerBound ?? .max
    for file in snapshots.filter({ $0.range.lowerBound < first }) + files {
      let schema = try open(file, after: nil).header.schema
      if schemas.last != schema { schemas.append(schema) }
    }
  }
}

/// Finds the values to erase.
///
/// The present values of an object are not erased: a person must change or delete them first.
/// Otherwise the store's rows would contain erased values, and a replica would lack them. Earlier
/// values are erased in every lineage.
struct EraseScan {
  private let request: EraseRequest
  private let chains: [LogChain]
  private let filtered: [LogChain]
  private var plan: ErasePlan
  /// The properties that have another value than the present one.
  private var changed: Set<[UInt8]> = []
  /// The properties whose present value is also erased elsewhere.
  private var repeated: Set<[UInt8]> = []
  private var progress = Progress()

  init(
    _ request: EraseRequest,
    chains: [LogChain],
    filtered: [LogChain],
    schemas: [StoreSchema]
  ) throws {
    self.request = request
    self.filtered = filtered
    self.chains = chains
    let beginning = chains[chains.count - 1].beginning
    plan = ErasePlan(end: beginning)
    plan.schemas = schemas
  }

  mutating func run(_ tick: Tick) throws -> ErasePlan {
    try checkEntity(request.entity, schemas: plan.schemas, path: request.logs.path)
    for name in request.attributes {
      try checkProperty(name, of: request.entity, schemas: plan.schemas, path: request.logs.path)
      try checkIsNotKey(
        name,
        of: request.entity,
        schemas: plan.schemas,
        flag: "--attribute \(name)"
      )
    }
    for (index, chain) in chains.enumerated() {
      let isLatest = index == chains.count - 1
      let origin = try chain.origin(after: nil)
      for file in chain.snapshots {
        let isOrigin = isLatest && file.range.lowerBound == origin.transaction
        try scan(file, chain: chain, isSnapshot: true, isTold: isOrigin, after: nil, tick: tick)
      }
      var point = origin
      for file in chain.files {
        point =
          try scan(
            file,
            chain: chain,
            isSnapshot: false,
            isTold: isLatest,
            after: point,
            tick: tick
          ) ?? point
      }
      plan.end = point
    }
    for chain in filtered {
      for file in chain.files {
        try scan(file, chain: chain, isSnapshot: false, isTold: false, after: nil, tick: tick)
      }
    }
    try checkObject()
    if plan.isThere { try keepPresentValues(tick) }
    plan.files.removeAll { $0.lines.isEmpty }
    return plan
  }

  /// Reads a complete log.
  ///
  /// The last log determines the present values of the object, so the logs must be read in order.
  @discardableResult
  private mutating func scan(
    _ file: LogFolder.File,
    chain: LogChain,
    isSnapshot: Bool,
    isTold: Bool,
    after point: HistoryPoint?,
    tick: Tick
  ) throws -> HistoryPoint? {
    let reader = try chain.open(file, after: point)
    let schema = reader.header.schema
    let start = plan.schemas.firstIndex(of: schema) ?? plan.schemas.count - 1
    let targets = try PropertyTargets(
      entity: request.entity,
      attributes: request.attributes,
      schemas: Array(plan.schemas[start...])
    )
    var found = ErasePlan.File(chain: chain, file: file, isSnapshot: isSnapshot, targets: targets)
    var hasValues = false
    var last: HistoryPoint?
    while true {
      let transaction = try reader.next { change, id, _ in
        guard change.isOf(request.object), targets.hasEntity(of: change) else { return }
        if !plan.isKnown || plan.otherEntity != nil {
          try noteEntity(of: change, schemas: Array(plan.schemas[start...]))
        }
        plan.isKnown = true
        if isTold {
          if change.kind != .update { plan.present.removeAll() }
          plan.isThere = change.kind != .delete
        }
        var values: [ToldValue] = []
        for value in change.toldValues {
          guard let property = targets.property(of: value, in: change) else { continue }
          hasValues = true
          if !value.isErased { values.append(value) }
          guard isTold, value.isAfter else { continue }
          plan.present[property] = ErasePlan.Present(
            lineage: chain.lineage,
            transaction: id,
            value: value
          )
        }
        note(values, of: change, in: id, of: &found)
      }
      guard let transaction else { break }
      last = transaction.point(inLineage: chain.lineage)
      try progress.countTransaction(tick)
    }
    try chain.checkEnd(reader, file: file)
    if hasValues { plan.files.append(found) }
    return last
  }

  /// Notes that a line of a file loses some values.
  private mutating func note(
    _ values: [ToldValue],
    of change: Change,
    in transaction: Int64,
    of file: inout ErasePlan.File
  ) {
    guard !values.isEmpty else { return }
    if file.lines.last?.transaction != transaction { plan.transactions += 1 }
    file.lines.append(ErasePlan.Line(transaction: transaction, sequence: change.sequence))
    plan.values += Int64(values.count)
    plan.largeValues.formUnion(values.flatMap(\.files))
  }

  /// Records the entity of the object, if neither this entity nor an ancestor is named.
  private mutating func noteEntity(of change: Change, schemas: [StoreSchema]) throws {
    let named = try PropertyTargets(
      entity: request.entity,
      hasFamily: false,
      attributes: [],
      schemas: schemas
    )
    plan.otherEntity =
      named.hasEntity(of: change) ? nil : String(decoding: change.entity, as: UTF8.self)
  }

  /// Throws if the logs do not have the object, or if the object exists and all of its values are
  /// named.
  private func checkObject() throws {
    let name = "\(request.entity) \(request.object)"
    guard plan.isKnown else {
      try checkIsNotRenamed(request.entity, schemas: plan.schemas) { "--entity \(inShell($0))" }
      throw PipelineError(.missing) {
        "The logs in \(request.logs.path) have no values of \(name) that can be erased."
          + "\nTo find the id: “travelog log \(request.logs.path) --entity \(request.entity)”"
      }
    }
    if let entity = plan.otherEntity {
      throw PipelineError(.missing) {
        "The object \(request.object) is a \(entity), not a \(request.entity)."
          + "\nName its entity: --entity \(entity) --id \(inShell("\(request.object)"))"
      }
    }
    guard plan.isThere, request.attributes.isEmpty else { return }
    throw PipelineError(.stillThere) {
      "\(name) still exists, so the store and the replicas need its present values."
        + "\nDelete \(name) in the store, export the deletion, and then erase. To erase only"
        + " earlier values, name each changed attribute with --attribute."
    }
  }

  /// Reads the logs with values of the object again, without its present values, which are known only
  /// after the last log.
  private mutating func keepPresentValues(_ tick: Tick) throws {
    plan.values = 0
    plan.transactions = 0
    plan.largeValues = []
    for index in plan.files.indices {
      var file = plan.files[index]
      file.lines = []
      let reader = try file.chain.open(file.file, after: nil)
      while try reader.next(
        checksValues: false,
        { change, id, _ in
          guard change.isOf(request.object), file.targets.hasEntity(of: change) else { return }
          let values = change.toldValues
          for value in values {
            guard let property = file.targets.property(of: value, in: change),
              value != plan.present[property]?.value
            else { continue }
            changed.insert(property)
          }
          let gone = values.filter { plan.erases($0, of: change, in: id, of: file) }
          for (property, present) in plan.present {
            if gone.contains(where: { !$0.isNull && $0.text == present.value.text }) {
              repeated.insert(property)
            }
          }
          note(gone, of: change, in: id, of: &file)
        }
      ) != nil {
        try progress.countTransaction(tick)
      }
      plan.files[index] = file
    }
    try refuseWhatIsThere()
  }

  /// Throws if the erasure would remove a present value of the object.
  private func refuseWhatIsThere() throws {
    let name = "\(request.entity) \(request.object)"
    for (property, present) in plan.present.sorted(by: {
      $0.value.transaction < $1.value.transaction
    })
    where !present.value.isErased && !present.value.isNull {
      let label = String(decoding: property.dropFirst().dropLast(2), as: UTF8.self)
      if request.implied.contains(label) { continue }
      guard changed.contains(property), !repeated.contains(property) else {
        throw PipelineError(.stillThere) {
          "\(name) still has the \(label) that transaction \(present.transaction) set, so the store"
            + " needs this value."
            + "\nChange the value or delete \(name) in the store, export the change, and then erase"
            + " the value."
        }
      }
    }
  }
}
