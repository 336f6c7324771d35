import CSwiftRuntime
import Format
import Store

enum Slot {
  /// There is no value: it was neither set nor read from a store.
  case empty
  /// An attribute in its stored form.
  case value(Value)
  /// A value that is decoded at its first use, and encoded when it is saved.
  case decoded(DecodedValue)
  case toOne(ToOne)
  case toMany(ToMany)
}

extension Slot {
  static func attribute(_ stored: Value, codec: AttributeCodec) throws -> Slot {
    guard codec.type == .json || codec.type == .transformed else { return .value(stored) }
    return .decoded(DecodedValue(try codec.decode(stored), stored: stored))
  }
}

/// The slots of one object, in memory that the state of the object owns.
///
/// `ContiguousArray` is not used, because Swift looks up the class of an array's memory whenever it
/// creates an array. This lookup took a tenth of the time of a fetch.
struct Slots {
  private let memory: UnsafeMutablePointer<Slot>
  let count: Int

  /// Creates empty slots; the caller must call ``deallocate()`` once.
  init(count: Int) {
    self.count = count
    memory = .allocate(capacity: count)
    // `initialize(repeating:count:)` is slower: it copies the slot as if it might contain an object.
    for index in 0..<count { (memory + index).initialize(to: .empty) }
  }

  func deallocate() {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> Slot {
    get {
      precondition(indices.contains(index))
      return memory[index]
    }
    nonmutating set {
      precondition(indices.contains(index))
      memory[index] = newValue
    }
  }
}

/// A `Codable` or transformable value, together with its stored form if the form is known.
final class DecodedValue {
  let value: Any
  private(set) var stored: Value?

  init(_ value: Any, stored: Value? = nil) {
    self.value = value
    self.stored = stored
  }

  func stored(by codec: AttributeCodec) throws -> Value {
    if let stored { return stored }
    let made = try codec.encode(value)
    stored = made
    return made
  }
}

enum ToOne {
  case none
  /// The row of an object that is not in memory.
  case row(Int64)
  /// A strong reference to an object.
  case object(any PersistentModel)
  /// A weak reference to an object that keeps this object alive; after the release of the
  /// referenced object, its row is read again.
  case companion(WeakModel, row: Int64)
}

final class WeakModel {
  private let reference: LightReference

  init(_ reference: LightReference) { self.reference = reference }

  var model: (any PersistentModel)? { reference.model }
}

struct PropertySet {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  var isEmpty: Bool { low == 0 && high.isEmpty }

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  mutating func remove(_ index: Int) {
    if index < 64 { low &= ~(1 << UInt64(index)) } else { high.remove(index) }
  }

  mutating func removeAll() {
    low = 0
    if !high.isEmpty { high = [] }
  }
}

/// A weak reference that does not slow down its object.
///
/// Swift's `weak` permanently moves the reference counts out of the object. Each retain, each
/// release and each property access then takes several times as long: a fetch of 100,000 objects
/// that reads all attributes took 260 ms instead of 110 ms. This type uses an unowned reference,
/// which leaves the counts in the object. An unowned reference keeps the object's memory but not
/// its contents, so the runtime can report whether the object is alive. On all threads, the answer
/// is the same as for `weak`.
struct LightReference {
  private unowned let object: any PersistentModel

  init(_ object: any PersistentModel) { self.object = object }

  var model: (any PersistentModel)? {
    // The unowned count of this reference keeps the memory of the object valid.
    let address = withUnsafeBytes(of: self) { $0.load(as: UnsafeMutableRawPointer.self) }
    guard let held = swift_tryRetain(address) else { return nil }
    defer { Unmanaged<AnyObject>.fromOpaque(held).release() }
    return object
  }
}

extension LightReference: CustomReflectable {
  /// An empty mirror.
  ///
  /// `dump` and a failed `#expect` show a context or an object with everything in it. The usual
  /// mirror would read the reference, which ends the program if the object was released.
  var customMirror: Mirror { Mirror(self, children: []) }
}
