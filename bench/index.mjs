import { cpus, totalmem } from 'node:os';

const sections = {
  startup: async () => (await import('./startup.mjs')).startup(),
  throughput: async () => (await import('./throughput.mjs')).throughput(),
  judged: async () => (await import('./judged.mjs')).judged(),
  agents: async () => [
    ...(await (await import('./agents.mjs')).agents()),
    ...(await (await import('./agents-with-gateway.mjs')).agentsWithGateway()),
  ],
  gateway: async () => (await import('./gateway.mjs')).gateway(),
  compare: async () => (await import('./compare.mjs')).compare(),
  conversations: async () => (await import('./conversations.mjs')).conversations(),
  mcp: async () => (await import('./mcp.mjs')).mcp(),
  criteria: async () => (await import('./criteria.mjs')).criteria(),
  import: async () => (await import('./import.mjs')).imports(),
  collect: async () => (await import('./collect.mjs')).collect(),
  report: async () => (await import('./report.mjs')).report(),
  store: async () => (await import('./store-pages.mjs')).storePages(),
  distributed: async () => (await import('./distributed.mjs')).distributed(),
  web: async () => (await import('./web.mjs')).web(),
  install: async () => (await import('./install-size.mjs')).installSize(),
};

const wanted = process.argv.slice(2);
console.log(`Node ${process.versions.node}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB\n`);
let missed = 0;
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const { what, measured, target = '', isMet } of await measure()) {
    const mark = isMet === undefined ? ' ' : isMet ? '✓' : '✗';
    if (isMet === false) missed++;
    console.log(`${mark} ${what.padEnd(50)} ${measured.padEnd(34)} ${target}`);
  }
}
console.log(missed === 0 ? '\nAll targets are met.' : `\n${missed} targets are missed.`);
process.exitCode = missed === 0 ? 0 : 1;
