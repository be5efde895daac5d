import { cpus, totalmem } from 'node:os';
import { describePeers } from './peers/index.mjs';

const sections = {
  startup: async () => (await import('./startup.mjs')).startup(),
  layers: async () => (await import('./layers.mjs')).layers(),
  throughput: async () => (await import('./throughput.mjs')).throughput(),
  judged: async () => (await import('./judged.mjs')).judged(),
  dead: async () => (await import('./dead-judge.mjs')).deadJudge(),
  decision: async () => (await import('./decision-cost.mjs')).decisionCost(),
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
  requests: async () => (await import('./page-requests.mjs')).pageRequests(),
  web: async () => (await import('./web.mjs')).web(),
  install: async () => (await import('./install-size.mjs')).installSize(),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(sections, name));
if (unknown.length > 0) {
  console.error(`Unknown section: ${unknown.join(', ')}. Choose from ${Object.keys(sections).join(', ')}.`);
  process.exit(2);
}

/** One line for a measurement, with what the peers take for the same where that was measured. */
function print({ what, measured, target = '', isMet, peers = '' }) {
  const mark = isMet === undefined ? ' ' : isMet ? '✓' : '✗';
  console.log(`${mark} ${what.padEnd(50)} ${measured.padEnd(34)} ${target.padEnd(18)} ${peers}`.trimEnd());
}

const machine = `${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB`;
console.log(`Node ${process.versions.node}, ${machine}, ${describePeers()}\n`);
const rows = [];
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for await (const row of await measure()) {
    rows.push(row);
    print(row);
  }
}
const goals = rows.filter(({ goal }) => goal);
if (goals.length > 0) console.log('\nThe main targets:\n');
for (const row of goals) print({ ...row, what: row.goal });
const missed = rows.filter(({ isMet }) => isMet === false).length;
console.log(missed === 0 ? '\nAll targets are met.' : `\n${missed} targets are missed.`);
process.exitCode = missed === 0 ? 0 : 1;
