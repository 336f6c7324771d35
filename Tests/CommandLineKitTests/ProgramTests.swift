import CommandLineKit
import Glibc
import Testing

@Suite("Programs")
struct ProgramTests {
  // Each test runs in another process, because a process can't get its descriptors back.
  @Test("A file that a program opens never gets the number of a closed standard descriptor.")
  func closedDescriptors() async {
    await #expect(processExitsWith: .success) {
      let command = Command("open", summary: "Opens a file.") { _ in
        open("/dev/zero", O_RDONLY | O_CLOEXEC) > STDERR_FILENO ? .success : .failure
      }
      for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
      exit(Program(command, version: "1").run(["open"], environment: [:]))
    }
  }

  @Test("An answer that can't be written, because standard output is closed, is a failure.")
  func closedOutput() async {
    await #expect(processExitsWith: .exitCode(ExitCode.failure.number)) {
      let command = Command("answer", summary: "Writes an answer.") { call in
        try call.output.write("42\n")
        return .success
      }
      close(STDOUT_FILENO)
      exit(Program(command, version: "1").run(["answer"], environment: [:]))
    }
  }
}
