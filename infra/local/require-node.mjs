const [major] = process.versions.node.split(".").map(Number);
if (major < 22) {
  process.stderr.write(
    `Node 22 or newer is needed; this is ${process.versions.node}. Run "npm ci" with optional dependencies: it brings Node 24.\n`,
  );
  process.exit(1);
}
