import CSQLite
import FoundationEssentials

package enum FunctionResult: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// The arguments in a call of an SQL function, which are valid only during the call.
package struct FunctionArguments {
  let values: UnsafeMutablePointer<OpaquePointer?>?
  package let count: Int

  package func type(at index: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_value_type(self[index])) ?? .null
  }

  package func isNull(at index: Int) -> Bool { type(at: index) == .null }

  package func int64(at index: Int) -> Int64 { sqlite3_value_int64(self[index]) }

  package func double(at index: Int) -> Double { sqlite3_value_double(self[index]) }

  package func string(at index: Int) -> String {
    withBytes(at: index) { String(decoding: $0, as: UTF8.self) }
  }

  package func data(at index: Int) -> Data {
    withBytes(at: index) { Data($0) }
  }

  /// Calls the closure with the bytes of a text or blob.
  package func withBytes<Result>(
    at index: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let value = self[index]
    let start = sqlite3_value_blob(value)
    let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private subscript(index: Int) -> OpaquePointer? {
    precondition(index >= 0 && index < count, "the function has \(count) arguments")
    return values?[index]
  }
}

extension Connection {
  /// Adds a sort order of texts, which statements use with `COLLATE name`.
  package func addCollation(
    _ name: String,
    _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
  ) throws {
    let context = Unmanaged.passRetained(Box(Order(compare: compare))).toOpaque()
    let code = sqlite3_create_collation_v2(
      database,
      name,
      SQLITE_UTF8,
      context,
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        return Unmanaged<Box<Order>>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.value.compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))
          )
        }
      },
      { context in
        guard let context else { return }
        Unmanaged<AnyObject>.fromOpaque(context).release()
      }
    )
    guard code == SQLITE_OK else {
      // If SQLite refuses a collation, SQLite does not release the context.
      Unmanaged<AnyObject>.fromOpaque(context).release()
      throw failure(code)
    }
  }

  /// Adds a deterministic SQL function that tests two texts; its result is NULL if a text is NULL.
  ///
  /// A search calls the function for every row, so a call costs little more than the test.
  package func addTest(
    _ name: String,
    _ test: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) throws {
    let code = sqlite3_create_function_v2(
      database,
      name,
      2,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(Box(Test(holds: test))).toOpaque(),
      { call, _, values in
        guard let first = bytes(of: values?[0]), let second = bytes(of: values?[1]),
          let context = sqlite3_user_data(call)
        else { return }
        let isTrue = Unmanaged<Box<Test>>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.value.holds(first, second)
        }
        sqlite3_result_int(call, isTrue ? 1 : 0)
      },
      nil,
      nil,
      { context in
        guard let context else { return }
        Unmanaged<AnyObject>.fromOpaque(context).release()
      }
    )
    // If SQLite refuses the function, SQLite releases the context itself.
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Adds an SQL function.
  ///
  /// If an SQL function throws, the statement that calls it fails.
  package func addFunction(
    _ name: String,
    argumentCount: Int,
    isDeterministic: Bool,
    _ body: @escaping (FunctionArguments) throws -> FunctionResult
  ) throws {
    typealias Body = (FunctionArguments) throws -> FunctionResult
    let context = Unmanaged.passRetained(Box<Body>(body)).toOpaque()
    let code = sqlite3_create_function_v2(
      database,
      name,
      Int32(clamping: argumentCount),
      SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      context,
      { call, count, values in
        guard let context = sqlite3_user_data(call) else { return }
        let body = Unmanaged<Box<Body>>.fromOpaque(context).takeUnretainedValue().value
        do {
          setResult(try body(FunctionArguments(values: values, count: Int(count))), of: call)
        } catch {
          sqlite3_result_error(call, String(describing: error), -1)
        }
      },
      nil,
      nil,
      { context in
        guard let context else { return }
        Unmanaged<AnyObject>.fromOpaque(context).release()
      }
    )
    // If SQLite refuses the function, SQLite releases the context itself.
    guard code == SQLITE_OK else { throw failure(code) }
  }
}

private final class Box<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
}

// The functions in these structures are called for each row. A box of the function itself would
// call it through another function, because a box is generic. References to a box are not counted,
// because that takes as long as a comparison.

private struct Order {
  let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
}

private struct Test {
  let holds: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
}

/// The bytes of a text or blob; nil for NULL.
private func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer? {
  let start = sqlite3_value_blob(value)
  // The address of an empty text is nil too.
  guard start != nil || sqlite3_value_type(value) != SQLITE_NULL else { return nil }
  return UnsafeRawBufferPointer(
    start: start,
    count: start == nil ? 0 : Int(sqlite3_value_bytes(value))
  )
}

private func setResult(_ result: FunctionResult, of call: OpaquePointer?) {
  switch result {
  case .null: sqlite3_result_null(call)
  case .integer(let value): sqlite3_result_int64(call, value)
  case .real(let value): sqlite3_result_double(call, value)
  case .text(var value):
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_result_text64(
          call,
          $0.baseAddress,
          UInt64($0.count),
          travelog_sqlite_transient(),
          UInt8(SQLITE_UTF8)
        )
      }
    }
  case .blob(let value):
    value.withUnsafeBytes {
      if $0.isEmpty {
        sqlite3_result_zeroblob(call, 0)
      } else {
        sqlite3_result_blob64(
          call,
          $0.baseAddress,
          UInt64($0.count),
          travelog_sqlite_transient()
        )
      }
    }
  }
}
