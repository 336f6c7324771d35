import Dispatch

/// Compresses blocks on several threads, and returns the gzip members in the order of the blocks.
///
/// At most two blocks for each thread are in memory. If the blocks are large, fewer blocks are in
/// memory.
final class MemberPipeline {
  /// A block that is being compressed; the semaphore is signalled after ``result`` is set.
  private final class Job: @unchecked Sendable {
    let block: [UInt8]
    var result: Result<[UInt8], any Error> = .success([])
    let isDone = DispatchSemaphore(value: 0)

    init(_ block: [UInt8]) { self.block = block }
  }

  /// The compressors that no thread uses at the moment; creating a compressor takes as long as
  /// compressing a small block.
  private final class Pool: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var compressors: [GzipCompressor] = []
    private let make: () throws -> GzipCompressor

    init(_ make: @escaping () throws -> GzipCompressor) { self.make = make }

    func member(of block: [UInt8]) throws -> [UInt8] {
      lock.wait()
      let waiting = compressors.popLast()
      lock.signal()
      let compressor = try waiting ?? make()
      defer {
        lock.wait()
        compressors.append(compressor)
        lock.signal()
      }
      return try compressor.member(of: block)
    }
  }

  /// The maximum total size of the waiting blocks; while a larger block waits, no other block does.
  private static let largestWait = 8 << 20

  private let pool: Pool
  private let queue = DispatchQueue(label: "travelog.gzip", attributes: .concurrent)
  private let threads: Int
  private var jobs: [Job] = []
  /// The total size of the waiting blocks.
  private var waiting = 0
  private let sink: ([UInt8]) throws -> Void

  /// Creates a pipeline that calls `sink` with each gzip member, on the thread of the caller.
  init(level: Int, threads: Int, path: String, sink: @escaping ([UInt8]) throws -> Void) {
    pool = Pool { try GzipCompressor(level: level, path: path) }
    self.threads = max(1, threads)
    self.sink = sink
  }

  func append(_ block: [UInt8]) throws {
    if jobs.count >= 2 * threads { try takeFirst() }
    while !jobs.isEmpty, waiting + block.count > Self.largestWait { try takeFirst() }
    waiting += block.count
    let job = Job(block)
    jobs.append(job)
    queue.async { [pool] in
      job.result = Result { try pool.member(of: job.block) }
      job.isDone.signal()
    }
  }

  func finish() throws {
    while !jobs.isEmpty { try takeFirst() }
  }

  private func takeFirst() throws {
    let job = jobs.removeFirst()
    job.isDone.wait()
    waiting -= job.block.count
    try sink(job.result.get())
  }
}
