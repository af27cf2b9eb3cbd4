/** A workflow file as the bundler and the tests take it: compiled, beside its text. */
declare module "*/WORKFLOW.md" {
  const workflow: { manifest: import("../workflows/manifest.ts").Manifest; text: string };
  export default workflow;
}
