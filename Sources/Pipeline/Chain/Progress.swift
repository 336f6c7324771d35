/// How far a long command has got.
public struct Progress: Hashable, Sendable {
  /// The transactions that were handled.
  public var transactions: Int64 = 0
  /// Their changes.
  public var changes: Int64 = 0
  /// The bytes of their lines.
  public var bytes: Int64 = 0
  /// The transactions that there are to handle; nil where nobody knows.
  public var total: Int64?

  /// Makes the beginning.
  public init(total: Int64? = nil) { self.total = total }
}

/// Called every so often; what it throws ends the command in order.
public typealias Tick = (Progress) throws -> Void
