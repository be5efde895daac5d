import { describe, expect, it } from 'vitest';
import { createWork, gateResult } from '../../../testing/fakes/score/work.ts';
import { script } from './script.ts';

describe('script', () => {
  it.each([
    [`echo '{"passed": true, "message": "fine"}'; exit 1`, undefined, { passed: true, message: 'fine' }],
    [`echo '{"passed": false, "message": "bad"}'`, undefined, { passed: false, message: 'bad' }],
    [`echo '{"passed": false}'`, 'All linked', { passed: false, message: 'All linked' }],
    [`echo '{"passed": true, "detail": {"n": [1]}}'`, 'ok', { passed: true, message: 'ok', detail: { n: [1] } }],
    [`echo '{"passed": "yes"}'`, undefined, { passed: true, message: expect.stringContaining('exited with 0') }],
    [`echo '[{"passed": false}]'`, undefined, { passed: true }],
    [`echo '{"passed": false} trailing'`, undefined, { passed: true }],
    [
      'echo junk; exit 2',
      'All linked',
      { passed: false, message: expect.stringMatching(/^All linked: .*exited with 2/) },
    ],
  ])('%s', async (command, description, expected) => {
    await using work = await createWork();
    const config = description === undefined ? { command } : { command, description };
    expect(await gateResult(script, config, work.context)).toMatchObject({ gate_type: 'script', ...expected });
  });

  it('keeps the command of a gate that failed and what it printed, without secrets, also where that is cut', async () => {
    await using work = await createWork();
    const command = `awk 'BEGIN { for (i = 0; i < 900; i++) printf "s3cret-key" }'; echo oops >&2; exit 3`;
    const { detail } = await gateResult(script, { command }, work.context);
    expect(detail).toMatchObject({ command: expect.stringContaining('[redacted]'), exit_code: 3, stderr: 'oops\n' });
    expect(JSON.stringify(detail)).not.toMatch(/s3|cret-/);
    const passing = await gateResult(script, { command: 'echo fine' }, work.context);
    expect(passing).not.toHaveProperty('detail');
  });

  it('leaves out a detail that no record should carry', async () => {
    await using work = await createWork();
    const deep = `printf '{"passed": true, "detail": '; awk 'BEGIN { for (i = 0; i < 50000; i++) printf "["; for (i = 0; i < 50000; i++) printf "]" }'; printf '}'`;
    const { passed, detail } = await gateResult(script, { command: deep }, work.context);
    expect([passed, detail]).toEqual([true, 'left out: it is too large or too deep']);
  });
});
