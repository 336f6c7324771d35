import Dispatch

/// Compresses blocks on several threads, and passes the members on in the order of the blocks.
///
/// At most twice as many blocks as threads are in memory, and fewer if they are large.
final class MemberPipeline {
  /// A block in progress; the semaphore is signalled when ``result`` is set.
  private final class Job: @unchecked Sendable {
    let block: [UInt8]
    var result: Result<[UInt8], any Error> = .success([])
    let isDone = DispatchSemaphore(value: 0)

    init(_ block: [UInt8]) { self.block = block }
  }

  /// Compressors that are not in use; creating one costs as much as compressing a small block.
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

  /// The maximum size of all waiting blocks; a larger block waits alone.
  private static let largestWait = 8 << 20

  private let pool: Pool
  private let queue = DispatchQueue(label: "travelog.gzip", attributes: .concurrent)
  private let threads: Int
  private var jobs: [Job] = []
  /// The size of the waiting blocks.
  private var waiting = 0
  private let sink: ([UInt8]) throws -> Void

  /// Creates a pipeline that passes members to `sink` on the caller's thread.
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
