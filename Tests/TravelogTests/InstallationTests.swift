import Foundation
import StoreTesting
import Testing

@Suite("Installation, of the programs that stand beside the tests")
struct InstallationTests {
  /// The files and links below a folder, by their paths in it.
  private func files(in folder: URL) throws -> Set<String> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return Set(
      paths.filter { path in
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(
          atPath: folder.path + "/" + path,
          isDirectory: &isFolder
        )
        return isThere && !isFolder.boolValue
      }
    )
  }

  /// What has to be there of both programs, however they were installed.
  private func expectPrograms(in prefix: URL, zsh: String, manual: String) throws {
    let files = try files(in: prefix)
    for program in ["travelog", "trips"] {
      for path in [
        "bin/\(program)", "share/man/man1/\(program).\(manual)",
        "share/bash-completion/completions/\(program)", "share/zsh/\(zsh)/_\(program)",
        "share/fish/vendor_completions.d/\(program).fish",
      ] {
        #expect(files.contains(path))
      }
      let run = try run(prefix.path + "/bin/" + program, ["--version"])
      #expect(run.code == 0 && run.output.hasPrefix(program), "\(run.errors)")
    }
    for path in ["nightly-export.json5", "offline-replay.json5", "weekly-audit.json5"] {
      #expect(files.contains("share/travelog/pipelines/" + path))
    }
    #expect(files.contains("share/man/man1/travelog-export.\(manual)"))
    #expect(files.contains("share/doc/travelog/CLI.md"))
  }

  @Test("make install puts all of it under DESTDIR and PREFIX, and make uninstall takes it away")
  func makeInstall() throws {
    guard let make = installed("make") else { return }
    try withTemporaryFolder { folder in
      // The programs are there; “-o release” is how make is told so.
      func target(_ name: String) throws -> Run {
        try run(
          make,
          [
            "-C", packageRoot.path, "-o", "release", name, "DESTDIR=\(folder.path)", "PREFIX=/opt",
            "RELEASE=printf %s \(products); :",
          ],
          environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        )
      }
      let kept = folder.appendingPathComponent("opt/share/man/man1/other.1")
      try FileManager.default.createDirectory(
        at: kept.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data("a page of another program".utf8).write(to: kept)
      let install = try target("install")
      #expect(install.code == 0, "\(install.errors)")
      try expectPrograms(
        in: folder.appendingPathComponent("opt"),
        zsh: "site-functions",
        manual: "1"
      )
      #expect(try target("install").code == 0, "a second time is as good as the first")
      let uninstall = try target("uninstall")
      #expect(uninstall.code == 0, "\(uninstall.errors)")
      #expect(try files(in: folder) == ["opt/share/man/man1/other.1"])
    }
  }

  @Test("the Debian package installs, and leaves nothing when it is removed")
  func debianPackage() throws {
    guard installed("dpkg-deb") != nil, let dpkg = installed("dpkg") else { return }
    try withTemporaryFolder { folder in
      // The package is thrown away: its size is of no matter.
      let environment = [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DPKG_DEB_COMPRESSOR_TYPE": "gzip",
        "DPKG_DEB_COMPRESSOR_LEVEL": "1",
      ]
      let build = try run(
        packageRoot.path + "/Tools/make-deb",
        [products, "1.2.3", folder.path],
        environment: environment
      )
      #expect(build.code == 0, "\(build.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let package = try #require(names.first { $0.hasPrefix("travelog_1.2.3_") })

      let root = folder.appendingPathComponent("root")
      let admin = root.appendingPathComponent("var/lib/dpkg")
      for name in ["info", "updates", "triggers"] {
        try FileManager.default.createDirectory(
          at: admin.appendingPathComponent(name),
          withIntermediateDirectories: true
        )
      }
      for name in ["status", "available"] {
        try Data().write(to: admin.appendingPathComponent(name))
      }
      func packages(_ arguments: String...) throws -> Run {
        try run(
          dpkg,
          [
            "--root=\(root.path)", "--log=\(folder.path)/dpkg.log", "--force-not-root",
            "--force-bad-path", "--force-depends",
          ] + arguments,
          environment: environment
        )
      }
      let install = try packages("--install", folder.path + "/" + package)
      #expect(install.code == 0, "\(install.errors)")
      try expectPrograms(
        in: root.appendingPathComponent("usr"),
        zsh: "vendor-completions",
        manual: "1.gz"
      )
      let verify = try packages("--verify", "travelog")
      #expect(verify.code == 0 && verify.output == "", "\(verify.output)\(verify.errors)")
      let remove = try packages("--purge", "travelog")
      #expect(remove.code == 0, "\(remove.errors)")
      #expect(!FileManager.default.fileExists(atPath: root.path + "/usr"))
      let left = try files(in: root).filter { !$0.hasPrefix("var/lib/dpkg") }
      #expect(left == [])
    }
  }
}
