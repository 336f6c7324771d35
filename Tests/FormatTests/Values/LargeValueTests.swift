import Format
import Testing

@Suite("Large values")
struct LargeValueTests {
  @Test("An error about the file of a large value has a code for its cause.")
  func codes() {
    func code(_ path: String) -> StoreError.Code? {
      let error = #expect(throws: StoreError.self) { try LargeValue.file(path).data() }
      return error?.code
    }
    #expect(code("/no/such/file") == .missingBlob)
    #expect(code("/dev/null/file") == .missingBlob)
    // A folder can be opened, but not read.
    #expect(code("/") == .inputOutput)
  }
}
