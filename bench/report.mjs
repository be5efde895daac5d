import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStore } from '../dist/index.js';
import { finishedTrial, runHeader } from '../dist/testing.js';
import { findChromium } from '../scripts/find-chromium.mjs';
import { secondsToOpen } from './chromium.mjs';
import { program, runNode, withFolder } from './measure.mjs';

const trials = 10_000;
const runId = 'r-bench';
const mostMegabytes = 60;

/** The HTML report of a run of agents: how long it takes to write and to open, and what it takes. */
export function report() {
  return withFolder({}, async (cwd) => {
    await storeRun(cwd);
    const written = runNode([program, 'report', runId, '-o', '.'], { cwd, withPeak: true });
    const path = join(cwd, 'report.html');
    const megabytes = statSync(path).size / 1e6;
    return [
      atMost('HTML report of 10,000 trials', written.seconds, 10, 's'),
      atMost('  peak memory', written.peakMb, 300, 'MB'),
      atMost('  size', megabytes, mostMegabytes, 'MB'),
      await opening(path),
    ];
  });
}

async function opening(path) {
  const chromium = findChromium();
  if (!chromium) return { what: '  opened in Chromium', measured: 'left out: no Chromium was found' };
  const address = `${pathToFileURL(path).href}#/runs/${runId}?view=trials`;
  const seconds = await secondsToOpen(chromium, address, "document.querySelectorAll('[data-row-link]').length > 5");
  return atMost('  opened in Chromium', seconds, 3, 's');
}

function atMost(what, measured, limit, unit) {
  const digits = unit === 's' ? 1 : 0;
  return {
    what,
    measured: `${measured.toFixed(digits)} ${unit}`,
    target: `at most ${limit} ${unit}`,
    isMet: measured <= limit,
  };
}

async function storeRun(cwd) {
  const store = await openStore('sqlite:.assay/assay.db', cwd);
  const finishedAt = 1_700_000_900_000;
  await store.createRun(runHeader(runId, { planned: trials, status: 'finished', finishedAt }));
  for (let first = 0; first < trials; first += 200) {
    await store.saveTrials(Array.from({ length: 200 }, (_, index) => agentTrial(first + index)));
  }
  await store[Symbol.asyncDispose]();
}

/** A trial as a coding agent leaves it: some thirty events with what the tool printed. */
function agentTrial(ordinal) {
  const scenario = `Scenario ${ordinal % 50}`;
  const { record } = finishedTrial(runId, ordinal, { outcome: ordinal % 7 === 0 ? 'fail' : 'pass', scenario });
  const events = Array.from({ length: 10 }, (_, step) => stepEvents(ordinal, step)).flat();
  const variant = { agent: 'codex', model: 'gpt-5', guidance: `v${ordinal % 2}` };
  return { record: { ...record, variant, durationMs: 1_000 + (ordinal % 977) * 13 }, trace: events };
}

function stepEvents(ordinal, step) {
  const at = step * 900;
  const callId = `call-${step}`;
  const printed = Array.from({ length: 12 }, (_, line) => `task ${ordinal * 31 + line * step} is due in ${line} days`);
  return [
    { type: 'message', at, seenBy: 'agent', role: 'assistant', text: `Step ${step}: look at task ${ordinal + step}.` },
    {
      type: 'tool-call',
      at: at + 50,
      seenBy: 'agent',
      callId,
      tool: 'shell',
      input: { command: `taskmgr list ${ordinal + step}` },
    },
    {
      type: 'tool-result',
      at: at + 700,
      seenBy: 'agent',
      callId,
      durationMs: 650,
      result: printed.join('\n'),
      exitCode: 0,
    },
  ];
}
