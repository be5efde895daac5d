import { describe, expect, it } from 'vitest';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = JSON.stringify({
  name: 'Parity',
  call: { command: 'cat' },
  passCriteria: ['result.even == true'],
  cases: [true, false, true, false, false, true].map((even) => ({ input: { even } })),
});

async function run(folder: string, ...args: readonly string[]) {
  const ended = await assayInProcess(['run', '--concurrency', '1', '--json', ...args], { cwd: folder });
  return { ...ended, document: JSON.parse(ended.stdout) };
}

describe('--stop-after-failures', () => {
  it('begins no further trial after so many failures, and a resumed run goes on with the same number', async () => {
    const folder = await temporaryFolder({ 'parity.json': scenario });
    const stopped = await run(folder, 'parity.json', '--stop-after-failures', '2');
    expect(stopped.exitCode).toBe(1);
    expect(stopped.document.totals).toMatchObject({ planned: 6, pass: 2, fail: 2, notRun: 2 });
    expect(stopped.document.status).toBe('finished');
    expect(stopped.document.reason).toBe(
      '2 of 6 trials failed; 2 did not run: 2 failed, and --stop-after-failures is 2',
    );
    expect(stopped.stderr).toContain('No further trial begins: 2 failed, and --stop-after-failures is 2.');

    const resumed = await run(folder, '--resume', 'latest');
    expect(resumed.document.totals).toEqual(stopped.document.totals);
    const again = await run(folder, '--from', 'latest');
    expect(again.document.totals).toEqual(stopped.document.totals);
  });

  it('is the reason in every report of trials that did not run', async () => {
    const folder = await temporaryFolder({ 'parity.json': scenario });
    await run(folder, 'parity.json', '--stop-after-failures', '1');
    for (const format of ['console', 'junit', 'markdown', 'json', 'github', 'sarif']) {
      const { stdout } = await assayInProcess(['report', 'latest', '--format', format, '-o', '-'], { cwd: folder });
      expect(stdout.replaceAll('\\', ''), format).toContain('did not run: 1 failed, and --stop-after-failures is 1');
    }
  });

  it('is a key of the config, which an option replaces', async () => {
    const files = { 'parity.json': scenario, 'assay.config.json': JSON.stringify({ stopAfterFailures: 1 }) };
    const folder = await temporaryFolder(files);
    expect((await run(folder, 'parity.json')).document.totals).toMatchObject({ pass: 1, fail: 1 });
    expect((await run(folder, 'parity.json', '--stop-after-failures', '9')).document.totals).toMatchObject({ fail: 3 });
  });
});
