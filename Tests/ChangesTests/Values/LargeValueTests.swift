import Foundation
import TestSupport
import Testing

@testable import Changes

@Suite("Values that are too large for a line")
struct LargeValueTests {
  @Test("A value of up to 1 MiB is kept in its line.")
  func limit() {
    #expect(LargeValue.limit == 1_048_576)
  }

  @Test("The bytes of a value are read whole or in pieces, from memory or from a file.")
  func reading() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "value")
      for count in [0, 1, 262_143, 262_144, 262_145, 600_000] {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try data.write(to: file)
        for value in [LargeValue.bytes(data), .file(file.path)] {
          #expect(value.size == Int64(count))
          #expect(try value.data() == data)
          var joined = Data()
          var sizes: [Int] = []
          try value.forEachPiece {
            joined.append(contentsOf: $0)
            sizes.append($0.count)
          }
          #expect(joined == data)
          if case .file = value {
            #expect(sizes.count == (count + 262_143) / 262_144)
            #expect(!sizes.contains(0))
          } else {
            #expect(sizes == [count])
          }
        }
      }
    }
  }

  @Test("A missing file has no size, and reading it is an error that names the file.")
  func missing() throws {
    try withTemporaryFolder { folder in
      let path = folder.appending(path: "none").path
      #expect(LargeValue.file(path).size == nil)
      let error = #expect(throws: StoreError.self) { try LargeValue.file(path).data() }
      #expect(error?.code == .missingBlob)
      #expect(
        error?.message == "Can't open the large value \(path): No such file or directory."
      )
      #expect(error?.hint == "Restore the file from a copy.")
      let unreadable = #expect(throws: StoreError.self) {
        try LargeValue.file(folder.path).data()
      }
      #expect(unreadable?.code == .inputOutput)
      #expect(
        unreadable?.message == "Can't read the large value \(folder.path): Is a directory."
      )
    }
  }

  @Test("A reference to a large value has one exact text.")
  func references() {
    let digest = String(repeating: "0a", count: 32)
    let reference = LargeReference(digest: digest, size: 7)
    let text = #"{"sha256":"\#(digest)","size":7}"#
    #expect(reference.json == Array(text.utf8))
    #expect(LargeReference(Array(text.utf8)) == reference)
    for other in [
      "", "{}", "null", #"{"sha256":"\#(digest)"}"#, #"{"sha256":"\#(digest)","size":"7"}"#,
      #"{"sha256":"\#(digest)","size":7,"more":1}"#, #"{"sha256":1,"size":7}"#,
      #"{"sha256":"\#(digest)","size":7.0}"#,
    ] {
      #expect(LargeReference(Array(other.utf8)) == nil, "\(other)")
    }
    let large = EncodedValue(large: reference)
    #expect(large.json == Array("null".utf8) && large.large == reference.json)
    #expect(large.special.isEmpty && large.specialName == nil && !large.isMissing)
  }

  @Test("A note replaces the value by null, and only a list begins with a bracket.")
  func notes() {
    #expect(EncodedValue.erased.json == Array("null".utf8))
    #expect(EncodedValue.erased.special == Array(#""erased""#.utf8))
    #expect(EncodedValue.erased.specialName == "erased" && !EncodedValue.erased.isMissing)
    #expect(EncodedValue.missing.isMissing && EncodedValue.missing.specialName == "missing")
    #expect(EncodedValue(json: Array("[]".utf8)).isLinks)
    for text in ["", "null", #""[""#, "{}", "7"] {
      #expect(!EncodedValue(json: Array(text.utf8)).isLinks)
    }
  }
}
