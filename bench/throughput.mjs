import { statSync } from 'node:fs';
import { join } from 'node:path';
import { median, program, runNode, withFolder } from './measure.mjs';
import { besidePeers } from './peers/index.mjs';

const scenario = `name: Add numbers
call: { module: ./tool.mjs, export: add }
dataset: ./rows.jsonl
passCriteria:
  - result.ok === true
  - result.sum === input.a + input.b
  - result.message.includes('added')
`;
const tool = "export const add = ({ a, b }) => ({ sum: a + b, ok: true, message: 'added' });\n";
/** Many cases of a trivial function with three criteria each, stored durably. */
export async function throughput() {
  const small = await runCases(10_000, 5);
  const large = await runCases(100_000, 1);
  // A tenth of the cases: the slowest peer would take minutes for all of them.
  const fewer = { kind: 'cheap', cases: 1_000, concurrency: 4, files: { 'tool.mjs': tool } };
  const peers = await besidePeers(fewer, (seconds) => `${perSecond(1_000, { seconds })} cases/s of 1,000`);
  const memoryRatio = large.peakMb / small.peakMb;
  const timeRatio = large.seconds / small.seconds;
  return [
    {
      ...goal(
        '10,000 cases, start included',
        '10,000 cheap cases',
        `${perSecond(10_000, small)} cases/s`,
        'at least 10,000',
        10_000 / small.seconds >= 10_000,
      ),
      peers,
    },
    goal(
      '  peak memory',
      '10,000 cheap cases, peak memory',
      `${small.peakMb.toFixed(0)} MB`,
      'at most 130 MB',
      small.peakMb <= 130,
    ),
    goal(
      '  store per case',
      'cheap cases, bytes in the store',
      `${small.bytesPerCase.toFixed(0)} bytes`,
      'at most 305',
      small.bytesPerCase <= 305,
    ),
    row(
      '100,000 cases',
      `${perSecond(100_000, large)} cases/s, ${timeRatio.toFixed(1)} x the time`,
      'at most 10 x',
      timeRatio <= 10,
    ),
    goal(
      '  peak memory',
      '100,000 cheap cases, peak memory',
      `${memoryRatio.toFixed(2)} x that of 10,000`,
      'at most 1.2 x',
      memoryRatio <= 1.2,
    ),
  ];
}

function row(what, measured, target, isMet) {
  return { what, measured, target, isMet };
}

/** A row with the name that it has among the main targets. */
function goal(what, name, measured, target, isMet) {
  return { ...row(what, measured, target, isMet), goal: name };
}

function perSecond(cases, { seconds }) {
  return Math.round(cases / seconds).toLocaleString('en-US');
}

/** The files of this job. */
export function cheapJob(cases) {
  const rows = Array.from({ length: cases }, (_, index) => JSON.stringify({ a: index, b: index * 2 }));
  return { 's.yaml': scenario, 'tool.mjs': tool, 'rows.jsonl': rows.join('\n') };
}

async function runCases(cases, rounds) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const run = await withFolder(cheapJob(cases), (cwd) => {
      const command = [program, 'run', 's.yaml', '--quiet'];
      const { seconds } = runNode(command, { cwd });
      const bytesPerCase = statSync(join(cwd, '.assay', 'assay.db')).size / cases;
      const { peakMb } = runNode(command, { cwd, withPeak: true });
      return { seconds, peakMb, bytesPerCase };
    });
    runs.push(run);
  }
  const seconds = median(runs.map((run) => run.seconds));
  return { ...runs[0], seconds, peakMb: Math.max(...runs.map((run) => run.peakMb)) };
}
