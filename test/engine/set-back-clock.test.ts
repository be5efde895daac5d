import { expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const hourMs = 3_600_000;
const project = {
  's.yaml': 'name: Slow\ncall: { module: ./tool.mjs, export: work }\ninput: {}\npassCriteria: [result.ok === true]\n',
  'tool.mjs': `import { setTimeout as wait } from 'node:timers/promises';
export async function work() {
  await wait(300);
  return { ok: true };
}
`,
  // The clock of the machine, as an administrator or a time server sets it.
  'clock.cjs': `const { now } = Date;
let offset = Number(process.env.CLOCK_OFFSET ?? 0);
Date.now = () => now() + offset;
setTimeout(() => { offset -= Number(process.env.SET_BACK_AFTER_START ?? 0); }, 600).unref();
`,
};

it('a run that begins after the clock was set back is the latest one', async () => {
  const cwd = await temporaryFolder(project);
  const env = { NODE_OPTIONS: '--require ./clock.cjs' };
  const first = await assay(['run', 's.yaml', '--json'], { cwd, env });
  const second = await assay(['run', 's.yaml', '--json'], { cwd, env: { ...env, CLOCK_OFFSET: String(-hourMs) } });
  const latest = await assay(['show', 'latest', '--json'], { cwd });
  const idOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).runId;
  expect(idOf(latest)).toBe(idOf(second));
  expect(idOf(latest)).not.toBe(idOf(first));
});

it('a run during which the clock is set back took as long as it did', async () => {
  const cwd = await temporaryFolder({
    ...project,
    'tool.mjs': project['tool.mjs'].replace('wait(300)', 'wait(1_200)'),
  });
  const env = { NODE_OPTIONS: '--require ./clock.cjs', SET_BACK_AFTER_START: String(hourMs) };
  const { stdout } = await assay(['run', 's.yaml', '--json'], { cwd, env });
  expect(JSON.parse(stdout).durationMs).toBeGreaterThanOrEqual(1_000);
});
